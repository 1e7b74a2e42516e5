/* wait.c - where a task waits, and who ends the wait.
 *
 * A task that waits stands in the list of one place (a mailbox, a join bucket), and may have a
 * timer as well. Several may want to end its wait at once: the place, the timer, whoever cancels
 * it, the end of a co4_run. Exactly one does: the one that *claims* it, by setting the task's
 * `wait` from LISTED to NONE in one atomic update. The winner owns the task until it wakes it.
 * Before that it takes the task off every other list it stands in; so a woken task stands nowhere,
 * its buffer is its own again, and no list ever holds a task of an earlier wait.
 * (tests/model/claim.pml.)
 *
 *   - A place claims under its lock a task that it finds in its list; hence the task is alive.
 *   - A timer claims under the heap's lock a task whose node it finds there.
 *   - Who cancels has a share in the task, so it is alive, too; where it stands is read only
 *     once it is claimed.
 *
 * So a list may hold, for a moment, tasks that another has claimed. A place passes over them. A
 * place that is to go away waits for them (co4__place_clear): the winner is between two statements.
 * It also waits for threads that have let the lock go in the middle of an operation (`inside`):
 * what such an operation has done already, another may have seen, and need the place no more.
 * There are never many: a thread that fires timers has CO4__AT_ONCE in hand, any other one. So a
 * walk under the lock that only passes over such tasks is bounded by the number of threads.
 *
 * `wait` is written by the task alone (to LISTED | …) and by the winner (to NONE). `where` and
 * `buffer` are written before LISTED, with release, and read after the claim, with acquire. Between
 * LISTED and NONE it may be BUSY: see source.c.
 *
 * Places and WAIT have a second way, of plain loads and stores, for the exclusive owner
 * (exclusive.c). So a claim is external, unless a place makes it under its lock, or a timer.
 *
 * Rejected: the place's lock as the judge between place and timer (a timer must then try that lock
 * while it holds the heap's, and a third party cannot know whether the place is still there); a
 * lock in each task (4 bytes, and two more atomic updates for each wait). */
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
#include "platform/exclusive.h"
#include "platform/thread.h"

static void list(co4_task *t, struct co4__place *p, unsigned kind, void *buffer, void *where)
{
    struct co4__waiting *w = co4__waiting(t);
    w->buffer = buffer;
    w->where = where;
    if (p)
        co4__list_push(&p->waiters, t);
    atomic_store_explicit(&t->wait, (uint8_t)(kind | CO4__LISTED), memory_order_release);
}

/* The lock of p is given up. */
static inline void begin(co4_task *t, struct co4__place *p, unsigned kind, void *buffer,
                         struct co4__timer *timer)
{
    if (CO4__UNLIKELY(t->fiber.shields != 0))
        kind |= CO4__SHIELDED;
    if (timer) {
        kind |= CO4__TIMED;
        timer->place = p;
        /* Its worker fires it, which is this thread: not before we are through. */
        co4__timers_add(co4__wait_hooks.timers_of(co4__local()->worker), timer);
    }
    list(t, p, kind, buffer, timer ? (void *)timer : (void *)p);
    if (p)
        co4__lock_give(&co4__place_first(p)->lock);
}

int co4__wait(co4_fiber *co4, struct co4__place *p, unsigned kind, void *buffer,
              struct co4__timer *timer)
{
    begin(co4__task_of(co4), p, kind, buffer, timer);
    co4_abi_pause(co4, CO4_ABI_WAITING);
    return CO4_OK;
}

int co4__park_begin__co4(co4_fiber *co4, int64_t deadline, co4_task **waiter)
{
    struct co4__timer *timer = NULL;
    co4_task *t = co4__task_of(co4);
    if (deadline != CO4_NEVER && !(timer = co4__timer_create(t, deadline)))
        return CO4_ENOMEM;
    *waiter = t;
    begin(t, NULL, CO4__WAIT_SELECT, NULL, timer);
    return CO4_OK;
}

int co4__park__co4(co4_fiber *co4)
{
    co4_abi_pause(co4, CO4_ABI_WAITING);
    return CO4_OK;
}

int co4__may_wait__co4(co4_fiber *co4)
{
    bool cancelled = co4__may_pause(co4) && co4__is_cancelled(co4__task_of(co4));
    return co4__done(co4, !co4__may_pause(co4) ? CO4_ESTATE : cancelled ? CO4_ECANCELED : CO4_OK);
}

int co4__spent__co4(co4_fiber *co4, int code)
{
    return co4__done(co4, code);
}

void co4__wait_thread(co4_task *blocker, struct co4__place *p, unsigned kind, void *buffer)
{
    list(blocker, p, kind, buffer, p);
    if (p)
        co4__lock_give(&co4__place_first(p)->lock);
}

bool co4__claim_slow(co4_task *t, uint8_t *was)
{
    for (unsigned tries = 0; *was != CO4__WAIT_NONE;) {
        if (*was & CO4__BUSY) {
            co4__back_off(tries++);
            *was = atomic_load_explicit(&t->wait, memory_order_relaxed);
        } else if (atomic_compare_exchange_weak_explicit(
                       &t->wait, was, CO4__WAIT_NONE, memory_order_acq_rel, memory_order_relaxed)) {
            return true;
        }
    }
    return false;
}

void co4__wait_timer_cancel(co4_task *t)
{
    co4__timers_cancel(co4__waiting(t)->where);
}

bool co4__unlist(co4_task *t, uint8_t was)
{
    struct co4__place *p = co4__waiting(t)->where;
    if (was & CO4__TIMED) {
        struct co4__timer *timer = co4__waiting(t)->where;
        p = timer->place;
        co4__timers_cancel(timer);
    }
    return p && co4__place_left(p, t);
}

bool co4__place_left(struct co4__place *p, co4_task *t)
{
    struct co4__list woken = { NULL, NULL };
    co4__lock *lock = &co4__place_first(p)->lock;
    co4__lock_take(lock);
    co4__list_remove(&p->waiters, t);
    bool had = CO4__UNLIKELY(p->gate) && co4__wait_hooks.has_left(p, t, &woken);
    co4__lock_give(lock);
    for (co4_task *next, *w = woken.head; w; w = next) {
        next = w->next;
        co4__wait_hooks.wake(w);
    }
    return had;
}

bool co4__leave(co4_task *t)
{
    uint8_t was;
    co4__external_begin();
    bool ours = co4__claim(t, &was);
    co4__external_end();
    if (ours)
        co4__unlist(t, was);
    return ours;
}

#ifndef CO4__LINGERS
#define CO4__LINGERS 0 /* looks; a library for tests has more, for what others do meanwhile */
#endif

static void give_way(struct co4__place *p, unsigned tries)
{
    co4__lock_give(&p->lock);
    co4__back_off(tries);
    co4__lock_take(&p->lock);
}

void co4__place_let_go(struct co4__place *p)
{
    /* More threads than a process has. */
    for (unsigned tries = 0; CO4__UNLIKELY(p->inside == UINT16_MAX); tries++)
        give_way(p, tries);
    p->inside++;
    co4__lock_give(&p->lock);
}

void co4__place_take_again(struct co4__place *p)
{
    if (CO4__LINGERS > 0)
        co4__spin(CO4__LINGERS);
    co4__lock_take(&p->lock);
    p->inside--;
}

void co4__place_let_others(struct co4__place *p)
{
    co4__place_let_go(p);
    co4__spin(CO4__LOOKS);
    co4__place_take_again(p);
}

/* Under the lock: does nobody wait there but such as are claimed elsewhere? */
static bool all_claimed(const struct co4__place *p)
{
    for (const co4_task *t = p->waiters.head; t; t = t->next)
        if (atomic_load_explicit(&t->wait, memory_order_relaxed) != CO4__WAIT_NONE)
            return false;
    return true;
}

void co4__place_settle(struct co4__place *p)
{
    for (unsigned tries = 0; p->inside > 0; tries++)
        give_way(p, tries);
}

bool co4__place_clear(struct co4__place *p)
{
    struct co4__place *first = co4__place_first(p);
    for (unsigned tries = 0; first->inside > 0 || (p->waiters.head && all_claimed(p)); tries++)
        give_way(first, tries);
    return !p->waiters.head;
}

/* ---- listeners ---- */

void co4__node_add(struct co4__place *p, co4_listener *l, unsigned kind)
{
    co4_task *node = co4__node_of(l);
    memset(node, 0, sizeof *node);
    node->fiber.kind = CO4__KIND_LISTENER;
    co4__list_push(&p->waiters, node);
    atomic_store_explicit(&node->wait, (uint8_t)(kind | CO4__LISTED), memory_order_relaxed);
}

void co4__node_remove(struct co4__place *p, co4_task *node)
{
    co4__list_remove(&p->waiters, node);
    atomic_store_explicit(&node->wait, CO4__WAIT_NONE, memory_order_release);
}

bool co4__node_stands(co4_listener *l)
{
    /* Acquire: pairs with the removal's release. */
    return atomic_load_explicit(&co4__node_of(l)->wait, memory_order_acquire) != CO4__WAIT_NONE;
}

bool co4__node_drop(struct co4__place *p, co4_listener *l)
{
    if (!co4__node_stands(l))
        return false;
    co4__lock_take(&p->lock);
    bool there = co4__node_stands(l);
    if (there)
        co4__node_remove(p, co4__node_of(l));
    co4__lock_give(&p->lock);
    return there;
}

/* ---- threads that block ---- */

int co4__blocker_init(struct co4__blocker *b)
{
    memset(&b->task, 0, sizeof b->task);
    b->task.fiber.kind = CO4__KIND_THREAD;
    return co4__parker_init(&b->parker);
}

void co4__blocker_fini(struct co4__blocker *b)
{
    co4__parker_fini(&b->parker);
}

int co4__blocker_wait(struct co4__blocker *b, int64_t deadline, bool *woken)
{
    for (;;) {
        int err = co4__park_thread(&b->parker, deadline);
        *woken = err == CO4_OK;
        if (*woken)
            return b->task.fiber.result.i;
        if (err != CO4_ETIMEDOUT || co4_now() >= deadline)
            return err;
    }
}
