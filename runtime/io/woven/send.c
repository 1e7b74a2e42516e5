/* send.c - sending: pausable C, and once more plain. */
#define _GNU_SOURCE /* struct ucred and others in the system's headers */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include "io/attempt.h"
#include "io/descriptor.h"
#include "io/wait.h"

pausable ssize_t co4_send_until(int fd, const void *from, size_t bytes, int flags, int64_t deadline)
{
    return co4_sendto_until(fd, from, bytes, flags, NULL, 0, deadline);
}

pausable ssize_t co4_sendto_until(int fd, const void *from, size_t bytes, int flags,
                                  const struct sockaddr *address, socklen_t length,
                                  int64_t deadline)
{
    ssize_t n;
    size_t done = 0;
    if (CO4__WISHES_NOT(flags)) {
        n = co4__try_sendto(fd, from, bytes, flags, address, length);
        return n == CO4__WOULD_WAIT ? co4__would_wait() : n;
    }
    int err = CO4__BEGIN();
    if (err != CO4_OK)
        return co4__io_fails(err);
    for (;;) {
        n = co4__try_sendto(fd, (const char *)from + done, bytes - done, flags, address, length);
        if (n >= 0) {
            done += (size_t)n;
            if (done >= bytes)
                return (ssize_t)done;
        } else if (n == CO4__WOULD_WAIT) {
            err = co4__attempt_wait(CO4__WRITING, deadline);
            if (err != CO4_OK)
                return done > 0 ? (ssize_t)done : co4__io_fails(err);
        } else {
            return done > 0 ? (ssize_t)done : n;
        }
    }
}

pausable ssize_t co4_send(int fd, const void *from, size_t bytes, int flags)
{
    return co4_sendto_until(fd, from, bytes, flags, NULL, 0, CO4_NEVER);
}

pausable ssize_t co4_sendto(int fd, const void *from, size_t bytes, int flags,
                            const struct sockaddr *address, socklen_t length)
{
    return co4_sendto_until(fd, from, bytes, flags, address, length, CO4_NEVER);
}
