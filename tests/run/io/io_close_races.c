/* io_close_races.c - calls come and go while their descriptor is closed: the number is closed once,
 * and then serves another file.
 *
 * needs: threads descriptors posix workers
 * modes: woven
 * expect: each number was closed once
 * expect: each round had its byte */
#define _GNU_SOURCE
#include <co4.h>
#include <co4/io.h>
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { ROUNDS = 20000, CALLERS = 2 };
#define ENOUGH (5 * CO4_SEC) /* on a busy machine there are fewer rounds */

static atomic_int wrong, lost, round_now, ended;
static int fds[2];

/* In place of the C library's, to see a number that is closed twice. */
int close(int fd)
{
    int n = (int)syscall(SYS_close, fd);
    if (n != 0)
        wrong++;
    return n;
}

/* Each round it asks until the number is closed. It never waits. */
pausable void caller(void)
{
    for (int i = 1;; i++) {
        char c;
        while (atomic_load(&round_now) < i)
            sched_yield();
        if (atomic_load(&round_now) > ROUNDS)
            break;
        while (co4_recv_until(fds[0], &c, 1, 0, CO4_NOW) >= 0 || errno != EBADF)
            sched_yield();
        ended++;
    }
}

pausable void closer(void)
{
    int64_t end = co4_now() + ENOUGH;
    for (int i = 1; i <= ROUNDS && (i < 100 || co4_now() < end); i++) {
        char c;
        if (co4_socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0)
            exit(1);
        if (co4_write(fds[0], "x", 1) != 1 || co4_read(fds[1], &c, 1) != 1)
            lost++;
        atomic_store(&ended, 0);
        atomic_store(&round_now, i);
        for (volatile int k = rand() % 300; k > 0; k--)
            ;
        co4_close(fds[0]);
        while (atomic_load(&ended) < CALLERS)
            sched_yield();
        co4_close(fds[1]);
    }
    atomic_store(&round_now, ROUNDS + 1);
}

int main(void)
{
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = CALLERS + 1 });
    for (int i = 0; i <= CALLERS; i++) {
        co4_task *t = i < CALLERS ? co4_task_create(caller()) : co4_task_create(closer());
        co4_task_pin(t, i);
        co4_runtime_schedule(rt, t);
        co4_task_release(t);
    }
    co4_runtime_start(rt);
    co4_runtime_join(rt);
    co4_runtime_destroy(rt);
    printf(wrong ? "%d numbers were closed twice\n" : "each number was closed once\n", wrong);
    printf(lost ? "%d rounds lost a byte\n" : "each round had its byte\n", lost);
    return wrong || lost;
}
