/* future_collector.c - futures in the order in which they are done.
 *
 * Purpose: a collector is an unbounded channel of futures, and a listener at each future that is
 * not done. The listener's wake puts its future into the channel. There is always room for that,
 * because adding a future reserves a place. So a future that was added is not lost. Places are
 * reserved by doubling, without the lock. A future that is being added is counted in `pending`
 * before.
 *
 * Owners: the creator and each listener have a reference. The last release frees the collector,
 * with the futures that were not received. */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/public.h"
#include "core/task.h"
#include "core/wait.h"
#include "memory/pool.h"
#include "platform/lock.h"
#include "structured/future.h"
#include "sync/mailbox.h"

struct waiting {
    co4_listener listener;
    co4_collector *collector;
    co4_future *future;           /* a reference, on its way into the channel */
    struct waiting *next, **link; /* `link` is NULL if it is in no list */
};

struct co4_collector {
    co4_mailbox *done; /* constant; of co4_future * */
    co4__lock lock;    /* guards the other fields; taken before the lock of `done` */
    struct waiting *first;
    size_t pending, reserved, refs;
    bool closed, left;
};

/* Called under the lock, which it releases. */
static void unref(co4_collector *c)
{
    bool last = --c->refs == 0;
    co4__lock_give(&c->lock);
    if (!last)
        return;
    co4_future *f;
    while (co4_mailbox_receive_until(c->done, &f, CO4_NOW) == CO4_OK)
        co4_future_release(f);
    co4_mailbox_destroy(c->done);
    co4__pool_drop(c, sizeof *c);
}

/* Called under the lock. */
static void link_waiting(struct waiting *w)
{
    struct waiting **first = &w->collector->first;
    w->next = *first;
    w->link = first;
    if (w->next)
        w->next->link = &w->next;
    *first = w;
}

static void unlink_waiting(struct waiting *w)
{
    if (!w->link)
        return;
    *w->link = w->next;
    if (w->next)
        w->next->link = w->link;
    w->link = NULL;
}

/* ---- the listeners ---- */

static void collector_wake(co4_listener *l)
{
    struct waiting *w = (struct waiting *)(void *)((char *)l - offsetof(struct waiting, listener));
    co4_collector *c = w->collector;
    if (co4_mailbox_send_until(c->done, &w->future, CO4_NOW) != CO4_OK)
        co4_future_release(w->future); /* cannot happen: its place was reserved */
    co4__lock_take(&c->lock);
    unlink_waiting(w);
    c->pending--;
    bool last = c->closed && c->pending == 0;
    co4__lock_give(&c->lock);
    co4__pool_drop(w, sizeof *w);
    if (last)
        co4_mailbox_close(c->done);
    co4__lock_take(&c->lock);
    unref(c);
}

static const co4_listener_ops waiting_ops = {
    .acquire = co4__listener_acquire_always,
    .complete = co4__listener_complete_empty,
    .release = co4__listener_release_empty,
    .wake = collector_wake,
    .owner = co4__listener_is_owner,
};

/* ---- */

co4_collector *co4_collector_create(void)
{
    co4_collector *c = co4__pool_take(sizeof *c);
    if (!c)
        return NULL;
    memset(c, 0, sizeof *c);
    c->refs = 1;
    c->done = co4_mailbox_create(sizeof(co4_future *), CO4_UNBOUNDED);
    if (!c->done) {
        co4__pool_drop(c, sizeof *c);
        return NULL;
    }
    return c;
}

/* Removes some listeners from the list. Returns those that have left their futures. The others will
 * be woken, and their wake does the rest. */
static struct waiting *take_some(co4_collector *c)
{
    struct waiting *taken = NULL;
    for (int i = 0; c->first && i < CO4__BATCH; i++) {
        struct waiting *w = c->first;
        unlink_waiting(w);
        if (!co4__listener_drop(&w->future->wait_queue, &w->listener))
            continue;
        c->pending--;
        c->refs--;
        w->next = taken;
        taken = w;
    }
    return taken;
}

int co4_collector_destroy(co4_collector *collector)
{
    co4_collector *c = collector;
    if (!c)
        return CO4_OK;
    co4__lock_take(&c->done->queues[0].lock);
    bool clear = co4__wait_queue_clear(&c->done->queues[0]);
    co4__lock_give(&c->done->queues[0].lock);
    if (!clear)
        return CO4_EBUSY;
    co4__lock_take(&c->lock);
    while (c->first) {
        struct waiting *taken = take_some(c);
        co4__lock_give(&c->lock);
        for (struct waiting *w = taken, *next; w; w = next) {
            next = w->next;
            co4_future_release(w->future);
            co4__pool_drop(w, sizeof *w);
        }
        co4__lock_take(&c->lock);
    }
    unref(c);
    return CO4_OK;
}

/* Counts one more future as pending, and reserves its place in the channel. CO4_OK, CO4_ECLOSED,
 * CO4_ENOMEM. */
static int book(co4_collector *c)
{
    co4__lock_take(&c->lock);
    if (c->closed) {
        co4__lock_give(&c->lock);
        return CO4_ECLOSED;
    }
    c->pending++;
    c->refs++;
    size_t reserved = c->reserved;
    /* Futures on their way count twice for a moment, which reserves too much and does no harm. */
    size_t wanted = c->pending + co4_mailbox_len(c->done);
    co4__lock_give(&c->lock);
    if (wanted <= reserved)
        return CO4_OK;
    wanted = wanted > 2 * reserved ? wanted : 2 * reserved;
    int err = co4_mailbox_reserve(c->done, wanted);
    co4__lock_take(&c->lock);
    if (err == CO4_OK) {
        c->reserved = wanted > c->reserved ? wanted : c->reserved;
        co4__lock_give(&c->lock);
        return CO4_OK;
    }
    bool last = --c->pending == 0 && c->closed;
    co4__lock_give(&c->lock);
    if (last)
        co4_mailbox_close(c->done);
    co4__lock_take(&c->lock);
    unref(c);
    return err;
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
    co4__listener_unqueued(&w->listener); /* until the future has it, drop finds nothing */
    int err = book(c);
    if (err != CO4_OK) {
        co4__pool_drop(w, sizeof *w);
        return err;
    }
    co4_future_retain(future);
    co4__lock_take(&c->lock);
    link_waiting(w);
    co4__lock_give(&c->lock);
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
