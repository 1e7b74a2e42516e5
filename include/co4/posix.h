/* co4/posix.h - the blocking calls of POSIX, as programs without marks make them.
 *
 * In programs that are woven as a whole (co4weave --auto) they replace the calls of POSIX, as
 * share/co4/posix.roots says. Each behaves as the call whose name it has, but that it pauses the
 * task where that would block the thread:
 *
 * - A descriptor with O_NONBLOCK never waits: EAGAIN, or EINPROGRESS.
 * - SO_RCVTIMEO and SO_SNDTIMEO limit a wait.
 * - The mode of the descriptor stays as it is.
 *
 * Programs that have marks call co4/io.h instead. */
#ifndef CO4_POSIX_H
#define CO4_POSIX_H

#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "mark.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of <netdb.h>. */
struct addrinfo;

/* Unless a function says otherwise:
 *
 * Returns: what the call of POSIX returns. -1 and `errno`: as POSIX says, and ECANCELED when the
 *     task is cancelled.
 * Pauses: where the call of POSIX blocks.
 * Blocks: never.
 * Cancellation: ECANCELED; nothing has been read or written, or the number of bytes is returned.
 * Thread safety: any task.
 * Ownership: buffers stay the caller's, and where they are, until the call returns.
 * Since: 0.2. */

/* Bytes, connections, and waits for several descriptors. */
pausable ssize_t co4_posix_read(int fd, void *to, size_t bytes);
pausable ssize_t co4_posix_readv(int fd, const struct iovec *to, int count);
pausable ssize_t co4_posix_recv(int fd, void *to, size_t bytes, int flags);
pausable ssize_t co4_posix_recvfrom(int fd, void *to, size_t bytes, int flags,
                                    struct sockaddr *address, socklen_t *length);
pausable ssize_t co4_posix_recvmsg(int fd, struct msghdr *message, int flags);
pausable ssize_t co4_posix_write(int fd, const void *from, size_t bytes);
pausable ssize_t co4_posix_writev(int fd, const struct iovec *from, int count);
pausable ssize_t co4_posix_send(int fd, const void *from, size_t bytes, int flags);
pausable ssize_t co4_posix_sendto(int fd, const void *from, size_t bytes, int flags,
                                  const struct sockaddr *address, socklen_t length);
pausable ssize_t co4_posix_sendmsg(int fd, const struct msghdr *message, int flags);
pausable int co4_posix_accept(int fd, struct sockaddr *address, socklen_t *length);
pausable int co4_posix_accept4(int fd, struct sockaddr *address, socklen_t *length, int flags);
pausable int co4_posix_connect(int fd, const struct sockaddr *address, socklen_t length);
pausable int co4_posix_poll(struct pollfd *fds, nfds_t count, int timeout);
pausable int co4_posix_select(int count, fd_set *to_read, fd_set *to_write, fd_set *except,
                              struct timeval *timeout);
pausable int co4_posix_epoll_wait(int fd, struct epoll_event *events, int most, int timeout);
/* A mask of signals that is not NULL: the call blocks its thread, for signals belong to threads. */
pausable int co4_posix_ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
                             const sigset_t *blocked);
pausable int co4_posix_pselect(int count, fd_set *to_read, fd_set *to_write, fd_set *except,
                               const struct timespec *timeout, const sigset_t *blocked);
pausable int co4_posix_epoll_pwait(int fd, struct epoll_event *events, int most, int timeout,
                                   const sigset_t *blocked);

/* A thread of the pool asks. h_errno is the caller's until it pauses again. */
pausable struct hostent *co4_posix_gethostbyname(const char *name);
pausable struct hostent *co4_posix_gethostbyname2(const char *name, int family);
pausable struct hostent *co4_posix_gethostbyaddr(const void *address, socklen_t length, int family);
pausable int co4_posix_gethostbyname_r(const char *name, struct hostent *place, char *room,
                                       size_t bytes, struct hostent **found, int *why);
pausable int co4_posix_gethostbyname2_r(const char *name, int family, struct hostent *place,
                                        char *room, size_t bytes, struct hostent **found, int *why);
pausable int co4_posix_gethostbyaddr_r(const void *address, socklen_t length, int family,
                                       struct hostent *place, char *room, size_t bytes,
                                       struct hostent **found, int *why);
pausable int co4_posix_getnameinfo(const struct sockaddr *address, socklen_t length, char *host,
                                   socklen_t host_bytes, char *service, socklen_t service_bytes,
                                   int flags);

/* Returns a code of getaddrinfo(): EAI_SYSTEM with `errno` ECANCELED when the task is cancelled. */
pausable int co4_posix_getaddrinfo(const char *host, const char *service,
                                   const struct addrinfo *hints, struct addrinfo **result);

/* What several of these do. A message of which only a part is sent is not sent again. */
pausable ssize_t co4_posix_sendfile(int out, int in, off_t *offset, size_t bytes);
#ifdef _GNU_SOURCE
pausable int co4_posix_recvmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags,
                                struct timespec *limit);
pausable int co4_posix_sendmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags);
#endif
pausable int co4_posix_vdprintf(int fd, const char *format, va_list more);
pausable int co4_posix_dprintf(int fd, const char *format, ...);
pausable int co4_posix_eventfd_read(int fd, uint64_t *value);
pausable int co4_posix_eventfd_write(int fd, uint64_t value);

/* Signals that all threads have blocked: up to 20 ms later. */
pausable int co4_posix_sigwait(const sigset_t *set, int *signo);
pausable int co4_posix_sigwaitinfo(const sigset_t *set, siginfo_t *info);
pausable int co4_posix_sigtimedwait(const sigset_t *set, siginfo_t *info,
                                    const struct timespec *limit);

/* Times. Clocks of processors block the thread. */
pausable unsigned co4_posix_sleep(unsigned seconds);
pausable int co4_posix_usleep(useconds_t us);
pausable int co4_posix_nanosleep(const struct timespec *time, struct timespec *rest);
/* Returns 0 or an error number, as it does in POSIX. */
pausable int co4_posix_clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
                                       struct timespec *rest);

/* Child processes. A wait for one child ends with it; one for any child, or for a child that stops
 * or goes on, is up to an eighth longer, at most 50 ms. */
pausable pid_t co4_posix_wait(int *status);
pausable pid_t co4_posix_waitpid(pid_t pid, int *status, int options);
pausable int co4_posix_waitid(idtype_t type, id_t id, siginfo_t *info, int options);
pausable pid_t co4_posix_wait3(int *status, int options, struct rusage *usage);
pausable pid_t co4_posix_wait4(pid_t pid, int *status, int options, struct rusage *usage);
pausable int co4_posix_system(const char *command);

/* With --auto=test alone: SYS_futex waits for a wake by SYS_futex, others are the system's or are
 * simulated. */
pausable long co4_posix_syscall(long number, ...);

/* Locks of files: they are tried again and again, likewise. So there is no order among waiters, and
 * no EDEADLK. Of fcntl() only F_SETLKW and F_OFD_SETLKW wait. */
pausable int co4_posix_flock(int fd, int operation);
pausable int co4_posix_fcntl(int fd, int command, ...);
pausable int co4_posix_lockf(int fd, int command, off_t length);

/* Made by a thread of the pool (blocking.h): a cancellation waits for its end. */
pausable int co4_posix_fsync(int fd);
pausable int co4_posix_fdatasync(int fd);

/* Cancellation points that block as the calls of POSIX do: with --auto=threads, in programs that
 * call pthread_cancel(). */
pausable int co4_posix_open(const char *path, int flags, ...);
pausable int co4_posix_openat(int folder, const char *path, int flags, ...);
pausable int co4_posix_creat(const char *path, mode_t mode);
pausable int co4_posix_close(int fd);
pausable ssize_t co4_posix_pread(int fd, void *to, size_t bytes, off_t at);
pausable ssize_t co4_posix_pwrite(int fd, const void *from, size_t bytes, off_t at);
pausable ssize_t co4_posix_preadv(int fd, const struct iovec *to, int count, off_t at);
pausable ssize_t co4_posix_pwritev(int fd, const struct iovec *from, int count, off_t at);
pausable int co4_posix_msync(void *begin, size_t bytes, int flags);
pausable int co4_posix_tcdrain(int fd);

/* Locks of the C library, between tasks and threads. A task that holds a lock is its owner, also
 * when it goes on at another thread. Mutexes that are robust or have a protocol for priorities are
 * the thread's: these calls block, and a task that has gone on at another thread gets EPERM from
 * the unlock. So do recursive and error-checking mutexes where the C library is not glibc.
 *
 * A release by a shared library or another process is noticed later: up to an eighth of the time of
 * the wait, at most a second. A wait for a condition may end without a signal, as POSIX allows.
 *
 * Returns: 0 or an error number. sem_: 0; -1 with `errno`.
 * Cancellation: none, for programs do not look at these results; sem_: ECANCELED.
 * Ownership: the objects stay where they are until the call returns. */
pausable int co4_posix_pthread_mutex_lock(pthread_mutex_t *mutex);
pausable int co4_posix_pthread_mutex_timedlock(pthread_mutex_t *mutex,
                                               const struct timespec *until);
pausable int co4_posix_pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock,
                                               const struct timespec *until);
pausable int co4_posix_pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex);
pausable int co4_posix_pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
                                              const struct timespec *until);
pausable int co4_posix_pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
                                              clockid_t clock, const struct timespec *until);
pausable int co4_posix_pthread_rwlock_rdlock(pthread_rwlock_t *lock);
pausable int co4_posix_pthread_rwlock_timedrdlock(pthread_rwlock_t *lock,
                                                  const struct timespec *until);
pausable int co4_posix_pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock,
                                                  const struct timespec *until);
pausable int co4_posix_pthread_rwlock_wrlock(pthread_rwlock_t *lock);
pausable int co4_posix_pthread_rwlock_timedwrlock(pthread_rwlock_t *lock,
                                                  const struct timespec *until);
pausable int co4_posix_pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock,
                                                  const struct timespec *until);
pausable int co4_posix_sem_wait(sem_t *sem);
pausable int co4_posix_sem_timedwait(sem_t *sem, const struct timespec *until);
pausable int co4_posix_sem_clockwait(sem_t *sem, clockid_t clock, const struct timespec *until);

/* As they do in POSIX and C11, but other tasks go on meanwhile. */
pausable int co4_posix_pthread_spin_lock(pthread_spinlock_t *lock);
pausable int co4_posix_sched_yield(void);

/* As they do in POSIX and C11: `function` may pause, also one without a mark in a program of
 * --auto. If it is given up, another call runs it. */
pausable int co4_posix_pthread_once(pthread_once_t *once, void (*function)(void));
pausable void co4_posix_call_once(once_flag *once, void (*function)(void));

/* Waits for a thread, up to an eighth longer than it runs, at most 50 ms.
 *
 * Returns: 0 or an error number. */
pausable int co4_posix_pthread_barrier_wait(pthread_barrier_t *barrier);
pausable int co4_posix_pthread_join(pthread_t thread, void **result);
pausable int co4_posix_pthread_timedjoin_np(pthread_t thread, void **result,
                                            const struct timespec *until);

/* The same of C11: the locks above, with C11's codes. */
pausable void co4_posix_thrd_yield(void);
pausable int co4_posix_thrd_sleep(const struct timespec *time, struct timespec *rest);
pausable int co4_posix_thrd_join(thrd_t thread, int *result);
pausable void co4_posix_thrd_exit(int code); /* with --auto=threads, as is the next */
pausable void co4_posix_pthread_exit(void *value);
pausable void co4_posix_pthread_testcancel(void);
pausable int co4_posix_pthread_setcancelstate(int state, int *before);
pausable int co4_posix_pthread_setcanceltype(int type, int *before);
pausable int co4_posix_mtx_lock(mtx_t *mutex);
pausable int co4_posix_mtx_timedlock(mtx_t *mutex, const struct timespec *until);
pausable int co4_posix_cnd_wait(cnd_t *cond, mtx_t *mutex);
pausable int co4_posix_cnd_timedwait(cnd_t *cond, mtx_t *mutex, const struct timespec *until);

#ifdef __cplusplus
}
#endif

#endif
