/* closed.c - tells waiters that a descriptor has been closed, so that its number is free.
 *
 * Purpose: an accept that fails with EMFILE waits for that. A close costs one relaxed load more
 * while nothing watches.
 *
 * Invariants: a watcher counts itself before it looks, and tries after the look. Each closing adds
 * one to `closings`, and wakes one waiter, since it frees one number. A listener is queued only if
 * no closing has come since the look.
 *
 * Concurrency: a close and the try that fails are ordered by the system's own lock over the numbers
 * of a process. So a close that comes after the failure sees the watcher. A watcher has a timer
 * besides: another process may be short of descriptors, or a plain close() may have freed one.
 *
 * Rejected: a wake for all waiters (all but one would fail, and wait again). */
#include "io/closed.h"

#include "core/task.h"
#include "core/wait.h"
#include "platform/lock.h"
#include "sync/source.h"

atomic_uint co4__closed_watchers;

static struct co4__wait_queue queue; /* its lock guards `closings` */
static uint32_t closings;

static struct co4__closed *closed_of_source(const co4_source *source)
{
    return (struct co4__closed *)(uintptr_t)source; /* its first member */
}

static int serve(co4_listener *l)
{
    if (!co4__ask_and_offer(l, CO4_OK, NULL))
        return 0;
    l->ops->wake(l);
    return 1;
}

static int poll_or_add(const co4_source *source, co4_listener *l, bool add)
{
    co4__lock_take(&queue.lock);
    bool ready = closed_of_source(source)->seen != closings;
    if (!ready && add)
        co4__listener_queue(&queue, l, CO4__WAIT_SELECT, NULL, NULL);
    co4__lock_give(&queue.lock);
    return ready ? serve(l) : 0;
}

static int poll_closed(co4_source *source, co4_listener *l)
{
    return poll_or_add(source, l, false);
}

static int add_closed(co4_source *source, co4_listener *l)
{
    co4__listener_unqueued(l); /* after a refusal, drop finds nothing */
    return poll_or_add(source, l, true);
}

static void drop_closed(co4_source *source, co4_listener *l)
{
    (void)source;
    co4__listener_drop(&queue, l);
}

static const co4_source_ops ops = { poll_closed, add_closed, drop_closed, NULL };

void co4__closed_look(struct co4__closed *c)
{
    co4__lock_take(&queue.lock);
    c->seen = closings;
    co4__lock_give(&queue.lock);
}

void co4__closed_begin(struct co4__closed *c)
{
    c->source.ops = &ops;
    atomic_fetch_add(&co4__closed_watchers, 1);
    co4__closed_look(c);
}

void co4__closed_end(void)
{
    atomic_fetch_sub_explicit(&co4__closed_watchers, 1, memory_order_relaxed);
}

CO4__NOINLINE void co4__closed_notify_slow(void)
{
    struct co4__waiter *woken = NULL;
    co4__lock_take(&queue.lock);
    closings++;
    while (queue.waiters.head && !woken) {
        struct co4__waiter *w = queue.waiters.head;
        /* A refusal: the wait has ended otherwise, and its task is about to leave. */
        if (co4__offer(co4__listener_of(w), CO4_OK, NULL))
            woken = w;
        co4__wait_queue_remove(&queue, w);
    }
    co4__lock_give(&queue.lock);
    if (woken)
        co4__wake(woken);
}

void co4__closed_fork(enum co4__fork how)
{
    if (how == CO4__FORK_PREPARE)
        co4__lock_take(&queue.lock);
    else
        co4__lock_give(&queue.lock);
}
