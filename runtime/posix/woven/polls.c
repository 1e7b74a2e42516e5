/* polls.c - poll() and epoll_wait() for programs without marks: pausable C, and once more plain. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/inside.h"
#include "posix/interrupts.h"
#include "posix/point.h"
#include "posix/woven/tries.h"

#include "co4/io.h"
#include "co4/posix.h"
#include "co4/time.h"

CO4__INSIDE pausable int co4_posix_poll(struct pollfd *fds, nfds_t count, int timeout)
{
    co4__posix_point();
    int was = errno, mark = timeout == 0 ? -1 : co4__interrupts_begin(true);
    if (mark < 0)
        return (int)waited(co4_poll(fds, count, timeout), was, CO4_NEVER);
    int64_t until = timeout < 0 ? CO4_NEVER : co4_now() + timeout * CO4_MS;
    return (int)waited(co4__interrupts_poll(fds, count, until, mark), was, CO4_NEVER);
}

CO4__INSIDE pausable int co4_posix_epoll_wait(int fd, struct epoll_event *events, int most,
                                              int timeout)
{
    co4__posix_point();
    int was = errno;
    int64_t deadline = timeout < 0 ? CO4_NEVER : co4_now() + timeout * CO4_MS;
    int mark = timeout == 0 ? -1 : co4__interrupts_begin(true);
    for (;;) {
        int n = epoll_wait(fd, events, most, 0);
        if (n != 0 || timeout == 0)
            return (int)co4__spent_call(n);
        n = mark < 0 ? co4__fd_wait(fd, POLLIN, deadline)
                     : co4__interrupts_wait(fd, POLLIN, deadline, mark);
        if (n < 0 && errno != ETIMEDOUT)
            return -1;
        if (timeout > 0 && co4_now() >= deadline)
            timeout = 0;
        errno = was;
    }
}
