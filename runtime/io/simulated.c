/* simulated.c - the calls of POSIX on descriptors of the simulated network.
 *
 * Purpose: in test mode a task gets such a descriptor from co4_socket() and the like. Its number is
 * that of a placeholder in the system, a socket that is never connected. So the number is unique,
 * and a call behind the library's back fails. All else is in network.c. The calls of co4/io.h come
 * here by the table of the descriptor (ops.h); attempt.c, the waits and the sources are the real
 * ones.
 *
 * Invariants: a read takes a part only if the seed says so, and then more may be there. So a short
 * read does not prove that the stream is drained: a read says so itself. The values of `errno` are
 * those of Linux. */
#define _GNU_SOURCE /* SOCK_CLOEXEC and others */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/simulation.h"
#include "io/descriptor.h"
#include "io/network.h"
#include "io/ops.h"
#include "io/vector.h"
#include "platform/clock.h"
#include "platform/real.h"
#include "platform/thread.h"

#define TYPE_OF(type) ((type) & ~(SOCK_NONBLOCK | SOCK_CLOEXEC))
#define DATAGRAM_MAX  65507
#define SIN6_LEAST    24 /* bytes of an address of IPv6, without the last member */

static int fail(int error)
{
    errno = error;
    return -1;
}

/* ---- descriptors ---- */

/* Returns whether test mode has sockets of this kind. */
static bool is_simulated(int domain, int type)
{
    type = TYPE_OF(type);
    if (domain == AF_UNIX)
        return type == SOCK_STREAM || type == SOCK_DGRAM || type == SOCK_SEQPACKET;
    return (domain == AF_INET || domain == AF_INET6) && (type == SOCK_STREAM || type == SOCK_DGRAM);
}

/* NULL with `errno`: it belongs to another test, or to one that is over. */
static struct co4__sim_socket *socket_at(int fd, uint32_t generation)
{
    const struct co4__simulation *s = co4__local()->simulate.state;
    if (s && s->world) {
        const struct co4__network *n = (const struct co4__network *)(const void *)s->world;
        if ((size_t)fd < n->nby_fd && n->by_fd[fd].socket && n->by_fd[fd].generation == generation)
            return n->by_fd[fd].socket;
    }
    errno = EBADF;
    return NULL;
}

struct co4__sim_socket *co4__network_socket(int fd)
{
    struct co4__descriptor *d = fd < 0 ? NULL : co4__descriptor_find(fd);
    uint64_t use = d ? atomic_load_explicit(&d->use, memory_order_relaxed) : 0;
    return d && co4__is_attached(use) ? socket_at(fd, co4__generation_of(use)) : NULL;
}

static struct co4__sim_socket *socket_of(struct co4__descriptor *d)
{
    uint64_t use = atomic_load_explicit(&d->use, memory_order_relaxed);
    return socket_at(d->fd, co4__generation_of(use));
}

static void simulated_abandon(struct co4__descriptor *d, uint32_t generation)
{
    struct co4__sim_socket *s = socket_at(d->fd, generation);
    if (s)
        co4__network_close(co4__network_here(), s, d->fd);
}

static bool has_room(struct co4__network *n, size_t fd)
{
    size_t room = n->nby_fd > 0 ? n->nby_fd : 32;
    if (fd < n->nby_fd)
        return true;
    while (room <= fd)
        room *= 2;
    struct co4__net_name *more = co4__alloc(room * sizeof *more);
    if (!more)
        return false;
    if (n->nby_fd > 0)
        memcpy(more, n->by_fd, n->nby_fd * sizeof *more);
    co4__free(n->by_fd);
    n->by_fd = more;
    n->nby_fd = room;
    return true;
}

int co4__network_name(struct co4__network *n, struct co4__sim_socket *s, int fd)
{
    enum co4__descriptor_kind kind = s->is_pipe               ? CO4__PIPE
                                     : s->type == SOCK_STREAM ? CO4__STREAM
                                                              : CO4__SOCKET;
    int err = has_room(n, (size_t)fd)
                  ? co4__descriptor_attach(fd, kind, n->for_program, co4__simulated_io)
                  : ENOMEM;
    if (err != 0)
        return err;
    struct co4__descriptor *d = co4__descriptor_find(fd);
    n->by_fd[fd].socket = s;
    n->by_fd[fd].generation = co4__generation_of(
        atomic_load_explicit(&d->use, memory_order_relaxed));
    s->fd = s->names > 0 && s->fd < fd ? s->fd : fd;
    if (s->names++ == 0)
        co4__network_list(n, s);
    n->result.open++;
    return 0;
}

/* Gives the socket this placeholder, which takes over the caller's reference. Returns it, or -1. */
static int give_placeholder(struct co4__network *n, struct co4__sim_socket *s, int fd)
{
    int err = fd < 0 ? errno : co4__network_name(n, s, fd);
    if (err == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return fail(err);
}

/* What the placeholders of a task's are, and those of a program, with the flags of its call. */
static int placeholder_flags(const struct co4__network *n, int type)
{
    return n->for_program ? type & (SOCK_NONBLOCK | SOCK_CLOEXEC) : SOCK_NONBLOCK | SOCK_CLOEXEC;
}

static int give_descriptor(struct co4__network *n, struct co4__sim_socket *s, int type)
{
    return give_placeholder(n, s,
                            CO4__SYSTEM(socket)(AF_UNIX, s->type | placeholder_flags(n, type), 0));
}

static int simulated_socket(int domain, int type, int protocol)
{
    if (!is_simulated(domain, type))
        return co4__system_io.socket(domain, type, protocol);
    struct co4__network *n = co4__network_here();
    struct co4__sim_socket *s = n ? co4__network_create(n, domain, TYPE_OF(type), protocol) : NULL;
    if (!s)
        return fail(ENOMEM);
    int fd = give_descriptor(n, s, type);
    if (fd < 0)
        co4__network_release(s);
    return fd;
}

static void close_both(struct co4__network *n, struct co4__sim_socket *ends[2])
{
    int err = errno;
    for (int i = 0; i < 2; i++)
        if (ends[i] && ends[i]->fd >= 0)
            co4__descriptor_close(ends[i]->fd);
        else if (ends[i])
            co4__network_close(n, ends[i], -1);
    errno = err;
}

/* Placeholders that are a pair themselves: a child of the process goes on with these. */
static int open_pair(const struct co4__network *n, int type, bool is_pipe, int fds[2])
{
    int flags = placeholder_flags(n, type);
    int as_pipe = (flags & SOCK_NONBLOCK ? O_NONBLOCK : 0) | (flags & SOCK_CLOEXEC ? O_CLOEXEC : 0);
    return is_pipe ? CO4__SYSTEM(pipe2)(fds, as_pipe)
                   : CO4__SYSTEM(socketpair)(AF_UNIX, TYPE_OF(type) | flags, 0, fds);
}

static int make_pair(int type, int protocol, int fds[2], bool is_pipe)
{
    int placeholders[2];
    struct co4__network *n = co4__network_here();
    struct co4__sim_socket *ends[2] = { NULL, NULL };
    if (!n)
        return fail(ENOMEM);
    for (int i = 0; i < 2; i++)
        if (!(ends[i] = co4__network_create(n, AF_UNIX, TYPE_OF(type), protocol))) {
            close_both(n, ends);
            return fail(ENOMEM);
        }
    co4__network_join(ends[0], ends[1]);
    for (int i = 0; i < 2; i++) {
        ends[i]->state = CO4__NET_JOINED;
        ends[i]->is_pipe = is_pipe;
        ends[i]->is_pair = true;
        ends[i]->cannot_read = is_pipe && i == 1;
        ends[i]->cannot_write = is_pipe && i == 0;
    }
    if (open_pair(n, type, is_pipe, placeholders) != 0) {
        close_both(n, ends);
        return -1;
    }
    for (int i = 0; i < 2; i++)
        if (give_placeholder(n, ends[i], placeholders[i]) < 0) {
            close_both(n, ends);
            if (i == 0)
                close(placeholders[1]);
            return -1;
        }
    memcpy(fds, placeholders, sizeof placeholders);
    return 0;
}

static int simulated_pair(int domain, int type, int protocol, int fds[2])
{
    return domain == AF_UNIX && is_simulated(domain, type)
               ? make_pair(type, protocol, fds, false)
               : co4__system_io.pair(domain, type, protocol, fds);
}

static int simulated_pipe(int fds[2], int flags)
{
    int type = SOCK_STREAM | (flags & O_NONBLOCK ? SOCK_NONBLOCK : 0) |
               (flags & O_CLOEXEC ? SOCK_CLOEXEC : 0);
    if (flags & ~(O_NONBLOCK | O_CLOEXEC))
        return fail(EINVAL);
    return make_pair(type, 0, fds, true);
}

/* ---- reading ---- */

/* Copies to what is behind the first `done` bytes. Returns the number of bytes. */
static size_t copy_to(const struct msghdr *m, size_t done, const char *from, size_t bytes)
{
    size_t copied = 0;
    for (size_t i = 0; i < (size_t)m->msg_iovlen && copied < bytes; i++) {
        const struct iovec *v = &m->msg_iov[i];
        if (done >= v->iov_len) {
            done -= v->iov_len;
            continue;
        }
        size_t part = v->iov_len - done < bytes - copied ? v->iov_len - done : bytes - copied;
        memcpy((char *)v->iov_base + done, from + copied, part);
        copied += part;
        done = 0;
    }
    return copied;
}

static struct co4__packet *take_packet(struct co4__sim_socket *s)
{
    struct co4__packet *p = s->received;
    s->received = p->next;
    if (!s->received)
        s->last_received = NULL;
    return p;
}

static ssize_t receive_stream(struct co4__network *n, struct co4__sim_socket *s,
                              const struct msghdr *m, size_t bytes, bool peeks)
{
    size_t done = 0;
    if (bytes > s->nreceived)
        bytes = s->nreceived;
    bool is_short = bytes > 1 && !peeks && co4__network_is_short(n, "short");
    if (is_short)
        bytes = 1 + co4__network_below(n, (unsigned)bytes - 1);
    for (struct co4__packet *p = s->received, *next; p && done < bytes; p = next) {
        size_t left = p->bytes - p->taken, part = left < bytes - done ? left : bytes - done;
        next = p->next;
        done += copy_to(m, done, p->data + p->taken, part);
        if (peeks)
            continue;
        s->nreceived -= part;
        co4__network_ack(n, p->event.of, part);
        p->taken += part;
        if (p->taken == p->bytes)
            co4__packet_free(take_packet(s));
    }
    if (is_short) /* as if the rest came just now: a program may wait for the edge */
        co4__network_edge(n, s, CO4__MAY_READ);
    return (ssize_t)done;
}

static ssize_t receive_record(struct co4__network *n, struct co4__sim_socket *s, struct msghdr *m,
                              size_t room, int flags)
{
    struct co4__packet *p = s->received;
    size_t bytes = p->bytes, part = copy_to(m, 0, p->data, bytes < room ? bytes : room);
    if (part < bytes)
        m->msg_flags |= MSG_TRUNC;
    if (m->msg_name) {
        if (p->from && p->from->bytes > 0)
            co4__address_put(p->from, s->domain, m->msg_name, &m->msg_namelen);
        else
            m->msg_namelen = 0;
    }
    if (!(flags & MSG_PEEK)) {
        s->nreceived -= bytes;
        if (co4__network_is_local(s))
            co4__network_ack(n, p->event.of, bytes);
        co4__packet_free(take_packet(s));
    }
    return (ssize_t)(flags & MSG_TRUNC ? bytes : part);
}

/* When nothing has arrived: the result of a read. */
static ssize_t receive_nothing(struct co4__sim_socket *s)
{
    bool is_datagram = s->type == SOCK_DGRAM;
    if (s->ended || s->read_shut)
        return 0;
    if (s->error != 0)
        return fail(co4__network_take_error(s));
    if (s->broken)
        return 0;
    if (!is_datagram && (s->state == CO4__NET_FRESH || s->state == CO4__NET_LISTENING))
        return fail(co4__network_is_local(s) ? EINVAL : ENOTCONN);
    return fail(EAGAIN);
}

/* Says whether no byte of a stream is there that a read has left. */
static ssize_t end_stream(struct co4__descriptor *d, const struct co4__sim_socket *s, ssize_t n)
{
    if (s->type == SOCK_STREAM && !s->received && s->state == CO4__NET_JOINED)
        co4__descriptor_drained(d, co4__local()->attempt.events);
    return n;
}

static ssize_t simulated_receive(struct co4__descriptor *d, struct msghdr *m, int flags)
{
    struct co4__sim_socket *s = socket_of(d);
    if (!s || s->cannot_read)
        return fail(EBADF);
    if (flags & MSG_OOB)
        return fail(EINVAL);
    if ((size_t)m->msg_iovlen > IOV_MAX)
        return fail(EMSGSIZE);
    struct co4__network *n = co4__network_here();
    size_t bytes = co4__vector_bytes(m->msg_iov, (size_t)m->msg_iovlen);
    bool has_records = co4__network_has_records(s);
    m->msg_flags = 0;
    m->msg_controllen = 0;
    if (s->unread && s->error != 0)
        return fail(co4__network_take_error(s));
    if (s->received && (!has_records || s->type == SOCK_SEQPACKET || s->error == 0)) {
        if (has_records)
            return receive_record(n, s, m, bytes, flags);
        m->msg_namelen = 0;
        return end_stream(d, s, receive_stream(n, s, m, bytes, (flags & MSG_PEEK) != 0));
    }
    m->msg_namelen = 0;
    return end_stream(d, s, receive_nothing(s));
}

/* A read of no bytes takes nothing. */
static ssize_t simulated_read(struct co4__descriptor *d, const struct iovec *to, int count)
{
    struct msghdr m = { .msg_iov = (struct iovec *)(uintptr_t)to, .msg_iovlen = (size_t)count };
    if (co4__vector_bytes(to, (size_t)count) > 0)
        return simulated_receive(d, &m, 0);
    const struct co4__sim_socket *s = socket_of(d);
    return s && !s->cannot_read ? 0 : fail(EBADF);
}

/* ---- writing ---- */

/* Returns 0 or an error number: EAGAIN, or why the socket takes nothing. */
static int may_send(struct co4__sim_socket *s)
{
    if (s->error != 0)
        return co4__network_take_error(s);
    if (co4__network_is_shut(s))
        return EPIPE;
    if (s->state == CO4__NET_CONNECTING)
        return EAGAIN;
    if (s->state != CO4__NET_JOINED)
        return co4__network_is_local(s) ? ENOTCONN : EPIPE;
    return 0;
}

static ssize_t send_stream(struct co4__network *n, struct co4__sim_socket *s,
                           const struct msghdr *m, size_t bytes)
{
    int err = may_send(s);
    size_t room = s->outstanding < s->capacity ? s->capacity - s->outstanding : 0;
    bool whole = s->type == SOCK_SEQPACKET || (s->is_pipe && bytes <= CO4__PIPE_ATOMIC);
    if (err != 0)
        return fail(err);
    if (bytes == 0 && s->type == SOCK_STREAM)
        return 0;
    if (whole && s->type == SOCK_SEQPACKET && bytes > s->capacity)
        return fail(EMSGSIZE);
    if (room == 0 || (whole && bytes > room))
        return fail(EAGAIN);
    if (bytes > room)
        bytes = room;
    if (bytes > 1 && !whole && co4__network_is_short(n, "short")) {
        bytes = 1 + co4__network_below(n, (unsigned)bytes - 1);
        co4__network_edge(n, s, CO4__MAY_WRITE);
    }
    size_t first = bytes;
    if (bytes > 1 && !whole && co4__network_is_short(n, "split")) /* it travels in two segments */
        first = 1 + co4__network_below(n, (unsigned)bytes - 1);
    if (!co4__network_send(n, s, m, 0, first, NULL))
        return fail(ENOBUFS);
    if (first < bytes && !co4__network_send(n, s, m, first, bytes - first, NULL))
        return (ssize_t)first;
    return (ssize_t)bytes;
}

static ssize_t send_datagram(struct co4__network *n, struct co4__sim_socket *s,
                             const struct msghdr *m, size_t bytes)
{
    struct co4__net_address named;
    const struct co4__net_address *to = s->remote.bytes > 0 ? &s->remote : NULL;
    bool is_local = co4__network_is_local(s);
    if (s->error != 0)
        return fail(co4__network_take_error(s));
    if (s->write_shut)
        return fail(EPIPE);
    if (m->msg_name) {
        if (!co4__address_take(&named, m->msg_name, m->msg_namelen, s->domain))
            return fail(EINVAL);
        if (s->peer)
            return fail(EISCONN);
        int err = co4__address_refuses(n, s, &named);
        if (err != 0)
            return fail(err);
        co4__address_loop(&named);
        to = &named;
    }
    if (!to && !s->peer)
        return fail(is_local ? ENOTCONN : EDESTADDRREQ);
    if (bytes > DATAGRAM_MAX || (is_local && bytes > s->capacity))
        return fail(EMSGSIZE);
    if (is_local) {
        const struct co4__sim_socket *target = s->peer ? s->peer : co4__address_find(n, s, to);
        if (!target || target->closed)
            return fail(target ? ECONNREFUSED : co4__name_missing(n, s, to));
        named.file = target->file; /* its name may be another one's when this arrives */
        if (s->outstanding > 0 && s->outstanding + bytes > s->capacity)
            return fail(EAGAIN);
    }
    if (s->local.bytes == 0)
        co4__address_assign(n, s, NULL);
    return co4__network_send(n, s, m, 0, bytes, to) ? (ssize_t)bytes : fail(ENOBUFS);
}

void (*co4__network_lacks)(const char *what);

static ssize_t refuse(const char *what, int err)
{
    if (co4__network_lacks)
        co4__network_lacks(what);
    return fail(err);
}

static ssize_t simulated_send(struct co4__descriptor *d, const struct msghdr *m, int flags)
{
    struct co4__sim_socket *s = socket_of(d);
    if (!s || s->cannot_write)
        return fail(EBADF);
    if (flags & MSG_OOB)
        return refuse("urgent data", EOPNOTSUPP);
    if (m->msg_controllen > 0)
        return refuse("control data", EINVAL);
    struct co4__network *n = co4__network_here();
    if ((size_t)m->msg_iovlen > IOV_MAX)
        return fail(EMSGSIZE);
    size_t bytes = co4__vector_bytes(m->msg_iov, (size_t)m->msg_iovlen);
    if (bytes > INT_MAX)
        bytes = INT_MAX;
    return s->type == SOCK_DGRAM ? send_datagram(n, s, m, bytes) : send_stream(n, s, m, bytes);
}

static ssize_t simulated_write(struct co4__descriptor *d, const struct iovec *from, int count)
{
    const struct msghdr m = { .msg_iov = (struct iovec *)(uintptr_t)from,
                              .msg_iovlen = (size_t)count };
    return simulated_send(d, &m, 0);
}

/* ---- connections ---- */

static int simulated_accept(struct co4__descriptor *d, struct sockaddr *address, socklen_t *length,
                            int flags, bool as_is)
{
    (void)as_is;
    struct co4__sim_socket *l = socket_of(d);
    if (!l)
        return -1;
    if (flags & ~(SOCK_NONBLOCK | SOCK_CLOEXEC))
        return fail(EINVAL);
    if (l->is_pipe)
        return fail(ENOTSOCK);
    if (l->type == SOCK_DGRAM)
        return fail(EOPNOTSUPP);
    if (l->state != CO4__NET_LISTENING)
        return fail(EINVAL);
    struct co4__sim_socket *s = l->waiting;
    if (!s)
        return fail(l->read_shut ? EINVAL : EAGAIN);
    int fd = give_descriptor(co4__network_here(), s,
                             flags); /* it takes over the listener's reference */
    if (fd < 0)
        return -1;
    l->waiting = s->next_waiting;
    if (!l->waiting)
        l->last_waiting = NULL;
    l->nwaiting--;
    co4__address_put(&s->remote, s->domain, address, length);
    return fd;
}

static int connect_datagrams(struct co4__network *n, struct co4__sim_socket *s,
                             const struct sockaddr *address, socklen_t length)
{
    struct co4__net_address to;
    const struct co4__sim_socket *target = NULL;
    if (address && length >= sizeof address->sa_family && address->sa_family == AF_UNSPEC) {
        s->remote.bytes = 0;
        co4__address_leave(n, s);
        return 0;
    }
    if (!co4__address_take(&to, address, length, s->domain))
        return fail(EINVAL);
    int err = co4__address_refuses(n, s, &to);
    if (err != 0)
        return fail(err);
    co4__address_loop(&to);
    if (co4__network_is_local(s) && !(target = co4__address_find(n, s, &to)))
        return fail(co4__name_missing(n, s, &to));
    to.file = target ? target->file : 0;
    s->remote = to;
    co4__address_assign(n, s, &to);
    return 0;
}

static int simulated_connect(struct co4__descriptor *d, const struct sockaddr *address,
                             socklen_t length)
{
    struct co4__sim_socket *s = socket_of(d);
    struct co4__net_address to;
    if (!s)
        return -1;
    struct co4__network *n = co4__network_here();
    if (s->type == SOCK_DGRAM)
        return connect_datagrams(n, s, address, length);
    if (s->state != CO4__NET_FRESH)
        return fail(s->state == CO4__NET_CONNECTING  ? EALREADY
                    : s->state == CO4__NET_LISTENING ? EINVAL
                                                     : EISCONN);
    if (address && s->domain != AF_UNIX && address->sa_family != s->domain &&
        length >= (s->domain == AF_INET ? sizeof(struct sockaddr_in) : SIN6_LEAST))
        return fail(EAFNOSUPPORT);
    if (!co4__address_take(&to, address, length, s->domain))
        return fail(EINVAL);
    int err = co4__address_refuses(n, s, &to);
    if (err != 0)
        return fail(err);
    co4__address_loop(&to);
    s->error = 0;
    s->remote = to;
    return fail(co4__network_connect(n, s));
}

static int simulated_connected(struct co4__descriptor *d, const struct sockaddr *address,
                               socklen_t length)
{
    struct co4__sim_socket *s = socket_of(d);
    int err = s ? co4__network_take_error(s) : EBADF;
    (void)address, (void)length;
    return err == 0 ? 0 : fail(err);
}

static int simulated_shutdown(struct co4__descriptor *d, int how)
{
    struct co4__sim_socket *s = socket_of(d);
    if (!s)
        return -1;
    if (how != SHUT_RD && how != SHUT_WR && how != SHUT_RDWR)
        return fail(EINVAL);
    if (s->is_pipe)
        return fail(ENOTSOCK);
    if (s->state == CO4__NET_LISTENING) {
        s->read_shut = true;
    } else if (s->type != SOCK_DGRAM && !co4__network_is_joined(s)) {
        return fail(ENOTCONN);
    } else {
        if (how != SHUT_WR)
            s->read_shut = true;
        if (how != SHUT_RD && s->type != SOCK_DGRAM)
            co4__network_fin(co4__network_here(), s);
        else if (how != SHUT_RD)
            s->write_shut = true;
    }
    co4__network_tell(s, CO4__NET_ALL);
    return 0;
}

static int simulated_bind(struct co4__descriptor *d, const struct sockaddr *address,
                          socklen_t length)
{
    struct co4__sim_socket *s = socket_of(d);
    struct co4__net_address a;
    if (!s)
        return -1;
    if (s->is_pipe)
        return fail(ENOTSOCK);
    if (!co4__address_take(&a, address, length, s->domain))
        return fail(EINVAL);
    int err = co4__address_bind(co4__network_here(), s, &a);
    return err == 0 ? 0 : fail(err);
}

static int simulated_listen(struct co4__descriptor *d, int backlog)
{
    struct co4__sim_socket *s = socket_of(d);
    if (!s)
        return -1;
    if (s->is_pipe || s->type == SOCK_DGRAM)
        return fail(s->is_pipe ? ENOTSOCK : EOPNOTSUPP);
    if (s->state != CO4__NET_FRESH && s->state != CO4__NET_LISTENING)
        return fail(EINVAL);
    if (s->local.bytes == 0 && co4__network_is_local(s))
        return fail(EINVAL);
    co4__address_assign(co4__network_here(), s, NULL);
    int err = s->state == CO4__NET_LISTENING ? 0 : co4__address_listen(co4__network_here(), s);
    if (err != 0)
        return fail(err);
    s->backlog = backlog < 0 ? 0 : (unsigned)backlog;
    s->state = CO4__NET_LISTENING;
    return 0;
}

static int simulated_getsockname(struct co4__descriptor *d, struct sockaddr *address,
                                 socklen_t *length)
{
    const struct co4__sim_socket *s = socket_of(d);
    if (!s)
        return -1;
    if (s->is_pipe)
        return fail(ENOTSOCK);
    if (!address || !length)
        return fail(EFAULT);
    co4__address_put(&s->local, s->domain, address, length);
    return 0;
}

static int simulated_getpeername(struct co4__descriptor *d, struct sockaddr *address,
                                 socklen_t *length)
{
    const struct co4__sim_socket *s = socket_of(d);
    if (!s)
        return -1;
    if (s->is_pipe)
        return fail(ENOTSOCK);
    if (!address || !length)
        return fail(EFAULT);
    if (s->type == SOCK_DGRAM ? s->remote.bytes == 0 && !s->peer : !co4__network_is_joined(s))
        return fail(ENOTCONN);
    co4__address_put(&s->remote, s->domain, address, length);
    return 0;
}

static int simulated_getsockopt(struct co4__descriptor *d, int level, int name, void *value,
                                socklen_t *length)
{
    struct co4__sim_socket *s = socket_of(d);
    if (!s)
        return -1;
    int err = s->is_pipe ? ENOTSOCK : co4__network_get_option(s, level, name, value, length);
    return err == 0 ? 0 : fail(err);
}

static int simulated_setsockopt(struct co4__descriptor *d, int level, int name, const void *value,
                                socklen_t length)
{
    struct co4__sim_socket *s = socket_of(d);
    if (!s)
        return -1;
    int err = s->is_pipe ? ENOTSOCK : co4__network_set_option(s, level, name, value, length);
    if (err == 0)
        co4__keepalive_is_set(co4__network_here(), s, level == SOL_SOCKET && name == SO_KEEPALIVE);
    return err == 0 ? 0 : fail(err);
}

/* ---- waiting without a task ---- */

static short simulated_poll(struct co4__descriptor *d, short events)
{
    const struct co4__sim_socket *s = socket_of(d);
    return s ? co4__network_events(s) & (short)(events | POLLERR | POLLHUP) : POLLNVAL;
}

/* Its events come from the network, by co4__descriptor_event(). */
static int simulated_watch(struct co4__descriptor *d, uint32_t generation)
{
    (void)d, (void)generation;
    return 0;
}

/* Meanwhile the thread runs steps of the simulation. */
static int simulated_wait(struct co4__descriptor *d, int direction, int64_t deadline)
{
    struct co4__simulation *s = co4__local()->simulate.state;
    while (simulated_poll(d, co4__poll_event(direction)) == 0) {
        int64_t now = s->ops->now(s), next = s->world->ops->next(s->world);
        if (now >= deadline)
            return CO4_ETIMEDOUT;
        int64_t limit = next < deadline ? next : deadline;
        if (s->ops->step(s, limit > now ? limit : now) > 0)
            continue;
        if (limit == CO4_NEVER)
            return CO4_EDEADLK;
        s->ops->sleep(s, limit);
        s->world->ops->turn(s->world, s->ops->now(s), limit);
    }
    return CO4_OK;
}

static const struct co4__io_ops ops = {
    .socket = simulated_socket,
    .pair = simulated_pair,
    .pipe = simulated_pipe,
    .read = simulated_read,
    .write = simulated_write,
    .receive = simulated_receive,
    .send = simulated_send,
#ifdef __linux__
    .send_file = co4__io_copy_file,
#endif
    .accept = simulated_accept,
    .connect = simulated_connect,
    .connected = simulated_connected,
    .shutdown = simulated_shutdown,
    .bind = simulated_bind,
    .listen = simulated_listen,
    .getsockname = simulated_getsockname,
    .getpeername = simulated_getpeername,
    .getsockopt = simulated_getsockopt,
    .setsockopt = simulated_setsockopt,
    .poll = simulated_poll,
    .watch = simulated_watch,
    .wait = simulated_wait,
    .abandon = simulated_abandon,
};

const struct co4__io_ops *const co4__simulated_io = &ops;

int co4_test_network(const co4_test_network_options *options)
{
    static const co4_test_network_options defaults = { .latency_min = 0 };
    const co4_test_network_options *o = options ? options : &defaults;
    if (!co4__local()->simulate.state)
        return CO4_ESTATE;
    if (o->latency_min < 0 || o->latency_max < o->latency_min)
        return CO4_EINVAL;
    struct co4__network *n = co4__network_here();
    if (!n)
        return CO4_ENOMEM;
    co4__network_set_options(n, o);
    return CO4_OK;
}
