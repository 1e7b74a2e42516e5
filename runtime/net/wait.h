/* wait.h - how a call of a connection waits: for pausable code, and once more plain. */
#ifndef CO4_CONN_WAIT_H
#define CO4_CONN_WAIT_H

#include "io/attempt.h"
#include "net/conn.h"

/* The last try would wait: `n` is 0, or a code. */
#define CO4__CONN_WAIT(n, c, direction, deadline)                                                  \
    do {                                                                                           \
        int at_ = (direction);                                                                     \
        (n) = co4__attempt_was((c)->fd, at_) ? CO4__WOULD_WAIT                                     \
                                             : co4__io_code(co4__try_ready((c)->fd, at_));         \
        if ((n) == CO4__WOULD_WAIT)                                                                \
            (n) = co4__attempt_wait(at_, (deadline));                                              \
    } while (0)

#endif
