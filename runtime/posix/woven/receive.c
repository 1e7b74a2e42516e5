/* receive.c - recv() and its forms for programs without marks: pausable C, and once more plain. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/inside.h"
#include "io/attempt.h"
#include "io/vector.h"
#include "posix/interrupts.h"
#include "posix/mode.h"
#include "posix/point.h"
#include "posix/woven/tries.h"

#include "co4/io.h"
#include "co4/posix.h"

/* A part of what is behind the first `done` bytes. */
static ssize_t try_receive_rest(int fd, const struct msghdr *message, int flags, size_t done)
{
    size_t in;
    const struct iovec *iov = message->msg_iov;
    int i = co4__vector_at(iov, (int)message->msg_iovlen, done, &in);
    return co4__try_recvfrom(fd, (char *)iov[i].iov_base + in, iov[i].iov_len - in, flags, NULL,
                             NULL);
}

/* MSG_WAITALL at a stream of bytes, where a handler of signals may end the wait. After a first byte
 * any handler does. */
static pausable ssize_t receive_all(int fd, struct msghdr *message, int flags, int64_t deadline,
                                    int mark)
{
    int mark_begun = co4__interrupts_begin(true);
    ssize_t n;
    size_t done = 0;
    flags &= ~MSG_WAITALL;
    do {
        n = done == 0 ? co4__try_recvmsg(fd, message, flags)
                      : try_receive_rest(fd, message, flags, done);
        if (n == CO4__WOULD_WAIT &&
            co4__interrupts_wait(fd, POLLIN, deadline, done > 0 ? mark_begun : mark) == 0)
            n = 1;
        else if (n > 0)
            done += (size_t)n;
    } while (n > 0 && done < co4__vector_bytes(message->msg_iov, message->msg_iovlen));
    return done > 0 || n >= 0 ? (ssize_t)done : -1;
}

static pausable ssize_t receive_all_from(int fd, void *to, size_t bytes, int flags,
                                         struct sockaddr *address, socklen_t *length,
                                         int64_t deadline, int mark)
{
    struct iovec one = { to, bytes };
    struct msghdr m = { .msg_iov = &one, .msg_iovlen = 1, .msg_name = length ? address : NULL };
    if (m.msg_name)
        m.msg_namelen = *length;
    ssize_t n = receive_all(fd, &m, flags, deadline, mark);
    if (n >= 0 && m.msg_name)
        *length = m.msg_namelen;
    return n;
}

/* MSG_DONTWAIT is the wish not to wait, and MSG_WAITALL goes on where a try has begun. */
CO4__INSIDE pausable ssize_t co4_posix_recvfrom(int fd, void *to, size_t bytes, int flags,
                                                struct sockaddr *address, socklen_t *length)
{
    co4__posix_point();
    int was = errno;
    int64_t deadline = CO4_NEVER;
    ssize_t n;
    if (!(flags & MSG_DONTWAIT) && !co4__attempt_takes_all(fd, flags)) {
        TRY(n, co4__try_recvfrom(fd, to, bytes, flags, address, length), deadline);
        if (IS_OVER(n))
            return co4__spent_call(tried(n, was));
        WAIT_AND_TRY(n, co4__try_recvfrom(fd, to, bytes, flags, address, length), POLLIN, deadline);
        if (IS_OVER(n))
            return waited(n, was, deadline);
    } else if (!(flags & MSG_DONTWAIT)) {
        bool waits = co4__posix_waits(fd, CO4__READING, &deadline);
        int mark = waits ? co4__interrupts_begin(deadline != CO4_NEVER) : -1;
        if (mark >= 0)
            return waited(receive_all_from(fd, to, bytes, flags, address, length, deadline, mark),
                          was, deadline);
        flags |= waits ? 0 : MSG_DONTWAIT;
    }
    return waited(co4_recvfrom_until(fd, to, bytes, flags, address, length, deadline), was,
                  deadline);
}

CO4__INSIDE pausable ssize_t co4_posix_recv(int fd, void *to, size_t bytes, int flags)
{
    return co4_posix_recvfrom(fd, to, bytes, flags, NULL, NULL);
}

CO4__INSIDE pausable ssize_t co4_posix_recvmsg(int fd, struct msghdr *message, int flags)
{
    co4__posix_point();
    int was = errno;
    int64_t deadline = CO4_NEVER;
    ssize_t n;
    if (!(flags & MSG_DONTWAIT) &&
        (!co4__attempt_takes_all(fd, flags) || !message || message->msg_controllen > 0)) {
        TRY(n, co4__try_recvmsg(fd, message, flags), deadline);
        if (IS_OVER(n))
            return co4__spent_call(tried(n, was));
        WAIT_AND_TRY(n, co4__try_recvmsg(fd, message, flags), POLLIN, deadline);
        if (IS_OVER(n))
            return waited(n, was, deadline);
    } else if (!(flags & MSG_DONTWAIT)) {
        bool waits = co4__posix_waits(fd, CO4__READING, &deadline);
        int mark = waits ? co4__interrupts_begin(deadline != CO4_NEVER) : -1;
        if (mark >= 0)
            return waited(receive_all(fd, message, flags, deadline, mark), was, deadline);
        flags |= waits ? 0 : MSG_DONTWAIT;
    }
    return waited(co4_recvmsg_until(fd, message, flags, deadline), was, deadline);
}
