/* blocking_write.c - writes that raise no signal, where the system has no flag for that. Sockets
 * have MSG_NOSIGNAL, pipes and sendfile() nothing like it. */
#define _GNU_SOURCE
#include "io/blocking_write.h"

#include <errno.h>
#ifndef __wasi__
#include <signal.h>
#endif
#ifdef __linux__
#include <sys/sendfile.h>
#endif
#include <time.h>
#include <unistd.h>

#include "io/vector.h"
#include "platform/sigmask.h"

/* ---- SIGPIPE: it is raised on the writing thread, stays pending, and is removed ---- */

#ifdef __wasm__ /* no signals arrive */

ssize_t co4__write_guarded(int fd, const struct iovec *from, int count, bool nowait)
{
    (void)nowait;
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
    co4__sigmask(SIG_BLOCK, &pipe, &g->before);
}

/* all: everything was written. Of a part the next bytes may have raised the signal. */
static void guard_end(const struct pipe_guard *g, bool all)
{
    int err = errno;
    if (!all && !g->was_pending) {
        sigset_t pipe;
        const struct timespec none = { 0, 0 };
        sigemptyset(&pipe);
        sigaddset(&pipe, SIGPIPE);
        while (sigtimedwait(&pipe, NULL, &none) < 0 && errno == EINTR)
            ;
    }
    co4__sigmask(SIG_SETMASK, &g->before, NULL);
    errno = err;
}

static ssize_t write_vector(int fd, const struct iovec *from, int count, bool nowait)
{
#if defined(__linux__) && defined(RWF_NOWAIT)
    if (nowait)
        return pwritev2(fd, from, count, -1, RWF_NOWAIT);
#endif
    (void)nowait;
    return writev(fd, from, count);
}

ssize_t co4__write_guarded(int fd, const struct iovec *from, int count, bool nowait)
{
    struct pipe_guard g;
    ssize_t n;
    guard_begin(&g);
    CO4__AGAIN(n, write_vector(fd, from, count, nowait));
    guard_end(&g, n >= 0 && (size_t)n == co4__vector_bytes(from, (size_t)count));
    return n;
}

#ifdef __linux__
ssize_t co4__sendfile_guarded(int out, int in, off_t *offset, size_t bytes)
{
    struct pipe_guard g;
    ssize_t n;
    guard_begin(&g);
    CO4__AGAIN(n, sendfile(out, in, offset, bytes));
    guard_end(&g, n >= 0 && (size_t)n == bytes);
    return n;
}
#endif

#endif
