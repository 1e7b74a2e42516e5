/* locks.c - locks of the C library, for programs without marks: pausable C, and once more plain.
 *
 * Each call tries. If that does not succeed, the task waits in a table (parked.c) until a release,
 * and tries again. The calls of the C library below are those of posix/locks.c in a program that
 * co4weave has linked. A call that cannot pause, in a generator, blocks the thread.
 *
 * Waits for mutexes, conditions and read-write locks have no cancellation, as in POSIX a mutex has
 * none: programs do not look at these results. sem_wait() has it, and fails. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "base/inside.h"
#include "io/attempt.h"
#include "posix/barriers.h"
#include "posix/blocks.h"
#include "posix/deadline.h"
#include "posix/decides.h"
#include "posix/interrupts.h"
#include "posix/kills.h"
#include "posix/once.h"
#include "posix/order.h"
#include "posix/owner.h"
#include "posix/parked.h"
#include "posix/point.h"
#include "posix/posts.h"
#include "posix/threads.h"
#include "posix/unseen.h"
#include "sync/source.h"

#include "co4/blocking.h"
#include "co4/io.h"
#include "co4/posix.h"
#include "co4/sync.h"
#include "co4/task.h"
#include "co4/time.h"

#ifndef CO4_PLAIN

/* The longest wait for a release that the link has not seen. */
#define MOST (1000 * CO4_MS)

/* The time limit of a call. */
struct limit {
    clockid_t clock;
    const struct timespec *until; /* NULL: for ever */
};

static struct limit no_limit(void)
{
    return (struct limit){ CLOCK_REALTIME, NULL };
}

static struct limit limit_at(clockid_t clock, const struct timespec *until)
{
    return (struct limit){ clock, until };
}

/* The wait has ended so. Returns whether the waiter has been chosen. */
static pausable bool leave_parked(struct co4__parked *p, int err)
{
    if (err == CO4_ENOMEM)
        co4_yield();
    bool chosen = err == CO4_OK || !co4__parked_remove(p);
    while (chosen && err != CO4_OK) /* it comes at once */
        err = co4_sem_acquire(&p->woken);
    p->left = true;
    return chosen;
}

pausable bool co4__parked_wait(struct co4__parked *p, int64_t until)
{
    int was = errno, shielded = co4__posix_ends_at_once() ? CO4_ESTATE : co4_shield_begin();
    co4__kills_open();
    bool chosen = leave_parked(p, co4_sem_acquire_until(&p->woken, until));
    co4__kills_close();
    if (shielded == CO4_OK)
        co4_shield_end();
    errno = was; /* the calls of POSIX leave it as it is */
    return chosen;
}

/* The ns of a wait that is not for a time. In a simulation no thread would not wake the task. */
static int64_t longest(int64_t usual)
{
    return CO4__UNLIKELY(co4__posix_decides) ? CO4_NEVER - co4_now() : usual;
}

/* Returns the ns of the next wait; 0: the limit has come; -1: it is no time. notices: what ends the
 * wait is noticed. */
static int64_t next_wait(int64_t begun, bool notices, struct limit limit)
{
    int64_t slice = co4__next_slice(co4_now() - begun, MOST);
    slice = notices ? longest(slice) : slice;
    if (!limit.until)
        return slice;
    if (!co4__is_timespec(limit.until))
        return -1;
    bool again; /* the callers try again anyway */
    int64_t left = co4__until_look(limit.clock, limit.until, &again);
    return left < slice ? left : slice;
}

/* ---- what waits by tries: mutexes and read-write locks ---- */

typedef int attempt(void *object);

static int try_mutex(void *mutex)
{
    return pthread_mutex_trylock(mutex);
}

static int try_read(void *lock)
{
    return pthread_rwlock_tryrdlock(lock);
}

static int try_write(void *lock)
{
    return pthread_rwlock_trywrlock(lock);
}

/* The first try has failed. */
static pausable int wait_and_try(void *object, attempt *try_it, struct limit limit)
{
    int64_t begun = co4_now();
    for (bool again = false;; again = true) {
        int64_t ns = next_wait(begun, true, limit);
        if (ns < 0)
            return EINVAL;
        __attribute__((cleanup(co4__parked_leave))) struct co4__parked p;
        co4__parked_add(&p, object, again);
        int err = try_it(object);
        if (err != EBUSY || ns == 0)
            return err == EBUSY ? ETIMEDOUT : err; /* the cleanup passes a choice on */
        co4__parked_wait(&p, co4_now() + ns);
        err = try_it(object);
        if (err != EBUSY)
            return err;
    }
}

/* Runs on a thread of the pool. Readers that come meanwhile queue behind this writer. */
static int write_for_a_while(pthread_rwlock_t *lock, int64_t ns)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += ns / CO4_SEC + (until.tv_nsec + ns % CO4_SEC) / CO4_SEC;
    until.tv_nsec = (until.tv_nsec + ns % CO4_SEC) % CO4_SEC;
    int err = pthread_rwlock_timedwrlock(lock, &until);
    if (err == 0)
        co4__rwlock_give_to_nobody(lock);
    return err;
}

/* A lock that prefers writers has to know that one waits: tries do not tell it. */
static pausable int wait_to_write(pthread_rwlock_t *lock, struct limit limit)
{
    for (;;) {
        int64_t ns = limit.until ? co4__until_clock(limit.clock, limit.until) : CO4_SEC;
        if (ns <= 0)
            return ns < 0 ? EINVAL : ETIMEDOUT;
        int err = co4_blocking(write_for_a_while(lock, ns < CO4_SEC ? ns : CO4_SEC));
        if (err == 0) {
            co4__rwlock_take_over(lock);
            co4__orders(CO4__ORDER_LOCKED_WRITE, lock);
        }
        if (err != ETIMEDOUT)
            return err;
    }
}

static pausable int wait_for_lock(pthread_rwlock_t *lock, attempt *try_it, struct limit limit)
{
    if (co4__rwlock_is_ours(lock))
        return EDEADLK;
    if (try_it == try_write && co4__rwlock_prefers_writers(lock))
        return wait_to_write(lock, limit);
    return wait_and_try(lock, try_it, limit);
}

static pausable int lock_mutex(pthread_mutex_t *mutex, struct limit limit)
{
    int err = pthread_mutex_trylock(mutex);
    if (err != EBUSY)
        return err;
    return co4__mutex_refuses(mutex) ? EDEADLK : wait_and_try(mutex, try_mutex, limit);
}

/* ---- what is done once ---- */

enum { BEGINS = -1 };

static int try_once(void *once)
{
    bool runs;
    return co4__once_begin(once, &runs) ? BEGINS : runs ? EBUSY : 0;
}

struct running {
    pthread_once_t *once;
    int state; /* at the end; as before, if the function is given up */
};

static void end_running(struct running *r)
{
    co4__orders(CO4__ORDER_UNLOCKS, r->once);
    co4__once_end(r->once, r->state);
    co4__parked_wake(r->once, true);
}

typedef pausable void pausing_function(void);

static pausable void run_function(pthread_once_t *once, void (*function)(void))
{
    __attribute__((cleanup(end_running))) struct running r = { once, CO4__ONCE_FREE };
    const co4_abi_pair *last = NULL;
    co4_abi_code *woven = co4_abi_woven_of(&last, (co4_abi_code *)function);
    if (woven) {
        pausing_function *pausing;
        memcpy(&pausing, &woven, sizeof pausing);
        pausing();
    } else {
        function();
    }
    r.state = CO4__ONCE_DONE;
}

CO4__INSIDE static pausable int begin_once(pthread_once_t *once)
{
    int err = try_once(once);
    return err == EBUSY ? wait_and_try(once, try_once, no_limit()) : err;
}

static pausable int run_once(pthread_once_t *once, void (*function)(void))
{
    int err = begin_once(once);
    if (err != BEGINS)
        return co4__orders_if(err, CO4__ORDER_LOCKED, once);
    run_function(once, function);
    return 0;
}

/* ---- conditions ---- */

/* Waits until the waiter is chosen, or the time has come, as co4__parked_wait().
 *
 * The C library does not know that the task waits. So the task may miss a signal of code that is
 * not of this program. Where there is such code the wait ends after a while, as POSIX allows, and
 * the caller looks. */
static pausable bool wait_or_look(struct co4__parked *p, bool shared, struct limit limit)
{
    int err, was = errno;
    bool at_point = co4__posix_notified(true); /* pthread_cancel() ends the wait */
    int shielded = at_point ? CO4_ESTATE : co4_shield_begin();
    bool ended; /* by a signal to the thread, whose handler has run */
    bool again = false;
    int64_t most = longest(shared ? 10 * CO4_MS : MOST), ns = most;
    do {
        if (limit.until)
            ns = co4__until_look(limit.clock, limit.until, &again);
        co4__kills_open();
        err = co4_sem_acquire_until(&p->woken, co4_now() + (ns < most ? ns : most));
        ended = co4__kills_close();
    } while ((err == CO4_ECANCELED && ended) ||
             (err == CO4_ETIMEDOUT && !(limit.until && ns <= most && !again) && !shared &&
              !co4__signals_unseen()));
    if (at_point) {
        co4__posix_notified(false);
        shielded = co4_shield_begin();
    }
    bool chosen = leave_parked(p, err);
    if (shielded == CO4_OK)
        co4_shield_end();
    errno = was;
    return chosen;
}

/* Queues the task first, and only then unlocks the mutex: the next holder finds the task. */
static pausable int wait_for_signal(pthread_cond_t *cond, pthread_mutex_t *mutex,
                                    struct limit limit)
{
    if (limit.until &&
        (!co4__is_timespec(limit.until) || co4__until_clock(limit.clock, limit.until) < 0))
        return EINVAL;
    bool shared = co4__cond_is_shared(cond);
    __attribute__((cleanup(co4__parked_leave))) struct co4__parked p;
    co4__parked_add(&p, cond, false);
    int err = pthread_mutex_unlock(mutex);
    if (err != 0)
        return err;
    bool chosen = wait_or_look(&p, shared, limit);
    int locked = lock_mutex(mutex, no_limit());
    if (!chosen) /* who has the signal goes on, and passes it on so */
        co4__posix_point();
    bool late = !chosen && limit.until && co4__until_clock(limit.clock, limit.until) == 0;
    return locked != 0 ? locked : late ? ETIMEDOUT : 0;
}

/* ---- semaphores ---- */

static pausable int wait_for_post(sem_t *sem, struct limit limit)
{
    int was = errno, mark = co4__interrupts_begin(limit.until != NULL);
    int64_t begun = co4_now();
    __attribute__((cleanup(co4__posts_leave))) struct co4__posted p;
    co4__posts_enter(&p, sem);
    for (;;) {
        if (sem_trywait(sem) == 0) {
            errno = was;
            return 0;
        }
        if (errno != EAGAIN)
            return -1;
        int fd = co4__posts_descriptor(&p);
        int64_t ns = next_wait(begun, fd >= 0, limit);
        if (ns <= 0) {
            errno = ns < 0 ? EINVAL : ETIMEDOUT;
            return -1;
        }
        uint64_t token;
        ssize_t n = 0;
        int err = 0;
        if (mark >= 0) {
            n = co4__interrupts_wait(fd, POLLIN, co4_now() + ns, mark);
            if (n == 0 && co4__try_read(fd, &token, sizeof token) < 0)
                n = 0; /* another task has taken it */
        } else if (fd >= 0)
            n = co4_read_until(fd, &token, sizeof token, co4_now() + ns);
        else
            err = co4_sleep(ns);
        if ((n < 0 && errno != ETIMEDOUT) || err != CO4_OK)
            return err != CO4_OK ? co4__io_fails(err) : -1;
    }
}

#endif

/* ---- the calls ---- */

/* The call waits. One that cannot pause, and a plain one, is `blocks`. */
#ifdef CO4_PLAIN
#define WAITS(blocks, waits) (blocks)
#define WAITS_SURELY(waits)  ((void)0)
#else
#define WAITS(blocks, waits) (can_pause() ? (waits) : (blocks))
#define WAITS_SURELY(waits)  (waits)

static pausable bool can_pause(void)
{
    int was = errno, err = co4__may_wait(); /* which may yield */
    errno = was;
    return err != CO4_ESTATE;
}
#endif

/* glibc looks at the time of a read-write lock and of a semaphore before anything else. Then the
 * call for threads fails at once. Others look at it only where they wait. */
static bool fails_by_time(const struct timespec *until)
{
#ifdef __GLIBC__
    return !co4__is_timespec(until);
#else
    (void)until;
    return false;
#endif
}

static bool is_of_threads(const pthread_mutex_t *mutex)
{
    return co4__mutex_kind(mutex) == CO4__MUTEX_THREAD_S;
}

CO4__INSIDE pausable int co4_posix_pthread_mutex_lock(pthread_mutex_t *mutex)
{
    if (is_of_threads(mutex))
        return co4__pthread_mutex_lock(mutex);
    int err = pthread_mutex_trylock(mutex);
    return err != EBUSY ? err
                        : WAITS(co4__pthread_mutex_lock(mutex), lock_mutex(mutex, no_limit()));
}

CO4__INSIDE pausable int co4_posix_pthread_mutex_timedlock(pthread_mutex_t *mutex,
                                                           const struct timespec *until)
{
    if (is_of_threads(mutex))
        return co4__pthread_mutex_timedlock(mutex, until);
    int err = pthread_mutex_trylock(mutex);
    return err != EBUSY ? err
                        : WAITS(co4__pthread_mutex_timedlock(mutex, until),
                                lock_mutex(mutex, limit_at(CLOCK_REALTIME, until)));
}

/* Not a call that a jump has to wait for: `function` is the program's. */
pausable int co4_posix_pthread_once(pthread_once_t *once, void (*function)(void))
{
    if (co4__once_is_done(once))
        return co4__orders_if(0, CO4__ORDER_LOCKED, once);
    return WAITS(co4__pthread_once(once, function), run_once(once, function));
}

CO4__INSIDE pausable int co4_posix_pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
    if (is_of_threads(mutex))
        return co4__pthread_cond_wait(cond, mutex);
    return WAITS(co4__pthread_cond_wait(cond, mutex), wait_for_signal(cond, mutex, no_limit()));
}

CO4__INSIDE pausable int co4_posix_pthread_cond_timedwait(pthread_cond_t *cond,
                                                          pthread_mutex_t *mutex,
                                                          const struct timespec *until)
{
    if (is_of_threads(mutex))
        return co4__pthread_cond_timedwait(cond, mutex, until);
    return WAITS(co4__pthread_cond_timedwait(cond, mutex, until),
                 wait_for_signal(cond, mutex, limit_at(co4__cond_clock(cond), until)));
}

CO4__INSIDE pausable int co4_posix_pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
    int err = pthread_rwlock_tryrdlock(lock);
    return err != EBUSY
               ? err
               : WAITS(co4__pthread_rwlock_rdlock(lock), wait_for_lock(lock, try_read, no_limit()));
}

CO4__INSIDE pausable int co4_posix_pthread_rwlock_timedrdlock(pthread_rwlock_t *lock,
                                                              const struct timespec *until)
{
    if (fails_by_time(until))
        return co4__pthread_rwlock_timedrdlock(lock, until);
    int err = pthread_rwlock_tryrdlock(lock);
    return err != EBUSY ? err
                        : WAITS(co4__pthread_rwlock_timedrdlock(lock, until),
                                wait_for_lock(lock, try_read, limit_at(CLOCK_REALTIME, until)));
}

CO4__INSIDE pausable int co4_posix_pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
    int err = pthread_rwlock_trywrlock(lock);
    return err != EBUSY ? err
                        : WAITS(co4__pthread_rwlock_wrlock(lock),
                                wait_for_lock(lock, try_write, no_limit()));
}

CO4__INSIDE pausable int co4_posix_pthread_rwlock_timedwrlock(pthread_rwlock_t *lock,
                                                              const struct timespec *until)
{
    if (fails_by_time(until))
        return co4__pthread_rwlock_timedwrlock(lock, until);
    int err = pthread_rwlock_trywrlock(lock);
    return err != EBUSY ? err
                        : WAITS(co4__pthread_rwlock_timedwrlock(lock, until),
                                wait_for_lock(lock, try_write, limit_at(CLOCK_REALTIME, until)));
}

/* 1: the call has to wait. Then `errno` is what it leaves if it succeeds. */
static int try_semaphore(sem_t *sem)
{
    int was = errno;
    if (sem_trywait(sem) == 0)
        return 0;
    if (errno != EAGAIN)
        return -1;
    errno = was;
    return 1;
}

CO4__INSIDE pausable int co4_posix_sem_wait(sem_t *sem)
{
    co4__posix_point();
    int n = try_semaphore(sem);
    return n != 1 ? n : WAITS(co4__sem_wait(sem), wait_for_post(sem, no_limit()));
}

CO4__INSIDE pausable int co4_posix_sem_timedwait(sem_t *sem, const struct timespec *until)
{
    if (fails_by_time(until))
        return co4__sem_timedwait(sem, until);
    co4__posix_point();
    int n = try_semaphore(sem);
    return n != 1 ? n
                  : WAITS(co4__sem_timedwait(sem, until),
                          wait_for_post(sem, limit_at(CLOCK_REALTIME, until)));
}

/* ---- the same with a clock that the caller chooses, of glibc ---- */

#ifdef CO4__HAS_CLOCK_FORMS

static bool is_clock(clockid_t clock)
{
    return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
}

CO4__INSIDE pausable int co4_posix_pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock,
                                                           const struct timespec *until)
{
    if (is_of_threads(mutex) || !is_clock(clock))
        return co4__pthread_mutex_clocklock(mutex, clock, until);
    int err = pthread_mutex_trylock(mutex);
    return err != EBUSY ? err
                        : WAITS(co4__pthread_mutex_clocklock(mutex, clock, until),
                                lock_mutex(mutex, limit_at(clock, until)));
}

CO4__INSIDE pausable int co4_posix_pthread_cond_clockwait(pthread_cond_t *cond,
                                                          pthread_mutex_t *mutex, clockid_t clock,
                                                          const struct timespec *until)
{
    if (is_of_threads(mutex) || !is_clock(clock))
        return co4__pthread_cond_clockwait(cond, mutex, clock, until);
    return WAITS(co4__pthread_cond_clockwait(cond, mutex, clock, until),
                 wait_for_signal(cond, mutex, limit_at(clock, until)));
}

CO4__INSIDE pausable int co4_posix_pthread_rwlock_clockrdlock(pthread_rwlock_t *lock,
                                                              clockid_t clock,
                                                              const struct timespec *until)
{
    if (!is_clock(clock) || fails_by_time(until))
        return co4__pthread_rwlock_clockrdlock(lock, clock, until);
    int err = pthread_rwlock_tryrdlock(lock);
    return err != EBUSY ? err
                        : WAITS(co4__pthread_rwlock_clockrdlock(lock, clock, until),
                                wait_for_lock(lock, try_read, limit_at(clock, until)));
}

CO4__INSIDE pausable int co4_posix_pthread_rwlock_clockwrlock(pthread_rwlock_t *lock,
                                                              clockid_t clock,
                                                              const struct timespec *until)
{
    if (!is_clock(clock) || fails_by_time(until))
        return co4__pthread_rwlock_clockwrlock(lock, clock, until);
    int err = pthread_rwlock_trywrlock(lock);
    return err != EBUSY ? err
                        : WAITS(co4__pthread_rwlock_clockwrlock(lock, clock, until),
                                wait_for_lock(lock, try_write, limit_at(clock, until)));
}

CO4__INSIDE pausable int co4_posix_sem_clockwait(sem_t *sem, clockid_t clock,
                                                 const struct timespec *until)
{
    if (!is_clock(clock) || fails_by_time(until))
        return co4__sem_clockwait(sem, clock, until);
    co4__posix_point();
    int n = try_semaphore(sem);
    return n != 1 ? n
                  : WAITS(co4__sem_clockwait(sem, clock, until),
                          wait_for_post(sem, limit_at(clock, until)));
}

#endif

/* ---- barriers ---- */

CO4__INSIDE pausable int co4_posix_pthread_barrier_wait(pthread_barrier_t *barrier)
{
    struct co4__barrier *b = co4__barrier_of(barrier);
    unsigned long round;
    if (!b)
        return pthread_barrier_wait(barrier);
#ifdef CO4_PLAIN
    bool pauses = false;
#else
    bool pauses = can_pause(); /* and may yield: not with the guard, for which others block */
#endif
    bool last = co4__barrier_enter(b, &round);
    int shielded = co4_shield_begin(); /* it is no cancellation point */
    while (!last && b->round == round)
        if (pauses)
            WAITS_SURELY(wait_for_signal(&b->full, &b->guard, no_limit()));
        else
            co4__pthread_cond_wait(&b->full, &b->guard);
    if (shielded == CO4_OK)
        co4_shield_end();
    co4__barrier_leave(b);
    return last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

/* ---- threads ---- */

/* Nothing says when a thread ends, so the task looks from time to time. */
#ifndef CO4_PLAIN
static pausable int look_for_end(pthread_t thread, void **result, struct limit limit)
{
    int was = errno;
    int64_t begun = co4_now();
    for (;;) {
        errno = was;
        int err = pthread_tryjoin_np(thread, result);
        if (err != EBUSY)
            return err;
        int64_t ns = limit.until && !co4__is_timespec(limit.until) ? -1 : 0;
        if (ns == 0)
            ns = co4__next_slice(co4_now() - begun, 50 * CO4_MS);
        int64_t left = ns > 0 && limit.until ? co4__until_clock(limit.clock, limit.until) : ns;
        if (left <= 0)
            return left < 0 ? EINVAL : ETIMEDOUT;
        co4__kills_open();
        err = co4_sleep(left < ns ? left : ns);
        if (!co4__kills_close() && err == CO4_ECANCELED)
            return ECANCELED;
    }
}
#endif

#ifndef CO4_PLAIN
pausable int (*co4__join_made)(struct co4__posix_thread *thread, void **result);
#endif

CO4__INSIDE pausable int co4_posix_pthread_join(pthread_t thread, void **result)
{
    co4__posix_point();
    if (pthread_equal(thread, pthread_self()))
        return EDEADLK;
#ifndef CO4_PLAIN
    struct co4__posix_thread *made = co4__posix_thread_of(thread);
    if (made && can_pause())
        return co4__join_made(made, result);
#endif
    int err = pthread_tryjoin_np(thread, result);
    return err != EBUSY
               ? err
               : WAITS(co4__pthread_join(thread, result), look_for_end(thread, result, no_limit()));
}

CO4__INSIDE pausable int co4_posix_pthread_timedjoin_np(pthread_t thread, void **result,
                                                        const struct timespec *until)
{
    co4__posix_point();
    if (pthread_equal(thread, pthread_self()))
        return EDEADLK;
    int err = pthread_tryjoin_np(thread, result);
    return err != EBUSY ? err
                        : WAITS(co4__pthread_timedjoin_np(thread, result, until),
                                look_for_end(thread, result, limit_at(CLOCK_REALTIME, until)));
}
