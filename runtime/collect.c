/* collect.c - futures in the order in which they are done.
 *
 * A collector is an unbounded channel of futures, and a listener at each that is not done. The
 * listener's wake puts its future into the channel; for that there is always room: adding a future
 * reserves a place, so a future that was taken in is not lost.
 *
 * Owners: who created it, and each listener. The last one frees it, with what nobody has taken. */
#include "future.h"
#include "mailbox.h"

struct waiting {
    co4_listener listener;
    co4_collector *collector;
    co4_future *future; /* a share, on its way into the channel */
    struct waiting *next, **link;
};

struct co4_collector {
    co4_channel *done; /* constant; of co4_future * */
    co4__lock lock;    /* guards the rest; before the lock of `done` */
    struct waiting *first;
    size_t pending, refs;
    bool closed, left;
};

static struct waiting *waiting_of(co4_listener *l)
{
    return (struct waiting *)(void *)((char *)l - offsetof(struct waiting, listener));
}

/* The lock is held; gives it up. */
static void unref(co4_collector *c)
{
    bool last = --c->refs == 0;
    co4__lock_give(&c->lock);
    if (!last)
        return;
    co4_future *f;
    while (co4_mailbox_try_get(c->done, (void *)&f) == CO4_OK)
        co4_future_release(f);
    co4_mailbox_destroy(c->done);
    co4__pool_drop(c, sizeof *c);
}

/* Under the lock. */
static void unlink_waiting(struct waiting *w)
{
    *w->link = w->next;
    if (w->next)
        w->next->link = w->link;
    w->collector->pending--;
}

/* ---- the listeners ---- */

static int acquire(co4_listener *l, int code, const void *value)
{
    (void)l, (void)code, (void)value;
    return 1;
}

static void complete(co4_listener *l, int code, const void *value)
{
    (void)l, (void)code, (void)value;
}

static void release(co4_listener *l)
{
    (void)l;
}

static void wake(co4_listener *l)
{
    struct waiting *w = waiting_of(l);
    co4_collector *c = w->collector;
    if (co4_mailbox_try_put(c->done, (void *)&w->future) != CO4_OK)
        co4_future_release(w->future); /* cannot be: its place was reserved */
    co4__lock_take(&c->lock);
    unlink_waiting(w);
    bool last = c->closed && c->pending == 0;
    co4__lock_give(&c->lock);
    co4__pool_drop(w, sizeof *w);
    if (last)
        co4_mailbox_close(c->done);
    co4__lock_take(&c->lock);
    unref(c);
}

static const void *owner(const co4_listener *l)
{
    return l;
}

static const co4_listener_ops waiting_ops = { acquire, complete, release, wake, owner, NULL };

/* ---- */

co4_collector *co4_collector_create(void)
{
    co4_collector *c = co4__pool_take(sizeof *c);
    if (!c)
        return NULL;
    memset(c, 0, sizeof *c);
    c->refs = 1;
    c->done = co4_channel_create(sizeof(co4_future *), CO4_UNBOUNDED);
    if (!c->done) {
        co4__pool_drop(c, sizeof *c);
        return NULL;
    }
    return c;
}

int co4_collector_destroy(co4_collector *collector)
{
    co4_collector *c = collector;
    if (!c)
        return CO4_OK;
    co4__lock_take(&c->done->place.lock);
    bool clear = co4__place_clear(&c->done->place);
    co4__lock_give(&c->done->place.lock);
    if (!clear)
        return CO4_EBUSY;
    co4__lock_take(&c->lock);
    for (struct waiting *w = c->first, *next; w; w = next) {
        next = w->next;
        if (!co4__node_drop(&w->future->place, &w->listener))
            continue; /* its wake is on its way, and sees to the rest */
        unlink_waiting(w);
        c->refs--;
        co4_future_release(w->future);
        co4__pool_drop(w, sizeof *w);
    }
    unref(c);
    return CO4_OK;
}

int co4_collector_add(co4_collector *collector, co4_future *future)
{
    co4_collector *c = collector;
    if (!c || !future)
        return CO4_EINVAL;
    struct waiting *w = co4__pool_take(sizeof *w);
    if (!w)
        return CO4_ENOMEM;
    *w = (struct waiting){ .listener = { .ops = &waiting_ops }, .collector = c, .future = future };
    co4__node_of(&w->listener)->wait =
        CO4__WAIT_NONE; /* until the future has it, drop finds nothing */
    co4__lock_take(&c->lock);
    int err = c->closed ? CO4_ECLOSED : CO4_OK;
    if (err == CO4_OK)
        /* Those on their way count twice, for a moment: too much does no harm. */
        err = co4_mailbox_reserve(c->done, c->pending + 1 + co4_mailbox_len(c->done));
    if (err == CO4_OK) {
        co4_future_retain(future);
        w->next = c->first;
        w->link = &c->first;
        if (w->next)
            w->next->link = &w->next;
        c->first = w;
        c->pending++;
        c->refs++;
    }
    co4__lock_give(&c->lock);
    if (err != CO4_OK) {
        co4__pool_drop(w, sizeof *w);
        return err;
    }
    co4_source *source = co4_future_source(future);
    source->ops->add(source, &w->listener);
    return CO4_OK;
}

int co4_collector_close(co4_collector *collector)
{
    co4_collector *c = collector;
    if (!c)
        return CO4_EINVAL;
    co4__lock_take(&c->lock);
    c->closed = true;
    bool last = c->pending == 0;
    co4__lock_give(&c->lock);
    if (last)
        co4_mailbox_close(c->done);
    return CO4_OK;
}

size_t co4_collector_pending(co4_collector *collector)
{
    if (!collector)
        return 0;
    co4__lock_take(&collector->lock);
    size_t n = collector->pending;
    co4__lock_give(&collector->lock);
    return n;
}

co4_source *co4_collector_source(co4_collector *collector)
{
    return collector ? co4_mailbox_source(collector->done) : NULL;
}
