/* recv.c - receiving: pausable C, and once more plain. */
#define _GNU_SOURCE /* struct ucred and others in the system's headers */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include "io/attempt.h"
#include "io/descriptor.h"
#include "io/wait.h"

pausable ssize_t co4_recvfrom_until(int fd, void *to, size_t bytes, int flags,
                                    struct sockaddr *address, socklen_t *length, int64_t deadline)
{
    ssize_t n;
    size_t done = 0;
    if (CO4__WISHES_NOT(flags)) {
        n = co4__try_recvfrom(fd, to, bytes, flags, address, length);
        return n == CO4__WOULD_WAIT ? co4__would_wait() : n;
    }
    if (!co4__attempt_takes_all(fd, flags))
        flags &= ~MSG_WAITALL;
    for (;;) {
        int err = CO4__BEGIN();
        if (err != CO4_OK)
            return done > 0 ? (ssize_t)done : co4__io_fails(err);
        while ((n = co4__try_recvfrom(fd, (char *)to + done, bytes - done, flags, address,
                                      length)) == CO4__WOULD_WAIT) {
            err = co4__attempt_wait(CO4__READING, deadline);
            if (err != CO4_OK)
                return done > 0 ? (ssize_t)done : co4__io_fails(err);
        }
        if (n < 0)
            return done > 0 ? (ssize_t)done : n;
        done += (size_t)n;
        if (n == 0 || done == bytes || !(flags & MSG_WAITALL))
            return (ssize_t)done;
    }
}

pausable ssize_t co4_recv_until(int fd, void *to, size_t bytes, int flags, int64_t deadline)
{
    ssize_t n;
    if (flags & (MSG_WAITALL | MSG_DONTWAIT))
        return co4_recvfrom_until(fd, to, bytes, flags, NULL, NULL, deadline);
    CO4__TRY(n, co4__try_recvfrom(fd, to, bytes, flags, NULL, NULL), CO4__READING, deadline);
    return n;
}

pausable ssize_t co4_recv(int fd, void *to, size_t bytes, int flags)
{
    ssize_t n;
    if (flags & (MSG_WAITALL | MSG_DONTWAIT))
        return co4_recvfrom_until(fd, to, bytes, flags, NULL, NULL, CO4_NEVER);
    CO4__TRY(n, co4__try_recvfrom(fd, to, bytes, flags, NULL, NULL), CO4__READING, CO4_NEVER);
    return n;
}

pausable ssize_t co4_recvfrom(int fd, void *to, size_t bytes, int flags, struct sockaddr *address,
                              socklen_t *length)
{
    return co4_recvfrom_until(fd, to, bytes, flags, address, length, CO4_NEVER);
}
