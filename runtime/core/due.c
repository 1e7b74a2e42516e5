/* due.c - deadlines that have come.
 *
 * A worker fires the timers of its own heap between two steps; while a step lasts, the monitor
 * does. Under the lock the thread removes the timers that are due and claims their tasks. It wakes
 * the tasks after it has released the lock. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/public.h"
#include "core/task.h"
#include "core/timers.h"
#include "core/wait.h"
#include "memory/pool.h"
#include "platform/lock.h"

/* Returns claimed tasks whose deadline has come, at most CO4__BATCH, linked by `right`. Stops at a
 * listener whose deadline has come, and stores it in *listener. */
static struct co4__timer *collect(struct co4__timers *h, int64_t now, struct co4__timer **listener)
{
    struct co4__timer *due = NULL, **end = &due;
    uint8_t was;
    *listener = NULL;
    co4__lock_take(&h->lock);
    for (int i = 0; i < CO4__BATCH && !*listener && h->root && h->root->deadline <= now; i++) {
        struct co4__timer *n = h->root;
        co4__timers_remove(h, n);
        if (n->waiter->kind == CO4__WAITER_LISTENER) {
            atomic_store_explicit(&n->waiter->claim, CO4__BUSY, memory_order_relaxed);
            *listener = n;
            continue;
        }
        n->due = true;
        if (!co4__claim(n->waiter, &was))
            continue; /* the node belongs to the winner of the claim */
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
        struct co4__waiter *w = n->waiter;
        bool had = n->wait_queue && co4__wait_queue_left(n->wait_queue, w);
        w->result.i = n->sleeps || had ? CO4_OK : CO4_ETIMEDOUT;
        co4__pool_drop(n, sizeof *n);
        co4__wait_hooks.wake(w);
    }
}

/* Listeners one at a time, while no claimed task waits for its wake: a listener may call user
 * code. */
void co4__timers_fire(struct co4__timers *h, int64_t now)
{
    struct co4__timer *listener;
    do {
        wake_tasks(collect(h, now, &listener));
        if (listener)
            co4__wait_hooks.listener_is_due(listener, now);
    } while (listener || co4__timers_earliest(h) <= now);
}
