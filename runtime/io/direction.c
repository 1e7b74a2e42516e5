/* direction.c - a direction of a descriptor as a source: ready when a call would not wait. Also
 * some events of poll(), for co4_poll().
 *
 * poll() says whether it is ready now. A listener queues first, and then looks. So what comes in
 * between is an event, or is seen. */
#define _GNU_SOURCE /* POLLWRNORM and others */
#include <errno.h>
#include <poll.h>

#include "io/descriptor.h"
#include "io/ops.h"
#include "io/reactor.h"
#include "io/socket.h"
#include "platform/lock.h"
#include "sync/source.h"

/* What a source waits for: these events of poll(), the first of which come with those of the driver
 * for a direction. */
struct wanted {
    struct co4__descriptor *descriptor;
    int direction;
    short events, armed; /* to look for; to tell the driver */
};

static const co4_source_ops polled_ops;

static struct wanted wanted_of(const co4_source *source)
{
    struct wanted w;
    if (source->ops == &polled_ops) {
        const struct co4__polled *p = (const struct co4__polled *)(const void *)source;
        short ends = p->direction == CO4__READING ? POLLHUP : 0; /* a driver arms no empty set */
        return (struct wanted){ p->descriptor, p->direction, p->events, (short)(p->events | ends) };
    }
    w.descriptor = (struct co4__descriptor *)(uintptr_t)co4__descriptor_of_source(source,
                                                                                  &w.direction);
    w.events = w.armed = co4__poll_event(w.direction);
    return w;
}

/* CO4_OK: poll() reports one of the events, or an end; a call at a file never waits. CO4_EEMPTY: it
 * does not. */
static int look_at(const co4_source *source, const struct wanted *w)
{
    struct co4__descriptor *d = w->descriptor;
    struct pollfd p = { .fd = d->fd, .events = w->events };
    bool is_file = d->kind == CO4__FILE && source->ops != &polled_ops;
    uint64_t use = atomic_fetch_add_explicit(&d->use, 1, memory_order_acquire);
    int code = !co4__is_attached(use)                 ? CO4_ECLOSED
               : is_file || co4__poll_now(&p, 1) != 0 ? CO4_OK
                                                      : CO4_EEMPTY;
    co4__descriptor_leave(d);
    return code;
}

static int serve_direction(co4_listener *l, int code)
{
    if (!co4__ask_and_offer(l, code, NULL))
        return 0;
    l->ops->wake(l);
    return 1;
}

static int poll_direction(co4_source *source, co4_listener *l)
{
    const struct wanted w = wanted_of(source);
    int code = look_at(source, &w);
    return code == CO4_EEMPTY ? 0 : serve_direction(l, code);
}

/* Called without the lock. False: an event has completed it, or is about to. */
static bool unqueue(struct co4__descriptor *d, co4_listener *l)
{
    co4__lock_take(&d->queues[0].lock);
    bool queued = co4__listener_is_queued(l);
    if (queued)
        co4__descriptor_unlink(d, co4__waiter_of(l));
    co4__lock_give(&d->queues[0].lock);
    return queued;
}

/* Called inside a call: registers the descriptor for a listener that is queued. As `add`. */
static int watch_for(struct co4__descriptor *d, co4_listener *l, uint32_t generation, short events)
{
    int err = d->kind == CO4__FILE ? 0 : d->ops->watch(d, generation);
    if (err == EBADF) /* by a plain close() */
        return unqueue(d, l) ? serve_direction(l, CO4_ECLOSED) : 0;
    if (err != 0 && err != EPERM) /* EPERM: a device without events */
        return unqueue(d, l) ? CO4_ENOMEM : 0;
    co4__reactor_arm(d, events);
    return 0;
}

/* Queues the listener. 0: it waits for an event; otherwise as `add` of a source. */
static int queue_listener(const struct wanted *w, co4_listener *l)
{
    struct co4__descriptor *d = w->descriptor;
    co4__listener_unqueued(l);
    /* A call like others: the number keeps its meaning until it is registered. */
    uint64_t use = atomic_fetch_add_explicit(&d->use, 1, memory_order_acquire);
    co4__lock_take(&d->queues[0].lock);
    bool open = co4__is_attached(use) &&
                co4__is_attached(atomic_load_explicit(&d->use, memory_order_relaxed));
    if (open) {
        unsigned kind = w->direction == CO4__READING ? CO4__WAIT_READ : CO4__WAIT_WRITE;
        co4__listener_queue(NULL, l, kind, NULL, NULL);
        co4__list_push(&d->listeners, co4__waiter_of(l));
    }
    co4__lock_give(&d->queues[0].lock);
    int err = open ? watch_for(d, l, co4__generation_of(use), w->armed)
                   : serve_direction(l, CO4_ECLOSED);
    co4__descriptor_leave(d);
    return err;
}

/* It queues first, and then looks: what comes in between is an event, or is seen. */
static int add_direction(co4_source *source, co4_listener *l)
{
    const struct wanted w = wanted_of(source);
    int queued = queue_listener(&w, l);
    if (queued != 0)
        return queued;
    int code = look_at(source, &w);
    return code != CO4_EEMPTY && unqueue(w.descriptor, l) ? serve_direction(l, code) : 0;
}

static void drop_direction(co4_source *source, co4_listener *l)
{
    if (co4__listener_is_queued(l))
        unqueue(wanted_of(source).descriptor, l);
}

const co4_source_ops co4__direction_ops[2] = {
    { poll_direction, add_direction, drop_direction, NULL },
    { poll_direction, add_direction, drop_direction, NULL },
};

/* ---- some events of poll() ---- */

/* co4_poll() has looked at all descriptors by one call, and `add` looks again. */
static int poll_nothing(co4_source *source, co4_listener *l)
{
    (void)source, (void)l;
    return 0;
}

static const co4_source_ops polled_ops = { poll_nothing, add_direction, drop_direction, NULL };

#ifndef POLLWRNORM
#define POLLWRNORM 0
#endif
#ifndef POLLWRBAND
#define POLLWRBAND 0
#endif

bool co4__polled_init(struct co4__polled *p, struct co4__descriptor *d, short events, int direction)
{
    const short to_write = POLLOUT | POLLWRNORM | POLLWRBAND;
    short mine = direction == CO4__READING ? (short)(events & ~to_write)
                                           : (short)(events & to_write);
    /* The events of a writer include a hang-up and an error; so a reader is not needed for them. */
    if (mine == 0 && (direction == CO4__WRITING || events != 0))
        return false;
    *p = (struct co4__polled){ { &polled_ops }, d, mine, (uint8_t)direction };
    return true;
}
