/* wait.c - waiting in a wait queue, and claiming a waiter.
 *
 * Purpose: a waiter is what a task, a blocked thread and a listener have (co4/waiter.h). It is in
 * at most one wait queue (of a mailbox, a future, a lock) and may have a timer. Several threads may
 * want to end its wait at once: one that serves the queue, one that fires the timer, one that
 * cancels the task, one that ends its co4_run. Exactly one succeeds, by *claiming* the waiter: it
 * sets `claim` from QUEUED to NONE in one atomic update. The winner owns the waiter until it wakes
 * it. Before the wake it removes the waiter from every list, so no list ever holds one of an
 * earlier wait. docs/architecture.md has a picture. Model: tests/model/waiter.pml.
 *
 * Invariants: a thread that claims knows that the waiter is alive. It found it in a wait queue,
 * under the queue's lock; or found its timer, under the heap's lock; or owns a reference. In the
 * last case it reads `where` only after the claim. Lists may hold waiters that another thread has
 * claimed; their number is bounded by the threads (a thread that fires timers holds up to
 * CO4__BATCH). Walks pass over them, and co4__wait_queue_clear waits until they have left. It also
 * waits for threads that have released the lock within an operation (`inside`).
 *
 * Concurrency: the waiter stores QUEUED with release, after `where` and `buffer`; a claim acquires
 * them. Only the waiter leaves NONE, and only a winner returns to it. Between the two, `claim` may
 * be BUSY (source.c). The exclusive owner does the same with plain loads and stores (exclusive.c),
 * so a claim is external unless it is made under the queue's lock or by a timer.
 *
 * Rejected: the queue's lock decides between queue and timer (the timer would have to try that lock
 * under the heap's lock, and others could not know whether the queue still exists); a lock in each
 * task (4 bytes, and two more atomic updates for each wait). */
#include "core/wait.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"
#include "base/public.h"
#include "core/timers.h"
#include "platform/clock.h"
#include "platform/lock.h"
#include "platform/thread.h"

/* Releases the lock of p. */
static inline void task_waits(co4_task *t, struct co4__wait_queue *p, unsigned kind, void *buffer,
                              struct co4__timer *timer)
{
    struct co4__timers *h = NULL;
    if (CO4__UNLIKELY(t->fiber.shields != 0))
        kind |= CO4__SHIELDED;
    if (timer) {
        kind |= CO4__TIMED;
        timer->wait_queue = p;
        /* Both under the heap's lock: the monitor may fire before this step ends, and a timer that
         * finds no waiter is lost. */
        h = co4__wait_hooks.timers_of(co4__local()->worker);
        co4__lock_take(&h->lock);
        co4__timers_insert(h, timer);
    }
    co4__queue_waiter(&t->waiter, p, kind, buffer, timer ? (void *)timer : (void *)p);
    if (h)
        co4__lock_give(&h->lock);
    if (p)
        co4__lock_give(&co4__wait_queue_first(p)->lock);
}

int co4__wait(co4_fiber *co4, struct co4__wait_queue *p, unsigned kind, void *buffer,
              struct co4__timer *timer)
{
    task_waits(co4__task_of(co4), p, kind, buffer, timer);
    co4_abi_pause(co4, CO4_ABI_WAITING);
    return CO4_OK;
}

int co4__park_begin__co4(co4_fiber *co4, int64_t deadline, struct co4__waiter **waiter)
{
    struct co4__timer *timer = NULL;
    co4_task *t = co4__task_of(co4);
    if (deadline != CO4_NEVER && !(timer = co4__timer_create(t, deadline)))
        return CO4_ENOMEM;
    *waiter = &t->waiter;
    task_waits(t, NULL, CO4__WAIT_SELECT, NULL, timer);
    return CO4_OK;
}

int co4__park__co4(co4_fiber *co4)
{
    co4_abi_pause(co4, CO4_ABI_WAITING);
    return CO4_OK;
}

CO4__PRIVATE int co4__may_wait__co4(co4_fiber *co4)
{
    bool cancelled = co4__may_pause(co4) && co4__is_cancelled(co4__task_of(co4));
    return co4__done(co4, !co4__may_pause(co4) ? CO4_ESTATE : cancelled ? CO4_ECANCELED : CO4_OK);
}

CO4__PRIVATE int co4__spent__co4(co4_fiber *co4, int code)
{
    return co4__done(co4, code);
}

bool co4__claim_slow(struct co4__waiter *w, uint8_t *was)
{
    for (unsigned tries = 0; *was != CO4__WAIT_NONE;) {
        if (*was & CO4__BUSY) {
            co4__back_off(tries++);
            *was = atomic_load_explicit(&w->claim, memory_order_relaxed);
        } else if (atomic_compare_exchange_weak_explicit(&w->claim, was, CO4__WAIT_NONE,
                                                         memory_order_acq_rel,
                                                         memory_order_relaxed)) {
            return true;
        }
    }
    return false;
}

void co4__wait_timer_cancel(struct co4__waiter *w)
{
    co4__timers_cancel(w->result.wait.where);
}

bool co4__unqueue(struct co4__waiter *w, uint8_t was)
{
    struct co4__wait_queue *p = w->result.wait.where;
    if (was & CO4__TIMED) {
        struct co4__timer *timer = w->result.wait.where;
        p = timer->wait_queue;
        co4__timers_cancel(timer);
    }
    return p && co4__wait_queue_left(p, w);
}

bool co4__wait_queue_left(struct co4__wait_queue *p, struct co4__waiter *w)
{
    struct co4__list woken = { NULL, NULL };
    co4__lock *lock = &co4__wait_queue_first(p)->lock;
    co4__lock_take(lock);
    co4__list_remove(&p->waiters, w);
    bool had = CO4__UNLIKELY(p->gate) && co4__wait_hooks.has_left[p->gate](p, w, &woken);
    co4__lock_give(lock);
    co4__list_wake(&woken);
    return had;
}

bool co4__leave(struct co4__waiter *w, bool *had)
{
    uint8_t was;
    bool came = false;
    co4__claims_begin();
    bool ours = co4__claim(w, &was);
    co4__claims_end();
    if (ours)
        came = co4__unqueue(w, was);
    if (had)
        *had = came;
    return ours;
}

#ifndef CO4__LINGERS
#define CO4__LINGERS 0 /* spins; a library for tests has more, so that others run meanwhile */
#endif

static void yield_lock(struct co4__wait_queue *p, unsigned tries)
{
    co4__lock_give(&p->lock);
    co4__back_off(tries);
    co4__lock_take(&p->lock);
}

void co4__wait_queue_unlock(struct co4__wait_queue *p)
{
    /* The counter is full only if more threads wait here than a process usually has. */
    for (unsigned tries = 0; CO4__UNLIKELY(p->inside == UINT16_MAX); tries++)
        yield_lock(p, tries);
    p->inside++;
    co4__lock_give(&p->lock);
}

void co4__wait_queue_relock(struct co4__wait_queue *p)
{
    if (CO4__LINGERS > 0)
        co4__spin(CO4__LINGERS);
    co4__lock_take(&p->lock);
    p->inside--;
}

void co4__wait_queue_yield(struct co4__wait_queue *p)
{
    co4__wait_queue_unlock(p);
    co4__spin(CO4__LOOKS);
    co4__wait_queue_relock(p);
}

/* Under the lock: returns whether all waiters are claimed elsewhere. */
static bool all_claimed(const struct co4__wait_queue *p)
{
    for (const struct co4__waiter *w = p->waiters.head; w; w = w->next)
        if (atomic_load_explicit(&((struct co4__waiter *)(uintptr_t)w)->claim,
                                 memory_order_relaxed) != CO4__WAIT_NONE)
            return false;
    return true;
}

void co4__wait_queue_settle(struct co4__wait_queue *p)
{
    for (unsigned tries = 0; p->inside > 0; tries++)
        yield_lock(p, tries);
}

bool co4__wait_queue_clear(struct co4__wait_queue *p)
{
    struct co4__wait_queue *first = co4__wait_queue_first(p);
    for (unsigned tries = 0; first->inside > 0 || (p->waiters.head && all_claimed(p)); tries++)
        yield_lock(first, tries);
    return !p->waiters.head;
}
