/* fd_wait.c - waiting for a descriptor: pausable C, and once more plain. */
#define _GNU_SOURCE /* struct ucred and others in the system's headers */
#include <poll.h>
#include <stddef.h>
#include <stdint.h>

#include "io/attempt.h"
#include "io/descriptor.h"
#include "io/wait.h"

pausable int co4__fd_wait(int fd, int direction, int64_t deadline)
{
    int n, at = direction == POLLOUT ? CO4__WRITING : CO4__READING;
    if (direction != POLLIN && direction != POLLOUT)
        return co4__io_fails(CO4_EINVAL);
    CO4__TRY(n, co4__try_ready(fd, at), at, deadline);
    return n < 0 ? -1 : 0;
}

pausable int co4_fd_wait_until(int fd, int direction, int64_t deadline)
{
    int n = co4__fd_wait(fd, direction, deadline);
    return n == 0 ? CO4_OK : co4__wait_code();
}

pausable int co4_fd_wait(int fd, int direction)
{
    return co4_fd_wait_until(fd, direction, CO4_NEVER);
}
