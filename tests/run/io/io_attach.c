/* io_attach.c - descriptors that are attached again, detached, and replaced under a waiter.
 * needs: descriptors
 * modes: woven forced
 * weave: -Wno-co4-blocking
 * expect: arguments: EINVAL EINVAL EINVAL, detach EINVAL EINVAL
 * expect: shared: O_NONBLOCK off, then on
 * expect: attached again while it is open: the waiter goes on, 8 times
 * expect: replaced: EBADF, the new file is read
 * expect: replaced, a copy is open: EBADF, the new file is read
 * expect: detached: EBADF, O_NONBLOCK stays, detached again EINVAL
 * expect: after that: a plain read, then a call attaches it again
 * expect: shared pipe: no thread blocks, 200000 bytes */
#define _GNU_SOURCE
#include <co4.h>
#include <co4/io.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *code_name(int code)
{
    return code == CO4_OK ? "OK" : code == CO4_EINVAL ? "EINVAL" : "?";
}

static int is_nonblocking(int fd)
{
    return (fcntl(fd, F_GETFL) & O_NONBLOCK) != 0;
}

/* Returns the number of bytes, or a negative error number. */
static pausable int read_one(int fd)
{
    char c;
    ssize_t n = co4_read_until(fd, &c, 1, co4_now() + 20 * CO4_SEC);
    return n < 0 ? -errno : (int)n;
}

static int pair(int fds[2])
{
    return socketpair(AF_UNIX, SOCK_STREAM, 0, fds);
}

static pausable void arguments(void)
{
    int fds[2];
    pair(fds);
    printf("arguments: %s %s %s, detach %s %s\n", code_name(co4_fd_attach(fds[0], 2)),
           code_name(co4_fd_attach(-1, 0)), code_name(co4_fd_attach(1000000, 0)),
           code_name(co4_fd_detach(-1)), code_name(co4_fd_detach(fds[0])));
    co4_fd_attach(fds[0], CO4_FD_SHARED);
    int first = is_nonblocking(fds[0]);
    co4_fd_attach(fds[0], 0);
    printf("shared: O_NONBLOCK %s, then %s\n", first ? "on" : "off",
           is_nonblocking(fds[0]) ? "on" : "off");
    co4_close(fds[0]);
    co4_close(fds[1]);
}

/* Elsewhere the system does not tell whether the file is the same. */
static int has_epoll(void)
{
#ifdef __linux__
    const char *driver = getenv("CO4_IO_DRIVER");
    return !driver || strcmp(driver, "epoll") == 0;
#else
    return 0;
#endif
}

static pausable void again(void)
{
    int fds[2], result = 0, went_on = 0;
    for (int i = 0; i < 8; i++) {
        pair(fds);
        co4_task *t = co4_spawn(read_one(fds[0]));
        co4_sleep(2 * CO4_MS);
        co4_fd_attach(fds[0], i % 2 ? CO4_FD_SHARED : 0);
        co4_sleep(CO4_MS);
        co4_write(fds[1], "x", 1);
        co4_join(t, &result);
        went_on += result == 1 || (!has_epoll() && result == -EBADF);
        co4_close(fds[0]);
        co4_close(fds[1]);
    }
    printf("attached again while it is open: the waiter goes on, %d times\n", went_on);
}

/* A file of another kind gets the number: no co4_close() says so. */
static pausable void replaced(const char *what, int keeps_copy)
{
    int old[2], young[2], first = 0, second = 0;
    pair(old);
    pair(young);
    co4_task *t = co4_spawn(read_one(old[0]));
    co4_sleep(2 * CO4_MS);
    int copy = keeps_copy ? dup(old[0]) : -1;
    dup2(young[0], old[0]);
    co4_fd_attach(old[0], 0);
    co4_join(t, &first);
    t = co4_spawn(read_one(old[0]));
    co4_sleep(2 * CO4_MS);
    co4_write(young[1], "y", 1);
    co4_join(t, &second);
    printf("%s: %s, the new file %s\n", what, first == -EBADF ? "EBADF" : "?",
           second == 1 ? "is read" : "is lost");
    if (copy >= 0)
        close(copy);
    co4_close(old[0]);
    co4_close(old[1]);
    co4_close(young[0]);
    co4_close(young[1]);
}

static pausable void write_later(int fd)
{
    co4_sleep(2 * CO4_MS);
    co4_write(fd, "z", 1);
}

static ssize_t plain_read(int fd, void *to, size_t bytes)
{
    return read(fd, to, bytes);
}

static pausable void detached(void)
{
    int fds[2], result = 0;
    char c[4] = "";
    pair(fds);
    co4_fd_attach(fds[0], 0);
    co4_task *t = co4_spawn(read_one(fds[0]));
    co4_sleep(2 * CO4_MS);
    co4_fd_detach(fds[0]);
    co4_join(t, &result);
    printf("detached: %s, O_NONBLOCK %s, detached again %s\n", result == -EBADF ? "EBADF" : "?",
           is_nonblocking(fds[0]) ? "stays" : "is off", code_name(co4_fd_detach(fds[0])));
    ssize_t wrote = write(fds[1], "abc", 3), plain = plain_read(fds[0], c, sizeof c);
    t = co4_spawn(write_later(fds[1]));
    int by_call = read_one(fds[0]);
    co4_join(t, NULL);
    printf("after that: %s, %s\n", wrote == 3 && plain == 3 ? "a plain read" : "?",
           by_call == 1 ? "then a call attaches it again" : "?");
    co4_close(fds[0]);
    co4_close(fds[1]);
}

static pausable int read_all(int fd)
{
    static char bytes[4096];
    int all = 0;
    ssize_t n;
    while ((n = co4_read(fd, bytes, sizeof bytes)) > 0)
        all += (int)n;
    return all;
}

/* Both ends lack O_NONBLOCK, and a write is larger than the pipe. */
static pausable void blocking_pipe(void)
{
    static char much[200000];
    int fds[2], all = 0;
    if (pipe(fds) != 0 || co4_fd_attach(fds[0], CO4_FD_SHARED) != CO4_OK ||
        co4_fd_attach(fds[1], CO4_FD_SHARED) != CO4_OK)
        return;
    co4_task *t = co4_spawn(read_all(fds[0]));
    ssize_t n = co4_write_until(fds[1], much, sizeof much, co4_now() + 60 * CO4_SEC);
    co4_close(fds[1]);
    co4_join(t, &all);
    printf("shared pipe: no thread blocks, %d bytes\n", n == all ? all : -1);
    co4_close(fds[0]);
}

pausable int all(void)
{
    arguments();
    again();
    replaced("replaced", 0);
    replaced("replaced, a copy is open", 1);
    detached();
    blocking_pipe();
    return 0;
}

int main(void)
{
    return co4_run(all());
}
