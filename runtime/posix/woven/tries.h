/* tries.h - what the blocking calls of POSIX in this folder share: a call is tried, waits, and is
 * tried again. */
#ifndef CO4_POSIX_TRIES_H
#define CO4_POSIX_TRIES_H

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <sys/socket.h>

#include "io/attempt.h"
#include "io/socket.h"
#include "posix/interrupts.h"
#include "posix/mode.h"
#include "sync/source.h"

#include "co4/io.h"
#include "co4/task.h"
#include "co4/time.h"

/* A call has waited, perhaps until its deadline: that of a socket's option. A connection that the
 * system gives up fails with the same error, before that. Other tasks have used `errno` meanwhile,
 * so a call that succeeds gives it the value `was` again. */
static inline ssize_t waited(ssize_t n, int was, int64_t deadline)
{
    if (n >= 0)
        errno = was;
    else if (errno == ETIMEDOUT && deadline != CO4_NEVER && co4_now() >= deadline)
        errno = EAGAIN;
    return n;
}

/* The same for a try. One that has found the end of a socket may have made two calls. */
static inline ssize_t tried(ssize_t n, int was)
{
    if (n == 0)
        errno = was;
    return n;
}

/* Returns the result of a write as POSIX has it. The runtime's own writes raise no SIGPIPE. By
 * POSIX the thread that writes gets one if the other end is closed: of a pipe, or of a socket of
 * bytes without MSG_NOSIGNAL. */
static inline ssize_t written(int fd, int flags, ssize_t n)
{
    int type;
    socklen_t length = sizeof type;
    if (n != -1 || errno != EPIPE || (flags & MSG_NOSIGNAL))
        return n;
    if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) != 0 || type == SOCK_STREAM)
        raise(SIGPIPE);
    errno = EPIPE;
    return n;
}

/* Has the call that a try makes ended, for it need neither wait nor block? */
#define IS_OVER(n) ((n) >= -1)

/* Makes `try`, which reads; unless it is over, `deadline` is set. A try may know from the last one
 * that there is nothing. That something has come is found out in a wait, so a call that does not
 * wait asks the system. */
#define TRY(n, try, deadline)                                                                      \
    do {                                                                                           \
        (n) = (try);                                                                               \
        if ((n) == CO4__WOULD_WAIT && !co4__posix_waits(fd, CO4__READING, &(deadline))) {          \
            co4__descriptor_seen_ready(fd);                                                        \
            (n) = (try);                                                                           \
            if (!IS_OVER(n)) {                                                                     \
                errno = EAGAIN;                                                                    \
                (n) = -1;                                                                          \
            }                                                                                      \
        }                                                                                          \
    } while (0)

#ifdef CO4_PLAIN
#define co4__spent_call(n) (n)
#else
/* The call is an operation of its step, whatever its result. */
static inline pausable ssize_t co4__spent_call(ssize_t n)
{
    int was = errno;
    co4__spent(CO4_OK);
    errno = was;
    return n;
}
#endif

/* The `try` would wait. Where a handler of signals may end the wait, this waits, and makes the try
 * again, until it is over. Elsewhere the call has to wait by itself. */
#define WAIT_AND_TRY(n, try, events, deadline)                                                     \
    do {                                                                                           \
        int mark_ = (n) == CO4__WOULD_WAIT ? co4__interrupts_begin((deadline) != CO4_NEVER) : -1;  \
        while (mark_ >= 0 && (n) == CO4__WOULD_WAIT)                                               \
            (n) = co4__interrupts_wait(fd, (events), (deadline), mark_) < 0 ? -1 : (try);          \
    } while (0)

#endif
