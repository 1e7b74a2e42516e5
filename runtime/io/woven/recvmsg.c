/* recvmsg.c - receiving messages with their control data: pausable C, and once more plain. */
#define _GNU_SOURCE /* struct ucred and others in the system's headers */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include "io/attempt.h"
#include "io/descriptor.h"
#include "io/vector.h"
#include "io/wait.h"

/* Tries to read into what is behind the first `done` bytes. */
static ssize_t try_read_rest(int fd, const struct iovec *iov, int count, size_t done)
{
    size_t in;
    int i = co4__vector_at(iov, count, done, &in);
    return in > 0 ? co4__try_read(fd, (char *)iov[i].iov_base + in, iov[i].iov_len - in)
                  : co4__try_readv(fd, iov + i, count - i);
}

/* Fills what is behind the first `done` bytes. */
static pausable ssize_t read_rest(int fd, const struct iovec *iov, int count, size_t done,
                                  int64_t deadline)
{
    size_t bytes = co4__vector_bytes(iov, (size_t)count);
    while (done < bytes) {
        ssize_t n = CO4__BEGIN() == CO4_OK ? try_read_rest(fd, iov, count, done) : -1;
        if (n == CO4__WOULD_WAIT)
            n = co4__attempt_wait(CO4__READING, deadline) == CO4_OK ? n : -1;
        if (n == 0 || n == -1)
            break;
        done += n > 0 ? (size_t)n : 0;
    }
    return (ssize_t)done;
}

pausable ssize_t co4_recvmsg_until(int fd, struct msghdr *message, int flags, int64_t deadline)
{
    ssize_t n;
    if (CO4__WISHES_NOT(flags)) {
        n = co4__try_recvmsg(fd, message, flags);
        return n == CO4__WOULD_WAIT ? co4__would_wait() : n;
    }
    /* A message with control data is taken once: those of the rest would have no room. */
    bool all = message && message->msg_controllen == 0 && co4__attempt_takes_all(fd, flags);
    CO4__TRY(n, co4__try_recvmsg(fd, message, flags), CO4__READING, deadline);
    return n > 0 && all
               ? read_rest(fd, message->msg_iov, (int)message->msg_iovlen, (size_t)n, deadline)
               : n;
}

pausable ssize_t co4_recvmsg(int fd, struct msghdr *message, int flags)
{
    return co4_recvmsg_until(fd, message, flags, CO4_NEVER);
}
