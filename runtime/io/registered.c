/* registered.c - where a descriptor is registered: in one reactor, or nowhere.
 *
 * The lock of the descriptor guards that. A thread that removes a registration, or uses the driver
 * without owning the reactor, counts itself in `users`, and the end of a reactor waits for it. */
#include <unistd.h>

#include "io/descriptor.h"
#include "io/reactor.h"
#include "platform/fork.h"
#include "platform/lock.h"

/* A build without threads has no handlers of fork. */
unsigned co4__reactor_generation(void)
{
#ifdef __wasi__
    return 1; /* there is one process */
#elif defined(CO4__NO_THREADS)
    return (unsigned)getpid();
#else
    return co4__generation;
#endif
}

void co4__reactor_note_registered(struct co4__reactor *r, int fd)
{
    co4__lock_take(&r->lock);
    if (r->registered++ == 0)
        r->lowest = r->highest = fd;
    if (fd < r->lowest)
        r->lowest = fd;
    if (fd > r->highest)
        r->highest = fd;
    co4__lock_give(&r->lock);
}

void co4__reactor_note_forgotten(struct co4__reactor *r)
{
    co4__lock_take(&r->lock);
    r->registered--;
    co4__lock_give(&r->lock);
}

struct co4__reactor *co4__reactor_unregister(struct co4__descriptor *d)
{
    co4__lock_take(&d->queues[0].lock);
    struct co4__reactor *r = atomic_exchange_explicit(&d->reactor, NULL, memory_order_relaxed);
    if (r)
        atomic_fetch_add_explicit(&r->users, 1, memory_order_relaxed);
    co4__lock_give(&d->queues[0].lock);
    return r;
}

void co4__reactor_done(struct co4__reactor *r)
{
    atomic_fetch_sub_explicit(&r->users, 1, memory_order_release); /* pairs with the end's load */
}

void co4__reactor_forget(struct co4__descriptor *d)
{
    struct co4__reactor *r = co4__reactor_unregister(d);
    if (!r)
        return;
    /* A child of fork shares the driver with its parent, whose registration this is. */
    if (r->generation == co4__reactor_generation())
        r->driver->remove(r, d->fd);
    co4__reactor_note_forgotten(r);
    co4__reactor_done(r);
}

struct co4__reactor *co4__reactor_hold(struct co4__descriptor *d)
{
    co4__lock_take(&d->queues[0].lock);
    struct co4__reactor *r = atomic_load_explicit(&d->reactor, memory_order_relaxed);
    if (r)
        atomic_fetch_add_explicit(&r->users, 1, memory_order_relaxed);
    co4__lock_give(&d->queues[0].lock);
    return r;
}

void co4__reactor_arm(struct co4__descriptor *d, short events)
{
    struct co4__reactor *r = atomic_load_explicit(&d->reactor, memory_order_relaxed);
    if (CO4__LIKELY(r && !r->driver->arm))
        return;
    r = co4__reactor_hold(d);
    if (!r)
        return;
    if (r->driver->arm)
        r->driver->arm(r, d->fd, events);
    co4__reactor_done(r);
}

bool co4__reactor_has(struct co4__descriptor *d, uint32_t generation)
{
    struct co4__reactor *r = co4__reactor_hold(d);
    if (!r)
        return false;
    /* A child of fork shares the driver with its parent. */
    bool has = r->generation == co4__reactor_generation() && r->driver->has &&
               r->driver->has(r, d->fd, generation);
    co4__reactor_done(r);
    return has;
}
