/* direction.c - a direction of a descriptor as a source: ready when a call would not wait.
 *
 * poll() says whether it is ready now. A listener queues first, and then looks. So what comes in
 * between is an event, or is seen. */
#include <poll.h>

#include "io/descriptor.h"
#include "io/reactor.h"
#include "platform/lock.h"
#include "sync/look.h"

static struct co4__descriptor *descriptor_of(const co4_source *source, int *direction)
{
    return (struct co4__descriptor *)(uintptr_t)co4__descriptor_of_source(source, direction);
}

/* CO4_OK: a call of this direction would not wait. CO4_EEMPTY: it would. */
static int is_ready(struct co4__descriptor *d, int direction)
{
    struct pollfd p = { .fd = d->fd, .events = direction == CO4__READING ? POLLIN : POLLOUT };
    uint64_t use = atomic_fetch_add_explicit(&d->use, 1, memory_order_acquire);
    int code = !co4__is_attached(use)                             ? CO4_ECLOSED
               : d->kind == CO4__FILE || co4__poll_now(&p, 1) > 0 ? CO4_OK
                                                                  : CO4_EEMPTY;
    co4__descriptor_leave(d);
    return code;
}

static int serve(co4_listener *l, int code)
{
    if (!co4__ask_and_offer(l, code, NULL))
        return 0;
    l->ops->wake(l);
    return 1;
}

static int poll_direction(co4_source *source, co4_listener *l)
{
    int direction;
    struct co4__descriptor *d = descriptor_of(source, &direction);
    int code = is_ready(d, direction);
    return code == CO4_EEMPTY ? 0 : serve(l, code);
}

/* Called without the lock. False: an event has completed it, or is about to. */
static bool unqueue(struct co4__descriptor *d, co4_listener *l)
{
    co4__lock_take(&d->readers.lock);
    bool queued = co4__node_is_queued(l);
    if (queued)
        co4__descriptor_unlink(d, co4__node_of(l));
    co4__lock_give(&d->readers.lock);
    return queued;
}

/* It queues first, and then looks: what comes in between is an event, or is seen. */
static int add_direction(co4_source *source, co4_listener *l)
{
    int direction;
    struct co4__descriptor *d = descriptor_of(source, &direction);
    struct co4__wait_queue list = { .second = false };
    co4__node_add(&list, l, direction == CO4__READING ? CO4__WAIT_READ : CO4__WAIT_WRITE);
    co4__lock_take(&d->readers.lock);
    uint64_t use = atomic_load_explicit(&d->use, memory_order_relaxed);
    bool open = co4__is_attached(use);
    if (open)
        co4__list_push(&d->listeners, co4__node_of(l));
    else
        atomic_store_explicit(&co4__node_of(l)->wait, CO4__WAIT_NONE, memory_order_relaxed);
    co4__lock_give(&d->readers.lock);
    if (!open)
        return serve(l, CO4_ECLOSED);
    int err = d->kind == CO4__FILE ? 0 : co4__reactor_watch(d, co4__generation_of(use));
    if (err != 0)
        return unqueue(d, l) ? CO4_ENOMEM : 0;
    co4__reactor_arm(d, direction);
    int code = is_ready(d, direction);
    return code != CO4_EEMPTY && unqueue(d, l) ? serve(l, code) : 0;
}

static void drop_direction(co4_source *source, co4_listener *l)
{
    int direction;
    struct co4__descriptor *d = descriptor_of(source, &direction);
    if (co4__node_is_queued(l))
        unqueue(d, l);
}

const co4_source_ops co4__direction_ops[2] = {
    { poll_direction, add_direction, drop_direction, NULL },
    { poll_direction, add_direction, drop_direction, NULL },
};
