/* timers.c - deadlines: one leftist heap for each worker.
 *
 * Purpose: a waiting task with a deadline has a node in the heap of the worker on which it paused.
 * Only that worker adds, so a sleeping worker is not woken for a new deadline. It also fires, or
 * the monitor does while a step of it lasts. Any thread may cancel. A leftist heap (Crane 1972)
 * needs no array that grows: a million sleepers are a million nodes of 64 bytes. Adding a node and
 * removing any node takes log n steps in the worst case. This matters, as it runs under a lock,
 * perhaps also under that of a mailbox.
 *
 * Concurrency: a task that waits in a mailbox with a deadline is in two queues. Exactly one of them
 * wakes it: the one that claims it (wait.c). The heap's lock guards the node. Under that lock a
 * task adds it and becomes a waiter, and a thread that finds it due claims the task. If another
 * thread has claimed it, the node belongs to that thread, which takes the heap's lock to cancel it.
 *
 * Rejected: timing wheels (a tick costs CPU while idle, or a search); a pairing heap (log n only on
 * average: one removal may meld all nodes that were added). */
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

void co4__timers_init(struct co4__timers *h, void (*interrupt)(struct co4__timers *h), void *owner)
{
    memset(h, 0, sizeof *h);
    h->interrupt = interrupt;
    h->owner = owner;
    atomic_store_explicit(&h->earliest, CO4_NEVER, memory_order_relaxed);
}

/* ---- the heap ---- */

static unsigned rank_of(const struct co4__timer *n)
{
    return n ? n->rank : 0;
}

/* Puts the child of higher rank on the left. Returns whether the rank of n has changed. */
static bool update_rank(struct co4__timer *n)
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

/* Melds two trees into one, along their right edges. */
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
        update_rank(above);
    return root;
}

/* Called under the lock. */
static void set_root(struct co4__timers *h, struct co4__timer *root)
{
    h->root = root;
    atomic_store_explicit(&h->earliest, root ? root->deadline : CO4_NEVER, memory_order_relaxed);
}

/* The loop goes up while ranks change. Each such node's rank is one more than that of the node
 * below, so there are at most log n. */
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
    while (up && update_rank(up))
        up = up->up;
}

/* ---- timers ---- */

struct co4__timer *co4__timer_create(co4_task *t, int64_t deadline)
{
    if (CO4__UNLIKELY(co4__local()->current != t))
        co4__wait_hooks.runs_left_by(t); /* the timer is for the worker of t, not of theirs */
    struct co4__timer *n = co4__pool_take(sizeof *n);
    if (n)
        *n = (struct co4__timer){ .deadline = deadline, .waiter = &t->waiter };
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

void co4__timers_cancel(struct co4__timer *n)
{
    struct co4__timers *h = n->heap;
    co4__lock_take(&h->lock);
    if (!n->due)
        co4__timers_remove(h, n);
    co4__lock_give(&h->lock);
    co4__pool_drop(n, sizeof *n);
}
