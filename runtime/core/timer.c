/* timer.c - deadlines: one leftist heap a worker, and sleep.
 *
 * A waiting task that has a deadline is a node in the heap of the worker that it paused on; that
 * worker alone adds and fires, so a worker that sleeps has no need to be woken for a new deadline.
 * Any thread may cancel. A leftist heap (Crane 1972) needs no array to grow: a million sleepers are
 * a million nodes of 64 bytes. To add a node or to take any out is log n steps, each time: it is
 * done under a lock, and perhaps under that of a mailbox, too.
 *
 * A task that waits in a mailbox with a deadline stands in two places, and exactly one of the two
 * may wake it: whoever claims it (wait.c). The heap's lock guards the node: who finds it due claims
 * the task under that lock, and when another was first, leaves the node to that one, who will ask
 * for it under the lock.
 *
 * Rejected: timing wheels (a tick costs CPU while idle, or a search); a pairing heap (log n on the
 * average only: one removal may meld all that were added). */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/count.h"
#include "base/public.h"
#include "core/task.h"
#include "core/timers.h"
#include "core/wait.h"
#include "memory/pool.h"
#include "platform/lock.h"
#include "platform/thread.h"

void co4__timers_init(struct co4__timers *h, void (*poke)(struct co4__timers *h), void *owner)
{
    memset(h, 0, sizeof *h);
    h->poke = poke;
    h->owner = owner;
    atomic_store_explicit(&h->earliest, CO4_NEVER, memory_order_relaxed);
}

/* ---- the heap ---- */

static unsigned rank_of(const struct co4__timer *n)
{
    return n ? n->rank : 0;
}

/* The higher rank to the left. True: its own rank is another than before. */
static bool settle(struct co4__timer *n)
{
    unsigned before = n->rank;
    if (rank_of(n->left) < rank_of(n->right)) {
        struct co4__timer *t = n->left;
        n->left = n->right;
        n->right = t;
    }
    n->rank = (uint8_t)(rank_of(n->right) + 1);
    return n->rank != before;
}

/* Two trees to one, along their right edges. */
static struct co4__timer *meld(struct co4__timer *a, struct co4__timer *b)
{
    struct co4__timer *root = NULL, **at = &root, *above = NULL;
    while (a && b) {
        if (b->deadline < a->deadline) {
            struct co4__timer *t = a;
            a = b;
            b = t;
        }
        *at = a;
        a->up = above;
        above = a;
        at = &a->right;
        a = a->right;
    }
    *at = a ? a : b;
    if (*at)
        (*at)->up = above;
    for (; above; above = above->up)
        settle(above);
    return root;
}

/* Under the lock. */
static void set_root(struct co4__timers *h, struct co4__timer *root)
{
    h->root = root;
    atomic_store_explicit(&h->earliest, root ? root->deadline : CO4_NEVER, memory_order_relaxed);
}

/* Going up, each node whose rank changes has one more than the one before: log n of them. */
void co4__timers_remove(struct co4__timers *h, struct co4__timer *n)
{
    struct co4__timer *up = n->up, *below = meld(n->left, n->right);
    co4__count(&h->count, (uint64_t)-1);
    if (below)
        below->up = up;
    if (!up) {
        set_root(h, below);
        return;
    }
    if (up->left == n)
        up->left = below;
    else
        up->right = below;
    while (up && settle(up))
        up = up->up;
}

/* ---- timers ---- */

struct co4__timer *co4__timer_create(co4_task *t, int64_t deadline)
{
    struct co4__timer *n = co4__pool_take(sizeof *n);
    if (n)
        *n = (struct co4__timer){ .deadline = deadline, .task = t };
    return n;
}

void co4__timers_insert(struct co4__timers *h, struct co4__timer *n)
{
    n->heap = h;
    n->left = n->right = n->up = NULL;
    n->rank = 1;
    co4__count(&h->count, 1);
    set_root(h, meld(h->root, n));
}

void co4__timers_add(struct co4__timers *h, struct co4__timer *n)
{
    co4__lock_take(&h->lock);
    co4__timers_insert(h, n);
    co4__lock_give(&h->lock);
}

void co4__timers_cancel(struct co4__timer *n)
{
    struct co4__timers *h = n->heap;
    co4__lock_take(&h->lock);
    if (!n->due)
        co4__timers_remove(h, n);
    co4__lock_give(&h->lock);
    co4__pool_drop(n, sizeof *n);
}

/* The tasks whose time has come, claimed, or some of them, linked by `right`; up to a listener
 * whose time has come, if there is one. */
static struct co4__timer *collect(struct co4__timers *h, int64_t now, struct co4__timer **listener)
{
    struct co4__timer *due = NULL, **end = &due;
    uint8_t was;
    *listener = NULL;
    co4__lock_take(&h->lock);
    for (int i = 0; i < CO4__AT_ONCE && !*listener && h->root && h->root->deadline <= now; i++) {
        struct co4__timer *n = h->root;
        co4__timers_remove(h, n);
        if (!n->task) {
            atomic_store_explicit(&n->phase, CO4__TIMER_DUE, memory_order_relaxed);
            *listener = n;
            continue;
        }
        n->due = true;
        if (!co4__claim(n->task, &was))
            continue; /* the node is the winner's */
        n->sleeps = (was & CO4__WHAT_FOR) == CO4__WAIT_TIMER;
        n->right = NULL;
        *end = n;
        end = &n->right;
    }
    co4__lock_give(&h->lock);
    return due;
}

static void wake_tasks(struct co4__timer *due)
{
    for (struct co4__timer *n = due, *next; n; n = next) {
        next = n->right;
        co4_task *t = n->task;
        bool had = n->place && co4__place_left(n->place, t);
        t->fiber.result.i = n->sleeps || had ? CO4_OK : CO4_ETIMEDOUT;
        co4__pool_drop(n, sizeof *n);
        co4__wait_hooks.wake(t);
    }
}

/* Listeners one at a time, with nothing in hand: their wake may be anybody's code. */
void co4__timers_fire(struct co4__timers *h, int64_t now)
{
    struct co4__timer *listener;
    do {
        wake_tasks(collect(h, now, &listener));
        if (listener)
            co4__wait_hooks.listener_is_due(listener, now);
    } while (listener || co4__timers_earliest(h) <= now);
}

struct co4__timers *co4__timers_here(void)
{
    struct co4__local *here = co4__local();
    return here->worker ? co4__wait_hooks.timers_of(here->worker) : here->timers;
}

/* ---- sleep ---- */

int co4_sleep_until__co4(co4_fiber *co4, int64_t deadline)
{
    if (!co4__may_pause(co4))
        return CO4_ESTATE;
    if (deadline == CO4_NEVER)
        return co4__done(co4, CO4_EINVAL);
    if (co4__is_cancelled(co4__task_of(co4)))
        return co4__done(co4, CO4_ECANCELED);
    if (deadline <= co4_now())
        return co4_yield__co4(co4);
    struct co4__timer *n = co4__timer_create(co4__task_of(co4), deadline);
    if (!n)
        return co4__done(co4, CO4_ENOMEM);
    return co4__wait(co4, NULL, CO4__WAIT_TIMER, NULL, n);
}

int co4_sleep__co4(co4_fiber *co4, int64_t ns)
{
    if (ns <= 0)
        return co4_yield__co4(co4);
    int64_t now = co4_now();
    return co4_sleep_until__co4(co4, ns >= CO4_NEVER - now ? CO4_NEVER - 1 : now + ns);
}
