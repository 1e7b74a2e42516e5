/* sim_blocking.c - simulated descriptors in a plain build: a call that waits runs what is pending,
 * and moves the clock.
 * needs: descriptors
 * modes: plain
 * expect: outside tasks: 5 bytes, then ETIMEDOUT after 2 s
 * expect: nothing can come: EDEADLK
 * expect: in a task: 3 bytes
 * expect: poll: 1, then 0 after 100 ms
 * expect: real ones stay real: 4 bytes
 * expect: over: EBADF */
#include <co4.h>
#include <co4/io.h>
#include <co4/test.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *name_of(int err)
{
    return err == ETIMEDOUT ? "ETIMEDOUT"
           : err == EDEADLK ? "EDEADLK"
           : err == EBADF   ? "EBADF"
                            : strerror(err);
}

static pausable int read_whole(int fd, char *to, int bytes)
{
    int got = 0;
    while (got < bytes) {
        ssize_t n = co4_read(fd, to + got, (size_t)(bytes - got));
        if (n <= 0)
            break;
        got += (int)n;
    }
    return got;
}

static pausable void outside(void)
{
    int fds[2];
    char bytes[8];
    co4_pipe(fds);
    co4_write(fds[1], "hello", 5);
    int n = read_whole(fds[0], bytes, 5);
    int64_t began = co4_now();
    ssize_t none = co4_read_until(fds[0], bytes, 1, began + 2 * CO4_SEC);
    printf("outside tasks: %d bytes, then %s after %d s\n", n, none < 0 ? name_of(errno) : "?",
           (int)((co4_now() - began) / CO4_SEC));
    none = co4_read(fds[0], bytes, 1);
    printf("nothing can come: %s\n", none < 0 ? name_of(errno) : "?");
    co4_close(fds[0]);
    co4_close(fds[1]);
}

static pausable void writer(int fd)
{
    co4_sleep(CO4_SEC);
    co4_write(fd, "abc", 3);
}

static pausable int read_in_task(int fd)
{
    char bytes[4];
    return read_whole(fd, bytes, 3);
}

static pausable int poll_plainly(int fd, int timeout)
{
    struct pollfd p = { .fd = fd, .events = POLLIN };
    return co4_poll(&p, 1, timeout);
}

static pausable void in_task(void)
{
    int fds[2];
    char c;
    co4_socketpair(AF_UNIX, SOCK_STREAM, 0, fds);
    co4_spawn(writer(fds[1]));
    printf("in a task: %d bytes\n", read_in_task(fds[0]));
    co4_write(fds[1], "x", 1);
    printf("poll: %d, ", poll_plainly(fds[0], -1));
    co4_read(fds[0], &c, 1);
    int64_t began = co4_now();
    int n = poll_plainly(fds[0], 100);
    printf("then %d after %d ms\n", n, (int)((co4_now() - began) / CO4_MS));
    co4_close(fds[0]);
    co4_close(fds[1]);
}

static pausable void real_ones(int fd)
{
    char bytes[8];
    printf("real ones stay real: %d bytes\n", (int)co4_read(fd, bytes, sizeof bytes));
}

int main(void)
{
    int real[2], fd;
    char c;
    if (pipe(real) != 0 || write(real[1], "real", 4) != 4)
        return 1;
    co4_test_begin(&(co4_test_options){ .seed = 5 });
    co4_run(outside());
    co4_run(in_task());
    co4_run(real_ones(real[0]));
    fd = co4_socket(AF_UNIX, SOCK_STREAM, 0);
    co4_test_end(NULL);
    printf("over: %s\n", co4_run(co4_read(fd, &c, 1)) < 0 ? name_of(errno) : "?");
    co4_close(real[0]);
    co4_close(real[1]);
    return 0;
}
