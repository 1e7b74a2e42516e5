/* accept.c - accepting: pausable C, and once more plain. */
#define _GNU_SOURCE /* struct ucred and others in the system's headers */
#include <stddef.h>
#include <stdint.h>

#include "io/attempt.h"
#include "io/descriptor.h"
#include "io/wait.h"

#include "co4/time.h"

pausable int co4_accept4_until(int fd, struct sockaddr *address, socklen_t *length, int flags,
                               int64_t deadline)
{
    for (;;) {
        int n, err = CO4_ETIMEDOUT;
        CO4__TRY(n, co4__try_accept4(fd, address, length, flags), CO4__READING, deadline);
        if (n != CO4__BLOCKS)
            return n;
        if (co4_now() < deadline)
            err = co4_sleep_until(co4__next_look(deadline));
        if (err != CO4_OK)
            return co4__io_fails(err);
    }
}

pausable int co4_accept4(int fd, struct sockaddr *address, socklen_t *length, int flags)
{
    int n;
    CO4__TRY(n, co4__try_accept4(fd, address, length, flags), CO4__READING, CO4_NEVER);
    return n == CO4__BLOCKS ? co4_accept4_until(fd, address, length, flags, CO4_NEVER) : n;
}

pausable int co4_accept_until(int fd, struct sockaddr *address, socklen_t *length, int64_t deadline)
{
    return co4_accept4_until(fd, address, length, 0, deadline);
}

pausable int co4_accept(int fd, struct sockaddr *address, socklen_t *length)
{
    return co4_accept4(fd, address, length, 0);
}
