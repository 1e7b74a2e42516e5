/* attempt.c - one try of each call, and the wait between two tries.
 *
 * Purpose: a try never blocks its thread. It passes MSG_DONTWAIT for a socket and RWF_NOWAIT for a
 * file; other descriptors have O_NONBLOCK, or are shared with other processes (shared.c). No write
 * raises SIGPIPE.
 *
 * Invariants: the thread remembers its last try (`attempt` of struct co4__local): the descriptor,
 * its generation, and the number of events before the try. The wait that follows, on the same
 * thread and without a pause in between, needs no arguments for that. So a paused call keeps only
 * the arguments of its caller. */
#define _GNU_SOURCE /* accept4, preadv2, and others */
#include "io/attempt.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#ifndef __wasi__
#include <netinet/in.h>
#endif
#include <unistd.h>

#include "core/caller.h"
#include "core/fiber.h"
#include "core/timers.h"
#include "core/wait.h"
#include "io/attempt_file.h"
#include "io/blocking_write.h"
#include "io/descriptor.h"
#include "io/reactor.h"
#include "io/shared.h"
#include "io/simulated.h"
#include "io/vector.h"
#include "memory/pool.h"
#include "platform/before_wait.h"
#include "platform/clock.h"
#include "platform/lock.h"
#include "platform/thread.h"
#ifdef __wasi__
#include "io/wasi.h"
#endif

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0 /* SO_NOSIGPIPE is set instead */
#endif

/* ---- what all tries have in common ---- */

static struct co4__descriptor *begin(int fd, int direction)
{
    struct co4__descriptor *d = co4__descriptor_enter(fd);
    struct co4__local *here = co4__local();
    if (CO4__UNLIKELY(!d))
        return NULL;
    here->attempt.descriptor = d;
    here->attempt.generation = co4__generation_of(
        atomic_load_explicit(&d->use, memory_order_relaxed));
    here->attempt.direction = direction;
    /* Acquire: pairs with the release of the event, for `ended`. */
    here->attempt.events = atomic_load_explicit(&d->events[direction], memory_order_acquire);
    return d;
}

static bool would_block(void)
{
    return errno == EAGAIN || errno == EWOULDBLOCK;
}

/* Returns whether a read is known to find nothing. */
static bool is_drained(const struct co4__descriptor *d)
{
    return atomic_load_explicit(&((struct co4__descriptor *)(uintptr_t)d)->drained,
                                memory_order_relaxed) == co4__local()->attempt.events;
}

static void set_drained(struct co4__descriptor *d)
{
    bool is_stream = d->kind == CO4__STREAM ||
                     (d->kind == CO4__VIRTUAL && co4__simulated_is_drained(d));
    if (is_stream && !atomic_load_explicit(&d->ended, memory_order_relaxed))
        atomic_store_explicit(&d->drained, co4__local()->attempt.events, memory_order_relaxed);
}

#ifndef __wasi__
static sa_family_t family_of(int fd, in_port_t *port)
{
    union {
        struct sockaddr_storage any;
        struct sockaddr_in in; /* of IPv6 the port is at the same place */
    } name = { .any = { .ss_family = AF_UNSPEC } };
    socklen_t length = sizeof name;
    *port = getsockname(fd, (struct sockaddr *)&name, &length) == 0 ? name.in.sin_port : 0;
    return name.any.ss_family;
}
#endif

/* A call would block. Returns whether it fails instead: a datagram needs a port of its own, and if
 * none is left, that is EAGAIN, too. */
static CO4__NOINLINE bool lacks_port(const struct co4__descriptor *d, int direction)
{
    if (d->kind != CO4__SOCKET || direction != CO4__WRITING)
        return false;
#ifndef __wasi__
    in_port_t port;
    sa_family_t family = family_of(d->fd, &port);
    errno = EAGAIN;
    return (family == AF_INET || family == AF_INET6) && port == 0;
#else
    return false;
#endif
}

static ssize_t end(struct co4__descriptor *d, int direction, ssize_t n)
{
    if (CO4__LIKELY(n >= 0))
        co4__descriptor_pass(d, direction);
    else if (n == -1 && would_block() && !lacks_port(d, direction))
        n = CO4__WOULD_WAIT; /* not CO4__BLOCKS, with any `errno` */
    co4__descriptor_leave(d);
    return n;
}

/* After a shutdown() of its own a socket of datagrams gives the end only to a call that may block.
 * Where it is registered, an event has reported it. */
static ssize_t at_shutdown(struct co4__descriptor *d, ssize_t n)
{
#ifdef POLLRDHUP
    if (n != -1 || d->kind != CO4__SOCKET || !would_block() ||
        (atomic_load_explicit(&d->reactor, memory_order_relaxed) &&
         !atomic_load_explicit(&d->ended, memory_order_relaxed)))
        return n;
    struct pollfd p = { .fd = d->fd, .events = POLLRDHUP };
    if (co4__poll_real(&p, 1) == 1 && (p.revents & POLLRDHUP))
        return 0;
    errno = EAGAIN;
#else
    (void)d;
#endif
    return n;
}

/* Of a read that asked for `bytes`. */
static ssize_t end_read(struct co4__descriptor *d, ssize_t n, size_t bytes)
{
    n = CO4__LIKELY(n != -1) ? n : at_shutdown(d, n);
    if (n > 0 ? (size_t)n < bytes : n == -1 && would_block())
        set_drained(d);
    return end(d, CO4__READING, n);
}

/* False: the call would block; `errno` says so. WASI has no MSG_DONTWAIT. */
static bool is_ready(const struct co4__descriptor *d, int direction)
{
    struct pollfd p = { .fd = d->fd, .events = direction == CO4__READING ? POLLIN : POLLOUT };
    if (!d->shared || co4__poll_real(&p, 1) != 0)
        return true;
    errno = EAGAIN;
    return false;
}

static bool is_socket(const struct co4__descriptor *d)
{
    return d->kind == CO4__STREAM || d->kind == CO4__SOCKET;
}

/* The same with a look before, if the system has no MSG_DONTWAIT. */
#define AGAIN_IF_READY(n, d, direction, call)                                                      \
    do {                                                                                           \
        (n) = -1;                                                                                  \
        if (MSG_DONTWAIT != 0 || is_ready((d), (direction)))                                       \
            CO4__AGAIN(n, call);                                                                   \
    } while (0)

/* ---- reading ---- */

static ssize_t receive(struct co4__descriptor *d, struct msghdr *m, int flags)
{
    ssize_t n;
    if (CO4__UNLIKELY(d->kind == CO4__VIRTUAL))
        return co4__simulated_receive(d, m, flags);
    AGAIN_IF_READY(n, d, CO4__READING, recvmsg(d->fd, m, flags | MSG_DONTWAIT));
    return n;
}

static ssize_t read_some(struct co4__descriptor *d, const struct iovec *to, int count)
{
    ssize_t n;
    if (is_socket(d) || d->kind == CO4__VIRTUAL) {
        struct msghdr m = { .msg_iov = (struct iovec *)(uintptr_t)to, .msg_iovlen = (size_t)count };
        return receive(d, &m, 0);
    }
    if (d->kind == CO4__FILE)
        return co4__read_file(d, to, count);
    if (d->shared)
        return co4__shared_read(d, to, count);
    CO4__AGAIN(n, readv(d->fd, to, count));
    return n;
}

/* A read of no bytes never waits, and takes no datagram. Files of most kinds look at the size, and
 * may refuse it; those that have no name may also wait. */
static CO4__NOINLINE ssize_t read_nothing(struct co4__descriptor *d)
{
    struct iovec none = { NULL, 0 };
    ssize_t n = -1;
    if (d->kind == CO4__VIRTUAL)
        n = co4__simulated_receive(d, NULL, 0);
    else if (d->kind == CO4__FILE || d->kind == CO4__OTHER)
        n = read(d->fd, NULL, 0);
    else if (co4__shared_is_too_small(d, 0))
        errno = EINVAL;
    else
        n = readv(d->fd, &none, 1);
    return end(d, CO4__READING, n);
}

ssize_t co4__try_readv(int fd, const struct iovec *to, int count)
{
    struct co4__descriptor *d = begin(fd, CO4__READING);
    if (!d)
        return -1;
    if (co4__vector_is_wrong(to, count))
        return end(d, CO4__READING, -1);
    size_t bytes = co4__vector_bytes(to, count);
    if (bytes == 0 && d->kind != CO4__VIRTUAL)
        return end(d, CO4__READING, readv(fd, to, count)); /* no kind of file is asked */
    if (bytes == 0)
        return read_nothing(d);
    if (is_drained(d)) {
        co4__descriptor_leave(d);
        return CO4__WOULD_WAIT;
    }
    return end_read(d, read_some(d, to, count), bytes);
}

ssize_t co4__try_read(int fd, void *to, size_t bytes)
{
    struct co4__descriptor *d = begin(fd, CO4__READING);
    ssize_t n;
    if (CO4__UNLIKELY(!d))
        return -1;
    if (CO4__UNLIKELY(bytes == 0))
        return read_nothing(d);
    if (is_drained(d)) {
        co4__descriptor_leave(d);
        return CO4__WOULD_WAIT;
    }
    if (CO4__LIKELY(is_socket(d))) {
        CO4__AGAIN(n, recv(fd, to, bytes, MSG_DONTWAIT));
    } else {
        struct iovec one = { to, bytes };
        n = read_some(d, &one, 1);
    }
    return end_read(d, n, bytes);
}

/* WASI: without flags the calls are made that any descriptor has, since hosts refuse the calls on
 * sockets for standard input. */
#define IS_PLAIN(flags) (MSG_DONTWAIT == 0 && ((flags) & ~MSG_WAITALL) == 0)

/* With other flags a short count proves nothing: a peek leaves the bytes, for example. */
static bool is_ordinary(int flags)
{
    return (flags & ~(MSG_DONTWAIT | MSG_NOSIGNAL | MSG_WAITALL)) == 0;
}

#ifndef MSG_ERRQUEUE
#define MSG_ERRQUEUE 0
#endif
#ifndef MSG_OOB
#define MSG_OOB 0
#endif

/* Unix sockets and those of the kernel's messages have no queue of errors, and do not look at the
 * flag. */
static bool has_error_queue(int fd)
{
#ifdef __wasi__
    (void)fd;
    return true;
#else
    in_port_t port;
    sa_family_t family = family_of(fd, &port);
#ifdef AF_NETLINK
    if (family == AF_NETLINK)
        return false;
#endif
    return family != AF_UNIX;
#endif
}

/* Returns whether a read with these flags answers EAGAIN instead of a wait. Sockets of datagrams do
 * not look at MSG_OOB, or refuse it. */
static bool never_waits(const struct co4__descriptor *d, int flags)
{
    return ((flags & MSG_ERRQUEUE) && has_error_queue(d->fd)) ||
           ((flags & MSG_OOB) && d->kind == CO4__STREAM);
}

/* Of a read with other flags. */
static ssize_t end_other_read(struct co4__descriptor *d, ssize_t n, int flags)
{
    if (n >= 0 || !never_waits(d, flags))
        return end(d, CO4__READING, flags & MSG_DONTWAIT ? n : at_shutdown(d, n));
    co4__descriptor_leave(d);
    return n;
}

static ssize_t receive_from(const struct co4__descriptor *d, void *to, size_t bytes, int flags,
                            struct sockaddr *address, socklen_t *length)
{
    struct iovec one = { to, bytes };
    struct msghdr m = { .msg_iov = &one, .msg_iovlen = 1, .msg_name = length ? address : NULL };
    if (m.msg_name)
        m.msg_namelen = *length;
    ssize_t n = co4__simulated_receive(d, &m, flags);
    if (n >= 0 && m.msg_name)
        *length = m.msg_namelen;
    return n;
}

ssize_t co4__try_recvfrom(int fd, void *to, size_t bytes, int flags, struct sockaddr *address,
                          socklen_t *length)
{
    if (IS_PLAIN(flags) && !(address && length))
        return co4__try_read(fd, to, bytes);
    struct co4__descriptor *d = begin(fd, CO4__READING);
    ssize_t n;
    if (!d)
        return -1;
    if (is_ordinary(flags) && is_drained(d)) {
        co4__descriptor_leave(d);
        return CO4__WOULD_WAIT;
    }
    if (CO4__UNLIKELY(d->kind == CO4__VIRTUAL))
        n = receive_from(d, to, bytes, flags, address, length);
    else
        AGAIN_IF_READY(
            n, d, CO4__READING,
            recvfrom(fd, to, bytes, (flags & ~MSG_WAITALL) | MSG_DONTWAIT, address, length));
    return is_ordinary(flags) ? end_read(d, n, bytes) : end_other_read(d, n, flags);
}

ssize_t co4__try_recv(int fd, void *to, size_t bytes, int flags)
{
    return co4__try_recvfrom(fd, to, bytes, flags, NULL, NULL);
}

ssize_t co4__try_recvmsg(int fd, struct msghdr *message, int flags)
{
    if (IS_PLAIN(flags) && !message->msg_name && !message->msg_control)
        return co4__try_readv(fd, message->msg_iov, (int)message->msg_iovlen);
    struct co4__descriptor *d = begin(fd, CO4__READING);
    if (!d)
        return -1;
    return end_other_read(d, receive(d, message, flags & ~MSG_WAITALL), flags);
}

/* A connection that has failed in between is skipped. */
static int accept_own(int fd, struct sockaddr *address, socklen_t *length, int flags)
{
    int n;
    do
        n = accept4(fd, address, length, flags);
    while (n < 0 && (errno == EINTR || errno == ECONNABORTED || errno == EPROTO));
    return n;
}

int co4__try_accept4(int fd, struct sockaddr *address, socklen_t *length, int flags)
{
    struct co4__descriptor *d = begin(fd, CO4__READING);
    int n = -1;
    if (!d)
        return -1;
    enum co4__descriptor_kind kind = (enum co4__descriptor_kind)d->kind;
    if (CO4__UNLIKELY(kind == CO4__VIRTUAL))
        return (int)end(d, CO4__READING, co4__simulated_accept(d, address, length));
    /* First what a wait needs: the last descriptors are not for connections that nothing serves. */
    int prepared = co4__reactor_prepare();
    if (prepared != 0)
        errno = prepared;
    else
        n = d->shared ? co4__shared_accept(d, address, length, flags | SOCK_NONBLOCK)
                      : accept_own(fd, address, length, flags | SOCK_NONBLOCK);
    if (n >= 0) {
        int err = co4__descriptor_attach(n, kind, false);
        if (err != 0) {
            close(n);
            n = -1;
            errno = err;
        }
    }
    return (int)end(d, CO4__READING, n);
}

int co4__try_accept_as_is(int fd, struct sockaddr *address, socklen_t *length, int flags)
{
    struct co4__descriptor *d = begin(fd, CO4__READING);
    if (!d)
        return -1;
    int n = d->kind == CO4__VIRTUAL ? co4__simulated_accept(d, address, length)
            : d->shared             ? co4__shared_accept(d, address, length, flags)
                                    : accept4(fd, address, length, flags);
    return (int)end(d, CO4__READING, n);
}

bool co4__attempt_takes_all(int fd, int flags)
{
    if (!(flags & MSG_WAITALL) || (flags & MSG_PEEK))
        return false;
    struct co4__descriptor *d = co4__descriptor_enter(fd);
    bool is = d &&
              (d->kind == CO4__STREAM || (d->kind == CO4__VIRTUAL && co4__simulated_is_stream(d)));
    if (d)
        co4__descriptor_leave(d);
    return is;
}

/* ---- writing ---- */

ssize_t co4__try_sendmsg(int fd, const struct msghdr *message, int flags)
{
    if (IS_PLAIN(flags) && !message->msg_name && !message->msg_control)
        return co4__try_writev(fd, message->msg_iov, (int)message->msg_iovlen);
    struct co4__descriptor *d = begin(fd, CO4__WRITING);
    ssize_t n;
    if (!d)
        return -1;
    if (CO4__UNLIKELY(d->kind == CO4__VIRTUAL))
        n = co4__simulated_send(d, message, flags);
    else
        AGAIN_IF_READY(n, d, CO4__WRITING,
                       sendmsg(fd, message, flags | MSG_DONTWAIT | MSG_NOSIGNAL));
    return end(d, CO4__WRITING, n);
}

static ssize_t send_to(const struct co4__descriptor *d, const void *from, size_t bytes, int flags,
                       const struct sockaddr *address, socklen_t length)
{
    struct iovec one = { (void *)(uintptr_t)from, bytes };
    struct msghdr m = { .msg_iov = &one,
                        .msg_iovlen = 1,
                        .msg_name = (void *)(uintptr_t)address,
                        .msg_namelen = length };
    return co4__simulated_send(d, &m, flags);
}

ssize_t co4__try_sendto(int fd, const void *from, size_t bytes, int flags,
                        const struct sockaddr *address, socklen_t length)
{
    if (IS_PLAIN(flags) && !(address && length > 0))
        return co4__try_write(fd, from, bytes);
    struct co4__descriptor *d = begin(fd, CO4__WRITING);
    ssize_t n;
    if (!d)
        return -1;
    if (CO4__UNLIKELY(d->kind == CO4__VIRTUAL))
        n = send_to(d, from, bytes, flags, address, length);
    else
        AGAIN_IF_READY(
            n, d, CO4__WRITING,
            sendto(fd, from, bytes, flags | MSG_DONTWAIT | MSG_NOSIGNAL, address, length));
    return end(d, CO4__WRITING, n);
}

ssize_t co4__try_send(int fd, const void *from, size_t bytes, int flags)
{
    return co4__try_sendto(fd, from, bytes, flags, NULL, 0);
}

static ssize_t write_some(struct co4__descriptor *d, const struct iovec *from, int count)
{
    ssize_t n;
    if (is_socket(d)) {
        struct msghdr m = { .msg_iov = (struct iovec *)(uintptr_t)from,
                            .msg_iovlen = (size_t)count };
        CO4__AGAIN(n, sendmsg(d->fd, &m, MSG_DONTWAIT | MSG_NOSIGNAL));
        return n;
    }
    if (d->kind == CO4__VIRTUAL) {
        struct msghdr m = { .msg_iov = (struct iovec *)(uintptr_t)from,
                            .msg_iovlen = (size_t)count };
        return co4__simulated_send(d, &m, 0);
    }
    if (d->kind == CO4__FILE)
        return co4__write_file(d, from, count);
    if (d->shared)
        return co4__shared_write(d, from, count);
    if (d->kind == CO4__PIPE)
        return co4__write_guarded(d->fd, from, count, false);
    CO4__AGAIN(n, writev(d->fd, from, count));
    return n;
}

ssize_t co4__try_writev(int fd, const struct iovec *from, int count)
{
    struct co4__descriptor *d = begin(fd, CO4__WRITING);
    if (!d)
        return -1;
    if (co4__vector_is_wrong(from, count))
        return end(d, CO4__WRITING, -1);
    if (co4__vector_bytes(from, (size_t)count) == 0 && d->kind != CO4__VIRTUAL)
        return end(d, CO4__WRITING, writev(fd, from, count)); /* no kind of file is asked */
    return end(d, CO4__WRITING, write_some(d, from, count));
}

ssize_t co4__try_write(int fd, const void *from, size_t bytes)
{
    struct co4__descriptor *d = begin(fd, CO4__WRITING);
    ssize_t n;
    if (CO4__UNLIKELY(!d))
        return -1;
    if (CO4__LIKELY(is_socket(d))) {
        CO4__AGAIN(n, send(fd, from, bytes, MSG_DONTWAIT | MSG_NOSIGNAL));
    } else if (CO4__UNLIKELY(bytes == 0) && d->kind != CO4__VIRTUAL) {
        n = write(fd, from, 0);
    } else {
        struct iovec one = { (void *)(uintptr_t)from, bytes };
        n = write_some(d, &one, 1);
    }
    return end(d, CO4__WRITING, n);
}

#ifdef __linux__
/* To a descriptor that sendfile() does not know, or would block at. */
static ssize_t send_part_of_file(struct co4__descriptor *d, int in, off_t *offset, size_t bytes)
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
        n = write_some(d, &one, 1);
    if (n > 0 && offset)
        *offset += n;
    else if (n > 0)
        lseek(in, at + n, SEEK_SET);
    return n;
}

ssize_t co4__try_sendfile(int out, int in, off_t *offset, size_t bytes)
{
    struct co4__descriptor *d = begin(out, CO4__WRITING);
    if (!d)
        return -1;
    ssize_t n = d->shared || d->kind == CO4__VIRTUAL
                    ? send_part_of_file(d, in, offset, bytes)
                    : co4__sendfile_guarded(out, in, offset, bytes);
    return end(d, CO4__WRITING, n);
}
#endif

/* ---- connecting ---- */

#ifndef __wasi__ /* it has no connect() */

bool co4__attempt_is_unix(int fd)
{
    in_port_t port;
    return family_of(fd, &port) == AF_UNIX;
}

int co4__try_connect(int fd, const struct sockaddr *address, socklen_t length)
{
    struct co4__descriptor *d = begin(fd, CO4__WRITING);
    if (!d)
        return -1;
    int n = d->kind == CO4__VIRTUAL ? co4__simulated_connect(d, address, length)
            : d->shared             ? co4__shared_connect(d, address, length)
                                    : connect(fd, address, length);
    int err = errno;
    if (n < 0 && (err == EINPROGRESS || err == EINTR))
        n = CO4__WOULD_WAIT; /* the system goes on with it */
    else if (n < 0 && err == EAGAIN && co4__attempt_is_unix(fd))
        n = CO4__BLOCKS; /* the listener of a Unix socket is full: no event says when it has room */
    errno = err;
    co4__descriptor_leave(d);
    return n;
}

/* The result of an attempt that has ended. Linux gives it to another connect(), which also ends the
 * socket's state of connecting: otherwise the next one of the program would get it. */
static int result_of_connect(struct co4__descriptor *d, const struct sockaddr *address,
                             socklen_t length)
{
#ifdef __linux__
    if (d->kind != CO4__VIRTUAL) {
        int n = co4__try_connect(d->fd, address, length);
        if (n == -1 && errno == EISCONN)
            return 0;
        return n == -1 && errno == EALREADY ? CO4__WOULD_WAIT : n;
    }
#endif
    (void)address, (void)length;
    int err = 0;
    socklen_t bytes = sizeof err;
    int n = d->kind == CO4__VIRTUAL
                ? co4__simulated_getsockopt(d, SOL_SOCKET, SO_ERROR, &err, &bytes)
                : getsockopt(d->fd, SOL_SOCKET, SO_ERROR, &err, &bytes);
    if (n == 0 && err != 0) {
        errno = err;
        n = -1;
    }
    return n;
}

int co4__try_connected(int fd, const struct sockaddr *address, socklen_t length)
{
    struct co4__descriptor *d = begin(fd, CO4__WRITING);
    struct pollfd p = { .fd = fd, .events = POLLOUT };
    if (!d)
        return -1;
    int n = co4__poll_now(&p, 1) > 0 ? result_of_connect(d, address, length) : CO4__WOULD_WAIT;
    co4__descriptor_leave(d);
    return n;
}

#endif

/* ---- readiness ---- */

/* The system has said so, and its event may come later, or never to a thread without a reactor: the
 * next read tries. */
static void is_seen_ready(struct co4__descriptor *d, int direction)
{
    if (direction == CO4__READING)
        atomic_store_explicit(&d->drained, 0, memory_order_relaxed);
}

int co4__try_ready(int fd, int direction)
{
    struct co4__descriptor *d = begin(fd, direction);
    struct pollfd p = { .fd = fd, .events = direction == CO4__READING ? POLLIN : POLLOUT };
    if (!d)
        return -1;
    int n = d->kind == CO4__FILE || co4__poll_now(&p, 1) != 0 ? 1 : CO4__WOULD_WAIT;
    if (n == 1)
        is_seen_ready(d, direction);
    co4__descriptor_leave(d);
    return n;
}

void co4__attempt_pass(int fd, int direction)
{
    struct co4__descriptor *d = co4__descriptor_enter(fd);
    if (!d)
        return;
    co4__descriptor_pass(d, direction);
    co4__descriptor_leave(d);
}

bool co4__attempt_was(int fd, int direction)
{
    const struct co4__local *here = co4__local();
    return here->attempt.descriptor && here->attempt.descriptor->fd == fd &&
           here->attempt.direction == direction;
}

/* ---- codes ---- */

int co4__io_fails(int code)
{
    switch (code) {
    case CO4_ECANCELED:
        errno = ECANCELED;
        break;
    case CO4_ETIMEDOUT:
        errno = ETIMEDOUT;
        break;
    case CO4_ENOMEM:
        errno = ENOMEM;
        break;
    case CO4_ECLOSED:
        errno = EBADF;
        break;
    case CO4_EINVAL:
        errno = EINVAL;
        break;
    case CO4_EDEADLK:
        errno = EDEADLK;
        break;
    case CO4_EBUSY: /* it would have to wait, and the deadline is CO4_NOW */
        errno = EAGAIN;
        break;
    default:
        errno = ENOTSUP; /* CO4_ESTATE: inside a generator */
    }
    return -1;
}

ssize_t co4__io_result(ssize_t result)
{
    if (result >= 0)
        return result;
    errno = (int)-result;
    return -1;
}

/* ---- the wait ---- */

/* Between two tries while the process is out of descriptors, and the worker has no reactor. */
#define LOOK (2 * CO4_MS)

/* Called under the lock. CO4_EEMPTY: the task has to wait. */
static int changed(struct co4__descriptor *d, int direction, uint32_t generation, uint32_t events)
{
    uint64_t use = atomic_load_explicit(&d->use, memory_order_relaxed);
    if (!co4__is_attached(use) || co4__generation_of(use) != generation)
        return CO4_ECLOSED;
    return atomic_load_explicit(&d->events[direction], memory_order_relaxed) != events ? CO4_OK
                                                                                       : CO4_EEMPTY;
}

static int watch(struct co4__descriptor *d, uint32_t generation)
{
    int err = co4__reactor_watch(d, generation);
    if (CO4__LIKELY(err == 0))
        return CO4_OK;
    if (err == EPERM) { /* a device without readiness: its calls never wait */
        d->kind = CO4__FILE;
        return CO4_EAGAIN;
    }
    return err == EBADF ? CO4_ECLOSED : CO4_ENOMEM; /* EBADF: by a plain close() */
}

bool co4__lacks_descriptors(void)
{
    int err = co4__reactor_prepare();
    return err == EMFILE || err == ENFILE;
}

int64_t co4__next_look(int64_t deadline)
{
    int64_t next = co4_now() + LOOK;
    return next < deadline ? next : deadline;
}

/* Returns whether poll() says that it is ready while a try finds no room: a shared eventfd, where a
 * smaller number has room, and a Unix socket that sends to any address, where the room is that of
 * the receiver. */
static bool is_ready_in_vain(const struct co4__descriptor *d, int direction)
{
    if (direction != CO4__WRITING || d->kind == CO4__ANONYMOUS)
        return direction == CO4__WRITING && d->shared;
#ifdef __wasi__ /* it has no Unix sockets */
    return false;
#else
    struct sockaddr_storage peer;
    socklen_t length = sizeof peer;
    return d->kind == CO4__SOCKET && co4__attempt_is_unix(d->fd) &&
           getpeername(d->fd, (struct sockaddr *)&peer, &length) != 0;
#endif
}

/* Nothing can say when a try makes sense. */
static int wait_to_look(co4_fiber *co4, struct co4__descriptor *d, int64_t deadline)
{
    if (deadline != CO4_NEVER && co4_now() >= deadline)
        return co4__done(co4, CO4_ETIMEDOUT);
    co4__descriptor_seen_ready(d->fd);
    return co4_sleep_until__co4(co4, co4__next_look(deadline));
}

int co4__attempt_wait__co4(co4_fiber *co4, int direction, int64_t deadline)
{
    struct co4__local *here = co4__local();
    struct co4__descriptor *d = here->attempt.descriptor;
    uint32_t generation = here->attempt.generation, events = here->attempt.events;
    struct co4__timer *timer = NULL;
    if (CO4__UNLIKELY(!co4__may_pause(co4)))
        return CO4_ESTATE;
    if (co4__is_cancelled(co4__task_of(co4)))
        return co4__done(co4, CO4_ECANCELED);
    if (CO4__UNLIKELY(deadline == CO4_NOW))
        return co4__done(co4, CO4_EBUSY);
    if (CO4__UNLIKELY(is_ready_in_vain(d, direction)))
        return wait_to_look(co4, d, deadline);
    int err = watch(d, generation);
    if (CO4__UNLIKELY(err != CO4_OK))
        return err == CO4_ENOMEM && co4__lacks_descriptors()
                   ? wait_to_look(co4, d, deadline)
                   : co4__done(co4, err == CO4_EAGAIN ? CO4_OK : err);
    if (deadline != CO4_NEVER) {
        if (co4_now() >= deadline)
            return co4__done(co4, CO4_ETIMEDOUT);
        if (!(timer = co4__timer_create(co4__task_of(co4), deadline)))
            return co4__done(co4, CO4_ENOMEM);
    }
    co4__lock_take(&d->queues[0].lock);
    err = changed(d, direction, generation, events);
    if (CO4__LIKELY(err == CO4_EEMPTY)) {
        atomic_store_explicit(&d->has_queued[direction], true, memory_order_relaxed);
        co4__wait(co4, co4__direction_queue(d, direction),
                  direction == CO4__READING ? CO4__WAIT_READ : CO4__WAIT_WRITE, NULL, timer);
        co4__reactor_arm(d, co4__poll_event(direction));
        return CO4_OK;
    }
    co4__lock_give(&d->queues[0].lock);
    if (timer)
        co4__pool_drop(timer, sizeof *timer);
    return co4__done(co4, err);
}

/* What comes before the wait may make tries. */
static void before_wait(void)
{
    struct co4__local *here = co4__local();
    if (CO4__LIKELY(!here->before_wait))
        return;
    struct co4__descriptor *d = here->attempt.descriptor;
    uint32_t generation = here->attempt.generation, events = here->attempt.events;
    int direction = here->attempt.direction;
    co4__before_wait_run();
    here->attempt.descriptor = d;
    here->attempt.generation = generation;
    here->attempt.events = events;
    here->attempt.direction = direction;
}

int co4__attempt_wait_block(int direction, int64_t deadline)
{
    struct co4__descriptor *d = co4__local()->attempt.descriptor;
    struct pollfd p = { .fd = d->fd, .events = direction == CO4__READING ? POLLIN : POLLOUT };
    if (deadline == CO4_NOW)
        return CO4_EBUSY;
    if (co4__in_task())
        return CO4_EDEADLK;
    before_wait();
    if (d->kind == CO4__VIRTUAL)
        return co4__simulated_wait(d, direction, deadline);
    for (;;) {
        int64_t now = co4_now(), left = deadline > now ? deadline - now : 0;
        if (deadline < now)
            return CO4_ETIMEDOUT;
        if (is_ready_in_vain(d, direction))
            co4__sleep_thread(co4__clock() + CO4_MS);
        int64_t ms = deadline == CO4_NEVER ? -1 : left / CO4_MS + (left % CO4_MS > 0);
        int n = co4__poll_for(&p, 1, ms > INT_MAX ? INT_MAX : (int)ms);
        if (n > 0) {
            is_seen_ready(d, direction);
            return CO4_OK;
        }
        if (n < 0 && errno != EINTR)
            return CO4_ENOMEM;
    }
}
