/* system.c - the calls of the system: the table of all descriptors but those of test mode.
 *
 * A call never blocks its thread. It passes MSG_DONTWAIT for a socket and RWF_NOWAIT for a file;
 * other descriptors have O_NONBLOCK, or are shared with other processes (shared.c). No write raises
 * SIGPIPE. */
#define _GNU_SOURCE /* accept4, pipe2, preadv2 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/attempt.h"
#include "io/blocking_write.h"
#include "io/descriptor.h"
#include "io/ops.h"
#include "io/reactor.h"
#include "io/shared.h"
#include "io/socket.h"
#include "io/vector.h"
#include "platform/clock.h"
#include "platform/real.h"
#include "platform/thread.h"
#ifdef __wasi__
#include "io/wasi.h"
#endif

/* ---- new descriptors ---- */

#ifndef __wasi__ /* it makes no descriptors */

/* A wait needs descriptors of its own: they come first. So a descriptor that a call has returned
 * can be waited for, also when the process has no other left. */

static int attach_all(const int *fds, int count, enum co4__descriptor_kind kind)
{
    int err = co4__reactor_prepare();
    for (int i = 0; i < count && err == 0; i++)
        err = co4__descriptor_attach(fds[i], kind, false, &co4__system_io);
    if (err == 0)
        return 0;
    for (int i = 0; i < count; i++)
        co4__descriptor_close(fds[i]);
    errno = err;
    return -1;
}

static enum co4__descriptor_kind kind_of_type(int type)
{
    return (type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC)) == SOCK_STREAM ? CO4__STREAM : CO4__SOCKET;
}

static int system_socket(int domain, int type, int protocol)
{
    int fd = CO4__SYSTEM(socket)(domain, type | SOCK_NONBLOCK, protocol);
    return fd < 0 || attach_all(&fd, 1, kind_of_type(type)) != 0 ? -1 : fd;
}

static int system_pair(int domain, int type, int protocol, int fds[2])
{
    int n = CO4__SYSTEM(socketpair)(domain, type | SOCK_NONBLOCK, protocol, fds);
    return n == 0 ? attach_all(fds, 2, kind_of_type(type)) : n;
}

static int system_pipe(int fds[2], int flags)
{
    int n = CO4__SYSTEM(pipe2)(fds, flags | O_NONBLOCK);
    return n == 0 ? attach_all(fds, 2, CO4__PIPE) : n;
}

#endif

/* ---- reading and writing ---- */

/* False: the call would block; `errno` says so. WASI has no MSG_DONTWAIT. */
static bool may_call(const struct co4__descriptor *d, int direction)
{
    struct pollfd p = { .fd = d->fd, .events = co4__poll_event(direction) };
    if (MSG_DONTWAIT != 0 || !d->shared || co4__poll_real(&p, 1) != 0)
        return true;
    errno = EAGAIN;
    return false;
}

static ssize_t system_receive(struct co4__descriptor *d, struct msghdr *m, int flags)
{
    ssize_t n = -1;
    if (may_call(d, CO4__READING))
        CO4__AGAIN(n, recvmsg(d->fd, m, flags | MSG_DONTWAIT));
    return n;
}

static ssize_t system_send(struct co4__descriptor *d, const struct msghdr *m, int flags)
{
    ssize_t n = -1;
    if (may_call(d, CO4__WRITING))
        CO4__AGAIN(n, sendmsg(d->fd, m, flags | MSG_DONTWAIT | MSG_NOSIGNAL));
    return n;
}

/* ---- files: at once what is in memory ---- */

#if defined(__linux__) && defined(RWF_NOWAIT)

/* The bytes that are in memory are read, and the position has moved by as many, for all that share
 * it. It never moves back: another thread or process would read there meanwhile. */
static ssize_t read_file(const struct co4__descriptor *d, const struct iovec *to, int count)
{
    struct stat s;
    co4__local()->attempt.done = 0;
    if (!co4__has_nowait(d, CO4__READING))
        return CO4__BLOCKS;
    ssize_t n = preadv2(d->fd, to, count, -1, RWF_NOWAIT);
    if (n < 0)
        return errno == EAGAIN || errno == EOPNOTSUPP || errno == ENOSYS ? CO4__BLOCKS : n;
    if (CO4__LIKELY((size_t)n == co4__vector_bytes(to, (size_t)count)) || n == 0)
        return n;
    off_t at = lseek(d->fd, 0, SEEK_CUR);
    if (at < 0 || fstat(d->fd, &s) != 0 || at >= s.st_size)
        return n; /* the end of the file */
    co4__local()->attempt.done = (size_t)n;
    co4__local()->attempt.at = at;
    return CO4__BLOCKS; /* the rest is not in memory */
}

static ssize_t write_file(const struct co4__descriptor *d, const struct iovec *from, int count)
{
    if (!co4__has_nowait(d, CO4__WRITING))
        return CO4__BLOCKS;
    ssize_t n = pwritev2(d->fd, from, count, -1, RWF_NOWAIT);
    if (n < 0)
        return errno == EAGAIN || errno == EOPNOTSUPP || errno == ENOSYS ? CO4__BLOCKS : n;
    return n;
}

#else

static ssize_t read_file(const struct co4__descriptor *d, const struct iovec *to, int count)
{
    (void)d, (void)to, (void)count;
    co4__local()->attempt.done = 0;
    return CO4__BLOCKS;
}

static ssize_t write_file(const struct co4__descriptor *d, const struct iovec *from, int count)
{
    (void)d, (void)from, (void)count;
    return CO4__BLOCKS;
}

#endif

/* ---- the rest ---- */

/* A read of no bytes never waits, and takes no datagram. Files of most kinds look at the size, and
 * may refuse it; those that have no name may also wait. */
static ssize_t read_nothing(const struct co4__descriptor *d)
{
    struct iovec none = { NULL, 0 };
    if (d->kind == CO4__FILE || d->kind == CO4__OTHER)
        return read(d->fd, NULL, 0);
    if (!co4__shared_is_too_small(d, 0))
        return readv(d->fd, &none, 1);
    errno = EINVAL;
    return -1;
}

static ssize_t system_read(struct co4__descriptor *d, const struct iovec *to, int count)
{
    ssize_t n;
    if (CO4__UNLIKELY(count == 0))
        return read_nothing(d);
    if (CO4__UNLIKELY(co4__vector_bytes(to, (size_t)count) == 0))
        return readv(d->fd, to, count); /* no kind of file is asked */
    if (d->is_socket) {
        struct msghdr m = { .msg_iov = (struct iovec *)(uintptr_t)to, .msg_iovlen = (size_t)count };
        return system_receive(d, &m, 0);
    }
    if (d->kind == CO4__FILE)
        return read_file(d, to, count);
    if (d->shared)
        return co4__shared_read(d, to, count);
    CO4__AGAIN(n, readv(d->fd, to, count));
    return n;
}

static ssize_t system_write(struct co4__descriptor *d, const struct iovec *from, int count)
{
    ssize_t n;
    if (CO4__UNLIKELY(count == 0))
        return write(d->fd, "", 0);
    if (CO4__UNLIKELY(co4__vector_bytes(from, (size_t)count) == 0))
        return writev(d->fd, from, count); /* no kind of file is asked */
    if (d->is_socket) {
        const struct msghdr m = { .msg_iov = (struct iovec *)(uintptr_t)from,
                                  .msg_iovlen = (size_t)count };
        return system_send(d, &m, 0);
    }
    if (d->kind == CO4__FILE)
        return write_file(d, from, count);
    if (d->shared)
        return co4__shared_write(d, from, count);
    if (d->kind == CO4__PIPE)
        return co4__write_guarded(d->fd, from, count, false);
    CO4__AGAIN(n, writev(d->fd, from, count));
    return n;
}

#ifdef __linux__
ssize_t co4__io_copy_file(struct co4__descriptor *d, int in, off_t *offset, size_t bytes)
{
    char part[4096];
    off_t at = offset ? *offset : lseek(in, 0, SEEK_CUR);
    struct iovec one = { part, 0 };
    ssize_t n = -1;
    if (at >= 0)
        CO4__AGAIN(n, pread(in, part, bytes < sizeof part ? bytes : sizeof part, at));
    if (n < 0 && (errno == ESPIPE || errno == EISDIR))
        errno = EINVAL; /* as sendfile() says it */
    one.iov_len = n > 0 ? (size_t)n : 0;
    if (n > 0)
        n = d->ops->write(d, &one, 1);
    if (n > 0 && offset)
        *offset += n;
    else if (n > 0)
        lseek(in, at + n, SEEK_SET);
    return n;
}

static ssize_t system_send_file(struct co4__descriptor *d, int in, off_t *offset, size_t bytes)
{
    return d->shared ? co4__io_copy_file(d, in, offset, bytes)
                     : co4__sendfile_guarded(d->fd, in, offset, bytes);
}
#endif

/* ---- connections ---- */

/* A connection that has failed in between is skipped. */
static int accept_own(int fd, struct sockaddr *address, socklen_t *length, int flags)
{
    int n;
    do
        n = accept4(fd, address, length, flags);
    while (n < 0 && (errno == EINTR || errno == ECONNABORTED || errno == EPROTO));
    return n;
}

static int system_accept(struct co4__descriptor *d, struct sockaddr *address, socklen_t *length,
                         int flags, bool as_is)
{
    if (as_is)
        return d->shared ? co4__shared_accept(d, address, length, flags)
                         : accept4(d->fd, address, length, flags);
    enum co4__descriptor_kind kind = (enum co4__descriptor_kind)d->kind;
    /* First what a wait needs: the last descriptors are not for connections that nothing serves. */
    int err = co4__reactor_prepare(), n = -1;
    if (err == 0) {
        n = d->shared ? co4__shared_accept(d, address, length, flags | SOCK_NONBLOCK)
                      : accept_own(d->fd, address, length, flags | SOCK_NONBLOCK);
        if (n < 0 || (err = co4__descriptor_attach(n, kind, false, &co4__system_io)) == 0)
            return n;
        close(n);
    }
    errno = err;
    return -1;
}

#ifndef __wasi__ /* it has no connect(), and sockets have no addresses there */

static int system_connect(struct co4__descriptor *d, const struct sockaddr *address,
                          socklen_t length)
{
    return d->shared ? co4__shared_connect(d, address, length) : connect(d->fd, address, length);
}

/* Linux gives the result to another connect(), which also ends the socket's state of connecting:
 * otherwise the next one of the program would get it. */
static int system_connected(struct co4__descriptor *d, const struct sockaddr *address,
                            socklen_t length)
{
#ifdef __linux__
    int n = system_connect(d, address, length);
    return n == -1 && errno == EISCONN ? 0 : n;
#else
    int err = 0, n;
    socklen_t bytes = sizeof err;
    (void)address, (void)length;
    n = getsockopt(d->fd, SOL_SOCKET, SO_ERROR, &err, &bytes);
    errno = n == 0 ? err : errno;
    return n == 0 && err == 0 ? 0 : -1;
#endif
}

/* ---- addresses and options ---- */

static int system_bind(struct co4__descriptor *d, const struct sockaddr *address, socklen_t length)
{
    return bind(d->fd, address, length);
}

static int system_listen(struct co4__descriptor *d, int backlog)
{
    return listen(d->fd, backlog);
}

static int system_getsockname(struct co4__descriptor *d, struct sockaddr *address,
                              socklen_t *length)
{
    return getsockname(d->fd, address, length);
}

static int system_getpeername(struct co4__descriptor *d, struct sockaddr *address,
                              socklen_t *length)
{
    return getpeername(d->fd, address, length);
}

static int system_setsockopt(struct co4__descriptor *d, int level, int option, const void *value,
                             socklen_t length)
{
    return setsockopt(d->fd, level, option, value, length);
}

#endif

static int system_getsockopt(struct co4__descriptor *d, int level, int option, void *value,
                             socklen_t *length)
{
    return getsockopt(d->fd, level, option, value, length);
}

static int system_shutdown(struct co4__descriptor *d, int how)
{
    return shutdown(d->fd, how);
}

/* ---- readiness ---- */

static short system_poll(struct co4__descriptor *d, short events)
{
    struct pollfd p = { .fd = d->fd, .events = events };
    return co4__poll_real(&p, 1) < 0 ? POLLERR : p.revents;
}

static int system_wait(struct co4__descriptor *d, int direction, int64_t deadline)
{
    struct pollfd p = { .fd = d->fd, .events = co4__poll_event(direction) };
    for (;;) {
        int64_t now = co4_now(), left = deadline > now ? deadline - now : 0;
        if (deadline < now)
            return CO4_ETIMEDOUT;
        if (co4__socket_is_ready_in_vain(d, direction))
            co4__sleep_thread(co4__clock() + CO4_MS);
        int64_t ms = deadline == CO4_NEVER ? -1 : left / CO4_MS + (left % CO4_MS > 0);
        int n = co4__poll_for(&p, 1, ms > INT_MAX ? INT_MAX : (int)ms);
        if (n > 0)
            return CO4_OK;
        if (n < 0 && errno != EINTR)
            return CO4_ENOMEM;
    }
}

const struct co4__io_ops co4__system_io = {
    .of_system = true,
#ifndef __wasi__
    .socket = system_socket,
    .pair = system_pair,
    .pipe = system_pipe,
    .connect = system_connect,
    .connected = system_connected,
    .bind = system_bind,
    .listen = system_listen,
    .getsockname = system_getsockname,
    .getpeername = system_getpeername,
    .setsockopt = system_setsockopt,
#endif
#ifdef __linux__
    .send_file = system_send_file,
#endif
    .read = system_read,
    .write = system_write,
    .receive = system_receive,
    .send = system_send,
    .accept = system_accept,
    .shutdown = system_shutdown,
    .getsockopt = system_getsockopt,
    .poll = system_poll,
    .watch = co4__reactor_watch,
    .wait = system_wait,
};
