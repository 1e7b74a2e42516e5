/* pthread.c - the state and the sleep of threads, by POSIX. Only this file and pthread_start.c use
 * POSIX threads; none.c is the counterpart of both without threads.
 *
 * Per-thread state is one small thread-local struct. A shared library can have it in the static
 * block (initial-exec) and reach it without a call. Each runtime function reads its address anew.
 * Woven code never keeps it, so a task may resume on another thread.
 *
 * A parker is a mutex, a condition and a flag. The flag keeps a wake that comes before the sleep.
 * The waker sets it and signals under the mutex, since the sleeper may destroy the parker as soon
 * as it has the mutex again. */
#define _POSIX_C_SOURCE 200809L
#ifdef __APPLE__
#define _DARWIN_C_SOURCE
#endif
#ifdef __linux__
#define _GNU_SOURCE /* syscall, pthread_getattr_np */
#endif
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "base/public.h"
#include "platform/deadlock.h"
#include "platform/lock.h"
#include "platform/thread.h"

#ifdef __linux__
#include <sys/syscall.h>
#include <unistd.h>
#endif

#ifdef __linux__
#define CAN_LOOK true
#else
#define CAN_LOOK false
#endif

const bool co4__has_threads = true;

/* ---- per-thread state ---- */

_Thread_local struct co4__local co4__here;

static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool key_made; /* written under key_once */

static CO4__COLD void at_exit(void *set)
{
    (void)set;
    for (size_t i = 0; i < co4__nthread_exits; i++)
        if (co4__thread_exits[i])
            co4__thread_exits[i]();
}

static CO4__COLD void make_key(void)
{
    key_made = pthread_key_create(&key, at_exit) == 0;
}

bool co4__thread_at_exit(void)
{
    pthread_once(&key_once, make_key);
    return key_made && pthread_setspecific(key, &co4__here) == 0;
}

/* ---- the stack ---- */

/* Queried once per thread, and only when a longjmp seems to have skipped a run. */
static CO4__COLD bool know_stack(struct co4__local *here)
{
    if (here->stack.end)
        return true;
#if defined(__APPLE__)
    here->stack.end = pthread_get_stackaddr_np(pthread_self());
    here->stack.begin = here->stack.end - pthread_get_stacksize_np(pthread_self());
#elif defined(__linux__)
    pthread_attr_t attr;
    void *stack;
    size_t bytes;
    if (pthread_getattr_np(pthread_self(), &attr) != 0)
        return false;
    if (pthread_attr_getstack(&attr, &stack, &bytes) == 0) {
        here->stack.begin = stack;
        here->stack.end = here->stack.begin + bytes;
    }
    pthread_attr_destroy(&attr);
#endif
    return here->stack.end != NULL;
}

size_t co4__stack_left(void)
{
    const struct co4__local *here = co4__local();
    uintptr_t at = (uintptr_t)__builtin_frame_address(0);
    return know_stack(co4__local()) && at >= (uintptr_t)here->stack.begin &&
                   at <= (uintptr_t)here->stack.end
               ? at - (uintptr_t)here->stack.begin
               : SIZE_MAX;
}

bool co4__on_this_stack(const void *p)
{
    struct co4__local *here = co4__local();
    return know_stack(here) && (uintptr_t)p >= (uintptr_t)here->stack.begin &&
           (uintptr_t)p <= (uintptr_t)here->stack.end;
}

/* ---- clock ---- */

int64_t co4__clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * CO4_SEC + t.tv_nsec;
}

static struct timespec timespec_of(int64_t ns)
{
    /* The largest value of a time_t of 32 bits. A thread that waits longer checks its deadline
     * again. */
    const int64_t most = INT32_MAX * CO4_SEC;
    if (ns < 0)
        ns = 0;
    if (ns > most)
        ns = most;
    struct timespec t = { .tv_sec = (time_t)(ns / CO4_SEC), .tv_nsec = (long)(ns % CO4_SEC) };
    return t;
}

void co4__sleep_thread(int64_t deadline)
{
    for (int64_t now; (now = co4__clock()) < deadline;) {
        struct timespec t = timespec_of(deadline - now);
        nanosleep(&t, NULL);
    }
}

/* ---- parkers ---- */

struct parker {
    pthread_mutex_t mutex; /* guards the fields after `cond` */
    pthread_cond_t cond;
    bool set, interrupted;
    bool asleep; /* deadlock.c counts it; the thread that clears this flag ends that */
};
_Static_assert(sizeof(struct parker) <= sizeof(struct co4__parker), "a parker fits its space");

static struct parker *parker_of(struct co4__parker *p)
{
    return (struct parker *)(void *)p;
}

static CO4__COLD int cond_init(pthread_cond_t *cond)
{
#ifdef __APPLE__
    return pthread_cond_init(cond, NULL);
#else
    pthread_condattr_t attr;
    if (pthread_condattr_init(&attr) != 0)
        return -1;
    int err = pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    if (err == 0)
        err = pthread_cond_init(cond, &attr);
    pthread_condattr_destroy(&attr);
    return err;
#endif
}

int co4__parker_init(struct co4__parker *opaque)
{
    struct parker *p = parker_of(opaque);
    p->set = p->interrupted = p->asleep = false;
    if (pthread_mutex_init(&p->mutex, NULL) != 0)
        return CO4_EAGAIN;
    if (cond_init(&p->cond) != 0) {
        pthread_mutex_destroy(&p->mutex);
        return CO4_EAGAIN;
    }
    return CO4_OK;
}

void co4__parker_fini(struct co4__parker *opaque)
{
    struct parker *p = parker_of(opaque);
    pthread_mutex_lock(&p->mutex); /* a waker may not have unlocked it yet */
    pthread_mutex_unlock(&p->mutex);
    pthread_cond_destroy(&p->cond);
    pthread_mutex_destroy(&p->mutex);
}

/* Sleeps until a signal, or until the deadline; then the result is not 0. */
static int parker_sleep_until(struct parker *p, int64_t deadline)
{
    if (deadline == CO4_NEVER)
        return pthread_cond_wait(&p->cond, &p->mutex);
#ifdef __APPLE__
    struct timespec t = timespec_of(deadline - co4__clock());
    return pthread_cond_timedwait_relative_np(&p->cond, &p->mutex, &t);
#else
    struct timespec t = timespec_of(deadline);
    return pthread_cond_timedwait(&p->cond, &p->mutex, &t);
#endif
}

static void is_awake(struct parker *p)
{
    if (p->asleep)
        co4__sleep_ends();
    p->asleep = false;
}

/* The caller holds the mutex. This function releases it. */
static int awake(struct parker *p)
{
    bool set = p->set;
    is_awake(p);
    p->set = p->interrupted = false;
    pthread_mutex_unlock(&p->mutex);
    return set ? CO4_OK : CO4_ETIMEDOUT;
}

static int wait_until(struct parker *p, int64_t deadline, bool for_good)
{
    int err = 0;
    pthread_mutex_lock(&p->mutex);
    if (for_good && !p->set && !p->interrupted) {
        p->asleep = true;
        co4__sleep_begins();
    }
    while (!p->set && !p->interrupted && err == 0)
        err = parker_sleep_until(p, deadline);
    return awake(p);
}

int co4__parker_wait(struct co4__parker *opaque, int64_t deadline)
{
    return wait_until(parker_of(opaque), deadline, deadline == CO4_NEVER);
}

int co4__parker_idle(struct co4__parker *opaque, int64_t deadline)
{
    return wait_until(parker_of(opaque), deadline, true);
}

int co4__parker_look(struct co4__parker *opaque, int64_t deadline)
{
    struct parker *p = parker_of(opaque);
    if (deadline != CO4_NEVER || !CAN_LOOK)
        return wait_until(p, deadline, deadline == CO4_NEVER);
    pthread_mutex_lock(&p->mutex);
    int64_t next = co4__first_look, now = co4__clock();
    if (!p->set && !p->interrupted) {
        p->asleep = true;
        co4__sleep_begins();
    }
    while (!p->set && !p->interrupted) {
        if (parker_sleep_until(p, now + next) == 0 || p->set || p->interrupted)
            continue;
        if (co4__deadlocked()) {
            p->asleep = false;
            pthread_mutex_unlock(&p->mutex);
            return CO4_EDEADLK;
        }
        next = next < CO4_NEVER / 4 ? 2 * next : next;
        now = co4__clock();
    }
    return awake(p);
}

void co4__parker_wake(struct co4__parker *opaque)
{
    struct parker *p = parker_of(opaque);
    pthread_mutex_lock(&p->mutex);
    is_awake(p);
    p->set = true;
    pthread_cond_signal(&p->cond);
    pthread_mutex_unlock(&p->mutex);
}

void co4__parker_interrupt(struct co4__parker *opaque)
{
    struct parker *p = parker_of(opaque);
    pthread_mutex_lock(&p->mutex);
    is_awake(p);
    p->interrupted = true;
    pthread_cond_signal(&p->cond);
    pthread_mutex_unlock(&p->mutex);
}

/* ---- threads ---- */

void co4__thread_yield(void)
{
    sched_yield();
}

void co4__back_off(unsigned tries)
{
    if (tries >= 256) {
        struct timespec t = { .tv_nsec = tries < 1024 ? 20000 : 1000000 };
        nanosleep(&t, NULL);
    } else if (tries >= 32) {
        sched_yield();
    }
}

/* ---- a fence for all ---- */

#ifdef SYS_membarrier

/* Constants of the kernel header for membarrier(2), which older systems do not have. */
enum { PRIVATE_EXPEDITED = 1 << 3, REGISTER_PRIVATE_EXPEDITED = 1 << 4 };

bool co4__fence_all_init(void)
{
    return syscall(SYS_membarrier, REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

bool co4__fence_all(void)
{
    return syscall(SYS_membarrier, PRIVATE_EXPEDITED, 0, 0) == 0;
}

#else

bool co4__fence_all_init(void)
{
    return false;
}

bool co4__fence_all(void)
{
    return false;
}

#endif
