/* calls.c - blocking calls of POSIX for programs without marks: pausable C, and once more plain.
 *
 * A call that can be tried without a change for the rest of it tries first. Only if it would wait,
 * the mode of the descriptor is asked (mode.c). The others ask first. */
#define _GNU_SOURCE
#include <errno.h>
#include <netdb.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "io/attempt.h"
#include "posix/mode.h"
#include "sync/source.h"

#include "co4/io.h"
#include "co4/net.h"
#include "co4/posix.h"
#include "co4/task.h"
#include "co4/time.h"

#define SECOND (1000 * CO4_MS)

/* A wait has come to its deadline: that of a socket's option. */
static ssize_t timed_out(ssize_t n)
{
    if (n < 0 && errno == ETIMEDOUT)
        errno = EAGAIN;
    return n;
}

/* Makes `try`. Returns from the function unless that would wait, or block; `deadline` is set. */
#define TRY(n, try, direction, deadline)                                                           \
    do {                                                                                           \
        if (((n) = (try)) >= 0 || (n) == -1)                                                       \
            return co4__spent_call(n);                                                             \
        if ((n) == CO4__WOULD_WAIT && !co4__posix_waits(fd, (direction), &(deadline)))             \
            return -1;                                                                             \
    } while (0)

#ifdef CO4_PLAIN
#define co4__spent_call(n) (n)
#else
/* The call is an operation of its step, whatever its result. */
static pausable ssize_t co4__spent_call(ssize_t n)
{
    int was = errno;
    co4__spent(CO4_OK);
    errno = was;
    return n;
}
#endif

pausable ssize_t co4_posix_read(int fd, void *to, size_t bytes)
{
    int64_t deadline = CO4_NEVER;
    ssize_t n;
    TRY(n, co4__try_read(fd, to, bytes), CO4__READING, deadline);
    return timed_out(co4_read_until(fd, to, bytes, deadline));
}

pausable ssize_t co4_posix_readv(int fd, const struct iovec *to, int count)
{
    int64_t deadline = CO4_NEVER;
    ssize_t n;
    TRY(n, co4__try_readv(fd, to, count), CO4__READING, deadline);
    return timed_out(co4_readv_until(fd, to, count, deadline));
}

/* MSG_DONTWAIT is the wish not to wait, and MSG_WAITALL goes on where a try has begun. */
pausable ssize_t co4_posix_recvfrom(int fd, void *to, size_t bytes, int flags,
                                    struct sockaddr *address, socklen_t *length)
{
    int64_t deadline = CO4_NEVER;
    ssize_t n;
    if (!(flags & (MSG_DONTWAIT | MSG_WAITALL)))
        TRY(n, co4__try_recvfrom(fd, to, bytes, flags, address, length), CO4__READING, deadline);
    else if (!(flags & MSG_DONTWAIT) && !co4__posix_waits(fd, CO4__READING, &deadline))
        flags |= MSG_DONTWAIT;
    return timed_out(co4_recvfrom_until(fd, to, bytes, flags, address, length, deadline));
}

pausable ssize_t co4_posix_recv(int fd, void *to, size_t bytes, int flags)
{
    return co4_posix_recvfrom(fd, to, bytes, flags, NULL, NULL);
}

pausable ssize_t co4_posix_recvmsg(int fd, struct msghdr *message, int flags)
{
    int64_t deadline = CO4_NEVER;
    ssize_t n;
    if (!(flags & (MSG_DONTWAIT | MSG_WAITALL)))
        TRY(n, co4__try_recvmsg(fd, message, flags), CO4__READING, deadline);
    else if (!(flags & MSG_DONTWAIT) && !co4__posix_waits(fd, CO4__READING, &deadline))
        flags |= MSG_DONTWAIT;
    return timed_out(co4_recvmsg_until(fd, message, flags, deadline));
}

pausable ssize_t co4_posix_write(int fd, const void *from, size_t bytes)
{
    int64_t deadline = CO4_NEVER;
    ssize_t n = co4__try_write(fd, from, bytes), rest;
    if (n == (ssize_t)bytes || n == -1)
        return co4__spent_call(n);
    if (n != CO4__BLOCKS && !co4__posix_waits(fd, CO4__WRITING, &deadline))
        return n > 0 ? n : -1;
    n = n > 0 ? n : 0;
    rest = timed_out(co4_write_until(fd, (const char *)from + n, bytes - (size_t)n, deadline));
    return rest < 0 && n > 0 ? n : n + rest;
}

pausable ssize_t co4_posix_writev(int fd, const struct iovec *from, int count)
{
    int64_t deadline;
    if (!co4__posix_waits(fd, CO4__WRITING, &deadline)) {
        ssize_t n = co4__try_writev(fd, from, count);
        errno = n == CO4__WOULD_WAIT ? EAGAIN : errno;
        if (n != CO4__BLOCKS)
            return n < 0 ? -1 : n;
    }
    return timed_out(co4_writev_until(fd, from, count, deadline));
}

pausable ssize_t co4_posix_sendto(int fd, const void *from, size_t bytes, int flags,
                                  const struct sockaddr *address, socklen_t length)
{
    int64_t deadline = CO4_NEVER;
    if (!(flags & MSG_DONTWAIT)) {
        ssize_t n = co4__try_sendto(fd, from, bytes, flags, address, length), rest;
        if (n == (ssize_t)bytes || n == -1)
            return co4__spent_call(n);
        if (!co4__posix_waits(fd, CO4__WRITING, &deadline))
            return n > 0 ? n : -1;
        n = n > 0 ? n : 0;
        rest = timed_out(co4_sendto_until(fd, (const char *)from + n, bytes - (size_t)n, flags,
                                          address, length, deadline));
        return rest < 0 && n > 0 ? n : n + rest;
    }
    return co4_sendto_until(fd, from, bytes, flags, address, length, CO4_NEVER);
}

pausable ssize_t co4_posix_send(int fd, const void *from, size_t bytes, int flags)
{
    return co4_posix_sendto(fd, from, bytes, flags, NULL, 0);
}

pausable ssize_t co4_posix_sendmsg(int fd, const struct msghdr *message, int flags)
{
    int64_t deadline = CO4_NEVER;
    if (!(flags & MSG_DONTWAIT) && !co4__posix_waits(fd, CO4__WRITING, &deadline))
        flags |= MSG_DONTWAIT;
    return timed_out(co4_sendmsg_until(fd, message, flags, deadline));
}

/* These two do not block: the descriptor is ready, or has O_NONBLOCK. */
static int accept_now(int fd, struct sockaddr *address, socklen_t *length, int flags)
{
    return accept4(fd, address, length, flags);
}

static int connect_now(int fd, const struct sockaddr *address, socklen_t length)
{
    return connect(fd, address, length);
}

pausable int co4_posix_accept4(int fd, struct sockaddr *address, socklen_t *length, int flags)
{
    int64_t deadline;
    if (!co4__posix_waits(fd, CO4__READING, &deadline))
        return errno == EAGAIN ? accept_now(fd, address, length, flags) : -1;
    if (timed_out(co4_fd_wait_until(fd, POLLIN, deadline)) < 0)
        return -1;
    return accept_now(fd, address, length, flags);
}

pausable int co4_posix_accept(int fd, struct sockaddr *address, socklen_t *length)
{
    return co4_posix_accept4(fd, address, length, 0);
}

pausable int co4_posix_connect(int fd, const struct sockaddr *address, socklen_t length)
{
    int64_t deadline;
    if (!co4__posix_waits(fd, CO4__WRITING, &deadline))
        return connect_now(fd, address, length);
    int n = co4_connect_until(fd, address, length, deadline);
    if (n < 0 && errno == ETIMEDOUT && deadline != CO4_NEVER)
        errno = EINPROGRESS;
    return n;
}

pausable int co4_posix_poll(struct pollfd *fds, nfds_t count, int timeout)
{
    return co4_poll(fds, count, timeout);
}

pausable int co4_posix_epoll_wait(int fd, struct epoll_event *events, int most, int timeout)
{
    int64_t deadline = timeout < 0 ? CO4_NEVER : co4_now() + timeout * CO4_MS;
    for (;;) {
        int n = epoll_wait(fd, events, most, 0);
        if (n != 0 || timeout == 0)
            return (int)co4__spent_call(n);
        if (co4_fd_wait_until(fd, POLLIN, deadline) < 0)
            return errno == ETIMEDOUT ? 0 : -1;
    }
}

/* ---- select ---- */

/* Makes a poll of the sets. Returns the number of descriptors. */
static nfds_t sets_to_poll(int count, const fd_set *to_read, const fd_set *to_write,
                           const fd_set *except, struct pollfd *fds)
{
    nfds_t n = 0;
    for (int fd = 0; fd < count; fd++) {
        short events = (short)((to_read && FD_ISSET(fd, to_read) ? POLLIN : 0) |
                               (to_write && FD_ISSET(fd, to_write) ? POLLOUT : 0) |
                               (except && FD_ISSET(fd, except) ? POLLPRI : 0));
        if (events)
            fds[n++] = (struct pollfd){ fd, events, 0 };
    }
    return n;
}

static int keep(fd_set *set, int fd, bool holds)
{
    if (!set || !FD_ISSET(fd, set))
        return 0;
    if (!holds)
        FD_CLR(fd, set);
    return holds;
}

/* Leaves in the sets what a poll has found. Returns their number; -1: EBADF. */
static int poll_to_sets(const struct pollfd *fds, nfds_t n, fd_set *to_read, fd_set *to_write,
                        fd_set *except)
{
    int found = 0;
    for (nfds_t i = 0; i < n; i++)
        if (fds[i].revents & POLLNVAL) {
            errno = EBADF;
            return -1;
        }
    for (nfds_t i = 0; i < n; i++) {
        short got = fds[i].revents;
        found += keep(to_read, fds[i].fd, (got & (POLLIN | POLLHUP | POLLERR)) != 0);
        found += keep(to_write, fds[i].fd, (got & (POLLOUT | POLLERR)) != 0);
        found += keep(except, fds[i].fd, (got & POLLPRI) != 0);
    }
    return found;
}

static void free_fds(struct pollfd **fds)
{
    free(*fds);
}

pausable int co4_posix_select(int count, fd_set *to_read, fd_set *to_write, fd_set *except,
                              struct timeval *timeout)
{
    if (count < 0 || count > FD_SETSIZE ||
        (timeout && (timeout->tv_sec < 0 || timeout->tv_usec < 0))) {
        errno = EINVAL;
        return -1;
    }
    __attribute__((cleanup(free_fds))) struct pollfd *fds = malloc(((size_t)count + 1) *
                                                                   sizeof *fds);
    if (!fds) {
        errno = ENOMEM;
        return -1;
    }
    nfds_t n = sets_to_poll(count, to_read, to_write, except, fds);
    int64_t deadline = CO4_NEVER;
    if (timeout)
        deadline = co4_now() + timeout->tv_sec * SECOND + timeout->tv_usec * (CO4_MS / 1000);
    int found = co4_poll_until(fds, n, deadline);
    if (found >= 0)
        found = poll_to_sets(fds, n, to_read, to_write, except);
    if (timeout && found >= 0) { /* as Linux does */
        int64_t left = deadline - co4_now();
        left = left > 0 ? left : 0;
        *timeout = (struct timeval){ left / SECOND, left % SECOND / (CO4_MS / 1000) };
    }
    return found;
}

/* ---- time ---- */

static pausable int sleep_for(int64_t ns, int64_t *rest)
{
    int64_t until = co4_now() + ns, left;
    int err = co4_sleep_until(until);
    left = until - co4_now();
    *rest = err != CO4_OK && left > 0 ? left : 0;
    if (err != CO4_OK)
        return co4__io_fails(err);
    return 0;
}

pausable unsigned co4_posix_sleep(unsigned seconds)
{
    int64_t rest;
    sleep_for((int64_t)seconds * SECOND, &rest);
    return (unsigned)((rest + SECOND - 1) / SECOND);
}

pausable int co4_posix_usleep(useconds_t us)
{
    int64_t rest;
    return sleep_for((int64_t)us * (CO4_MS / 1000), &rest);
}

pausable int co4_posix_nanosleep(const struct timespec *time, struct timespec *rest)
{
    int64_t left;
    if (!time || time->tv_sec < 0 || time->tv_nsec < 0 || time->tv_nsec >= SECOND) {
        errno = EINVAL;
        return -1;
    }
    int64_t most = INT64_MAX / 4 / SECOND;
    int n = sleep_for((time->tv_sec < most ? (int64_t)time->tv_sec : most) * SECOND + time->tv_nsec,
                      &left);
    if (n < 0 && rest)
        *rest = (struct timespec){ left / SECOND, left % SECOND };
    return n;
}
