/* waits.c - waits of POSIX that move no bytes: select() and the like, times, child processes, locks
 * of files, and calls that a thread of the pool makes. Pausable C, and once more plain.
 *
 * The end of one child is a descriptor. Nothing says that any child has ended, or that a lock of a
 * file is free. There the task looks from time to time: after an eighth of the time that it has
 * waited, at least 1 ms, at most 50 ms.
 *
 * Rejected: a thread of the pool that waits for each of these. A cancellation would not end the
 * wait, and waits for each other may need more threads than the pool has. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/inside.h"
#include "io/attempt.h"
#include "io/socket.h"
#include "platform/real.h"
#include "platform/thread.h"
#include "posix/blocks.h"
#include "posix/deadline.h"
#include "posix/interrupts.h"
#include "posix/kills.h"
#include "posix/parked.h"
#include "posix/point.h"
#include "posix/woven/masked.h"
#include "sync/begin.h"
#include "sync/source.h"

#include "co4/io.h"
#include "co4/posix.h"
#include "co4/task.h"
#include "co4/time.h"

#define SECOND (1000 * CO4_MS)
/* Between two looks at what does not say when it changes. */
#define MOST (50 * CO4_MS)

static int kept(int n, int was)
{
    if (n >= 0)
        errno = was;
    return n;
}

/* ---- select ---- */

/* Until *deadline; a handler of signals after `mark` may end it. */
static pausable int poll_until(struct pollfd *fds, nfds_t count, int64_t deadline, int mark)
{
    if (mark >= 0)
        return co4__interrupts_poll(fds, count, deadline, mark);
    return co4_poll_until(fds, count, deadline);
}

enum { BITS = 8 * sizeof(unsigned long) };

/* The sets may have more bits than fd_set, which FD_ISSET() may refuse. */
static bool is_in(const fd_set *set, int fd)
{
    return set && ((const unsigned long *)(const void *)set)[fd / BITS] >> fd % BITS & 1;
}

/* Linux looks at no more bits than the table of the process's descriptors has: select() with
 * getdtablesize() and an fd_set is usual. */
static int looked_at(int count)
{
    char line[100];
    int table = FD_SETSIZE;
    FILE *status = count > FD_SETSIZE ? CO4__SYSTEM(fopen)("/proc/self/status", "re") : NULL;
    while (status && fgets(line, sizeof line, status))
        if (sscanf(line, "FDSize: %d", &table) == 1)
            break;
    if (status)
        fclose(status);
    return count < table ? count : table;
}

/* Makes a poll of the sets. Returns the number of descriptors. */
static nfds_t sets_to_poll(int count, const fd_set *to_read, const fd_set *to_write,
                           const fd_set *except, struct pollfd *fds)
{
    nfds_t n = 0;
    for (int fd = 0; fd < count; fd++) {
        short events = (short)((is_in(to_read, fd) ? POLLIN : 0) |
                               (is_in(to_write, fd) ? POLLOUT : 0) |
                               (is_in(except, fd) ? POLLPRI : 0));
        if (events)
            fds[n++] = (struct pollfd){ fd, events, 0 };
    }
    return n;
}

/* Returns the events that select() counts, of those that were asked for. */
static short found_of(const struct pollfd *f)
{
    short got = f->revents;
    if (got & (POLLHUP | POLLERR))
        got |= POLLIN;
    if (got & POLLERR)
        got |= POLLOUT;
    return got & f->events;
}

static int keep(fd_set *set, int fd, bool holds)
{
    if (!is_in(set, fd))
        return 0;
    if (!holds)
        ((unsigned long *)(void *)set)[fd / BITS] &= ~(1ul << fd % BITS);
    return holds;
}

/* Leaves in the sets what a poll has found. Returns their number; -1: EBADF. */
static int poll_to_sets(const struct pollfd *fds, nfds_t n, fd_set *to_read, fd_set *to_write,
                        fd_set *except)
{
    int found = 0;
    for (nfds_t i = 0; i < n; i++)
        if (fds[i].revents & POLLNVAL)
            return co4__errno_fails(EBADF);
    for (nfds_t i = 0; i < n; i++) {
        short got = found_of(&fds[i]);
        found += keep(to_read, fds[i].fd, (got & POLLIN) != 0);
        found += keep(to_write, fds[i].fd, (got & POLLOUT) != 0);
        found += keep(except, fds[i].fd, (got & POLLPRI) != 0);
    }
    return found;
}

static bool has_found(const struct pollfd *fds, nfds_t n)
{
    for (nfds_t i = 0; i < n; i++)
        if (found_of(&fds[i]) != 0 || (fds[i].revents & POLLNVAL))
            return true;
    return false;
}

/* A poll ends also when a descriptor has an end or an error, which select() does not report for
 * each set: a peer that has closed is no event for `except`. If the poll has found nothing else,
 * this leaves such descriptors out, by a negative number, and returns true. */
static bool leave_out_odd(struct pollfd *fds, nfds_t n)
{
    if (has_found(fds, n))
        return false;
    for (nfds_t i = 0; i < n; i++)
        if (fds[i].revents != 0)
            fds[i].fd = ~fds[i].fd;
    return true;
}

static pausable int poll_for_sets(struct pollfd *fds, nfds_t n, int64_t deadline)
{
    int mark = co4__interrupts_begin(true), found;
    int64_t again;
    while ((found = poll_until(fds, n, deadline, mark)) > 0 && leave_out_odd(fds, n)) {
        again = co4_now() + MOST;
        found = poll_until(fds, n, deadline < again ? deadline : again, mark);
        for (nfds_t i = 0; i < n; i++)
            if (fds[i].fd < 0)
                fds[i].fd = ~fds[i].fd;
        if (found < 0 || has_found(fds, n) || (found == 0 && deadline < again))
            break;
    }
    return found;
}

/* With a mask of signals, in a simulation: masked.h. `for_sets`: as select() waits. */
static pausable int poll_masked(struct pollfd *fds, nfds_t n, int64_t deadline,
                                const sigset_t *mask, bool for_sets)
{
    int found = for_sets ? poll_for_sets(fds, n, CO4_NOW) : co4__poll_now(fds, n);
    if (found != 0)
        return found;
    __attribute__((cleanup(masked_end))) struct masked m;
    int mark = masked_begin(&m, mask);
    if (co4__interrupts_since(mark))
        return co4__errno_fails(EINTR);
    found = for_sets ? poll_for_sets(fds, n, deadline)
                     : co4__interrupts_poll(fds, n, deadline, mark);
    return masked_result(found, mark);
}

static void free_fds(struct pollfd **fds)
{
    co4__heap_free(*fds);
}

/* Until *deadline. */
static pausable int select_until(int count, fd_set *to_read, fd_set *to_write, fd_set *except,
                                 int64_t deadline, const sigset_t *mask)
{
    int was = errno;
    if (count < 0)
        return co4__errno_fails(EINVAL);
    count = looked_at(count);
    __attribute__((cleanup(free_fds))) struct pollfd *fds = co4__heap_grow(
        NULL, ((size_t)count + 1) * sizeof *fds);
    if (!fds)
        return co4__errno_fails(ENOMEM);
    nfds_t n = sets_to_poll(count, to_read, to_write, except, fds);
    int found = mask ? poll_masked(fds, n, deadline, mask, true) : poll_for_sets(fds, n, deadline);
    if (found >= 0)
        found = poll_to_sets(fds, n, to_read, to_write, except);
    return kept(found, was);
}

CO4__INSIDE pausable int co4_posix_select(int count, fd_set *to_read, fd_set *to_write,
                                          fd_set *except, struct timeval *timeout)
{
    co4__posix_point();
    int64_t deadline = CO4_NEVER;
    if (timeout && (timeout->tv_sec < 0 || timeout->tv_usec < 0))
        return co4__errno_fails(EINVAL);
    if (timeout)
        deadline = co4__after_timeval(timeout);
    int found = select_until(count, to_read, to_write, except, deadline, NULL);
    if (timeout) { /* as Linux does, also after EINTR: programs go on with what is left */
        int64_t left = deadline - co4_now();
        left = left > 0 ? left : 0;
        *timeout = (struct timeval){ left / SECOND, left % SECOND / (CO4_MS / 1000) };
    }
    return found;
}

/* Returns whether it is a time that a call may wait. */
static bool is_duration(const struct timespec *time)
{
    return !time || (time->tv_sec >= 0 && co4__is_timespec(time));
}

static int64_t deadline_after(const struct timespec *time)
{
    return time ? co4__after_timespec(time) : CO4_NEVER;
}

/* Signals belong to threads. So a call that changes which of them are blocked blocks its thread, to
 * which those of the task are sent meanwhile; but for a simulation. */

static int block_in_pselect(int count, fd_set *to_read, fd_set *to_write, fd_set *except,
                            const struct timespec *timeout, const sigset_t *blocked)
{
    bool handed = co4__kills_hand_over(blocked);
    int n = co4__pselect(count, to_read, to_write, except, timeout, blocked);
    co4__kills_take_back(handed, blocked);
    return n;
}

static int block_in_ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
                          const sigset_t *blocked)
{
    bool handed = co4__kills_hand_over(blocked);
    int n = co4__ppoll(fds, count, timeout, blocked);
    co4__kills_take_back(handed, blocked);
    return n;
}

static int block_in_epoll_pwait(int fd, struct epoll_event *events, int most, int timeout,
                                const sigset_t *blocked)
{
    bool handed = co4__kills_hand_over(blocked);
    int n = co4__epoll_pwait(fd, events, most, timeout, blocked);
    co4__kills_take_back(handed, blocked);
    return n;
}

CO4__INSIDE pausable int co4_posix_pselect(int count, fd_set *to_read, fd_set *to_write,
                                           fd_set *except, const struct timespec *timeout,
                                           const sigset_t *blocked)
{
    co4__posix_point();
    if (blocked && !masked_pauses())
        return block_in_pselect(count, to_read, to_write, except, timeout, blocked);
    if (!is_duration(timeout))
        return co4__errno_fails(EINVAL);
    return select_until(count, to_read, to_write, except, deadline_after(timeout), blocked);
}

CO4__INSIDE pausable int co4_posix_ppoll(struct pollfd *fds, nfds_t count,
                                         const struct timespec *timeout, const sigset_t *blocked)
{
    co4__posix_point();
    int was = errno;
    if (blocked && !masked_pauses())
        return block_in_ppoll(fds, count, timeout, blocked);
    if (!is_duration(timeout))
        return co4__errno_fails(EINVAL);
    if (blocked)
        return kept(poll_masked(fds, count, deadline_after(timeout), blocked, false), was);
    return kept(poll_until(fds, count, deadline_after(timeout), co4__interrupts_begin(true)), was);
}

/* What is ready when a signal has come stays for the next call. */
static pausable int epoll_masked(int fd, struct epoll_event *events, int most, int timeout,
                                 const sigset_t *mask)
{
    int was = errno, n = epoll_wait(fd, events, most, 0);
    int64_t deadline = timeout < 0 ? CO4_NEVER : co4_now() + timeout * CO4_MS;
    if (n != 0 || timeout == 0) /* then Linux does not look at signals */
        return n;
    __attribute__((cleanup(masked_end))) struct masked m;
    int mark = masked_begin(&m, mask);
    for (bool late = false;;) {
        if (co4__interrupts_since(mark))
            return co4__errno_fails(EINTR);
        n = epoll_wait(fd, events, most, 0);
        if (n != 0 || late)
            return kept(n, was);
        if (co4__interrupts_wait(fd, POLLIN, deadline, mark) < 0 && errno != ETIMEDOUT)
            return -1;
        late = deadline != CO4_NEVER && co4_now() >= deadline;
    }
}

CO4__INSIDE pausable int co4_posix_epoll_pwait(int fd, struct epoll_event *events, int most,
                                               int timeout, const sigset_t *blocked)
{
    co4__posix_point();
    if (blocked && !masked_pauses())
        return block_in_epoll_pwait(fd, events, most, timeout, blocked);
    if (blocked)
        return epoll_masked(fd, events, most, timeout, blocked);
    return co4_posix_epoll_wait(fd, events, most, timeout);
}

/* ---- time ---- */

/* Returns 0; -1 with `errno`, and *rest. */
static pausable int sleep_for(int64_t ns, int64_t *rest)
{
    co4__posix_point();
    int was = errno, mark = co4__interrupts_begin(true);
    int64_t until = co4_now() + ns, left;
    int n, err = CO4_OK;
    if (mark >= 0) {
        n = co4__interrupts_wait(-1, 0, until, mark);
        n = n < 0 && errno == ETIMEDOUT ? 0 : n;
    } else {
        err = co4_sleep_until(until);
        n = err == CO4_OK ? 0 : co4__io_fails(err);
    }
    left = until - co4_now();
    *rest = n < 0 && left > 0 ? left : 0;
    return kept(n, was);
}

CO4__INSIDE pausable unsigned co4_posix_sleep(unsigned seconds)
{
    int64_t rest;
    sleep_for((int64_t)seconds * SECOND, &rest);
    return (unsigned)(rest / SECOND);
}

CO4__INSIDE pausable int co4_posix_usleep(useconds_t us)
{
    int64_t rest;
    return sleep_for((int64_t)us * (CO4_MS / 1000), &rest);
}

CO4__INSIDE pausable int co4_posix_nanosleep(const struct timespec *time, struct timespec *rest)
{
    int64_t left;
    if (!time || !is_duration(time))
        return co4__errno_fails(time ? EINVAL : EFAULT);
    int n = sleep_for(co4__timespec_ns(time), &left);
    if (n < 0 && rest)
        *rest = (struct timespec){ left / SECOND, left % SECOND };
    return n;
}

/* Sleeps until a clock shows a time. The clock may be set meanwhile, so the task looks at it every
 * 10 s. */
static pausable int sleep_until_clock(clockid_t clock, const struct timespec *time)
{
    const int64_t most = 10 * SECOND;
    for (;;) {
        bool again;
        int64_t left = co4__until_look(clock, time, &again), rest;
        if (left <= 0)
            return left == 0 ? 0 : -1;
        if (sleep_for(left < most ? left : most, &rest) < 0)
            return -1;
        if (left <= most && !again)
            return 0;
    }
}

/* Clocks of processors do not go on while a task waits: these calls block. */
static bool is_clock_of_time(clockid_t clock)
{
    return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC || clock == CLOCK_BOOTTIME ||
           clock == CLOCK_TAI;
}

CO4__INSIDE pausable int co4_posix_clock_nanosleep(clockid_t clock, int flags,
                                                   const struct timespec *time,
                                                   struct timespec *rest)
{
    co4__posix_point();
    int was = errno, n, err;
    if (!is_clock_of_time(clock) || !time || !is_duration(time) || (flags & ~TIMER_ABSTIME))
        return co4__clock_nanosleep(clock, flags, time, rest);
    n = flags & TIMER_ABSTIME ? sleep_until_clock(clock, time) : co4_posix_nanosleep(time, rest);
    err = n < 0 ? errno : 0;
    errno = was;
    return err;
}

/* ---- what does not say when it changes ---- */

/* Waits until the next look. Returns 0; -1 with `errno`. `mark`: co4__interrupts_begin(). */
static pausable int wait_to_look(int64_t begun, int mark)
{
    int64_t slice = co4__next_slice(co4_now() - begun, MOST);
    if (mark >= 0)
        return co4__interrupts_wait(-1, 0, co4_now() + slice, mark) < 0 && errno != ETIMEDOUT ? -1
                                                                                              : 0;
    int err = co4_sleep(slice);
    return err == CO4_OK || err == CO4_ENOMEM ? 0 : co4__io_fails(err);
}

/* ---- child processes ---- */

static void close_it(int *fd)
{
    int was = errno;
    if (*fd >= 0)
        co4_close(*fd);
    errno = was;
}

/* The child that a call waits for, and what its looks have found. */
struct awaited {
    struct co4__look head;
    int type; /* of waitid(); -1: the others */
    id_t id;
    int options, *status;
    struct rusage *usage;
    siginfo_t *info;
    /* 0: not yet; -1 with `error`, which is written before. Looks have the lock of all looks, and
     * the task reads it without. */
    _Atomic pid_t found;
    int error;
};

/* Returns the child, also of waitid(); 0: not yet; -1 with `errno`. It does not block, so no jump
 * is made meanwhile. */
static pid_t awaited_look(struct awaited *a)
{
    int options = a->options | WNOHANG;
    pid_t n;
    if (a->type < 0) {
        n = wait4((pid_t)a->id, a->status, options, a->usage);
    } else {
        a->info->si_pid = 0;
        n = waitid((idtype_t)a->type, a->id, a->info, options);
        n = n < 0 ? n : a->info->si_pid;
    }
    return n;
}

/* Also before a handler. */
static void look_once(struct co4__look *self)
{
    struct awaited *a = (struct awaited *)(void *)self;
    int was = errno;
    if (a->found == 0) {
        pid_t n = awaited_look(a);
        if (n < 0)
            a->error = errno;
        a->found = n;
    }
    errno = was;
}

/* Waits until a look at the child may have changed. */
static pausable int wait_for_child(int pidfd, int64_t begun, int mark, const struct awaited *a)
{
    int n;
    if (mark < 0 && pidfd < 0)
        return wait_to_look(begun, mark);
    if (mark < 0)
        return co4__fd_wait(pidfd, POLLIN, CO4_NEVER);
    int64_t until = pidfd >= 0 ? CO4_NEVER : co4_now() + co4__next_slice(co4_now() - begun, MOST);
    n = co4__interrupts_wait(pidfd, POLLIN, until, mark);
    return n == 0 || errno == ETIMEDOUT || a->found > 0 ? 0 : -1;
}

/* A descriptor for the end of one child, if the wait is for that alone; else -1. */
static int end_of_child(pid_t pid, int options)
{
#ifdef SYS_pidfd_open
    if (pid > 0 && !(options & (WUNTRACED | WSTOPPED | WCONTINUED)))
        return (int)CO4__SYSTEM(syscall)(SYS_pidfd_open, pid, 0);
#endif
    (void)pid;
    (void)options;
    return -1;
}

#ifdef CO4_PLAIN
#define co4__look_begin(look) ((void)(look))
#define co4__look_now(self)   ((self)->look(self))
#endif

static void end_look(struct awaited **a)
{
#ifdef CO4_PLAIN
    (void)a;
#else
    int was = errno;
    co4__look_end(&(*a)->head);
    errno = was;
#endif
}

/* The first look has found none. Returns the child; -1 with `errno`. */
static pausable pid_t wait_for(struct awaited *a, int pidfd)
{
    int64_t begun = co4_now();
    int mark = co4__interrupts_begin(false), n;
    __attribute__((cleanup(end_look))) struct awaited *waits = a;
    co4__look_begin(&waits->head);
    for (;;) {
        co4__look_now(&a->head); /* it may have ended before a handler knew of this wait */
        if (a->found != 0)
            break;
        n = wait_for_child(pidfd, begun, mark, a);
        if (n < 0)
            end_look(&waits); /* a handler may have found it just now, and then it is gone */
        if (n < 0 && a->found == 0)
            return -1;
    }
    errno = a->found < 0 ? a->error : errno;
    return a->found < 0 ? -1 : a->found;
}

CO4__INSIDE pausable pid_t co4_posix_wait4(pid_t pid, int *status, int options,
                                           struct rusage *usage)
{
    co4__posix_point();
    int was = errno;
    if ((options & WNOHANG) || CO4__BEGIN() == CO4_ESTATE)
        return co4__wait4(pid, status, options, usage);
    struct awaited a = { .head.look = look_once,
                         .type = -1,
                         .id = (id_t)pid,
                         .options = options,
                         .status = status,
                         .usage = usage };
    pid_t found = awaited_look(&a);
    if (found != 0)
        return found;
    __attribute__((cleanup(close_it))) int pidfd = end_of_child(pid, options);
    return kept(wait_for(&a, pidfd), was);
}

CO4__INSIDE pausable pid_t co4_posix_waitpid(pid_t pid, int *status, int options)
{
    return co4_posix_wait4(pid, status, options, NULL);
}

CO4__INSIDE pausable pid_t co4_posix_wait3(int *status, int options, struct rusage *usage)
{
    return co4_posix_wait4(-1, status, options, usage);
}

CO4__INSIDE pausable pid_t co4_posix_wait(int *status)
{
    return co4_posix_wait4(-1, status, 0, NULL);
}

CO4__INSIDE pausable int co4_posix_waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
    co4__posix_point();
    int was = errno;
    siginfo_t own = { 0 }, *found = info ? info : &own;
    if ((options & WNOHANG) || CO4__BEGIN() == CO4_ESTATE)
        return co4__waitid(type, id, info, options);
    struct awaited a = {
        .head.look = look_once, .type = (int)type, .id = id, .options = options, .info = found
    };
    pid_t n = awaited_look(&a);
    if (n == 0) {
        __attribute__((cleanup(close_it))) int pidfd = type == P_PID
                                                           ? end_of_child((pid_t)id, options)
                                                           : -1;
        n = wait_for(&a, pidfd);
    }
    return kept(n < 0 ? -1 : 0, was);
}

/* ---- locks of files ---- */

CO4__INSIDE pausable int co4_posix_flock(int fd, int operation)
{
    int was = errno, n;
    if ((operation & LOCK_NB) || operation == LOCK_UN || CO4__BEGIN() == CO4_ESTATE)
        return flock(fd, operation);
    int64_t begun = co4_now();
    int mark = co4__interrupts_begin(false);
    while ((n = flock(fd, operation | LOCK_NB)) < 0 && errno == EWOULDBLOCK)
        if (wait_to_look(begun, mark) < 0)
            return -1;
    return kept(n, was);
}

static pausable int lock_part(int fd, int command, struct flock *part)
{
    int was = errno, n, at_once = command == F_SETLKW ? F_SETLK : F_OFD_SETLK;
    if (CO4__BEGIN() == CO4_ESTATE)
        return fcntl(fd, command, part);
    int64_t begun = co4_now();
    int mark = co4__interrupts_begin(false);
    while ((n = fcntl(fd, at_once, part)) < 0 && (errno == EAGAIN || errno == EACCES))
        if (wait_to_look(begun, mark) < 0)
            return -1;
    return kept(n, was);
}

/* The last argument is a number or a pointer, and may be missing: it is passed on as a word, as the
 * C library does. */
CO4__INSIDE pausable int co4_posix_fcntl(int fd, int command, ...)
{
    va_list more;
    va_start(more, command);
    void *argument = va_arg(more, void *);
    va_end(more);
    if (command == F_SETLKW || command == F_OFD_SETLKW)
        return lock_part(fd, command, argument);
    return fcntl(fd, command, argument);
}

CO4__INSIDE pausable int co4_posix_lockf(int fd, int command, off_t length)
{
    struct flock part = { .l_type = F_WRLCK, .l_whence = SEEK_CUR, .l_len = length };
    return command == F_LOCK ? lock_part(fd, F_SETLKW, &part) : lockf(fd, command, length);
}

/* ---- what a thread of the pool does ---- */

#ifndef __EMSCRIPTEN__ /* it has those of files.c */
static int sync_all(int fd)
{
    return fsync(fd) == 0 ? 0 : -errno;
}

static int sync_data(int fd)
{
    return fdatasync(fd) == 0 ? 0 : -errno;
}
#endif

static int run_shell(const char *command)
{
    int n = system(command);
    return n == -1 ? -errno : n;
}

#ifndef __EMSCRIPTEN__
CO4__INSIDE pausable int co4_posix_fsync(int fd)
{
    co4__posix_point();
    int was = errno;
    return kept((int)co4__io_result(co4_blocking(sync_all(fd))), was);
}

CO4__INSIDE pausable int co4_posix_fdatasync(int fd)
{
    co4__posix_point();
    int was = errno;
    return kept((int)co4__io_result(co4_blocking(sync_data(fd))), was);
}
#endif

CO4__INSIDE pausable int co4_posix_system(const char *command)
{
    co4__posix_point();
    int was = errno;
    __attribute__((cleanup(co4__interrupts_let_child_go))) bool held = co4__interrupts_hold_child();
    return kept((int)co4__io_result(co4_blocking(run_shell(command))), was);
}
