/* shared.c - calls at descriptors that may lack O_NONBLOCK, since other processes share them.
 *
 * Purpose: a call that would block fails with EAGAIN, and one that fails at once does so whatever
 * poll() says. The mode of the descriptor stays as it is. Sockets have MSG_DONTWAIT, except for
 * accept(). Pipes and the descriptors of no file have RWF_NOWAIT, since Linux 6.5 and 6.10. Where
 * that is missing, the call asks poll() first, and then what it knows of calls that fail at once.
 *
 * Invariants: O_NONBLOCK is set at a socket only during a connect or an accept, and at a listener
 * only while it is ready: all processes see it. O_APPEND, which means nothing to a socket, marks it
 * as ours. Between the two changes no other accept of this library is in progress there: a thread
 * owns the slot of the socket, and the process a record lock of the socket, which ends with the
 * process. A process that is killed in between leaves the mark; the next accept or connect removes
 * it.
 *
 * A connect has the mark, but no lock. Of two at a socket the second one may block its thread until
 * the first attempt ends; POSIX lets it fail with EALREADY, so programs make none.
 *
 * Left: another process that reads a terminal at the same moment, or fills an eventfd, may make a
 * call block that poll() has allowed. A program without this library that begins a call at the same
 * socket during our accept or connect may get EAGAIN.
 *
 * Rejected: O_NONBLOCK for good (each other process would have to know it); poll() and then accept
 * under the lock (a process without this library takes the connection, and the thread blocks);
 * SO_RCVTIMEO (the accepted socket inherits it); io_uring (containers forbid it); to wait for the
 * lock (its owner may be stopped). */
#define _GNU_SOURCE /* accept4, preadv2, O_PATH */
#include "io/shared.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#ifdef __linux__
#include <signal.h>
#endif
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/ioctl.h>
#endif
#include <sys/stat.h>
#include <unistd.h>

#include "io/attempt.h"
#include "io/blocking_write.h"
#include "io/reactor.h"
#include "io/socket.h"
#include "io/terminal.h"
#include "io/vector.h"
#include "platform/sigmask.h"
#ifdef __wasi__
#include "io/wasi.h"
#endif

#ifndef PIPE_BUF
#define PIPE_BUF _POSIX_PIPE_BUF
#endif
#ifndef O_PATH
#define O_PATH 0
#endif
#ifndef POLLRDHUP
#define POLLRDHUP 0
#endif

static bool direction_was_ready(const struct co4__descriptor *d, int direction)
{
    struct pollfd p = { .fd = d->fd, .events = co4__poll_event(direction) };
    return co4__poll_real(&p, 1) != 0;
}

static int would_block(void)
{
    errno = EAGAIN;
    return -1;
}

/* ---- RWF_NOWAIT ---- */

#if defined(__linux__) && defined(RWF_NOWAIT)

/* Devices are left out: with this flag some return less than they have. */
static bool tries_nowait(const struct co4__descriptor *d, int direction)
{
    return (d->kind == CO4__PIPE || d->kind == CO4__ANONYMOUS) && co4__has_nowait(d, direction);
}

static bool is_refused(struct co4__descriptor *d, int direction, ssize_t n)
{
    if (n >= 0 || (errno != EOPNOTSUPP && errno != ENOSYS && errno != EPERM))
        return false;
    atomic_fetch_or_explicit(&d->no_nowait, (uint8_t)(1 << direction), memory_order_relaxed);
    return true;
}

static ssize_t read_nowait(int fd, const struct iovec *to, int count)
{
    return preadv2(fd, to, count, -1, RWF_NOWAIT);
}

#else

static bool tries_nowait(const struct co4__descriptor *d, int direction)
{
    (void)d, (void)direction;
    return false;
}

static bool is_refused(struct co4__descriptor *d, int direction, ssize_t n)
{
    (void)d, (void)direction, (void)n;
    return true;
}

static ssize_t read_nowait(int fd, const struct iovec *to, int count)
{
    return readv(fd, to, count);
}

#endif

/* ---- what fails at once though poll() does not say that it is ready ---- */

static bool lacks_mode(int fd, int direction)
{
    int flags = fcntl(fd, F_GETFL), mode = flags & O_ACCMODE;
    return flags < 0 || (flags & O_PATH) ||
           mode == (direction == CO4__READING ? O_WRONLY : O_RDONLY);
}

/* Whether a descriptor of no file is what the system calls `name`. */
static bool is_called(int fd, const char *name)
{
    char link[64], text[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, text, sizeof text - 1);
    text[n > 0 ? n : 0] = '\0';
    return strstr(text, name) != NULL;
}

/* A read of the terminal in the background: EIO, where the signal for that does not stop it. The
 * other end of a terminal knows its foreground, too, but has none itself. */
static bool is_background(const struct co4__descriptor *d)
{
#ifdef TIOCGPTN
    sigset_t blocked;
    struct sigaction now;
    int number;
    pid_t foreground = d->kind == CO4__OTHER ? tcgetpgrp(d->fd) : -1;
    if (foreground < 0 || foreground == getpgrp() || ioctl(d->fd, TIOCGPTN, &number) == 0)
        return false;
    return (co4__sigmask(SIG_BLOCK, NULL, &blocked) == 0 && sigismember(&blocked, SIGTTIN)) ||
           (sigaction(SIGTTIN, NULL, &now) == 0 && now.sa_handler == SIG_IGN);
#else
    (void)d;
    return false;
#endif
}

bool co4__shared_is_too_small(const struct co4__descriptor *d, size_t bytes)
{
    enum { COUNTER = 8, SIGNAL = 128 };
    if (d->kind != CO4__ANONYMOUS || bytes >= SIGNAL)
        return false;
    return (bytes < COUNTER && (is_called(d->fd, "[timerfd]") || is_called(d->fd, "[eventfd]"))) ||
           is_called(d->fd, "[signalfd]");
}

/* Returns whether a full eventfd does not block at this value: it refuses it, or takes a 0. */
static bool is_no_addend(const struct co4__descriptor *d, const struct iovec *from, int count)
{
    uint64_t value;
    if (d->kind != CO4__ANONYMOUS || count < 1 || !is_called(d->fd, "[eventfd]"))
        return false;
    if (from->iov_len != sizeof value)
        return true;
    memcpy(&value, from->iov_base, sizeof value);
    return value == 0 || value == UINT64_MAX;
}

/* ---- reading and writing ---- */

ssize_t co4__shared_read(struct co4__descriptor *d, const struct iovec *to, int count)
{
    const int was = errno;
    ssize_t n;
    if (tries_nowait(d, CO4__READING)) {
        CO4__AGAIN(n, read_nowait(d->fd, to, count));
        if (!is_refused(d, CO4__READING, n))
            return n;
    }
    enum co4__terminal_ends ends = d->kind == CO4__OTHER ? co4__terminal_ends(d->fd)
                                                         : CO4__TERMINAL_BY_INPUT;
    if (ends == CO4__TERMINAL_COUNTS && !lacks_mode(d->fd, CO4__READING) && !is_background(d))
        return CO4__BLOCKS;
    if (ends == CO4__TERMINAL_BY_INPUT && !direction_was_ready(d, CO4__READING) &&
        !lacks_mode(d->fd, CO4__READING) && !is_background(d) &&
        !co4__shared_is_too_small(d, co4__vector_bytes(to, (size_t)count)))
        return would_block();
    errno = was;
    CO4__AGAIN(n, readv(d->fd, to, count));
    return n;
}

/* poll() reports an eventfd as writable if it takes 1. Its count is in /proc. */
static bool fits_eventfd(const struct co4__descriptor *d, const struct iovec *from, int count)
{
#ifdef __linux__
    uint64_t value = 0, most = UINT64_MAX - 1;
    if (d->kind != CO4__ANONYMOUS || count < 1 || from->iov_len != sizeof value)
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
    return !at || strtoull(at + strlen("eventfd-count:"), NULL, 16) <= most - value;
#else
    (void)d, (void)from, (void)count;
    return true;
#endif
}

ssize_t co4__shared_write(struct co4__descriptor *d, const struct iovec *from, int count)
{
    const int was = errno;
    ssize_t n;
    if (d->kind == CO4__ANONYMOUS && count > 1)
        count = 1; /* an eventfd takes one after the other, and each may wait */
    if (tries_nowait(d, CO4__WRITING)) {
        n = co4__write_guarded(d->fd, from, count, true);
        if (!is_refused(d, CO4__WRITING, n))
            return n;
    }
    if (direction_was_ready(d, CO4__WRITING)
            ? !fits_eventfd(d, from, count)
            : !lacks_mode(d->fd, CO4__WRITING) && !is_no_addend(d, from, count))
        return would_block();
    errno = was;
    if (d->kind == CO4__PIPE && count > 0) { /* it is ready: PIPE_BUF bytes do not block */
        struct iovec first = co4__vector_first(from, count, PIPE_BUF);
        return co4__write_guarded(d->fd, &first, 1, false);
    }
#ifndef __wasi__
    if (d->kind == CO4__OTHER && count > 0 && co4__terminal_is(d->fd))
        return co4__terminal_write(d->fd, from, count);
#endif
    CO4__AGAIN(n, writev(d->fd, from, count));
    return n;
}

/* ---- accepting and connecting ---- */

#ifdef __wasi__ /* one process has it */

bool co4__shared_is_ours(int fd, int flags)
{
    (void)fd, (void)flags;
    return false;
}

int co4__shared_accept(const struct co4__descriptor *d, struct sockaddr *address, socklen_t *length,
                       int flags)
{
    return direction_was_ready(d, CO4__READING) ? accept4(d->fd, address, length, flags)
                                                : would_block();
}

#else

#define OURS (O_NONBLOCK | O_APPEND)

/* For each socket the generation of the process whose thread is inside the call, and 1. The child
 * of a fork may find that of a thread that it does not have. */
static atomic_uint inside[64];

static atomic_uint *slot_of(int fd)
{
    struct stat s;
    return &inside[(fstat(fd, &s) == 0 ? s.st_ino : 0) % (sizeof inside / sizeof *inside)];
}

bool co4__shared_is_ours(int fd, int flags)
{
    int type;
    socklen_t size = sizeof type;
    return (flags & OURS) == OURS && getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0;
}

/* Returns whether the call fails even if there is a connection. */
static bool accept_fails(int fd, int flags)
{
    int listens = 0;
    socklen_t size = sizeof listens;
    return (flags & ~(SOCK_NONBLOCK | SOCK_CLOEXEC)) ||
           getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || !listens;
}

/* False: another process has it. */
static bool lock_socket(int fd, short type)
{
    struct flock whole = { .l_type = type, .l_whence = SEEK_SET };
    return fcntl(fd, F_SETLK, &whole) == 0 || (errno != EAGAIN && errno != EACCES);
}

int co4__shared_accept(const struct co4__descriptor *d, struct sockaddr *address, socklen_t *length,
                       int flags)
{
    int fd = d->fd, mode = fcntl(fd, F_GETFL), n = CO4__BLOCKS, err;
    if (mode < 0 || ((mode & O_NONBLOCK) && !co4__shared_is_ours(fd, mode)))
        return accept4(fd, address, length, flags);
    struct pollfd p = { .fd = fd, .events = POLLIN | POLLRDHUP };
    if (co4__poll_real(&p, 1) == 0 && !accept_fails(fd, flags))
        return would_block();
    /* After a shutdown() it fails at once, if it may block. */
    if (p.revents & (POLLHUP | POLLRDHUP))
        return accept4(fd, address, length, flags);
    atomic_uint *slot = slot_of(fd);
    unsigned me = co4__reactor_generation() + 1, was = atomic_load(slot);
    if (was == me || !atomic_compare_exchange_strong(slot, &was, me))
        return CO4__BLOCKS;
    if (lock_socket(fd, F_WRLCK)) {
        fcntl(fd, F_SETFL, mode | OURS);
        n = accept4(fd, address, length, flags);
        err = errno;
        fcntl(fd, F_SETFL, mode & ~OURS);
        lock_socket(fd, F_UNLCK);
        errno = err;
    }
    atomic_store(slot, 0);
    return n;
}

int co4__shared_connect(const struct co4__descriptor *d, const struct sockaddr *address,
                        socklen_t length)
{
    int fd = d->fd, mode = fcntl(fd, F_GETFL);
    if (mode < 0 || ((mode & O_NONBLOCK) && !co4__shared_is_ours(fd, mode)))
        return connect(fd, address, length);
    fcntl(fd, F_SETFL, mode | OURS);
    int n = connect(fd, address, length), err = errno;
    fcntl(fd, F_SETFL, mode & ~OURS);
    errno = err;
    return n;
}

#endif
