/* polls.c - poll() and select() of a program of --auto=test, in code that is not woven: where a
 * simulated descriptor is among those that they wait for, or a mask of signals is set. Woven code
 * asks the descriptors' tables already, but for calls with a mask. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/select.h>

#include "co4/time.h"
#include "io/attempt.h"
#include "io/socket.h"
#include "posix/deadline.h"
#include "posix/wraps.h"
#include "simulation/descriptors.h"
#include "simulation/run.h"
#include "simulation/suspends.h"

CO4__WRAPS(poll, (struct pollfd * fds, nfds_t count, int timeout));
CO4__WRAPS(ppoll, (struct pollfd * fds, nfds_t count, const struct timespec *timeout,
                   const sigset_t *mask));
CO4__WRAPS(select,
           (int count, fd_set *to_read, fd_set *to_write, fd_set *except, struct timeval *timeout));
CO4__WRAPS(pselect, (int count, fd_set *to_read, fd_set *to_write, fd_set *except,
                     const struct timespec *timeout, const sigset_t *mask));

static bool has_simulated(const struct pollfd *fds, nfds_t count)
{
    for (nfds_t i = 0; fds && i < count; i++)
        if (co4__simulated_at(fds[i].fd))
            return true;
    return false;
}

struct polling {
    struct pollfd *fds;
    nfds_t count;
    int ready;
    struct co4__suspend suspend;
};

static bool some_are_ready(void *data)
{
    struct polling *p = data;
    p->ready = co4__poll_now(p->fds, p->count);
    return p->ready != 0 || co4__suspend_is_over(&p->suspend);
}

/* With a mask of signals; NULL: as it is. */
static int poll_until(struct pollfd *fds, nfds_t count, int64_t until, const sigset_t *mask)
{
    struct polling p = { .fds = fds, .count = count };
    co4__suspend_begin(&p.suspend, mask);
    bool over = co4__simulated_step_until(some_are_ready, &p, until, "poll");
    co4__suspend_end(&p.suspend);
    return over && p.ready == 0 ? co4__errno_fails(EINTR) : p.ready;
}

int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout)
{
    if (!has_simulated(fds, count))
        return __real_poll(fds, count, timeout);
    return poll_until(fds, count, timeout < 0 ? CO4_NEVER : co4_now() + timeout * CO4_MS, NULL);
}

int __wrap_ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
                 const sigset_t *mask)
{
    if (!has_simulated(fds, count) && !(mask && co4__program_is_simulated()))
        return __real_ppoll(fds, count, timeout, mask);
    if (timeout && !co4__is_timespec(timeout))
        return co4__errno_fails(EINVAL);
    return poll_until(fds, count, timeout ? co4__after_timespec(timeout) : CO4_NEVER, mask);
}

/* ---- select() ---- */

static int polled_of(int count, const fd_set *to_read, const fd_set *to_write, const fd_set *except,
                     struct pollfd *fds)
{
    int n = 0;
    for (int fd = 0; fd < count && fd < FD_SETSIZE; fd++) {
        short events = (short)((to_read && FD_ISSET(fd, to_read) ? POLLIN : 0) |
                               (to_write && FD_ISSET(fd, to_write) ? POLLOUT : 0) |
                               (except && FD_ISSET(fd, except) ? POLLPRI : 0));
        if (events)
            fds[n++] = (struct pollfd){ .fd = fd, .events = events };
    }
    return n;
}

/* Leaves in the set those with these events. Returns their number. */
static int keep(fd_set *set, const struct pollfd *fds, int count, short asked, short events)
{
    int n = 0;
    for (int i = 0; set && i < count; i++) {
        if (!(fds[i].events & asked))
            continue;
        if (fds[i].revents & events)
            n++;
        else
            FD_CLR(fds[i].fd, set);
    }
    return n;
}

static int select_until(struct pollfd *fds, int n, fd_set *to_read, fd_set *to_write,
                        fd_set *except, int64_t until, const sigset_t *mask)
{
    int ready = poll_until(fds, (nfds_t)n, until, mask);
    if (ready < 0)
        return ready;
    for (int i = 0; i < n; i++)
        if (fds[i].revents & POLLNVAL)
            return co4__errno_fails(EBADF);
    return keep(to_read, fds, n, POLLIN, POLLIN | POLLHUP | POLLERR) +
           keep(to_write, fds, n, POLLOUT, POLLOUT | POLLERR) +
           keep(except, fds, n, POLLPRI, POLLPRI);
}

int __wrap_select(int count, fd_set *to_read, fd_set *to_write, fd_set *except,
                  struct timeval *timeout)
{
    struct pollfd fds[FD_SETSIZE];
    int n = polled_of(count, to_read, to_write, except, fds);
    if (!has_simulated(fds, (nfds_t)n))
        return __real_select(count, to_read, to_write, except, timeout);
    return select_until(fds, n, to_read, to_write, except,
                        timeout ? co4__after_timeval(timeout) : CO4_NEVER, NULL);
}

int __wrap_pselect(int count, fd_set *to_read, fd_set *to_write, fd_set *except,
                   const struct timespec *timeout, const sigset_t *mask)
{
    struct pollfd fds[FD_SETSIZE];
    int n = polled_of(count, to_read, to_write, except, fds);
    if (!has_simulated(fds, (nfds_t)n) && !(mask && co4__program_is_simulated()))
        return __real_pselect(count, to_read, to_write, except, timeout, mask);
    if (timeout && !co4__is_timespec(timeout))
        return co4__errno_fails(EINVAL);
    return select_until(fds, n, to_read, to_write, except,
                        timeout ? co4__after_timespec(timeout) : CO4_NEVER, mask);
}
