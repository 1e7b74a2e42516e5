/* co4/sync.h - locks and similar objects that pause the task, and never block its worker.
 *
 * Mailboxes and futures make most of these unnecessary. They are for state that several tasks
 * share. Each object is memory of the caller's that is all zero at first (CO4_MUTEX_INIT and so on,
 * or static), and must not move while it is used. Waiters are served first come, first served. A
 * release hands the object to the first waiter, so no other task can take it first.
 *
 * A task pauses in them; other code blocks its thread, in a co4_block(). With the deadline CO4_NOW
 * they never wait. */
#ifndef CO4_SYNC_H
#define CO4_SYNC_H

#include <stddef.h>
#include <stdint.h>

#include "mark.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Unless a function says otherwise:
 *
 * Returns: CO4_OK; CO4_EINVAL for NULL. Of those that pause: CO4_ESTATE inside a generator.
 *     co4_block: CO4_EDEADLK inside a task, and when nothing could end the wait. _until:
 *     CO4_ETIMEDOUT, and CO4_ENOMEM for the timer. CO4_NOW: CO4_EBUSY instead of a wait.
 * Blocks: in a co4_block(), the thread, as tasks pause; else never.
 * Cancellation: CO4_ECANCELED, and the task holds nothing.
 * Thread safety: any number of tasks at the same time; for functions that never wait, also threads.
 * Ownership: the object stays the caller's. _fini ends its use: CO4_EBUSY, and nothing happens,
 *     while it is held or waited for; after CO4_OK the memory is free for other use.
 * Since: 0.1. */

#define CO4__SYNC_WORDS 6

/* ---- mutex: one holder ---- */

/* A mutex. CO4_MUTEX_INIT, or zero, initializes it. */
typedef struct co4_mutex {
    long long co4_private[CO4__SYNC_WORDS];
} co4_mutex;
#define CO4_MUTEX_INIT                                                                             \
    {                                                                                              \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }

/* Locks the mutex.
 *
 * Returns: CO4_OK; CO4_EDEADLK when the calling task holds it already; and as above.
 * Pauses: while another task holds it. */
CO4_MUST_USE pausable_or_block int co4_mutex_lock(co4_mutex *mutex);
CO4_MUST_USE pausable_or_block int co4_mutex_lock_until(co4_mutex *mutex, int64_t deadline);

/* Unlocks the mutex, and hands it to the first waiter.
 *
 * Returns: CO4_OK; CO4_ESTATE when the calling task does not hold it; CO4_EINVAL.
 * Thread safety: the task that holds it. */
int co4_mutex_unlock(co4_mutex *mutex);
int co4_mutex_destroy(co4_mutex *mutex);

/* ---- read-write lock: many readers or one writer ---- */

/* A read-write lock. CO4_RWLOCK_INIT, or zero, initializes it. */
typedef struct co4_rwlock {
    long long co4_private[CO4__SYNC_WORDS];
} co4_rwlock;
#define CO4_RWLOCK_INIT                                                                            \
    {                                                                                              \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }

/* Locks for reading, with other readers, or for writing, alone. Waiters come in the order in which
 * they wait: a reader that comes after a waiting writer waits, too.
 *
 * Pauses: while a writer holds it or waits; to write, while anything holds it. */
CO4_MUST_USE pausable_or_block int co4_rwlock_read(co4_rwlock *lock);
CO4_MUST_USE pausable_or_block int co4_rwlock_read_until(co4_rwlock *lock, int64_t deadline);
CO4_MUST_USE pausable_or_block int co4_rwlock_write(co4_rwlock *lock);
CO4_MUST_USE pausable_or_block int co4_rwlock_write_until(co4_rwlock *lock, int64_t deadline);

/* Ends either.
 *
 * Returns: CO4_OK; CO4_ESTATE when no task holds it; CO4_EINVAL.
 * Thread safety: a task that holds it. */
int co4_rwlock_unlock(co4_rwlock *lock);
int co4_rwlock_destroy(co4_rwlock *lock);

/* ---- semaphore: a number of permits ---- */

/* A semaphore. CO4_SEM_INIT(n) initializes it with n permits. */
typedef struct co4_sem {
    long long co4_private[CO4__SYNC_WORDS];
} co4_sem;
#define CO4_SEM_INIT(permits)                                                                      \
    {                                                                                              \
        {                                                                                          \
            (permits)                                                                              \
        }                                                                                          \
    }

/* Takes a permit.
 *
 * Pauses: while there is none. */
CO4_MUST_USE pausable_or_block int co4_sem_acquire(co4_sem *sem);
CO4_MUST_USE pausable_or_block int co4_sem_acquire_until(co4_sem *sem, int64_t deadline);

/* Gives a permit back, or a new one: to the first waiter, if there is one.
 *
 * Returns: CO4_OK; CO4_EFULL when there are LLONG_MAX; CO4_EINVAL. */
int co4_sem_release(co4_sem *sem);

/* Free permits, at some moment during the call.
 *
 * Returns: the number; 0 for NULL. */
long long co4_sem_permits(co4_sem *sem);
int co4_sem_destroy(co4_sem *sem);

/* ---- condition ---- */

/* A condition. CO4_COND_INIT, or zero, initializes it. */
typedef struct co4_cond {
    long long co4_private[CO4__SYNC_WORDS];
} co4_cond;
#define CO4_COND_INIT                                                                              \
    {                                                                                              \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }

/* Unlocks the mutex, waits for a signal, and locks the mutex again, whatever it returns. No wait
 * ends without a signal. The condition may have changed again all the same: wait in a loop.
 *
 * Returns: CO4_OK; CO4_ESTATE when the task does not hold the mutex; and as above.
 * Pauses: until a signal, and then for the mutex.
 * Cancellation: CO4_ECANCELED, and the task holds the mutex.
 * Ownership: the mutex must be the same for all waiters. */
CO4_MUST_USE pausable_or_block int co4_cond_wait(co4_cond *cond, co4_mutex *mutex);
CO4_MUST_USE pausable_or_block int co4_cond_wait_until(co4_cond *cond, co4_mutex *mutex,
                                                       int64_t deadline);

/* Wakes the first waiter that no broadcast is about to wake; wakes all waiters. The caller may hold
 * the mutex or not. */
int co4_cond_signal(co4_cond *cond);
int co4_cond_broadcast(co4_cond *cond);
int co4_cond_destroy(co4_cond *cond);

/* ---- wait group: until a count comes down to zero ---- */

/* A wait group. CO4_WAITGROUP_INIT, or zero, initializes it. */
typedef struct co4_waitgroup {
    long long co4_private[CO4__SYNC_WORDS];
} co4_waitgroup;
#define CO4_WAITGROUP_INIT                                                                         \
    {                                                                                              \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }

/* Adds n to the count; n may be negative. done: adds -1.
 *
 * Returns: CO4_OK; CO4_EINVAL, and the count stays, when it would fall below zero or be too large.
 */
int co4_waitgroup_add(co4_waitgroup *group, long long n);
int co4_waitgroup_done(co4_waitgroup *group);
/* Waits for the count to be zero.
 *
 * Pauses: while it is not. */
pausable_or_block int co4_waitgroup_wait(co4_waitgroup *group);
pausable_or_block int co4_waitgroup_wait_until(co4_waitgroup *group, int64_t deadline);
int co4_waitgroup_destroy(co4_waitgroup *group);

/* ---- barrier: until so many are there ---- */

/* A barrier. CO4_BARRIER_INIT(n) initializes it for n tasks. */
typedef struct co4_barrier {
    long long co4_private[CO4__SYNC_WORDS];
} co4_barrier;
#define CO4_BARRIER_INIT(parties)                                                                  \
    {                                                                                              \
        {                                                                                          \
            (parties)                                                                              \
        }                                                                                          \
    }

/* Waits until `parties` tasks have come. Exactly these go on then, and the barrier is as at first.
 *
 * Returns: 1 for the last to come, CO4_OK for the others, also for one that is cancelled or times
 *     out while they go on; and as above.
 * Pauses: until they have come.
 * Cancellation: CO4_ECANCELED, and the task is not counted any more. */
pausable_or_block int co4_barrier_wait(co4_barrier *barrier);
pausable_or_block int co4_barrier_wait_until(co4_barrier *barrier, int64_t deadline);
int co4_barrier_destroy(co4_barrier *barrier);

/* ---- once ---- */

/* The state of co4_once_run(). CO4_ONCE_INIT, or zero, initializes it. */
typedef struct co4_once {
    long long co4_private[CO4__SYNC_WORDS];
} co4_once;
#define CO4_ONCE_INIT                                                                              \
    {                                                                                              \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }

/* co4_once_run(once, f(a)): the first task to come evaluates the call, which yields an int. Tasks
 * that come meanwhile wait for its end. The arguments are evaluated by that first task only.
 *
 * Returns: CO4_OK once the call has returned a code that is not negative. A negative one is the
 *     result of the task that made the call, and the next one to come makes it again.
 * Pauses: while another task is in the call.
 * Cancellation: CO4_ECANCELED of a task that waits; in the call its calls say so. */
#define co4_once_run(once, call)                                                                   \
    __extension__({                                                                                \
        __attribute__((cleanup(co4_once_leave))) co4_once_turn co4_turn_ = { 0, 0 };               \
        int co4_once_ = co4_once_enter((once), &co4_turn_);                                        \
        co4_once_ == 1 ? co4_once_done(&co4_turn_, (call)) : co4_once_;                            \
    })

/* The parts of co4_once_run(): a turn to make the call. */
typedef struct co4_once_turn {
    co4_once *once; /* NULL: this task does not make the call */
    int done;
} co4_once_turn;

/* Takes the turn, unless the call has been made.
 *
 * Returns: 1 if the caller has to make the call; otherwise the code of co4_once_run().
 * Pauses: while another task is in the call.
 * Cancellation: CO4_ECANCELED. */
pausable_or_block int co4_once_enter(co4_once *once, co4_once_turn *turn);
/* Ends the turn: the call has returned `code`.
 *
 * Returns: the code, if it is negative; CO4_OK. */
int co4_once_done(co4_once_turn *turn, int code);
/* Ends a turn that co4_once_done() has not ended: the call is abandoned. */
void co4_once_leave(co4_once_turn *turn);

#ifdef __cplusplus
}
#endif

#endif
