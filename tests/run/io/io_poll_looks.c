/* io_poll_looks.c - a co4_poll() that waits asks the system for all its descriptors at once before
 * it registers them, and for each of them once afterwards.
 * needs: descriptors
 * modes: woven forced
 * expect: 1 to read, few looks */
#define _GNU_SOURCE
#include <co4.h>
#include <co4/io.h>
#include <poll.h>
#include <stdio.h>
#include <time.h>

enum { PIPES = 16 };

static int looks;

/* In place of the C library's. */
int poll(struct pollfd *fds, nfds_t count, int timeout)
{
    struct timespec t = { timeout / 1000, timeout % 1000 * 1000000L };
    looks++;
    return ppoll(fds, count, timeout < 0 ? NULL : &t, NULL);
}

static pausable void write_later(int fd)
{
    co4_sleep(20 * CO4_MS);
    if (co4_write(fd, "x", 1) != 1)
        puts("no byte is written");
}

static pausable int wait_for_one(void)
{
    struct pollfd fds[PIPES];
    int ends[PIPES][2];
    for (int i = 0; i < PIPES; i++) {
        if (co4_pipe(ends[i]) != 0)
            return 1;
        fds[i] = (struct pollfd){ .fd = ends[i][0], .events = POLLIN };
    }
    co4_task *writer = co4_spawn(write_later(ends[PIPES / 2][1]));
    int before = looks;
    int n = co4_poll(fds, PIPES, 5000);
    int some = looks - before;
    printf("%d to read, %s looks\n", n, some < 2 * PIPES ? "few" : "many");
    co4_join(writer, NULL);
    for (int i = 0; i < PIPES; i++) {
        co4_close(ends[i][0]);
        co4_close(ends[i][1]);
    }
    return 0;
}

int main(void)
{
    return co4_run(wait_for_one());
}
