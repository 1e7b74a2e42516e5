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
 * Concurrency: `lock` of a bucket guards its list and `queued` of its waiters. `waiters` is written
 * under it, and read by releases without it. Permits are given after the lock is released: a chosen
 * waiter takes its permit before it leaves, so it stays until then. A fork waits for permits that
 * are about to come, and the child forgets the waiters of threads that it does not have. */
#include "posix/parked.h"

#include <stdatomic.h>
#include <stddef.h>

#include "platform/fork.h"
#include "platform/lock.h"
#include "platform/thread.h"
#include "sched/forked.h"

#include "co4/sync.h"
#include "co4/time.h"

enum { BUCKETS = 1024 };

static struct bucket {
    co4__lock lock;
    atomic_uint waiters;
    struct co4__parked *first, *last;
} buckets[BUCKETS];

static atomic_uint waking; /* calls that have chosen waiters, and have not given all permits yet */

static struct bucket *bucket_of(const void *object)
{
    return &buckets[((uintptr_t)object * (uintptr_t)0x9e3779b97f4a7c15u >> 20) % BUCKETS];
}

static void append(struct bucket *b, struct co4__parked *p)
{
    p->next = NULL;
    p->prev = b->last;
    *(b->last ? &b->last->next : &b->first) = p;
    b->last = p;
}

static void prepend(struct bucket *b, struct co4__parked *p)
{
    p->prev = NULL;
    p->next = b->first;
    *(b->first ? &b->first->prev : &b->last) = p;
    b->first = p;
}

static void unlink(struct bucket *b, struct co4__parked *p)
{
    *(p->prev ? &p->prev->next : &b->first) = p->next;
    *(p->next ? &p->next->prev : &b->last) = p->prev;
    p->queued = false;
    atomic_fetch_sub_explicit(&b->waiters, 1, memory_order_relaxed);
}

/* ---- forks ---- */

static void forget_lost(struct bucket *b)
{
    for (struct co4__parked *p = b->first, *next; p; p = next) {
        next = p->next;
        if (!co4__task_goes_on(p->task))
            unlink(b, p);
    }
}

static void at_fork(enum co4__fork how)
{
    for (int i = 0; i < BUCKETS; i++) {
        if (how == CO4__FORK_PREPARE)
            co4__lock_take(&buckets[i].lock);
        if (how == CO4__FORK_CHILD)
            forget_lost(&buckets[i]);
        if (how != CO4__FORK_PREPARE)
            co4__lock_give(&buckets[i].lock);
    }
    for (unsigned tries = 0; how == CO4__FORK_PREPARE && atomic_load(&waking) > 0; tries++)
        co4__back_off(tries);
}

static struct co4__fork_member member = { .handler = at_fork };

/* ---- waiters ---- */

void co4__parked_add(struct co4__parked *p, const void *object, bool again)
{
    struct bucket *b = bucket_of(object);
    co4__fork_join(&member);
    *p = (struct co4__parked){
        .object = object, .task = co4__local()->current, .woken = CO4_SEM_INIT(0), .queued = true
    };
    co4__lock_take(&b->lock);
    (again ? prepend : append)(b, p);
    /* Sequentially consistent: before the caller's next look at the object. */
    atomic_fetch_add(&b->waiters, 1);
    co4__lock_give(&b->lock);
    atomic_thread_fence(memory_order_seq_cst);
}

bool co4__parked_remove(struct co4__parked *p)
{
    struct bucket *b = bucket_of(p->object);
    co4__lock_take(&b->lock);
    bool queued = p->queued;
    if (queued)
        unlink(b, p);
    co4__lock_give(&b->lock);
    return queued;
}

void co4__parked_leave(struct co4__parked *p)
{
    if (p->left || co4__parked_remove(p))
        return;
    for (unsigned tries = 0; co4_sem_try_acquire(&p->woken) != CO4_OK; tries++)
        co4__back_off(tries);
    co4__parked_wake(p->object, false);
}

void co4__parked_wake(const void *object, bool all)
{
    struct bucket *b = bucket_of(object);
    struct co4__parked *chosen = NULL, **end = &chosen;
    /* After the release of the object: pairs with the fence of co4__parked_add(). */
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&b->waiters, memory_order_relaxed) == 0)
        return;
    co4__lock_take(&b->lock);
    for (struct co4__parked *p = b->first, *next; p && (all || !chosen); p = next) {
        next = p->next;
        if (p->object != object)
            continue;
        unlink(b, p);
        p->next = NULL;
        *end = p;
        end = &p->next;
    }
    if (chosen)
        atomic_fetch_add_explicit(&waking, 1, memory_order_relaxed); /* seen under the lock */
    co4__lock_give(&b->lock);
    for (struct co4__parked *p = chosen, *next; p; p = next) {
        next = p->next; /* the waiter may be gone afterwards */
        co4_sem_release(&p->woken);
    }
    if (chosen)
        atomic_fetch_sub_explicit(&waking, 1, memory_order_release);
}

int64_t co4__parked_slice(int64_t waited, int64_t most)
{
    int64_t slice = waited / 8;
    return slice < CO4_MS ? CO4_MS : slice < most ? slice : most;
}
