/* blocks.h - calls that block the thread, by intent: where no task can pause, or with WNOHANG and
 * the like. By these names co4weave does not warn of them. A handler of signals may leave them at
 * once (base/inside.h). */
#ifndef CO4_POSIX_BLOCKS_H
#define CO4_POSIX_BLOCKS_H

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <time.h>

#include "base/inside.h"
#include "posix/processes.h"

static inline int co4__sched_yield(void)
{
    return sched_yield();
}

static inline int co4__sigtimedwait(const sigset_t *set, siginfo_t *info,
                                    const struct timespec *limit)
{
    const char *call = co4__call_leave();
    int n = limit ? sigtimedwait(set, info, limit) : sigwaitinfo(set, info);
    co4__call_again(call);
    if (n > 0)
        co4__posix_sender(info);
    return n;
}

static inline int co4__pthread_mutex_lock(pthread_mutex_t *mutex)
{
    const char *call = co4__call_leave();
    int n = pthread_mutex_lock(mutex);
    co4__call_again(call);
    return n;
}

static inline int co4__pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until)
{
    const char *call = co4__call_leave();
    int n = pthread_mutex_timedlock(mutex, until);
    co4__call_again(call);
    return n;
}

static inline int co4__pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
    const char *call = co4__call_leave();
    int n = pthread_rwlock_rdlock(lock);
    co4__call_again(call);
    return n;
}

static inline int co4__pthread_rwlock_timedrdlock(pthread_rwlock_t *lock,
                                                  const struct timespec *until)
{
    const char *call = co4__call_leave();
    int n = pthread_rwlock_timedrdlock(lock, until);
    co4__call_again(call);
    return n;
}

static inline int co4__pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
    const char *call = co4__call_leave();
    int n = pthread_rwlock_wrlock(lock);
    co4__call_again(call);
    return n;
}

static inline int co4__pthread_rwlock_timedwrlock(pthread_rwlock_t *lock,
                                                  const struct timespec *until)
{
    const char *call = co4__call_leave();
    int n = pthread_rwlock_timedwrlock(lock, until);
    co4__call_again(call);
    return n;
}

#ifdef __GLIBC_PREREQ
#if __GLIBC_PREREQ(2, 30)
#define CO4__HAS_CLOCK_FORMS
#endif
#endif
#ifdef CO4__HAS_CLOCK_FORMS
static inline int co4__pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock,
                                               const struct timespec *until)
{
    const char *call = co4__call_leave();
    int n = pthread_mutex_clocklock(mutex, clock, until);
    co4__call_again(call);
    return n;
}

static inline int co4__pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock,
                                                  const struct timespec *until)
{
    const char *call = co4__call_leave();
    int n = pthread_rwlock_clockrdlock(lock, clock, until);
    co4__call_again(call);
    return n;
}

static inline int co4__pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock,
                                                  const struct timespec *until)
{
    const char *call = co4__call_leave();
    int n = pthread_rwlock_clockwrlock(lock, clock, until);
    co4__call_again(call);
    return n;
}

static inline int co4__pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
                                              clockid_t clock, const struct timespec *until)
{
    const char *call = co4__call_leave();
    int n = pthread_cond_clockwait(cond, mutex, clock, until);
    co4__call_again(call);
    return n;
}

static inline int co4__sem_clockwait(sem_t *sem, clockid_t clock, const struct timespec *until)
{
    const char *call = co4__call_leave();
    int n = sem_clockwait(sem, clock, until);
    co4__call_again(call);
    return n;
}
#endif

static inline int co4__pthread_timedjoin_np(pthread_t thread, void **result,
                                            const struct timespec *until)
{
    const char *call = co4__call_leave();
    int n = pthread_timedjoin_np(thread, result, until);
    co4__call_again(call);
    return n;
}

static inline int co4__vfscanf(FILE *stream, const char *format, va_list more)
{
    const char *call = co4__call_leave();
    int n = vfscanf(stream, format, more);
    co4__call_again(call);
    return n;
}

static inline int co4__fflush_all(void)
{
    const char *call = co4__call_leave();
    int n = fflush(NULL);
    co4__call_again(call);
    return n;
}

static inline int co4__pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
    const char *call = co4__call_leave();
    int n = pthread_cond_wait(cond, mutex);
    co4__call_again(call);
    return n;
}

static inline int co4__pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
                                              const struct timespec *until)
{
    const char *call = co4__call_leave();
    int n = pthread_cond_timedwait(cond, mutex, until);
    co4__call_again(call);
    return n;
}

static inline int co4__sem_wait(sem_t *sem)
{
    const char *call = co4__call_leave();
    int n = sem_wait(sem);
    co4__call_again(call);
    return n;
}

static inline int co4__sem_timedwait(sem_t *sem, const struct timespec *until)
{
    const char *call = co4__call_leave();
    int n = sem_timedwait(sem, until);
    co4__call_again(call);
    return n;
}

/* What the function calls is no call of this library. */
static inline int co4__pthread_once(pthread_once_t *once, void (*function)(void))
{
    return pthread_once(once, function);
}

static inline int co4__pthread_join(pthread_t thread, void **result)
{
    const char *call = co4__call_leave();
    int n = pthread_join(thread, result);
    co4__call_again(call);
    return n;
}

static inline int co4__pselect(int count, fd_set *to_read, fd_set *to_write, fd_set *except,
                               const struct timespec *timeout, const sigset_t *blocked)
{
    const char *call = co4__call_leave();
    int n = pselect(count, to_read, to_write, except, timeout, blocked);
    co4__call_again(call);
    return n;
}

static inline int co4__ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
                             const sigset_t *blocked)
{
    const char *call = co4__call_leave();
    int n = ppoll(fds, count, timeout, blocked);
    co4__call_again(call);
    return n;
}

static inline int co4__epoll_pwait(int fd, struct epoll_event *events, int most, int timeout,
                                   const sigset_t *blocked)
{
    const char *call = co4__call_leave();
    int n = epoll_pwait(fd, events, most, timeout, blocked);
    co4__call_again(call);
    return n;
}

static inline int co4__clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
                                       struct timespec *rest)
{
    const char *call = co4__call_leave();
    int n = clock_nanosleep(clock, flags, time, rest);
    co4__call_again(call);
    return n;
}

static inline pid_t co4__wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
    const char *call = co4__call_leave();
    pid_t n = wait4(pid, status, options, usage);
    co4__call_again(call);
    return n;
}

static inline int co4__waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
    const char *call = co4__call_leave();
    int n = waitid(type, id, info, options);
    co4__call_again(call);
    return n;
}

#endif
