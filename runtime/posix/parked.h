/* parked.h - tasks that wait at an object of the C library: a mutex, a condition, a stream. */
#ifndef CO4_PARKED_H
#define CO4_PARKED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/public.h"
#include "base/table.h"

/* A waiter. It is in the frame of the call that waits. */
struct co4__parked {
    struct co4__table_node node; /* of the first one of its object; by that */
    struct co4__parked *next, *prev;
    const void *object;
    co4_task *task;   /* for the child of a fork */
    co4_sem woken;    /* a permit: it has been chosen, and is no longer queued */
    unsigned waiters; /* of the first one: how many are queued */
    bool queued;      /* guarded by the lock of its stripe, as all above */
    bool left;        /* the waiter's own: it is not queued, and needs no permit */
};

/* Queues a waiter: as the last one of its object, or as the first, if it has been chosen before and
 * another caller came in between. The caller looks at the object once more afterwards. */
void co4__parked_add(struct co4__parked *p, const void *object, bool again);
/* Removes it. False: it has been chosen, and its permit is there or comes at once. */
bool co4__parked_remove(struct co4__parked *p);
/* For waiters whose task is abandoned: removes it, and passes a choice on to the next one. */
void co4__parked_leave(struct co4__parked *p);
/* Chooses the first waiter of the object, or all of them. The object has been released before. */
void co4__parked_wake(const void *object, bool all);

/* Returns whether a task waits at the object. */
bool co4__parked_any(const void *object);

/* Waits until the waiter is chosen, or `until`. It has left then. Returns whether it has been
 * chosen. A cancellation does not end the wait. Not in plain builds. */
CO4__OWN pausable bool co4__parked_wait(struct co4__parked *p, int64_t until);

#endif
