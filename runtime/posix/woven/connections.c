/* connections.c - accept() and connect() for programs without marks: pausable C, and once more
 * plain. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/inside.h"
#include "io/attempt.h"
#include "io/socket.h"
#include "posix/deadline.h"
#include "posix/interrupts.h"
#include "posix/mode.h"
#include "posix/point.h"
#include "posix/woven/tries.h"

#include "co4/io.h"
#include "co4/posix.h"
#include "co4/task.h"
#include "co4/time.h"

/* The longest time between two looks whether a listener of a Unix socket has room. */
#define CALL_LOOK (20 * CO4_MS)

/* This does not block: the descriptor has O_NONBLOCK. */
static int connect_now(int fd, const struct sockaddr *address, socklen_t length)
{
    return connect(fd, address, length);
}

/* A try. While another process is inside one, it waits for a moment. */
static pausable int accept_once(int fd, struct sockaddr *address, socklen_t *length, int flags)
{
    int n;
    while ((n = co4__try_accept_as_is(fd, address, length, flags)) == CO4__BLOCKS) {
        int err = co4_sleep(CO4_MS);
        if (err != CO4_OK)
            return co4__io_fails(err);
    }
    return n;
}

CO4__INSIDE pausable int co4_posix_accept4(int fd, struct sockaddr *address, socklen_t *length,
                                           int flags)
{
    co4__posix_point();
    int was = errno, n;
    int64_t deadline = CO4_NEVER;
    TRY(n, accept_once(fd, address, length, flags), deadline);
    if (IS_OVER(n))
        return co4__spent_call(tried(n, was));
    WAIT_AND_TRY(n, accept_once(fd, address, length, flags), POLLIN, deadline);
    if (IS_OVER(n))
        return waited(n, was, deadline);
    while (n == CO4__WOULD_WAIT) {
        if (waited(co4__fd_wait(fd, POLLIN, deadline), was, deadline) < 0)
            return -1;
        n = accept_once(fd, address, length, flags);
    }
    return waited(n, was, deadline);
}

CO4__INSIDE pausable int co4_posix_accept(int fd, struct sockaddr *address, socklen_t *length)
{
    return co4_posix_accept4(fd, address, length, 0);
}

/* An attempt whose wait has ended goes on without its task, as in POSIX. Linux waits for it in the
 * next call, so programs make the call again. */
static pausable int connect_interruptibly(int fd, const struct sockaddr *address, socklen_t length,
                                          int64_t deadline)
{
    int mark = co4__interrupts_begin(deadline != CO4_NEVER);
    int n = co4__try_connect(fd, address, length);
    const bool again = n == -1 && errno == EALREADY;
    if (again)
        n = CO4__WOULD_WAIT;
    if (n == CO4__BLOCKS && mark < 0)
        return co4_connect_until(fd, address, length, deadline);
    for (int64_t begun = co4_now(), look; n == CO4__BLOCKS;) {
        look = co4_now() + co4__next_slice(co4_now() - begun, CALL_LOOK);
        if (co4__interrupts_wait(-1, 0, look < deadline ? look : deadline, mark) < 0 &&
            (errno != ETIMEDOUT || co4_now() >= deadline))
            return -1;
        n = co4__try_connect(fd, address, length);
    }
    while (n == CO4__WOULD_WAIT) {
        if (co4__posix_fd_wait(fd, POLLOUT, deadline) < 0) {
            errno = again && errno == ETIMEDOUT ? EALREADY : errno;
            return -1;
        }
        n = co4__try_connected(fd, address, length);
    }
    return n;
}

CO4__INSIDE pausable int co4_posix_connect(int fd, const struct sockaddr *address, socklen_t length)
{
    co4__posix_point();
    int was = errno;
    int64_t deadline;
    if (!co4__posix_waits(fd, CO4__WRITING, &deadline)) {
        errno = was;
        return connect_now(fd, address, length);
    }
    int n = co4__interrupts_begin(deadline != CO4_NEVER) < 0
                ? co4_connect_until(fd, address, length, deadline)
                : connect_interruptibly(fd, address, length, deadline);
    if (n < 0 && errno == EALREADY)
        n = connect_interruptibly(fd, address, length, deadline);
    if (n == 0)
        errno = was;
    else if (errno == ETIMEDOUT && deadline != CO4_NEVER)
        errno = co4__attempt_is_unix(fd) ? EAGAIN : EINPROGRESS;
    return n;
}
