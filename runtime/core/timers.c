/* timers.c - deadlines: one leftist heap a worker.
 *
 * A waiting task that has a deadline is a node in the heap of the worker that it paused on; that
 * worker alone adds and fires, so a worker that sleeps has no need to be woken for a new deadline.
 * Any thread may cancel. A leftist heap (Crane 1972) needs no array to grow: a million sleepers are
 * a million nodes of 64 bytes. To add a node or to take any out is log n steps, each time: it is
 * done under a lock, and perhaps under that of a mailbox, too.
 *
 * A task that waits in a mailbox with a deadline is in two queues, and exactly one of the two may
 * wake it: the one that claims it (wait.c). The heap's lock guards the node: a thread that finds it
 * due claims the task under that lock, and when another was first, leaves the node to it, for it
 * asks for it under the lock.
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

/* The higher rank to the left. True: its own rank is another than before. */
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
        update_rank(above);
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
    while (up && update_rank(up))
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
