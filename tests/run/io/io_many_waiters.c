/* io_many_waiters.c - more tasks than a number of 16 bits counts wait at one descriptor, in both
 * directions: each has its turn.
 * needs: descriptors
 * modes: woven
 * expect: 65540 of 65540 have read, 65540 of 65540 have written
 * expect: one left: 65540 of 65540 have read */
#include <co4.h>
#include <co4/io.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define TASKS 65540

static int fds[2], have_read, have_written, gave_up;

static pausable int read_one(void)
{
    char c;
    have_read += co4_read(fds[0], &c, 1) == 1;
    return 0;
}

static pausable int write_one(void)
{
    have_written += co4_write(fds[0], "w", 1) == 1;
    return 0;
}

static pausable int give_up(int64_t deadline)
{
    char c;
    gave_up += co4_read_until(fds[0], &c, 1, deadline) < 0;
    return 0;
}

static pausable int take(size_t left)
{
    char block[4096];
    while (left > 0) {
        ssize_t n = co4_read(fds[1], block, left < sizeof block ? left : sizeof block);
        if (n <= 0)
            return 1;
        left -= (size_t)n;
    }
    return 0;
}

static pausable int give(size_t left)
{
    static const char block[4096];
    while (left > 0) {
        ssize_t n = co4_write(fds[1], block, left < sizeof block ? left : sizeof block);
        if (n <= 0)
            return 1;
        left -= (size_t)n;
    }
    return 0;
}

static pausable int start(int tasks, int (*spawn)(void))
{
    for (int i = 0; i < tasks; i++)
        if (spawn() != CO4_OK)
            return 1;
    return 0;
}

static int spawn_reader(void)
{
    return co4_scope_spawn(co4_scope_here(), read_one());
}

static int spawn_writer(void)
{
    return co4_scope_spawn(co4_scope_here(), write_one());
}

/* The output is full before the first writer comes. */
static pausable int both(void)
{
    static const char block[4096];
    size_t full = 0;
    ssize_t n;
    while ((n = send(fds[0], block, sizeof block, MSG_DONTWAIT)) > 0)
        full += (size_t)n;
    if (start(TASKS, spawn_reader) != 0 || start(TASKS, spawn_writer) != 0)
        return 1;
    for (int i = 0; i < 3; i++)
        co4_yield();
    return give(TASKS) || take(full + TASKS);
}

/* One more comes and leaves by its deadline while all wait. */
static pausable int one_leaves(void)
{
    if (start(TASKS - 4, spawn_reader) != 0)
        return 1;
    co4_scope_spawn(co4_scope_here(), give_up(co4_now() + CO4_MS));
    if (start(4, spawn_reader) != 0)
        return 1;
    while (!gave_up)
        co4_sleep(CO4_MS);
    return give(TASKS);
}

static pausable int all(void)
{
    int err = co4_scope_run(0, both());
    printf("%d of %d have read, %d of %d have written\n", have_read, TASKS, have_written, TASKS);
    have_read = 0;
    err = err ? err : co4_scope_run(0, one_leaves());
    printf("one left: %d of %d have read\n", have_read, TASKS);
    return err;
}

int main(void)
{
    if (co4_socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0)
        return 1;
    int err = co4_run(all());
    co4_close(fds[0]);
    co4_close(fds[1]);
    return err;
}
