/* vectors.c - writing vectors, and messages with control data: pausable C, and once more plain. */
#define _GNU_SOURCE /* struct ucred and others in the system's headers */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include "io/attempt.h"
#include "io/descriptor.h"
#include "io/vector.h"
#include "io/wait.h"

/* Tries to write what is behind the first `done` bytes: the rest of an element, or whole ones. */
static ssize_t try_rest(int fd, const struct iovec *iov, int count, size_t done)
{
    size_t in;
    int i = co4__vector_at(iov, count, done, &in);
    return in > 0 ? co4__try_write(fd, (const char *)iov[i].iov_base + in, iov[i].iov_len - in)
                  : co4__try_writev(fd, iov + i, count - i);
}

static ssize_t write_rest_blocking(struct co4__attempt_part part, const struct iovec *iov,
                                   int count, size_t done)
{
    size_t in;
    int i = co4__vector_at(iov, count, done, &in);
    struct iovec rest = { (char *)iov[i].iov_base + in, iov[i].iov_len - in };
    return in > 0 ? co4__write_blocking(part, &rest, 1)
                  : co4__write_blocking(part, iov + i, count - i);
}

/* Writes what is behind the first `done` bytes. */
static pausable ssize_t write_vector(int fd, const struct iovec *iov, int count, size_t done,
                                     int64_t deadline)
{
    size_t bytes = co4__vector_bytes(iov, (size_t)count);
    for (;;) {
        ssize_t n = try_rest(fd, iov, count, done);
        if (n == CO4__WOULD_WAIT) {
            int err = co4__attempt_wait(CO4__WRITING, deadline);
            if (err != CO4_OK)
                return done > 0 ? (ssize_t)done : co4__io_fails(err);
            continue;
        }
        if (n == CO4__BLOCKS) {
            struct co4__attempt_part part = co4__attempt_part();
            n = co4__io_result(co4_blocking(write_rest_blocking(part, iov, count, done)));
        }
        if (n < 0)
            return done > 0 ? (ssize_t)done : n;
        done += (size_t)n;
        if (done >= bytes || n == 0)
            return (ssize_t)done;
    }
}

pausable ssize_t co4_writev_until(int fd, const struct iovec *from, int count, int64_t deadline)
{
    int err = CO4__BEGIN();
    if (err != CO4_OK)
        return co4__io_fails(err);
    if (co4__vector_is_wrong(from, count))
        return -1;
    return write_vector(fd, from, count, 0, deadline);
}

pausable ssize_t co4_sendmsg_until(int fd, const struct msghdr *message, int flags,
                                   int64_t deadline)
{
    ssize_t n;
    if (CO4__WISHES_NOT(flags)) {
        n = co4__try_sendmsg(fd, message, flags);
        return n == CO4__WOULD_WAIT ? co4__would_wait() : n;
    }
    CO4__TRY(n, co4__try_sendmsg(fd, message, flags), CO4__WRITING, deadline);
    /* The rest of a stream, without the control data, which went with the first byte. */
    if (n > 0 && (size_t)n < co4__vector_bytes(message->msg_iov, (size_t)message->msg_iovlen))
        return write_vector(fd, message->msg_iov, (int)message->msg_iovlen, (size_t)n, deadline);
    return n;
}

pausable ssize_t co4_writev(int fd, const struct iovec *from, int count)
{
    return co4_writev_until(fd, from, count, CO4_NEVER);
}

pausable ssize_t co4_sendmsg(int fd, const struct msghdr *message, int flags)
{
    return co4_sendmsg_until(fd, message, flags, CO4_NEVER);
}
