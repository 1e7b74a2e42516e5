/* blocking.c - an ordinary call that blocks, while other tasks go on.
 * modes: woven forced
 * expect: tick 1
 * expect: tick 2
 * expect: tick 3
 * expect: line: answer 42 */
#include <co4.h>
#include <stdio.h>
#include <time.h>

/* Represents a call that blocks its thread: of a file, a database, a library without tasks. */
static size_t read_line(char *line, size_t room)
{
    nanosleep(&(struct timespec){ 0, 100000000 }, NULL);
    return (size_t)snprintf(line, room, "answer 42");
}

static pausable void tick(int times)
{
    for (int i = 1; i <= times; i++) {
        co4_sleep(CO4_MS);
        printf("tick %d\n", i);
    }
}

enum { ROOM = 80 };

static pausable int work(void *line)
{
    int err = co4_scope_spawn(co4_scope_here(), tick(3));
    return err == CO4_OK ? (int)co4_blocking(read_line(line, ROOM)) : err;
}

int main(void)
{
    char line[ROOM];
    int length = co4_run(co4_scope_run(0, work(line)));
    printf("line: %.*s\n", length, line);
    return 0;
}
