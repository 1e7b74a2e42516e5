/* sync.h - types and helpers that sync.c and woven/sync.c share. */
#ifndef CO4_SYNC_INTERNAL_H
#define CO4_SYNC_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/public.h"
#include "core/task.h"
#include "core/wait.h"

#if defined(__GNUC__) || defined(__clang__)
#define CO4__MAY_ALIAS __attribute__((may_alias)) /* the public types are arrays of numbers */
#else
#define CO4__MAY_ALIAS
#endif

/* Functions of co4/sync.h that are in sync.c, with the names that woven code calls. */
#if defined(__GNUC__) || defined(__clang__)
#pragma GCC visibility push(default)
#endif
int co4_mutex_lock__co4(co4_fiber *co4, co4_mutex *mutex);
int co4_mutex_lock_until__co4(co4_fiber *co4, co4_mutex *mutex, int64_t deadline);
int co4_rwlock_read__co4(co4_fiber *co4, co4_rwlock *lock);
int co4_rwlock_read_until__co4(co4_fiber *co4, co4_rwlock *lock, int64_t deadline);
int co4_rwlock_write__co4(co4_fiber *co4, co4_rwlock *lock);
int co4_rwlock_write_until__co4(co4_fiber *co4, co4_rwlock *lock, int64_t deadline);
int co4_sem_acquire__co4(co4_fiber *co4, co4_sem *sem);
int co4_sem_acquire_until__co4(co4_fiber *co4, co4_sem *sem, int64_t deadline);
int co4_waitgroup_wait__co4(co4_fiber *co4, co4_waitgroup *group);
int co4_waitgroup_wait_until__co4(co4_fiber *co4, co4_waitgroup *group, int64_t deadline);
int co4_barrier_wait__co4(co4_fiber *co4, co4_barrier *barrier);
int co4_barrier_wait_until__co4(co4_fiber *co4, co4_barrier *barrier, int64_t deadline);
#if defined(__GNUC__) || defined(__clang__)
#pragma GCC visibility pop
#endif

/* All objects of co4/sync.h. The number comes first, for initializers. */
struct CO4__MAY_ALIAS co4__sync {
    /* semaphore: permits; rwlock: readers, or -1; wait group: count; barrier: parties; once:
     * state */
    long long n;
    struct co4__wait_queue wait_queue; /* its lock guards the rest */
    union {
        void *holder; /* of a mutex: the task, or an address of the thread; only compared */
        /* Objects that let all waiters go on at once: how often they have done so; wraps. */
        uintptr_t round;
    };
    long long come; /* of a barrier: the waiters of this round */
};

bool co4__mutex_is_mine(co4_mutex *mutex);
/* Called under the lock of a wait queue with a gate: a waiter has left. The caller wakes the tasks
 * of `woken`, which may go on now, without the lock. True: the waiter goes on, too, because its
 * round was over before. */
bool co4__sync_left(struct co4__wait_queue *wait_queue, struct co4__waiter *w,
                    struct co4__list *woken);

/* Queues the task at the condition, and only then unlocks the mutex. Pauses. CO4_ECANCELED,
 * CO4_ENOMEM: the mutex is still locked. */
pausable int co4__cond_wait(co4_cond *cond, co4_mutex *mutex, int64_t deadline);

/* 1: the caller runs the body; CO4_OK: it has been run; CO4_EBUSY: the caller asks again. Pauses
 * while another task runs it. */
pausable int co4__once_enter(co4_once *once);

/* timer_source.c: for struct co4__wait_hooks, like co4__sync_left. */
void co4__timer_source_due(struct co4__timer *n, int64_t now);

#endif
