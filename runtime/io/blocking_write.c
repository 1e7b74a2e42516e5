/* blocking_write.c - writes that raise a signal, or would block though poll() says they do not.
 *
 * Purpose: no write raises SIGPIPE, and none blocks its thread. Sockets have flags for that. A pipe
 * has none for the signal; and a descriptor that is shared with other processes may lack
 * O_NONBLOCK: what it takes without blocking is found out before. */
#define _GNU_SOURCE
#include "io/blocking_write.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#ifndef __wasi__
#include <signal.h>
#endif
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/sendfile.h>
#endif
#include <time.h>
#include <unistd.h>

#include "io/vector.h"

#ifndef PIPE_BUF
#define PIPE_BUF _POSIX_PIPE_BUF
#endif

/* ---- SIGPIPE: it is raised on the writing thread, stays pending, and is removed ---- */

#ifdef __wasi__ /* there are no signals */

ssize_t co4__write_guarded(int fd, const struct iovec *from, int count)
{
    return writev(fd, from, count);
}

#else

struct pipe_guard {
    sigset_t before;
    bool was_pending;
};

static void guard_begin(struct pipe_guard *g)
{
    sigset_t pipe, pending;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    sigpending(&pending);
    g->was_pending = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe, &g->before);
}

static void guard_end(const struct pipe_guard *g, ssize_t n)
{
    int err = errno;
    if (n < 0 && err == EPIPE && !g->was_pending) {
        sigset_t pipe;
        const struct timespec none = { 0, 0 };
        sigemptyset(&pipe);
        sigaddset(&pipe, SIGPIPE);
        while (sigtimedwait(&pipe, NULL, &none) < 0 && errno == EINTR)
            ;
    }
    pthread_sigmask(SIG_SETMASK, &g->before, NULL);
    errno = err;
}

ssize_t co4__write_guarded(int fd, const struct iovec *from, int count)
{
    struct pipe_guard g;
    ssize_t n;
    guard_begin(&g);
    CO4__AGAIN(n, writev(fd, from, count));
    guard_end(&g, n);
    return n;
}

#ifdef __linux__
ssize_t co4__sendfile_guarded(int out, int in, off_t *offset, size_t bytes)
{
    struct pipe_guard g;
    ssize_t n;
    guard_begin(&g);
    CO4__AGAIN(n, sendfile(out, in, offset, bytes));
    guard_end(&g, n);
    return n;
}
#endif

#endif

/* ---- without O_NONBLOCK ---- */

ssize_t co4__write_shared_pipe(int fd, const struct iovec *from, int count)
{
    struct iovec first = *from;
    for (; count > 1 && first.iov_len == 0; count--)
        first = *++from;
    if (first.iov_len > PIPE_BUF)
        first.iov_len = PIPE_BUF;
    return co4__write_guarded(fd, &first, 1);
}

/* poll() reports an eventfd as writable if it takes 1. Its count is in /proc. */
bool co4__fits_eventfd(const struct co4__descriptor *d, const struct iovec *from, int count)
{
#ifdef __linux__
    uint64_t value = 0, most = UINT64_MAX - 1;
    if (!d->shared || d->kind != CO4__OTHER || count != 1 || from->iov_len != sizeof value)
        return true;
    memcpy(&value, from->iov_base, sizeof value);
    if (value <= 1 || value > most)
        return true;
    char text[512];
    snprintf(text, sizeof text, "/proc/self/fdinfo/%d", d->fd);
    int fd = open(text, O_RDONLY | O_CLOEXEC);
    ssize_t n = -1;
    if (fd >= 0) {
        CO4__AGAIN(n, read(fd, text, sizeof text - 1));
        close(fd);
    }
    text[n > 0 ? n : 0] = '\0';
    const char *at = strstr(text, "eventfd-count:");
    if (!at || strtoull(at + strlen("eventfd-count:"), NULL, 16) <= most - value)
        return true;
    errno = EAGAIN;
    return false;
#else
    (void)d, (void)from, (void)count;
    return true;
#endif
}
