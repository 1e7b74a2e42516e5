/* wait.h - a call of POSIX that waits, for the files in woven/.
 *
 * Each call tries, and waits only if the try found that it would block. A call that writes to a
 * stream goes on until all is written, as a blocking call does. If it fails later, or its deadline
 * comes, it returns the number of bytes that are written. */
#ifndef CO4_IO_WAIT_H
#define CO4_IO_WAIT_H

#include <errno.h>

#include "io/attempt.h"
#include "sync/begin.h"
#include "sync/source.h"

/* Makes `try`, and waits in between, until `n` is its result; -1 if the wait fails. */
#define CO4__TRY(n, try, direction, deadline)                                                      \
    do {                                                                                           \
        int err_ = CO4__BEGIN();                                                                   \
        while (err_ == CO4_OK && ((n) = (try)) == CO4__WOULD_WAIT)                                 \
            err_ = co4__attempt_wait((direction), (deadline));                                     \
        if (err_ != CO4_OK)                                                                        \
            (n) = co4__io_fails(err_);                                                             \
    } while (0)

/* MSG_DONTWAIT is the wish not to wait. */
#define CO4__WISHES_NOT(flags) ((flags)&MSG_DONTWAIT)

static inline int co4__would_wait(void)
{
    errno = EAGAIN;
    return -1;
}

#endif
