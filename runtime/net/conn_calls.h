/* conn_calls.h - how a call of a buffered connection waits, for the files in woven/.
 *
 * The waits are macros inside the calls, so that a waiting task has few frames. */
#ifndef CO4_CONN_CALLS_H
#define CO4_CONN_CALLS_H

#include "io/attempt.h"
#include "net/conn.h"
#include "sync/begin.h"
#include "sync/source.h"

#include "co4/blocking.h"

/* The last try would wait: `n` is 0, or a code. */
#define CO4__CONN_WAIT(n, c, direction, deadline)                                                  \
    do {                                                                                           \
        int at_ = (direction);                                                                     \
        (n) = co4__attempt_was((c)->fd, at_) ? CO4__WOULD_WAIT                                     \
                                             : co4__io_code(co4__try_ready((c)->fd, at_));         \
        if ((n) == CO4__WOULD_WAIT)                                                                \
            (n) = co4__attempt_wait(at_, (deadline));                                              \
    } while (0)

#define CO4__CONN_BEGIN(c) ((c) ? CO4__BEGIN() : CO4_EINVAL)

/* Sends the output, and bytes of the caller. Returns how many of those it has sent, or a code. */
CO4__OWN pausable ssize_t co4__conn_send_all(co4_conn *c, const char *from, size_t bytes,
                                             int64_t deadline);

/* A peer that sends on and on, and takes no answer, would let the output grow for ever. */
#define CO4__MOST_OWED             65536
#define CO4__CONN_OWES_TOO_MUCH(c) ((c) && co4__conn_owes(c) && co4_conn_unsent(c) > CO4__MOST_OWED)

/* A call that reads begins: `n` is 1, or a code if it fails. A flush that fails for good does not
 * matter: the peer may have sent bytes before. */
#define CO4__CONN_BEGIN_READING(n, c, deadline)                                                    \
    do {                                                                                           \
        (n) = CO4__CONN_OWES_TOO_MUCH(c) ? co4_conn_flush_until((c), (deadline)) : CO4_OK;         \
        if ((n) == CO4_OK || co4__conn_failure(c) != CO4_OK)                                       \
            (n) = CO4__CONN_BEGIN(c);                                                              \
        (n) = (n) == CO4_OK ? 1 : (n);                                                             \
    } while (0)

/* Makes `try` until `n` is its result, and waits in between. The end of a task's step sends its
 * output. A thread flushes before it waits. */
#ifdef CO4_PLAIN
#define CO4__CONN_READ(n, c, try, deadline)                                                        \
    do {                                                                                           \
        (n) = 0;                                                                                   \
        while ((n) >= 0 && ((n) = (try)) == CO4__WOULD_WAIT) {                                     \
            if (!co4__conn_owes(c)) {                                                              \
                CO4__CONN_WAIT(n, c, (c)->wants[CO4__READING], deadline);                          \
            } else {                                                                               \
                (n) = co4_conn_flush_until((c), (deadline));                                       \
                /* The peer may have sent bytes before it closed. */                               \
                (n) = co4__conn_failure(c) != CO4_OK ? 0 : (n);                                    \
            }                                                                                      \
        }                                                                                          \
    } while (0)
#else
#define CO4__CONN_READ(n, c, try, deadline)                                                        \
    do {                                                                                           \
        (n) = 0;                                                                                   \
        while ((n) >= 0 && ((n) = (try)) == CO4__WOULD_WAIT)                                       \
            CO4__CONN_WAIT(n, c, (c)->wants[CO4__READING], deadline);                              \
    } while (0)
#endif

/* Reads more into the input: `n` is the number of bytes, 0 or a code. */
#define CO4__CONN_FILL(n, c, at_least, deadline)                                                   \
    do {                                                                                           \
        CO4__CONN_READ(n, c, co4__conn_try_fill((c), (at_least)), deadline);                       \
        if ((n) == CO4__BLOCKS)                                                                    \
            (n) = co4_blocking(co4__conn_fill_blocking((c), (at_least)));                          \
    } while (0)

#endif
