/* socket.c - what poll() says of descriptors, and what sockets of the system do otherwise. */
#define _GNU_SOURCE /* POLLRDHUP */
#include "io/socket.h"

#include <errno.h>
#ifndef __wasi__
#include <netinet/in.h>
#endif
#include <poll.h>
#include <sys/socket.h>

#include "base/compiler.h"
#include "io/attempt.h"
#include "io/ops.h"
#include "platform/thread.h"

/* ---- poll() ---- */

#ifndef __wasi__ /* wasi.c has it */
int co4__poll_for(struct pollfd *fds, nfds_t count, int timeout)
{
    return poll(fds, count, timeout);
}
#endif

int co4__poll_real(struct pollfd *fds, nfds_t count)
{
    int n;
    do
        n = co4__poll_for(fds, count, 0);
    while (n < 0 && errno == EINTR);
    return n;
}

void co4__descriptor_seen_ready(int fd)
{
    struct co4__descriptor *d = fd < 0 ? NULL : co4__descriptor_at(fd);
    if (d)
        atomic_store_explicit(&d->drained, 0, memory_order_relaxed);
}

/* Outside of test mode the system looks at all of them at once. */
static int poll_each(struct pollfd *fds, nfds_t count)
{
    int n = 0;
    if (CO4__LIKELY(!co4__local()->simulate.state))
        return co4__poll_real(fds, count);
    for (nfds_t i = 0; i < count; i++) {
        struct co4__descriptor *d = fds[i].fd < 0 ? NULL : co4__descriptor_at(fds[i].fd);
        fds[i].revents = 0;
        if (d && co4__is_attached(atomic_load_explicit(&d->use, memory_order_relaxed)))
            fds[i].revents = d->ops->poll(d, fds[i].events);
        else if (co4__poll_real(&fds[i], 1) < 0)
            return -1;
        n += fds[i].revents != 0;
    }
    return n;
}

int co4__poll_now(struct pollfd *fds, nfds_t count)
{
    int n = poll_each(fds, count);
    for (nfds_t i = 0; n > 0 && i < count; i++)
        if (fds[i].revents & POLLIN)
            co4__descriptor_seen_ready(fds[i].fd);
    return n;
}

/* ---- sockets ---- */

#ifdef __wasi__ /* sockets have no addresses there */

bool co4__socket_lacks_port(const struct co4__descriptor *d, int direction)
{
    (void)d, (void)direction;
    return false;
}

static bool has_error_queue(int fd)
{
    (void)fd;
    return true;
}

#else

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

CO4__NOINLINE bool co4__socket_lacks_port(const struct co4__descriptor *d, int direction)
{
    if (!d->is_socket || d->kind != CO4__SOCKET || direction != CO4__WRITING)
        return false;
    in_port_t port;
    sa_family_t family = family_of(d->fd, &port);
    errno = EAGAIN;
    return (family == AF_INET || family == AF_INET6) && port == 0;
}

bool co4__attempt_is_unix(int fd)
{
    in_port_t port;
    return family_of(fd, &port) == AF_UNIX;
}

/* Unix sockets and those of the kernel's messages have no queue of errors, and do not look at the
 * flag. */
static bool has_error_queue(int fd)
{
    in_port_t port;
    sa_family_t family = family_of(fd, &port);
#ifdef AF_NETLINK
    if (family == AF_NETLINK)
        return false;
#endif
    return family != AF_UNIX;
}

#endif

/* A registered descriptor has had an event that reports the end. */
ssize_t co4__socket_at_shutdown(struct co4__descriptor *d, ssize_t n)
{
#ifdef POLLRDHUP
    if (n != -1 || !d->is_socket || d->kind != CO4__SOCKET ||
        (errno != EAGAIN && errno != EWOULDBLOCK) ||
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

#ifndef MSG_ERRQUEUE
#define MSG_ERRQUEUE 0
#endif
#ifndef MSG_OOB
#define MSG_OOB 0
#endif

/* Sockets of datagrams do not look at MSG_OOB, or refuse it. */
bool co4__socket_never_waits(const struct co4__descriptor *d, int flags)
{
    return ((flags & MSG_ERRQUEUE) && has_error_queue(d->fd)) ||
           ((flags & MSG_OOB) && d->kind == CO4__STREAM);
}

bool co4__socket_is_ready_in_vain(const struct co4__descriptor *d, int direction)
{
    if (direction != CO4__WRITING || d->kind == CO4__ANONYMOUS)
        return direction == CO4__WRITING && d->shared;
#ifdef __wasi__ /* it has no Unix sockets */
    return false;
#else
    struct sockaddr_storage peer;
    socklen_t length = sizeof peer;
    return d->is_socket && d->kind == CO4__SOCKET && co4__attempt_is_unix(d->fd) &&
           getpeername(d->fd, (struct sockaddr *)&peer, &length) != 0;
#endif
}
