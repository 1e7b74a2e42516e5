/* timers.h - deadlines: a heap a worker. */
#ifndef CO4_TIMERS_INTERNAL_H
#define CO4_TIMERS_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/wait.h"

struct co4__timer {
    struct co4__timer *left, *right, *up; /* leftist heap */
    int64_t deadline;
    co4_task *task; /* NULL: a listener's, see timer_source.c */
    struct co4__wait_queue
        *wait_queue; /* where the task waits too; NULL: it sleeps. A listener's: its source */
    struct co4__timers *heap; /* constant once added */
    bool due;                 /* taken out of the heap by co4__timers_fire; under its lock */
    bool sleeps;              /* co4__timers_fire: its task waited for the time alone */
    _Atomic uint8_t phase;    /* a listener's: timer_source.c */
    uint8_t rank;             /* nodes on the way to the right: fewest to any end below */
};

struct co4__timers {
    co4__lock lock; /* guards the heap */
    struct co4__timer *root;
    /* Its owner looks at `earliest` anew; any thread. Constant, like `owner`: a worker, or the
     * parker of a blocked thread. */
    void (*interrupt)(struct co4__timers *h);
    void *owner;
    _Atomic int64_t
        earliest; /* deadline of root or CO4_NEVER; written under the lock, read anywhere */
    _Atomic uint64_t count; /* of timers; likewise */
};

void co4__timers_init(struct co4__timers *h, void (*interrupt)(struct co4__timers *h), void *owner);
void co4__timers_add(struct co4__timers *h, struct co4__timer *n);
void co4__timers_cancel(struct co4__timer *n); /* for who has claimed its task; frees it */
struct co4__timer *co4__timer_create(co4_task *t, int64_t deadline);
/* Under the lock, for timer_source.c. */
void co4__timers_insert(struct co4__timers *h, struct co4__timer *n);
void co4__timers_remove(struct co4__timers *h, struct co4__timer *n);

enum { CO4__TIMER_OUT, CO4__TIMER_IN, CO4__TIMER_DUE, CO4__TIMER_GONE };

static inline int64_t co4__timers_earliest(struct co4__timers *h)
{
    return atomic_load_explicit(&h->earliest, memory_order_relaxed);
}

#endif
