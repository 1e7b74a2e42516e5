/* parked.c - tasks that wait at an object of the C library.
 *
 * Purpose: the locks and the streams of the C library have no room for tasks. So tasks that wait
 * for one are in a table by its address. A release (posix/locks.c) wakes the first of
 * them; that one tries again. Threads wait at the object itself, as always.
 *
 * Invariants: a waiter queues itself, and then tries the object once more. A release changes the
 * object, and then looks for waiters. One of the two sees the other: between its two steps each
 * has an operation or a fence that is sequentially consistent. A waiter that leaves after it was
 * chosen, without the object, chooses the next one. So while the object is free and tasks wait, one
 * of them is about to try. Model: tests/model/parked.pml.
 *
 * A release by code that the link has not seen, that of a shared library or of another process,
 * chooses no waiter. So each wait has a limit, and tries again after it: an eighth of the time it
 * has waited, from 1 ms on, and at most a second.
 *
 * Concurrency: the lock of a stripe guards its table, and what its waiters are linked by; releases
 * look without it whether the stripe is empty. Permits are given after the lock is released: a
 * chosen waiter takes its permit before it leaves, so it stays until then. A release that wakes all
 * chooses a few each time it has the lock. A waiter that comes again meanwhile may be one of them
 * in the place of another: the object was taken then, and its release wakes all again. A fork waits
 * for permits that are about to come, and the child forgets the waiters of threads that it does not
 * have. */
#include "posix/parked.h"

#include <stdatomic.h>
#include <stddef.h>

#include "platform/fork.h"
#include "platform/locked_table.h"
#include "platform/thread.h"
#include "sched/forked.h"

#include "co4/sync.h"
#include "co4/time.h"

enum { BATCH = 16 }; /* so many are chosen each time the lock is held */

static struct co4__locked_table stripes[CO4__STRIPES];

static atomic_uint waking; /* calls that have chosen waiters, and have not given all permits yet */

/* ---- the waiters of an object ---- */

/* They are a ring; its first one is in the table, and the last one is before that. */

static struct co4__parked *parked_of(struct co4__table_node *n)
{
    return (struct co4__parked *)(void *)n;
}

static struct co4__parked *first_of(const struct co4__locked_table *t, const void *object)
{
    return parked_of(co4__locked_find(t, object));
}

/* Makes it the first one in the table, in the place of `old`. */
static void be_first(struct co4__parked *p, struct co4__parked *old)
{
    co4__table_replace(&old->node, &p->node);
    p->waiters = old->waiters;
}

static void enqueue(struct co4__locked_table *t, struct co4__parked *p, const void *object,
                    bool again)
{
    struct co4__parked *first = first_of(t, object);
    if (!first) {
        p->next = p->prev = p;
        p->waiters = 1;
        co4__locked_add(t, &p->node, object);
        return;
    }
    first->waiters++;
    p->next = first;
    p->prev = first->prev;
    p->prev->next = first->prev = p;
    if (again)
        be_first(p, first);
}

/* `first` is that of its object. */
static void dequeue(struct co4__locked_table *t, struct co4__parked *p, struct co4__parked *first)
{
    p->queued = false;
    if (p->next == p) {
        co4__locked_remove(t, &p->node);
        return;
    }
    first->waiters--;
    p->prev->next = p->next;
    p->next->prev = p->prev;
    if (p == first)
        be_first(p->next, p);
}

/* ---- forks ---- */

/* Removes the waiters of an object whose tasks do not go on in the child. The first comes last. */
static void forget_lost(struct co4__table_node *n)
{
    struct co4__parked *first = parked_of(n);
    for (struct co4__parked *p = first->prev, *before; p; p = before) {
        before = p != first ? p->prev : NULL;
        if (!co4__task_goes_on(p->task))
            dequeue(co4__stripe_of(stripes, p->object), p, first);
    }
}

static void parked_at_fork(enum co4__fork how)
{
    co4__locked_fork(stripes, CO4__STRIPES, how, forget_lost);
    /* Without the locks: a thread that wakes another one may wake it by wrapped calls. */
    for (unsigned tries = 0; how == CO4__FORK_PREPARE && atomic_load(&waking) > 0; tries++) {
        co4__locked_fork(stripes, CO4__STRIPES, CO4__FORK_PARENT, forget_lost);
        co4__back_off(tries);
        co4__locked_fork(stripes, CO4__STRIPES, CO4__FORK_PREPARE, forget_lost);
    }
}

static struct co4__fork_member member = { .handler = parked_at_fork };

/* ---- waiters ---- */

void co4__parked_add(struct co4__parked *p, const void *object, bool again)
{
    struct co4__locked_table *t = co4__stripe_of(stripes, object);
    co4__fork_join(&member);
    *p = (struct co4__parked){
        .object = object, .task = co4__local()->current, .woken = CO4_SEM_INIT(0), .queued = true
    };
    co4__lock_take(&t->lock);
    enqueue(t, p, object, again);
    co4__locked_give(t);
    /* Before the caller's next look at the object. */
    atomic_thread_fence(memory_order_seq_cst);
}

bool co4__parked_remove(struct co4__parked *p)
{
    struct co4__locked_table *t = co4__stripe_of(stripes, p->object);
    co4__lock_take(&t->lock);
    bool queued = p->queued;
    if (queued)
        dequeue(t, p, first_of(t, p->object));
    co4__lock_give(&t->lock);
    return queued;
}

void co4__parked_leave(struct co4__parked *p)
{
    if (p->left || co4__parked_remove(p))
        return;
    for (unsigned tries = 0; co4_sem_acquire_until(&p->woken, CO4_NOW) != CO4_OK; tries++)
        co4__back_off(tries);
    co4__parked_wake(p->object, false);
}

/* Under the lock: takes waiters from the first one on, at most a batch, and *left of them. */
static struct co4__parked *choose(struct co4__locked_table *t, struct co4__parked *p,
                                  unsigned *left)
{
    struct co4__parked *chosen = NULL, **end = &chosen;
    for (int n = 0; p && *left > 0 && n != BATCH; n++) {
        struct co4__parked *next = p->next != p ? p->next : NULL;
        dequeue(t, p, p);
        p->next = NULL;
        *end = p;
        end = &p->next;
        p = next;
        --*left;
    }
    *left = p ? *left : 0;
    return chosen;
}

void co4__parked_wake(const void *object, bool all)
{
    struct co4__locked_table *t = co4__stripe_of(stripes, object);
    unsigned left = 1;
    /* After the release of the object: pairs with the fence of co4__parked_add(). */
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&t->used, memory_order_relaxed) == 0)
        return;
    for (bool begins = true; left > 0; begins = false) {
        co4__lock_take(&t->lock);
        struct co4__parked *p = first_of(t, object);
        if (begins && all && p)
            left = p->waiters;
        p = choose(t, p, &left);
        if (p)
            atomic_fetch_add_explicit(&waking, 1, memory_order_relaxed); /* seen under the lock */
        co4__lock_give(&t->lock);
        if (!p)
            return;
        for (struct co4__parked *next; p; p = next) {
            next = p->next; /* the waiter may be gone afterwards */
            co4_sem_release(&p->woken);
        }
        atomic_fetch_sub_explicit(&waking, 1, memory_order_release);
    }
}

bool co4__parked_any(const void *object)
{
    struct co4__locked_table *t = co4__stripe_of(stripes, object);
    co4__lock_take(&t->lock);
    bool any = first_of(t, object) != NULL;
    co4__lock_give(&t->lock);
    return any;
}
