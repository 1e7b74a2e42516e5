/* locks.c - locks of the C library in a program without marks.
 *
 * Purpose: tasks that wait for such a lock are not known to the C library. So the link turns the
 * calls that release one into those below, in all objects and archives, which also look for waiting
 * tasks (parked.c). Locks that know their owner get the task as their owner (owner.c): so the calls
 * that lock these are here, too. All of them block the thread as those of the C library do: they
 * are for threads, and for functions that stay plain. Nothing else refers to this file.
 *
 * sem_post() may be called in a handler of signals, so it takes no lock: posts.c. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "co4/time.h"
#include "core/caller.h"
#include "core/task.h"
#include "posix/deadline.h"
#include "posix/decides.h"
#include "posix/once.h"
#include "posix/order.h"
#include "posix/owner.h"
#include "posix/parked.h"
#include "posix/posts.h"
#include "posix/thrd.h"

#define WRAPS(type, name, parameters)                                                              \
    type __wrap_##name parameters;                                                                 \
    type __real_##name parameters

WRAPS(int, pthread_mutex_lock, (pthread_mutex_t * mutex));
WRAPS(int, pthread_mutex_trylock, (pthread_mutex_t * mutex));
WRAPS(int, pthread_mutex_timedlock, (pthread_mutex_t * mutex, const struct timespec *until));
WRAPS(int, pthread_mutex_unlock, (pthread_mutex_t * mutex));
WRAPS(int, pthread_cond_wait, (pthread_cond_t * cond, pthread_mutex_t *mutex));
WRAPS(int, pthread_cond_timedwait,
      (pthread_cond_t * cond, pthread_mutex_t *mutex, const struct timespec *until));
WRAPS(int, pthread_cond_signal, (pthread_cond_t * cond));
WRAPS(int, pthread_cond_broadcast, (pthread_cond_t * cond));
WRAPS(int, pthread_rwlock_wrlock, (pthread_rwlock_t * lock));
WRAPS(int, pthread_rwlock_trywrlock, (pthread_rwlock_t * lock));
WRAPS(int, pthread_rwlock_timedwrlock, (pthread_rwlock_t * lock, const struct timespec *until));
WRAPS(int, pthread_rwlock_unlock, (pthread_rwlock_t * lock));
WRAPS(int, sem_post, (sem_t * sem));
WRAPS(int, pthread_once, (pthread_once_t * once, void (*function)(void)));

/* Other C libraries than glibc have none of these. */
#define MAY_WRAP(type, name, parameters)                                                           \
    type __wrap_##name parameters;                                                                 \
    __attribute__((weak)) type __real_##name parameters

MAY_WRAP(int, pthread_mutex_clocklock,
         (pthread_mutex_t * mutex, clockid_t clock, const struct timespec *until));
MAY_WRAP(int, pthread_cond_clockwait,
         (pthread_cond_t * cond, pthread_mutex_t *mutex, clockid_t clock,
          const struct timespec *until));
MAY_WRAP(int, pthread_rwlock_clockwrlock,
         (pthread_rwlock_t * lock, clockid_t clock, const struct timespec *until));

/* ---- mutexes ---- */

static bool has_owner(const pthread_mutex_t *mutex)
{
    enum co4__mutex_kind kind = co4__mutex_kind(mutex);
    return kind == CO4__MUTEX_COUNTS || kind == CO4__MUTEX_CHECKS;
}

/* Which tasks have locked mutexes that stay with their threads: by the mutex, a part of them, in no
 * order. What is not there, no message tells. */
enum { LOCKERS = 1024 };
static atomic_uintptr_t lockers[LOCKERS];

static atomic_uintptr_t *locker_of(const pthread_mutex_t *mutex)
{
    return &lockers[((uintptr_t)mutex * (uintptr_t)0x9e3779b97f4a7c15u >> 20) % LOCKERS];
}

/* A number that stands for this mutex and the current task together. */
static uintptr_t locker(const pthread_mutex_t *mutex)
{
    return (uintptr_t)co4__local()->current ^ (uintptr_t)mutex << 8;
}

/* A mutex without an owner of its own is locked, or not. */
static int locked_by_thread(pthread_mutex_t *mutex, int err)
{
    if (err == 0 || err == EOWNERDEAD)
        co4__orders(CO4__ORDER_MUTEX_LOCKED, mutex);
    if (co4__mutex_kind(mutex) == CO4__MUTEX_THREAD_S && (err == 0 || err == EOWNERDEAD) &&
        co4__in_task())
        atomic_store_explicit(locker_of(mutex), locker(mutex), memory_order_relaxed);
    return err;
}

/* Returns whether the current task has locked such a mutex. */
static bool is_locker(const pthread_mutex_t *mutex)
{
    return co4__mutex_kind(mutex) == CO4__MUTEX_THREAD_S && co4__in_task() &&
           atomic_load_explicit(locker_of(mutex), memory_order_relaxed) == locker(mutex);
}

/* Its locker has tried to unlock it, perhaps at another thread. If that has succeeded, the mutex
 * may be gone, so only its address is used. */
static void unlocked_by_thread(const pthread_mutex_t *mutex, int err)
{
    static atomic_bool has_moved;
    uintptr_t number = locker(mutex);
    if (err == 0)
        atomic_compare_exchange_strong_explicit(locker_of(mutex), &number, 0, memory_order_relaxed,
                                                memory_order_relaxed);
    else if (err == EPERM)
        co4__advise(&has_moved, "a task cannot unlock a mutex that is robust or has a protocol for "
                                "priorities: it has paused, and goes on at another thread");
}

/* The thread has locked it. If it had it before, outside tasks, it stays the thread's. */
static int locked(pthread_mutex_t *mutex, int err)
{
    if (err == 0 && (co4__mutex_kind(mutex) == CO4__MUTEX_CHECKS || co4__mutex_depth(mutex) == 1))
        co4__mutex_give_to_task(mutex);
    return co4__orders_if(err, CO4__ORDER_MUTEX_LOCKED, mutex);
}

/* The task has it already. */
static int once_more(pthread_mutex_t *mutex, int otherwise)
{
    return co4__mutex_kind(mutex) == CO4__MUTEX_COUNTS ? co4__mutex_again(mutex) : otherwise;
}

/* ---- where one thread has all tasks: the one that has the mutex goes on meanwhile ---- */

struct attempt {
    pthread_mutex_t *mutex;
    int err;
};

static bool is_decided(void *data)
{
    struct attempt *a = data;
    a->err = __real_pthread_mutex_trylock(a->mutex);
    return a->err != EBUSY;
}

/* One that another process may have is waited for as always. */
static bool steps(const pthread_mutex_t *mutex)
{
    return CO4__UNLIKELY(co4__posix_steps != NULL) && co4__in_task() &&
           !co4__mutex_is_shared(mutex);
}

static int lock_by_steps(pthread_mutex_t *mutex, int64_t deadline, const char *name)
{
    struct attempt a = { mutex, 0 };
    bool is_over = is_decided(&a) || co4__posix_steps(is_decided, &a, deadline, name);
    return is_over ? a.err : ETIMEDOUT;
}

static int lock(pthread_mutex_t *mutex)
{
    return steps(mutex) ? lock_by_steps(mutex, CO4_NEVER, "pthread_mutex_lock")
                        : __real_pthread_mutex_lock(mutex);
}

int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex)
{
    if (!has_owner(mutex))
        return locked_by_thread(mutex, lock(mutex));
    if (co4__mutex_is_ours(mutex))
        return once_more(mutex, EDEADLK);
    return locked(mutex, lock(mutex));
}

int __wrap_pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    if (!has_owner(mutex))
        return locked_by_thread(mutex, __real_pthread_mutex_trylock(mutex));
    if (co4__mutex_is_ours(mutex))
        return once_more(mutex, EBUSY);
    return locked(mutex, __real_pthread_mutex_trylock(mutex));
}

static int lock_until(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until,
                      const char *name)
{
    int err = __real_pthread_mutex_trylock(mutex);
    if (err != EBUSY)
        return err;
    if (!co4__is_timespec(until))
        return EINVAL;
    int64_t left = co4__until_clock(clock, until);
    return left > 0 ? lock_by_steps(mutex, co4_now() + left, name) : ETIMEDOUT;
}

static int timedlock(pthread_mutex_t *mutex, const struct timespec *until)
{
    return steps(mutex) ? lock_until(mutex, CLOCK_REALTIME, until, "pthread_mutex_timedlock")
                        : __real_pthread_mutex_timedlock(mutex, until);
}

int __wrap_pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until)
{
    if (!has_owner(mutex))
        return locked_by_thread(mutex, timedlock(mutex, until));
    if (co4__mutex_is_ours(mutex))
        return once_more(mutex, EDEADLK);
    return locked(mutex, timedlock(mutex, until));
}

int __wrap_pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock,
                                   const struct timespec *until)
{
    bool is_clock = clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC; /* which comes first */
    if (is_clock && has_owner(mutex) && co4__mutex_is_ours(mutex))
        return once_more(mutex, EDEADLK);
    int err = is_clock && steps(mutex) ? lock_until(mutex, clock, until, "pthread_mutex_clocklock")
                                       : __real_pthread_mutex_clocklock(mutex, clock, until);
    return has_owner(mutex) ? locked(mutex, err) : locked_by_thread(mutex, err);
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    /* What the mutex says of itself is read first: the next thread to lock it may free it. */
    bool ours = has_owner(mutex) && co4__mutex_is_ours(mutex), by_locker = is_locker(mutex);
    bool stays = ours && co4__mutex_kind(mutex) == CO4__MUTEX_COUNTS && co4__mutex_depth(mutex) > 1;
    if (ours)
        co4__mutex_give_to_thread(mutex);
    co4__orders(CO4__ORDER_MUTEX_UNLOCKS, mutex);
    int err = __real_pthread_mutex_unlock(mutex);
    if (stays) {
        co4__mutex_give_to_task(mutex);
    } else if (err == 0) {
        co4__orders(CO4__ORDER_MUTEX_IS_FREE, mutex);
        co4__parked_wake(mutex, false);
    }
    if (by_locker)
        unlocked_by_thread(mutex, err);
    return err;
}

/* ---- conditions: the C library unlocks and locks the mutex by itself ---- */

static bool lend(pthread_mutex_t *mutex)
{
    bool ours = has_owner(mutex) && co4__mutex_is_ours(mutex);
    if (ours)
        co4__mutex_give_to_thread(mutex);
    return ours;
}

static int take_back(pthread_mutex_t *mutex, bool ours, int err)
{
    if (ours)
        co4__mutex_give_to_task(mutex);
    return err;
}

int __wrap_pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
    bool ours = lend(mutex);
    return take_back(mutex, ours, __real_pthread_cond_wait(cond, mutex));
}

int __wrap_pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
                                  const struct timespec *until)
{
    bool ours = lend(mutex);
    return take_back(mutex, ours, __real_pthread_cond_timedwait(cond, mutex, until));
}

int __wrap_pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock,
                                  const struct timespec *until)
{
    bool ours = lend(mutex);
    return take_back(mutex, ours, __real_pthread_cond_clockwait(cond, mutex, clock, until));
}

/* A signal wakes a thread and a task: POSIX allows more than one. */
int co4__cond_wake(pthread_cond_t *cond, bool all, const void *place)
{
    int err = all ? __real_pthread_cond_broadcast(cond) : __real_pthread_cond_signal(cond);
    if (CO4__UNLIKELY(co4__posix_signal_is_lost != NULL) && !co4__parked_any(cond))
        co4__posix_signal_is_lost(cond, place);
    co4__parked_wake(cond, all);
    return err;
}

int __wrap_pthread_cond_signal(pthread_cond_t *cond)
{
    return co4__cond_wake(cond, false, __builtin_return_address(0));
}

int __wrap_pthread_cond_broadcast(pthread_cond_t *cond)
{
    return co4__cond_wake(cond, true, __builtin_return_address(0));
}

/* ---- read-write locks ---- */

static int locked_to_write(pthread_rwlock_t *lock, int err)
{
    if (err == 0)
        co4__rwlock_give_to_task(lock);
    return co4__orders_if(err, CO4__ORDER_LOCKED_WRITE, lock);
}

int __wrap_pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
    return locked_to_write(lock, __real_pthread_rwlock_wrlock(lock));
}

int __wrap_pthread_rwlock_trywrlock(pthread_rwlock_t *lock)
{
    return locked_to_write(lock, __real_pthread_rwlock_trywrlock(lock));
}

int __wrap_pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *until)
{
    return locked_to_write(lock, __real_pthread_rwlock_timedwrlock(lock, until));
}

int __wrap_pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock,
                                      const struct timespec *until)
{
    return locked_to_write(lock, __real_pthread_rwlock_clockwrlock(lock, clock, until));
}

int __wrap_pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
    co4__rwlock_give_to_thread(lock);
    co4__orders(CO4__ORDER_UNLOCKS_RWLOCK, lock);
    int err = __real_pthread_rwlock_unlock(lock);
    if (err == 0)
        co4__parked_wake(lock, true); /* they may all be readers */
    return err;
}

/* ---- what is done once ---- */

/* Tasks may wait until this has run the function, and for one that a task runs the C library
 * waits. */
int __wrap_pthread_once(pthread_once_t *once, void (*function)(void))
{
    if (co4__once_is_done(once))
        return co4__orders_if(0, CO4__ORDER_LOCKED, once);
    int err = __real_pthread_once(once, function);
    co4__orders(CO4__ORDER_LOCKED, once);
    co4__orders(CO4__ORDER_UNLOCKS, once);
    co4__parked_wake(once, true);
    return err;
}

/* ---- semaphores ---- */

int __wrap_sem_post(sem_t *sem)
{
    co4__orders(CO4__ORDER_UNLOCKS, sem);
    int err = __real_sem_post(sem);
    if (err == 0)
        co4__posts_notify(sem);
    return err;
}
