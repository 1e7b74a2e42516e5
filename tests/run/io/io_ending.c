/* io_ending.c - a descriptor's number is used while close() is under way: the call waits until it
 * is known whose the number is. Here close() and fcntl() rest where a thread may be interrupted.
 *
 * needs: threads descriptors posix workers
 * modes: woven forced
 * weave: -Wno-co4-blocking
 * expect: a call during close(): EBADF
 * expect: a call long before the number is free: EBADF
 * expect: the next file of the number, during close(): 1 byte, then 1
 * expect: closed by another after the first look: ETIMEDOUT */
#define _GNU_SOURCE
#include <co4.h>
#include <co4/io.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef SYS_fcntl
#define SYS_fcntl SYS_fcntl64
#endif

static co4_runtime *rt;
static int slow = -1;      /* whose close() rests */
static int before, after;  /* milliseconds */
static int looked = -1;    /* whose fcntl() rests until `may_go` */
static atomic_int at_rest; /* such a call is there */
static atomic_bool may_go;

static void rest(int ms)
{
    struct timespec t = { ms / 1000, ms % 1000 * 1000000L };
    atomic_store(&at_rest, 1);
    while (nanosleep(&t, &t) != 0)
        ;
}

int close(int fd)
{
    if (fd != slow)
        return (int)syscall(SYS_close, fd);
    if (before > 0)
        rest(before);
    int n = (int)syscall(SYS_close, fd);
    if (after > 0)
        rest(after);
    return n;
}

int fcntl(int fd, int command, ...)
{
    va_list list;
    va_start(list, command);
    long more = va_arg(list, long);
    va_end(list);
    int n = (int)syscall(SYS_fcntl, fd, command, more);
    if (fd != looked)
        return n;
    looked = -1;
    atomic_store(&at_rest, 1);
    while (!atomic_load(&may_go))
        rest(1);
    return n;
}

static const char *result(ssize_t n)
{
    return n >= 0               ? "bytes"
           : errno == EBADF     ? "EBADF"
           : errno == ETIMEDOUT ? "ETIMEDOUT"
                                : "another error";
}

pausable void closer(int fd)
{
    co4_close(fd);
}

static pausable co4_task *begin_close(int fd, int ms_before, int ms_after)
{
    slow = fd;
    before = ms_before;
    after = ms_after;
    atomic_store(&at_rest, 0);
    co4_task *t = co4_task_create(closer(fd));
    co4_task_pin(t, 1);
    co4_runtime_schedule(rt, t);
    while (!atomic_load(&at_rest))
        co4_yield();
    return t;
}

static pausable void end_close(co4_task *t)
{
    co4_join(t, NULL);
    slow = -1;
}

pausable void write_later(int fd)
{
    co4_sleep(20 * CO4_MS);
    co4_write(fd, "x", 1);
}

static pausable int read_one(const int *fds)
{
    char c;
    co4_task *t = co4_spawn(write_later(fds[1]));
    int n = (int)co4_read(fds[0], &c, 1);
    co4_join(t, NULL);
    return n;
}

static pausable void reads_meanwhile(const char *what, int ms, int full)
{
    int fds[2];
    char c = 'x';
    if (co4_pipe(fds) != 0 || (full && write(fds[1], &c, 1) != 1))
        exit(1);
    co4_task *t = begin_close(fds[0], ms, 0);
    ssize_t n = co4_read(fds[0], &c, 1);
    printf("%s: %s\n", what, result(n));
    end_close(t);
    co4_close(fds[1]);
    int next[2]; /* not made by a call of io.h: the number is known already */
    if (pipe(next) != 0 || next[0] != fds[0] || read_one(next) != 1)
        printf("the next file of the number lacks its byte\n");
    co4_close(next[0]);
    co4_close(next[1]);
}

static pausable void owns_it_meanwhile(void)
{
    int old[2], fds[2];
    if (co4_pipe(old) != 0)
        exit(1);
    co4_task *t = begin_close(old[0], 0, 1500);
    if (pipe(fds) != 0 || fds[0] != old[0])
        exit(2);
    int first = read_one(fds);
    end_close(t);
    printf("the next file of the number, during close(): %d byte, then %d\n", first, read_one(fds));
    co4_close(fds[0]);
    co4_close(fds[1]);
    co4_close(old[1]);
}

/* A file becomes a pipe between the two looks of the first call. */
pausable void becomes_a_pipe(int fd, int *fds)
{
    while (!atomic_load(&at_rest))
        co4_yield();
    if (co4_close(fd) != 0 || pipe(fds) != 0 || fds[0] != fd)
        exit(3);
    atomic_store(&may_go, true);
    co4_sleep(200 * CO4_MS);
    co4_write(fds[1], "x", 1);
}

static pausable void looks_twice(void)
{
    char c;
    int fds[2];
    char name[] = "/tmp/co4-io_ending-XXXXXX";
    int fd = mkstemp(name);
    unlink(name);
    atomic_store(&at_rest, 0);
    looked = fd;
    co4_task *t = co4_task_create(becomes_a_pipe(fd, fds));
    co4_task_pin(t, 1);
    co4_runtime_schedule(rt, t);
    ssize_t n = co4_read_until(fd, &c, 1, co4_now() + 50 * CO4_MS);
    printf("closed by another after the first look: %s\n", result(n));
    co4_join(t, NULL);
    co4_close(fds[0]);
    co4_close(fds[1]);
}

/* Makes the descriptors of a worker, which would take the numbers of the test. */
pausable void first_wait(int fd)
{
    char c;
    co4_read_until(fd, &c, 1, co4_now() + CO4_MS);
}

static pausable void prepare(int worker)
{
    int fds[2];
    if (co4_pipe(fds) != 0)
        exit(4);
    co4_task *t = co4_task_create(first_wait(fds[0]));
    co4_task_pin(t, worker);
    co4_runtime_schedule(rt, t);
    co4_join(t, NULL);
    co4_close(fds[0]);
    co4_close(fds[1]);
}

pausable void all(void)
{
    prepare(0);
    prepare(1);
    reads_meanwhile("a call during close()", 10, 1);
    reads_meanwhile("a call long before the number is free", 1500, 0);
    owns_it_meanwhile();
    looks_twice();
}

int main(void)
{
    rt = co4_runtime_create(&(co4_runtime_options){ .workers = 2 });
    co4_task *t = co4_task_create(all());
    co4_task_pin(t, 0);
    co4_runtime_schedule(rt, t);
    co4_task_release(t);
    co4_runtime_start(rt);
    co4_runtime_join(rt);
    co4_runtime_destroy(rt);
    return 0;
}
