/* blocks.h - calls that block the thread, by intent: where no task can pause, or with WNOHANG and
 * the like. By these names co4weave does not warn of them. */
#ifndef CO4_POSIX_BLOCKS_H
#define CO4_POSIX_BLOCKS_H

#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <time.h>

static inline int co4__pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
    return pthread_cond_wait(cond, mutex);
}

static inline int co4__pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
                                              const struct timespec *until)
{
    return pthread_cond_timedwait(cond, mutex, until);
}

static inline int co4__sem_wait(sem_t *sem)
{
    return sem_wait(sem);
}

static inline int co4__sem_timedwait(sem_t *sem, const struct timespec *until)
{
    return sem_timedwait(sem, until);
}

static inline int co4__pthread_join(pthread_t thread, void **result)
{
    return pthread_join(thread, result);
}

static inline int co4__pselect(int count, fd_set *to_read, fd_set *to_write, fd_set *except,
                               const struct timespec *timeout, const sigset_t *blocked)
{
    return pselect(count, to_read, to_write, except, timeout, blocked);
}

static inline int co4__ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
                             const sigset_t *blocked)
{
    return ppoll(fds, count, timeout, blocked);
}

static inline int co4__epoll_pwait(int fd, struct epoll_event *events, int most, int timeout,
                                   const sigset_t *blocked)
{
    return epoll_pwait(fd, events, most, timeout, blocked);
}

static inline int co4__clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
                                       struct timespec *rest)
{
    return clock_nanosleep(clock, flags, time, rest);
}

static inline pid_t co4__wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
    return wait4(pid, status, options, usage);
}

static inline int co4__waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
    return waitid(type, id, info, options);
}

#endif
