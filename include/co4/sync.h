/* co4/sync.h - locks and the like that pause the task, and never block its worker.
 *
 * Mailboxes and futures make most of these unnecessary; they are here for state that several tasks
 * share. Each object is the caller's memory, all zero at first (CO4_MUTEX_INIT and so on, or
 * static), and must not move while in use. Who waits is served first come, first served, and is
 * handed what it waits for: nobody barges in. For tasks only: a call outside a task that would have
 * to wait returns CO4_ESTATE. Where one that pauses is cancelled, it returns CO4_ECANCELED and
 * holds nothing, but for co4_cond_wait(), which always comes back with the mutex.
 *
 * Forms: the bare name pauses; _until has a deadline, CO4_ETIMEDOUT (and CO4_ENOMEM, for the
 * timer); try_ never waits, CO4_EBUSY. All return CO4_OK or a negative code; CO4_EINVAL for NULL;
 * CO4_ESTATE inside a generator.
 *
 * The _fini of each asks whether it may go: CO4_EBUSY while it is held or waited for; else the
 * memory is free to be reused.
 *
 * Plain builds run one call at a time: what would have to wait is CO4_EDEADLK.
 * */
#ifndef CO4_SYNC_H
#define CO4_SYNC_H

#include <stddef.h>
#include <stdint.h>

#include "mark.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CO4__SYNC_WORDS 6

/* ---- mutex: one holder ---- */

typedef struct co4_mutex {
    long long co4_private[CO4__SYNC_WORDS];
} co4_mutex;
#define CO4_MUTEX_INIT                                                                             \
    {                                                                                              \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }

/* CO4_EDEADLK when the task holds it already. */
CO4_MUST_USE pausable int co4_mutex_lock(co4_mutex *mutex);
CO4_MUST_USE pausable int co4_mutex_lock_until(co4_mutex *mutex, int64_t deadline);
CO4_MUST_USE int co4_mutex_try_lock(co4_mutex *mutex);
/* To the first who waits. CO4_ESTATE: the calling task does not hold it. */
int co4_mutex_unlock(co4_mutex *mutex);
int co4_mutex_fini(co4_mutex *mutex);

/* ---- read-write lock: many readers or one writer ---- */

typedef struct co4_rwlock {
    long long co4_private[CO4__SYNC_WORDS];
} co4_rwlock;
#define CO4_RWLOCK_INIT                                                                            \
    {                                                                                              \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }

/* In the order in which they come: a reader that comes after a waiting writer waits, too. */
CO4_MUST_USE pausable int co4_rwlock_read(co4_rwlock *lock);
CO4_MUST_USE pausable int co4_rwlock_read_until(co4_rwlock *lock, int64_t deadline);
CO4_MUST_USE int co4_rwlock_try_read(co4_rwlock *lock);
CO4_MUST_USE pausable int co4_rwlock_write(co4_rwlock *lock);
CO4_MUST_USE pausable int co4_rwlock_write_until(co4_rwlock *lock, int64_t deadline);
CO4_MUST_USE int co4_rwlock_try_write(co4_rwlock *lock);
/* Ends either. CO4_ESTATE: nobody holds it. */
int co4_rwlock_unlock(co4_rwlock *lock);
int co4_rwlock_fini(co4_rwlock *lock);

/* ---- semaphore: a number of permits ---- */

typedef struct co4_sem {
    long long co4_private[CO4__SYNC_WORDS];
} co4_sem;
#define CO4_SEM_INIT(permits)                                                                      \
    {                                                                                              \
        {                                                                                          \
            (permits)                                                                              \
        }                                                                                          \
    }

CO4_MUST_USE pausable int co4_sem_acquire(co4_sem *sem);
CO4_MUST_USE pausable int co4_sem_acquire_until(co4_sem *sem, int64_t deadline);
CO4_MUST_USE int co4_sem_try_acquire(co4_sem *sem);
/* One permit more; never waits. Any thread. CO4_EFULL: there are LLONG_MAX. */
int co4_sem_release(co4_sem *sem);
/* Permits that are free, at some moment during the call. */
long long co4_sem_permits(co4_sem *sem);
int co4_sem_fini(co4_sem *sem);

/* ---- condition ---- */

typedef struct co4_cond {
    long long co4_private[CO4__SYNC_WORDS];
} co4_cond;
#define CO4_COND_INIT                                                                              \
    {                                                                                              \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }

/* Gives the mutex up, waits for a signal, and has the mutex again when it returns, whatever it
 * returns. There are no wakes without a signal; the condition may have changed again all the same:
 * wait in a loop. CO4_ESTATE: the task does not hold the mutex. */
CO4_MUST_USE pausable int co4_cond_wait(co4_cond *cond, co4_mutex *mutex);
CO4_MUST_USE pausable int co4_cond_wait_until(co4_cond *cond, co4_mutex *mutex, int64_t deadline);
/* Wakes the first who waits, and whom no broadcast is about to wake; all who wait. Any thread, with
 * or without the mutex. */
int co4_cond_signal(co4_cond *cond);
int co4_cond_broadcast(co4_cond *cond);
int co4_cond_fini(co4_cond *cond);

/* ---- wait group: until a count comes down to zero ---- */

typedef struct co4_waitgroup {
    long long co4_private[CO4__SYNC_WORDS];
} co4_waitgroup;
#define CO4_WAITGROUP_INIT                                                                         \
    {                                                                                              \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }

/* Adds n, which may be negative. CO4_EINVAL when the count would fall below zero, or be too large:
 * it stays. Any thread. */
int co4_waitgroup_add(co4_waitgroup *group, long long n);
int co4_waitgroup_done(co4_waitgroup *group); /* add -1 */
pausable int co4_waitgroup_wait(co4_waitgroup *group);
pausable int co4_waitgroup_wait_until(co4_waitgroup *group, int64_t deadline);
int co4_waitgroup_fini(co4_waitgroup *group);

/* ---- barrier: until so many are there ---- */

typedef struct co4_barrier {
    long long co4_private[CO4__SYNC_WORDS];
} co4_barrier;
#define CO4_BARRIER_INIT(parties)                                                                  \
    {                                                                                              \
        {                                                                                          \
            (parties)                                                                              \
        }                                                                                          \
    }

/* Pauses until `parties` tasks have come; exactly these go on then, and the barrier is as at first.
 * 1 for the last to come, CO4_OK for the others, also for one that is cancelled or times out while
 * they go on. One that is cancelled or times out before is not counted any more. */
pausable int co4_barrier_wait(co4_barrier *barrier);
pausable int co4_barrier_wait_until(co4_barrier *barrier, int64_t deadline);
int co4_barrier_fini(co4_barrier *barrier);

/* ---- once ---- */

typedef struct co4_once {
    long long co4_private[CO4__SYNC_WORDS];
} co4_once;
#define CO4_ONCE_INIT                                                                              \
    {                                                                                              \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }

typedef pausable int co4_once_body(void *arg);

/* The first to come calls body(arg); who comes meanwhile waits for its end. CO4_OK from then on.
 * When it returns a negative code, the caller gets that, and the next to come calls it again. */
pausable int co4_once_run(co4_once *once, co4_once_body *body, void *arg);

#ifdef __cplusplus
}
#endif

#endif
