/* io_looks.c - a worker does not look for new events while tasks of earlier ones have not run:
 * those of the new ones would stand behind them. The counters say so.
 *
 * Each of the tasks takes so long that a look after each would be due.
 * needs: descriptors
 * modes: woven
 * expect: all have read
 * expect: fewer looks than reads */
#define _GNU_SOURCE
#include <co4.h>
#include <co4/io.h>
#include <stdio.h>
#include <sys/socket.h>

enum { PAIRS = 64, ROUNDS = 10 };

static co4_runtime *running;
static int ends[PAIRS][2], reads;

static pausable void serves(int fd)
{
    char c;
    for (int i = 0; i < ROUNDS; i++) {
        if (co4_read(fd, &c, 1) != 1)
            return;
        int64_t until = co4_now() + 100 * INT64_C(1000);
        while (co4_now() < until)
            ;
        reads++;
    }
}

static pausable void writes(void)
{
    char c = 'x';
    for (int round = 1; round <= ROUNDS; round++) {
        for (int i = 0; i < PAIRS; i++)
            if (co4_write(ends[i][0], &c, 1) != 1)
                return;
        while (reads < round * PAIRS)
            if (co4_sleep(20 * CO4_MS) != CO4_OK)
                return;
    }
    co4_stats s;
    co4_stats_of(running, &s);
    puts("all have read");
    if (s.looks < PAIRS * ROUNDS / 3)
        puts("fewer looks than reads");
    else
        printf("%llu looks\n", s.looks);
}

int main(void)
{
    running = co4_runtime_create(&(co4_runtime_options){ .workers = 1 });
    for (int i = 0; i < PAIRS; i++) {
        if (co4_socketpair(AF_UNIX, SOCK_STREAM, 0, ends[i]) != 0)
            return 1;
        co4_runtime_spawn(running, serves(ends[i][1]));
    }
    co4_runtime_spawn(running, writes());
    co4_runtime_start(running);
    co4_runtime_join(running);
    co4_runtime_destroy(running);
    return 0;
}
