/* timer_source.c - timers and tickers as sources.
 *
 * Purpose: the clock alone decides whether a timer is ready, so only waiters have to be notified.
 * Each listener has a timer of its own (timers.h) in a heap: that of the worker that added it, or
 * of the blocked thread. It is in the wait queue of its source as well, where a restart finds it.
 *
 * Concurrency: the queue's lock guards the source and its listeners, the heap's lock the heap; the
 * queue's is taken first. Firing starts at the heap, so it has to release that lock before it takes
 * the queue's, and the listener could be freed in between. Its claim prevents that:
 *
 *     OUT   in no heap: it has refused, and waits for the source's next start only
 *     IN    in the heap
 *     DUE   removed by a thread that fires; drop waits for it, a few instructions
 *     GONE  completed, and in no list: the source may be freed, too
 *
 *     IN → DUE                under the heap's lock
 *     DUE → OUT, IN, GONE     under the queue's lock, by the thread that fires
 *     OUT ⇄ IN                under both
 *
 * A thread that starts a source earlier than the earliest of a heap notifies the heap's owner under
 * the queue's lock. A queued listener cannot be dropped then, so the owner and the heap exist.
 *
 * Rejected: the source in the heap (any thread may start it, so it belongs to no worker); a thread
 * for timers. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"
#include "base/public.h"
#include "co4/timer.h"
#include "core/sleep.h"
#include "core/timers.h"
#include "core/wait.h"
#include "memory/pool.h"
#include "platform/lock.h"
#include "sync/source.h"

struct CO4__MAY_ALIAS timing {
    co4_source source;
    struct co4__wait_queue wait_queue; /* its lock guards the other fields */
    /* CO4_NEVER: not running. Of a ticker: the first tick that was not given. */
    int64_t deadline;
    int64_t period;   /* 0: a timer */
    uintptr_t starts; /* their number; wraps */
};
_Static_assert(sizeof(struct timing) <= sizeof(co4_timer), "the public type has room");

/* The claims of a listener at a timer. */
enum { GONE = CO4__WAIT_NONE, OUT = CO4__QUEUED, IN = CO4__QUEUED | CO4__TIMED, DUE = CO4__BUSY };

/* Of a timer, a ticker, or the source of one, which is its first member. */
static struct timing *timing_of(const void *object)
{
    return (struct timing *)(uintptr_t)object;
}

static struct co4__timer *timer_of(const struct co4__waiter *w)
{
    return w->result.wait.where;
}

static unsigned phase_of(struct co4__waiter *w)
{
    return atomic_load_explicit(&w->claim, memory_order_acquire);
}

static void set_phase(struct co4__waiter *w, unsigned phase)
{
    atomic_store_explicit(&w->claim, (uint8_t)phase, memory_order_release);
}

/* ---- under the wait queue's lock ---- */

/* The listener leaves the queue, and its timer is in no heap any more. */
static void remove_listener(struct timing *t, struct co4__waiter *w)
{
    co4__pool_drop(timer_of(w), sizeof(struct co4__timer));
    co4__wait_queue_remove(&t->wait_queue, w);
}

/* Unsigned, so the two times may be any distance apart. */
static uint64_t since(const struct timing *t, int64_t now)
{
    return (uint64_t)now - (uint64_t)t->deadline;
}

/* Returns the moment of the first tick after now; the timer's deadline has passed. */
static int64_t next_tick(const struct timing *t, int64_t now)
{
    int64_t last = now - (int64_t)(since(t, now) % (uint64_t)t->period);
    return last < CO4_NEVER - t->period ? last + t->period : CO4_NEVER;
}

/* Returns the timer's value at `now`: *ticks, and a pointer to it. NULL: it is no ticker, and has
 * no value. */
static const uint64_t *value_of(const struct timing *t, int64_t now, uint64_t *ticks)
{
    *ticks = t->period == 0 ? 0 : since(t, now) / (uint64_t)t->period + 1;
    return t->period == 0 ? NULL : ticks;
}

/* Called by the thread that fires the timer. 1: the timer is ready, and the listener has taken the
 * value; CO4__NOTIFIED. */
static int timing_give(struct timing *t, co4_listener *l, int64_t now)
{
    uint64_t ticks;
    if (now < t->deadline)
        return 0;
    int given = co4__offer(l, CO4_OK, value_of(t, now, &ticks));
    if (given == 1 && t->period != 0)
        t->deadline = next_tick(t, now);
    return given;
}

/* The same for the waiting thread, which asks the listener and gives the lock back meanwhile. */
static int give_asking(struct timing *t, co4_listener *l, int64_t now)
{
    int answer = co4__unasked(l);
    uint64_t ticks, asked = 0;
    for (;;) {
        if (now < t->deadline)
            return 0;
        const uint64_t *value = value_of(t, now, &ticks);
        if (answer != CO4__UNASKED && (!l->ops->look || asked == ticks))
            break;
        asked = ticks;
        co4__lock_give(&t->wait_queue.lock);
        answer = l->ops->look(l, CO4_OK, value);
        co4__lock_take(&t->wait_queue.lock);
    }
    if (answer == CO4__REFUSES || !co4__offer_asked(l, value_of(t, now, &ticks)))
        return 0;
    if (t->period != 0)
        t->deadline = next_tick(t, now);
    return 1;
}

/* Returns when a listener that has just refused, or has looked too early, is asked again. */
static int64_t ask_again(const struct timing *t, int64_t now)
{
    if (now < t->deadline)
        return t->deadline;
    return t->period == 0 ? CO4_NEVER : next_tick(t, now);
}

/* Puts the listener's timer into its heap, or moves it there. The heap may be another thread's also
 * when the source was not restarted: the monitor fires for a worker whose step lasts. */
static void timer_move_in_heap(struct co4__waiter *w, int64_t deadline, bool other_thread)
{
    struct co4__timer *n = timer_of(w);
    struct co4__timers *h = n->heap;
    co4__lock_take(&h->lock);
    unsigned phase = phase_of(w);
    int64_t before = co4__timers_earliest(h);
    if (phase == IN)
        co4__timers_remove(h, n);
    /* In the other case the thread that fires it looks at the source next. */
    if (phase != DUE || !other_thread) {
        n->deadline = deadline;
        set_phase(w, IN);
        co4__timers_insert(h, n);
    }
    bool earlier = co4__timers_earliest(h) < before;
    co4__lock_give(&h->lock);
    if (earlier && (other_thread || co4__timers_here() != h))
        h->interrupt(h);
}

/* ---- the source ---- */

static int timer_poll(co4_source *source, co4_listener *l)
{
    struct timing *t = timing_of(source);
    co4__lock_take(&t->wait_queue.lock);
    int given = give_asking(t, l, co4_now());
    co4__lock_give(&t->wait_queue.lock);
    if (given)
        l->ops->wake(l);
    return given;
}

static int timer_add(co4_source *source, co4_listener *l)
{
    struct timing *t = timing_of(source);
    co4__listener_unqueued(l); /* after a refusal, drop finds nothing */
    struct co4__timers *h = co4__timers_here();
    struct co4__timer *n = h ? co4__pool_take(sizeof *n) : NULL;
    if (!n)
        return h ? CO4_ENOMEM : CO4_ESTATE;
    *n = (struct co4__timer){ .waiter = co4__waiter_of(l),
                              .wait_queue = &t->wait_queue,
                              .heap = h };
    int64_t now = co4_now();
    co4__lock_take(&t->wait_queue.lock);
    int given = give_asking(t, l, now);
    if (!given) {
        co4__listener_queue(&t->wait_queue, l, CO4__WAIT_NONE, (void *)t->starts, n);
        timer_move_in_heap(n->waiter, ask_again(t, now), false);
    }
    co4__lock_give(&t->wait_queue.lock);
    if (given) {
        co4__pool_drop(n, sizeof *n);
        l->ops->wake(l);
    }
    return given;
}

void co4__timer_source_due(struct co4__timer *n, int64_t now)
{
    struct co4__waiter *w = n->waiter;
    struct timing *t = (struct timing *)(void *)((char *)n->wait_queue -
                                                 offsetof(struct timing, wait_queue));
    co4_listener *l = co4__listener_of(w);
    co4__lock_take(&t->wait_queue.lock);
    int given = timing_give(t, l, now);
    if (given) {
        remove_listener(t, w);
    } else {
        int64_t again = ask_again(t, now);
        if (again == CO4_NEVER)
            set_phase(w, OUT);
        else
            timer_move_in_heap(w, again, false);
    }
    co4__lock_give(&t->wait_queue.lock);
    if (given)
        l->ops->wake(l);
}

static void timer_drop(co4_source *source, co4_listener *l)
{
    struct timing *t = timing_of(source);
    struct co4__waiter *w = co4__waiter_of(l);
    for (unsigned tries = 0;;) {
        if (phase_of(w) == GONE)
            return; /* the source may have been freed, too */
        co4__lock_take(&t->wait_queue.lock);
        unsigned phase = phase_of(w);
        if (phase == IN) {
            struct co4__timer *n = timer_of(w);
            co4__lock_take(&n->heap->lock);
            if ((phase = phase_of(w)) == IN) {
                co4__timers_remove(n->heap, n);
                set_phase(w, OUT);
            }
            co4__lock_give(&n->heap->lock);
        }
        bool ours = phase == IN || phase == OUT;
        if (ours)
            remove_listener(t, w);
        co4__lock_give(&t->wait_queue.lock);
        if (ours)
            return;
        co4__back_off(tries++);
    }
}

static size_t timer_size(const co4_source *source)
{
    (void)source;
    return 0;
}

static size_t ticker_size(const co4_source *source)
{
    (void)source;
    return sizeof(uint64_t);
}

static const co4_source_ops timer_ops = { timer_poll, timer_add, timer_drop, timer_size };
static const co4_source_ops ticker_ops = { timer_poll, timer_add, timer_drop, ticker_size };

/* ---- both ---- */

static int timing_init(struct timing *t, const co4_source_ops *ops)
{
    if (!t)
        return CO4_EINVAL;
    memset(t, 0, sizeof *t);
    t->source.ops = ops;
    t->deadline = CO4_NEVER;
    return CO4_OK;
}

/* A listener's `buffer` is the number of starts when it got its place in the queue.
 *
 * Moves all listeners in their heaps, and yields the lock now and then. The first ones of the queue
 * have not moved yet; each goes to its end when it moves, and there it meets those that are added
 * meanwhile. If two threads start the source at once, both move the listeners to the later start's
 * deadline. */
static int timing_start(struct timing *t, int64_t deadline, int64_t period)
{
    unsigned moved = 0;
    co4__lock_take(&t->wait_queue.lock);
    t->deadline = deadline;
    t->period = period;
    t->starts++;
    for (struct co4__waiter *w; (w = t->wait_queue.waiters.head) != NULL &&
                                (uintptr_t)w->result.wait.buffer != t->starts;) {
        co4__list_remove(&t->wait_queue.waiters, w);
        co4__list_push(&t->wait_queue.waiters, w);
        w->result.wait.buffer = (void *)t->starts;
        timer_move_in_heap(w, t->deadline, true);
        co4__wait_queue_may_yield(&t->wait_queue, &moved);
    }
    co4__lock_give(&t->wait_queue.lock);
    return CO4_OK;
}

int co4_timer_init(co4_timer *timer)
{
    return timing_init(timing_of(timer), &timer_ops);
}

int co4_timer_destroy(co4_timer *timer)
{
    struct timing *t = timing_of(timer);
    if (!t)
        return CO4_OK;
    co4__lock_take(&t->wait_queue.lock);
    co4__wait_queue_settle(&t->wait_queue);
    bool busy = t->wait_queue.waiters.head != NULL;
    co4__lock_give(&t->wait_queue.lock);
    return busy ? CO4_EBUSY : CO4_OK;
}

int co4_timer_start(co4_timer *timer, int64_t deadline)
{
    return timer && deadline != CO4_NEVER ? timing_start(timing_of(timer), deadline, 0)
                                          : CO4_EINVAL;
}

/* Listeners stay where they are in their heaps: when their time comes, they are asked and put
 * off. */
int co4_timer_stop(co4_timer *timer)
{
    struct timing *t = timing_of(timer);
    if (!t)
        return CO4_EINVAL;
    co4__lock_take(&t->wait_queue.lock);
    bool running = t->deadline != CO4_NEVER && (t->period != 0 || co4_now() < t->deadline);
    t->deadline = CO4_NEVER;
    co4__lock_give(&t->wait_queue.lock);
    return running ? CO4_OK : CO4_ESTATE;
}

int64_t co4_timer_deadline(co4_timer *timer)
{
    struct timing *t = timing_of(timer);
    if (!t)
        return CO4_NEVER;
    co4__lock_take(&t->wait_queue.lock);
    int64_t deadline = t->deadline;
    co4__lock_give(&t->wait_queue.lock);
    return deadline;
}

co4_source *co4_timer_source(co4_timer *timer)
{
    return timer ? &timer->source : NULL;
}

int co4_ticker_init(co4_ticker *ticker)
{
    return timing_init(timing_of(ticker), &ticker_ops);
}

int co4_ticker_destroy(co4_ticker *ticker)
{
    return co4_timer_destroy(ticker ? &ticker->timer : NULL);
}

int co4_ticker_start(co4_ticker *ticker, int64_t first, int64_t period)
{
    return ticker && first != CO4_NEVER && period > 0
               ? timing_start(timing_of(ticker), first, period)
               : CO4_EINVAL;
}

int co4_ticker_stop(co4_ticker *ticker)
{
    return co4_timer_stop(ticker ? &ticker->timer : NULL);
}

int64_t co4_ticker_deadline(co4_ticker *ticker)
{
    return co4_timer_deadline(ticker ? &ticker->timer : NULL);
}

co4_source *co4_ticker_source(co4_ticker *ticker)
{
    return ticker ? &ticker->timer.source : NULL;
}
