/* read.c - reading: pausable C, and once more plain. */
#define _GNU_SOURCE /* struct ucred and others in the system's headers */
#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>

#include "io/attempt.h"
#include "io/descriptor.h"
#include "io/terminal.h"
#include "io/wait.h"

#include "co4/time.h"

#ifndef CO4__NO_TERMINALS
static pausable ssize_t read_terminal(int fd, const struct iovec *to, int count, int64_t deadline)
{
    struct co4__terminal_read r;
    ssize_t n;
    co4__terminal_begin(&r, fd, to, count);
    while ((n = co4__terminal_try(&r)) == CO4__WOULD_WAIT)
        if (co4__fd_wait(fd, POLLIN, r.until < deadline ? r.until : deadline) < 0 &&
            (errno != ETIMEDOUT || co4_now() >= deadline))
            return co4__terminal_end(&r);
    return n;
}
#endif

/* From a terminal that counts, or from a file. */
pausable ssize_t co4__read_rest(const struct iovec *to, int count, int64_t deadline)
{
    struct co4__attempt_part part = co4__attempt_part();
#ifndef CO4__NO_TERMINALS
    if (co4__terminal_ends(part.fd) == CO4__TERMINAL_COUNTS)
        return read_terminal(part.fd, to, count, deadline);
#endif
    (void)deadline;
    return co4__io_result(co4_blocking(co4__read_blocking(part, to, count)));
}

static pausable ssize_t read_slowly(void *to, size_t bytes, int64_t deadline)
{
    struct iovec one = { to, bytes };
    return co4__read_rest(&one, 1, deadline);
}

pausable ssize_t co4_read_until(int fd, void *to, size_t bytes, int64_t deadline)
{
    ssize_t n;
    CO4__TRY(n, co4__try_read(fd, to, bytes), CO4__READING, deadline);
    return n == CO4__BLOCKS ? read_slowly(to, bytes, deadline) : n;
}

pausable ssize_t co4_readv_until(int fd, const struct iovec *to, int count, int64_t deadline)
{
    ssize_t n;
    CO4__TRY(n, co4__try_readv(fd, to, count), CO4__READING, deadline);
    return n == CO4__BLOCKS ? co4__read_rest(to, count, deadline) : n;
}

pausable ssize_t co4_read(int fd, void *to, size_t bytes)
{
    ssize_t n;
    CO4__TRY(n, co4__try_read(fd, to, bytes), CO4__READING, CO4_NEVER);
    return n == CO4__BLOCKS ? read_slowly(to, bytes, CO4_NEVER) : n;
}

pausable ssize_t co4_readv(int fd, const struct iovec *to, int count)
{
    return co4_readv_until(fd, to, count, CO4_NEVER);
}
