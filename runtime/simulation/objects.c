/* objects.c - simulated descriptors that are no sockets: eventfd, timerfd, epoll.
 *
 * Each has a placeholder in the system, as sockets have (descriptors.c), and a row of a table by
 * number. The calls of co4/io.h come here by the descriptor's table. */
#define _GNU_SOURCE
#include "simulation/objects.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "io/attempt.h"
#include "io/network.h"
#include "io/ops.h"
#include "io/vector.h"
#include "simulation/descriptors.h"

struct name {
    struct co4__object *object; /* NULL: none */
    uint32_t generation;
};

static struct name *names;
static size_t room;

static struct name *find_name(const struct co4__descriptor *d, uint32_t generation)
{
    struct name *n = (size_t)d->fd < room ? &names[d->fd] : NULL;
    return n && n->object && n->generation == generation ? n : NULL;
}

static struct co4__object *object_of(struct co4__descriptor *d)
{
    uint64_t use = atomic_load_explicit(&d->use, memory_order_relaxed);
    const struct name *n = find_name(d, co4__generation_of(use));
    if (!n)
        errno = EBADF;
    return n ? n->object : NULL;
}

void co4__object_tell(const struct co4__object *o, unsigned what)
{
    const struct co4__network *n = co4__network_here();
    for (size_t fd = 0; fd < room; fd++)
        if (names[fd].object == o) {
            co4__descriptor_event((int)fd, names[fd].generation, what);
            if (n->watcher)
                n->watcher((int)fd, what);
        }
}

/* ---- the table of operations ---- */

/* The first part that has bytes. */
static struct iovec first_of(const struct iovec *parts, int count)
{
    for (int i = 0; i < count; i++)
        if (parts[i].iov_len > 0)
            return parts[i];
    return (struct iovec){ NULL, 0 };
}

static ssize_t object_read(struct co4__descriptor *d, const struct iovec *to, int count)
{
    struct co4__object *o = object_of(d);
    struct iovec first = first_of(to, count);
    if (!o)
        return -1;
    return o->kind->read ? o->kind->read(o, first.iov_base, first.iov_len)
                         : co4__errno_fails(EINVAL);
}

static ssize_t object_write(struct co4__descriptor *d, const struct iovec *from, int count)
{
    struct co4__object *o = object_of(d);
    struct iovec first = first_of(from, count);
    if (!o)
        return -1;
    return o->kind->write ? o->kind->write(o, first.iov_base, first.iov_len)
                          : co4__errno_fails(EINVAL);
}

static short object_poll(struct co4__descriptor *d, short events)
{
    const struct co4__object *o = object_of(d);
    return o ? o->kind->poll(o) & (short)(events | POLLERR | POLLHUP) : POLLNVAL;
}

static int object_watch(struct co4__descriptor *d, uint32_t generation)
{
    struct co4__object *o = object_of(d);
    if (!o)
        return EBADF;
    return o->kind->watch ? o->kind->watch(o, d, generation) : 0;
}

struct wait {
    struct co4__descriptor *descriptor;
    short events;
};

static bool object_is_ready(void *data)
{
    const struct wait *w = data;
    return object_poll(w->descriptor, w->events) != 0;
}

static int object_wait(struct co4__descriptor *d, int direction, int64_t deadline)
{
    struct wait w = { d, co4__poll_event(direction) };
    return co4__simulated_step_until(object_is_ready, &w, deadline, "a call") ? CO4_OK
                                                                              : CO4_ETIMEDOUT;
}

static void object_abandon(struct co4__descriptor *d, uint32_t generation)
{
    struct name *n = find_name(d, generation);
    const struct co4__network *network = co4__network_here();
    if (!n)
        return;
    struct co4__object *o = n->object;
    n->object = NULL;
    if (network->watcher)
        network->watcher(d->fd, 0);
    if (--o->names == 0)
        o->kind->end(o);
}

/* ---- calls for sockets ---- */

static ssize_t no_receive(struct co4__descriptor *d, struct msghdr *m, int flags)
{
    (void)d, (void)m, (void)flags;
    return co4__errno_fails(ENOTSOCK);
}

static ssize_t no_send(struct co4__descriptor *d, const struct msghdr *m, int flags)
{
    (void)d, (void)m, (void)flags;
    return co4__errno_fails(ENOTSOCK);
}

static int no_accept(struct co4__descriptor *d, struct sockaddr *address, socklen_t *length,
                     int flags, bool as_is)
{
    (void)d, (void)address, (void)length, (void)flags, (void)as_is;
    return co4__errno_fails(ENOTSOCK);
}

static int no_address(struct co4__descriptor *d, const struct sockaddr *address, socklen_t length)
{
    (void)d, (void)address, (void)length;
    return co4__errno_fails(ENOTSOCK);
}

static int no_number(struct co4__descriptor *d, int number)
{
    (void)d, (void)number;
    return co4__errno_fails(ENOTSOCK);
}

static int no_name(struct co4__descriptor *d, struct sockaddr *address, socklen_t *length)
{
    (void)d, (void)address, (void)length;
    return co4__errno_fails(ENOTSOCK);
}

static int no_getsockopt(struct co4__descriptor *d, int level, int name, void *value,
                         socklen_t *length)
{
    (void)d, (void)level, (void)name, (void)value, (void)length;
    return co4__errno_fails(ENOTSOCK);
}

static int no_setsockopt(struct co4__descriptor *d, int level, int name, const void *value,
                         socklen_t length)
{
    (void)d, (void)level, (void)name, (void)value, (void)length;
    return co4__errno_fails(ENOTSOCK);
}

static const struct co4__io_ops ops = {
    .read = object_read,
    .write = object_write,
    .receive = no_receive,
    .send = no_send,
    .send_file = co4__io_copy_file,
    .accept = no_accept,
    .connect = no_address,
    .connected = no_address,
    .shutdown = no_number,
    .bind = no_address,
    .listen = no_number,
    .getsockname = no_name,
    .getpeername = no_name,
    .getsockopt = no_getsockopt,
    .setsockopt = no_setsockopt,
    .poll = object_poll,
    .watch = object_watch,
    .wait = object_wait,
    .abandon = object_abandon,
};

/* ---- numbers ---- */

static bool has_names(size_t fd)
{
    size_t more = room > 0 ? room : 64;
    while (more <= fd)
        more *= 2;
    struct name *grown = fd < room ? names : co4__alloc(more * sizeof *grown);
    if (!grown || fd < room)
        return grown != NULL;
    if (room > 0)
        memcpy(grown, names, room * sizeof *names);
    co4__free(names);
    names = grown;
    room = more;
    return true;
}

static int give_name(struct co4__object *o, int fd)
{
    int err = has_names((size_t)fd) ? co4__descriptor_attach(fd, CO4__OTHER, true, &ops) : ENOMEM;
    if (err == 0) {
        names[fd] = (struct name){ o, co4__descriptor_generation(fd) };
        o->names++;
    }
    return err;
}

static int object_duplicated(int from, int to)
{
    struct co4__object *o = co4__object_at(from, NULL);
    return o ? give_name(o, to) : 0;
}

int co4__object_open(struct co4__object *o, int placeholder)
{
    int err = placeholder < 0 ? errno : give_name(o, placeholder);
    co4__simulated_duplicates = object_duplicated;
    if (err == 0)
        return placeholder;
    if (placeholder >= 0)
        close(placeholder);
    return co4__errno_fails(err);
}

struct co4__object *co4__object_at(int fd, const struct co4__object_kind *kind)
{
    const struct co4__descriptor *d = co4__simulated_at(fd);
    struct co4__object *o = d && d->ops == &ops ? names[fd].object : NULL;
    return o && (!kind || o->kind == kind) ? o : NULL;
}
