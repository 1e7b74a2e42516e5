/* calls.c - blocking calls of POSIX for programs without marks: pausable C, and once more plain.
 *
 * A call that can be tried without a change for the rest of it tries first. Only if it would wait,
 * the mode of the descriptor is asked (mode.c). The others ask first. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/attempt.h"
#include "posix/mode.h"
#include "sync/source.h"

#include "co4/io.h"
#include "co4/net.h"
#include "co4/posix.h"
#include "co4/task.h"
#include "co4/time.h"

/* A call has waited, perhaps until its deadline: that of a socket's option. Other tasks have used
 * `errno` meanwhile, so a call that succeeds gives it the value `was` again. */
static ssize_t waited(ssize_t n, int was)
{
    if (n >= 0)
        errno = was;
    else if (errno == ETIMEDOUT)
        errno = EAGAIN;
    return n;
}

/* What a write says. The runtime's own writes raise no SIGPIPE. POSIX has one for the thread that
 * writes, if the other end is closed: of a pipe, or a socket of bytes without MSG_NOSIGNAL. */
static ssize_t written(int fd, int flags, ssize_t n)
{
    int type;
    socklen_t length = sizeof type;
    if (n != -1 || errno != EPIPE || (flags & MSG_NOSIGNAL))
        return n;
    if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) != 0 || type == SOCK_STREAM)
        raise(SIGPIPE);
    errno = EPIPE;
    return n;
}

/* Makes `try`, which reads. Returns from the function unless that would wait, or block; `deadline`
 * is set. A try may know from the last one that there is nothing. That something has come is found
 * out in a wait, so a call that does not wait asks the system. */
#define TRY(n, try, deadline)                                                                      \
    do {                                                                                           \
        if (((n) = (try)) >= 0 || (n) == -1)                                                       \
            return co4__spent_call(n);                                                             \
        if ((n) == CO4__WOULD_WAIT && !co4__posix_waits(fd, CO4__READING, &(deadline))) {          \
            co4__descriptor_seen_ready(fd);                                                        \
            if (((n) = (try)) >= 0 || (n) == -1)                                                   \
                return co4__spent_call(n);                                                         \
            errno = EAGAIN;                                                                        \
            return -1;                                                                             \
        }                                                                                          \
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
    int was = errno;
    int64_t deadline = CO4_NEVER;
    ssize_t n;
    TRY(n, co4__try_read(fd, to, bytes), deadline);
    return waited(co4_read_until(fd, to, bytes, deadline), was);
}

pausable ssize_t co4_posix_readv(int fd, const struct iovec *to, int count)
{
    int was = errno;
    int64_t deadline = CO4_NEVER;
    ssize_t n;
    TRY(n, co4__try_readv(fd, to, count), deadline);
    return waited(co4_readv_until(fd, to, count, deadline), was);
}

/* MSG_DONTWAIT is the wish not to wait, and MSG_WAITALL goes on where a try has begun. */
pausable ssize_t co4_posix_recvfrom(int fd, void *to, size_t bytes, int flags,
                                    struct sockaddr *address, socklen_t *length)
{
    int was = errno;
    int64_t deadline = CO4_NEVER;
    ssize_t n;
    if (!(flags & (MSG_DONTWAIT | MSG_WAITALL)))
        TRY(n, co4__try_recvfrom(fd, to, bytes, flags, address, length), deadline);
    else if (!(flags & MSG_DONTWAIT) && !co4__posix_waits(fd, CO4__READING, &deadline))
        flags |= MSG_DONTWAIT;
    return waited(co4_recvfrom_until(fd, to, bytes, flags, address, length, deadline), was);
}

pausable ssize_t co4_posix_recv(int fd, void *to, size_t bytes, int flags)
{
    return co4_posix_recvfrom(fd, to, bytes, flags, NULL, NULL);
}

pausable ssize_t co4_posix_recvmsg(int fd, struct msghdr *message, int flags)
{
    int was = errno;
    int64_t deadline = CO4_NEVER;
    ssize_t n;
    if (!(flags & (MSG_DONTWAIT | MSG_WAITALL)))
        TRY(n, co4__try_recvmsg(fd, message, flags), deadline);
    else if (!(flags & MSG_DONTWAIT) && !co4__posix_waits(fd, CO4__READING, &deadline))
        flags |= MSG_DONTWAIT;
    return waited(co4_recvmsg_until(fd, message, flags, deadline), was);
}

pausable ssize_t co4_posix_write(int fd, const void *from, size_t bytes)
{
    int was = errno;
    int64_t deadline = CO4_NEVER;
    ssize_t n = co4__try_write(fd, from, bytes), rest;
    if (n == (ssize_t)bytes || n == -1)
        return co4__spent_call(written(fd, 0, n));
    if (n != CO4__BLOCKS && !co4__posix_waits(fd, CO4__WRITING, &deadline))
        return n > 0 ? n : -1;
    n = n > 0 ? n : 0;
    rest = waited(co4_write_until(fd, (const char *)from + n, bytes - (size_t)n, deadline), was);
    rest = written(fd, 0, rest);
    return rest < 0 && n > 0 ? n : n + rest;
}

pausable ssize_t co4_posix_writev(int fd, const struct iovec *from, int count)
{
    int was = errno;
    int64_t deadline;
    if (!co4__posix_waits(fd, CO4__WRITING, &deadline)) {
        ssize_t n = co4__try_writev(fd, from, count);
        errno = n == CO4__WOULD_WAIT ? EAGAIN : errno;
        if (n != CO4__BLOCKS)
            return written(fd, 0, n < 0 ? -1 : n);
    }
    return written(fd, 0, waited(co4_writev_until(fd, from, count, deadline), was));
}

pausable ssize_t co4_posix_sendto(int fd, const void *from, size_t bytes, int flags,
                                  const struct sockaddr *address, socklen_t length)
{
    int was = errno;
    int64_t deadline = CO4_NEVER;
    if (!(flags & MSG_DONTWAIT)) {
        ssize_t n = co4__try_sendto(fd, from, bytes, flags, address, length), rest;
        if (n == (ssize_t)bytes || n == -1)
            return co4__spent_call(written(fd, flags, n));
        if (!co4__posix_waits(fd, CO4__WRITING, &deadline))
            return n > 0 ? n : -1;
        n = n > 0 ? n : 0;
        rest = waited(co4_sendto_until(fd, (const char *)from + n, bytes - (size_t)n, flags,
                                       address, length, deadline),
                      was);
        rest = written(fd, flags, rest);
        return rest < 0 && n > 0 ? n : n + rest;
    }
    return written(fd, flags, co4_sendto_until(fd, from, bytes, flags, address, length, CO4_NEVER));
}

pausable ssize_t co4_posix_send(int fd, const void *from, size_t bytes, int flags)
{
    return co4_posix_sendto(fd, from, bytes, flags, NULL, 0);
}

pausable ssize_t co4_posix_sendmsg(int fd, const struct msghdr *message, int flags)
{
    int was = errno;
    int64_t deadline = CO4_NEVER;
    if (!(flags & MSG_DONTWAIT) && !co4__posix_waits(fd, CO4__WRITING, &deadline))
        flags |= MSG_DONTWAIT;
    return written(fd, flags, waited(co4_sendmsg_until(fd, message, flags, deadline), was));
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
    int was = errno;
    int64_t deadline;
    if (!co4__posix_waits(fd, CO4__READING, &deadline))
        return errno == EAGAIN ? accept_now(fd, address, length, flags) : -1;
    if (waited(co4_fd_wait_until(fd, POLLIN, deadline), was) < 0)
        return -1;
    return accept_now(fd, address, length, flags);
}

pausable int co4_posix_accept(int fd, struct sockaddr *address, socklen_t *length)
{
    return co4_posix_accept4(fd, address, length, 0);
}

pausable int co4_posix_connect(int fd, const struct sockaddr *address, socklen_t length)
{
    int was = errno;
    int64_t deadline;
    if (!co4__posix_waits(fd, CO4__WRITING, &deadline))
        return connect_now(fd, address, length);
    int n = co4_connect_until(fd, address, length, deadline);
    if (n == 0)
        errno = was;
    else if (errno == ETIMEDOUT && deadline != CO4_NEVER)
        errno = EINPROGRESS;
    return n;
}

pausable int co4_posix_poll(struct pollfd *fds, nfds_t count, int timeout)
{
    int was = errno;
    return (int)waited(co4_poll(fds, count, timeout), was);
}

pausable int co4_posix_epoll_wait(int fd, struct epoll_event *events, int most, int timeout)
{
    int was = errno;
    int64_t deadline = timeout < 0 ? CO4_NEVER : co4_now() + timeout * CO4_MS;
    for (;;) {
        int n = epoll_wait(fd, events, most, 0);
        if (n != 0 || timeout == 0)
            return (int)co4__spent_call(n);
        if (co4_fd_wait_until(fd, POLLIN, deadline) < 0 && errno != ETIMEDOUT)
            return -1;
        if (timeout > 0 && co4_now() >= deadline)
            timeout = 0;
        errno = was;
    }
}
