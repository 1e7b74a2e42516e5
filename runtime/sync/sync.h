/* sync.h - the objects of co4/sync.h, and how a task or a thread waits at one. */
#ifndef CO4_SYNC_INTERNAL_H
#define CO4_SYNC_INTERNAL_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/public.h"
#include "core/task.h"
#include "core/timers.h"
#include "core/wait.h"
#include "memory/pool.h"
#include "platform/lock.h"
#include "platform/thread.h"

/* Functions of co4/sync.h, with the names that woven code calls. */
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

static inline struct co4__sync *co4__sync_of(void *object)
{
    return object;
}

static inline struct co4__sync *co4__sync_of_queue(struct co4__wait_queue *wait_queue)
{
    return (struct co4__sync *)(void *)((char *)wait_queue -
                                        offsetof(struct co4__sync, wait_queue));
}

/* CO4_OK: the object is NULL, or no waiter is left, and it may be freed. CO4_EBUSY. */
int co4__sync_destroy(void *object);

/* Called under the lock. Returns the first waiter, removed from the queue and without a result.
 * NULL: there is none. */
static inline struct co4__waiter *co4__sync_take_one(struct co4__sync *s)
{
    for (struct co4__waiter *w = s->wait_queue.waiters.head, *next; w; w = next) {
        next = w->next;
        if (co4__take(&s->wait_queue, w))
            return w;
    }
    return NULL;
}

/* ---- an attempt, and the wait of a task and of a thread ---- */

/* The result of an attempt under the lock that has to wait; all others are codes. */
enum { CO4__WAITS = INT_MIN };

/* An attempt, and how it waits. */
struct co4__attempt {
    /* The task. Outside tasks an address of the thread, which is only compared. */
    void *caller;
    bool never_waits;
    unsigned kind;
    void *buffer;
    enum co4__gate gate;
    struct co4__list woken; /* to be woken without the lock */
};

typedef int co4__attempt_fn(struct co4__sync *s, struct co4__attempt *a);

static inline void *co4__sync_caller(void)
{
    co4_task *t = co4__local()->current;
    return t ? (void *)t : (void *)co4__local();
}

/* Called under the lock: makes the attempt. If the caller has to wait here, sets the gate, which is
 * written before the first waiter comes, and once: a dump that holds a waiter reads it without the
 * lock. */
static CO4__ALWAYS_INLINE int co4__attempt_once(struct co4__sync *s, co4__attempt_fn *attempt,
                                                struct co4__attempt *a)
{
    int result = attempt(s, a);
    if (result != CO4__WAITS)
        return result;
    if (a->never_waits)
        return CO4_EBUSY;
    if (s->wait_queue.gate != a->gate)
        s->wait_queue.gate = (uint8_t)a->gate;
    return CO4__WAITS;
}

/* Checks, before the lock is taken, whether the task may wait here, and creates its timer. */
int co4__sync_prepare(co4_fiber *co4, const void *object, int64_t deadline,
                      struct co4__timer **timer);

/* Makes the attempt for a task, which pauses until it is over. `unlocks`: NULL, or a mutex that is
 * unlocked once the task is queued. */
static CO4__ALWAYS_INLINE int co4__sync_pause(co4_fiber *co4, void *object,
                                              co4__attempt_fn *attempt, co4_mutex *unlocks,
                                              int64_t deadline)
{
    struct co4__sync *s = object;
    struct co4__attempt a = { .caller = co4__task_of(co4),
                              .never_waits = deadline == CO4_NOW,
                              .kind = CO4__WAIT_WRITE };
    struct co4__timer *timer;
    int result = co4__sync_prepare(co4, object, deadline, &timer);
    if (result != CO4_OK)
        return co4__done(co4, result);
    co4__lock_take(&s->wait_queue.lock);
    result = co4__attempt_once(s, attempt, &a);
    if (result == CO4__WAITS) {
        result = co4__wait(co4, &s->wait_queue, a.kind, a.buffer, timer);
        if (unlocks)
            co4_mutex_unlock(unlocks);
        return result;
    }
    co4__lock_give(&s->wait_queue.lock);
    if (timer)
        co4__pool_drop(timer, sizeof *timer);
    co4__list_wake(&a.woken);
    return co4__done(co4, result);
}

/* The same for the calling thread, which blocks, unless it runs a task. */
int co4__sync_block(void *object, co4__attempt_fn *attempt, co4_mutex *unlocks, int64_t deadline);

bool co4__mutex_is_mine(co4_mutex *mutex);

/* For struct co4__wait_hooks: called under the lock of a wait queue with this gate, when a waiter
 * has left. The caller wakes the waiters of `woken`, which may go on now, without the lock. True:
 * the waiter goes on, too, because its round was over before. */
bool co4__rwlock_left(struct co4__wait_queue *wait_queue, struct co4__waiter *w,
                      struct co4__list *woken);
bool co4__round_left(struct co4__wait_queue *wait_queue, struct co4__waiter *w,
                     struct co4__list *woken);

/* Queues the task at the condition, and only then unlocks the mutex. Pauses. CO4_ECANCELED,
 * CO4_ENOMEM: the mutex is still locked. */
pausable int co4__cond_wait(co4_cond *cond, co4_mutex *mutex, int64_t deadline);

/* 1: the caller runs the body; CO4_OK: it has been run; CO4_EBUSY: the caller asks again. Pauses
 * while another task runs it. */
pausable int co4__once_enter(co4_once *once);

#endif
