/* timers.h - deadlines: a heap for each worker. */
#ifndef CO4_TIMERS_INTERNAL_H
#define CO4_TIMERS_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/wait.h"

struct co4__timer {
    struct co4__timer *left, *right, *up; /* leftist heap */
    int64_t deadline;
    struct co4__waiter *waiter; /* a task's, or that of a listener at a timer (timer_source.c) */
    /* Where the waiter waits, too; NULL: nowhere. */
    struct co4__wait_queue *wait_queue;
    struct co4__timers *heap; /* constant once added */
    bool due;                 /* co4__timers_fire() has removed it from the heap; under its lock */
    bool sleeps;              /* co4__timers_fire(): its task waited only for the deadline */
    uint8_t rank;             /* nodes on its right edge: the shortest way to a missing child */
};

struct co4__timers {
    co4__lock lock; /* guards the heap */
    struct co4__timer *root;
    /* Makes the owner read `earliest` again; thread-safe. Constant, like `owner`, which is a worker
     * or the parker of a blocked thread. */
    void (*interrupt)(struct co4__timers *h);
    void *owner;
    /* The root's deadline, or CO4_NEVER. Written under the lock, read without it. */
    _Atomic int64_t earliest;
    _Atomic uint64_t count; /* the number of timers; likewise */
};

void co4__timers_init(struct co4__timers *h, void (*interrupt)(struct co4__timers *h), void *owner);
/* Frees the timer. The caller has claimed its task. */
void co4__timers_cancel(struct co4__timer *n);
struct co4__timer *co4__timer_create(co4_task *t, int64_t deadline);
/* Called under the lock. */
void co4__timers_insert(struct co4__timers *h, struct co4__timer *n);
void co4__timers_remove(struct co4__timers *h, struct co4__timer *n);
/* Wakes what is due (due.c). The thread owns h and is in no step. */
void co4__timers_fire(struct co4__timers *h, int64_t now);

static inline int64_t co4__timers_earliest(struct co4__timers *h)
{
    return atomic_load_explicit(&h->earliest, memory_order_relaxed);
}

#endif
