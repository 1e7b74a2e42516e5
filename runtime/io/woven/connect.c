/* connect.c - connecting: pausable C, and once more plain. */
#define _GNU_SOURCE /* struct ucred and others in the system's headers */
#include <stddef.h>
#include <stdint.h>

#include "io/attempt.h"
#include "io/descriptor.h"
#include "io/wait.h"

#include "co4/time.h"

pausable int co4_connect_until(int fd, const struct sockaddr *address, socklen_t length,
                               int64_t deadline)
{
    int err = CO4__BEGIN();
    if (err != CO4_OK)
        return co4__io_fails(err);
    int n = co4__try_connect(fd, address, length);
    for (int64_t pause = CO4_MS; n == CO4__BLOCKS;
         pause = pause < 100 * CO4_MS ? 2 * pause : pause) {
        int64_t until = co4_now() + pause;
        if (until > deadline)
            return co4__io_fails(deadline == CO4_NOW ? CO4_EBUSY : CO4_ETIMEDOUT);
        err = co4_sleep_until(until);
        if (err != CO4_OK)
            return co4__io_fails(err);
        n = co4__try_connect(fd, address, length);
    }
    while (n == CO4__WOULD_WAIT) {
        err = co4__attempt_wait(CO4__WRITING, deadline);
        if (err != CO4_OK)
            return co4__io_fails(err);
        n = co4__try_connected(fd, address, length);
    }
    return n;
}

pausable int co4_connect(int fd, const struct sockaddr *address, socklen_t length)
{
    return co4_connect_until(fd, address, length, CO4_NEVER);
}
