/* conn_read.c - buffered connections: reading bytes. Pausable C, and once more plain. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "memory/buffers.h"
#include "net/conn_calls.h"

#include "co4/time.h"

/* Reads into the caller's memory, past the input, which is empty. */
static pausable ssize_t read_past(co4_conn *c, void *to, size_t bytes, int64_t deadline)
{
    ssize_t n;
    CO4__CONN_READ(n, c, co4__conn_try_read(c, to, bytes), deadline);
    if (n == CO4__BLOCKS) {
        struct iovec one = { to, bytes };
        struct co4__attempt_part part = co4__attempt_part();
        n = co4_blocking(co4__read_blocking(part, &one, 1));
        return n < 0 ? co4_code_of_errno((int)-n) : n;
    }
    return n;
}

static ssize_t take(co4_conn *c, void *to, size_t bytes)
{
    size_t held = co4_conn_buffered(c), n = bytes < held ? bytes : held;
    co4__conn_uncover(c);
    if (n > 0)
        memcpy(to, c->in.bytes + c->in.at, n);
    return (ssize_t)co4_conn_skip(c, n);
}

/* Takes what is there, or reads some. */
static pausable ssize_t read_some(co4_conn *c, void *to, size_t bytes, int64_t deadline)
{
    if (bytes == 0 || co4_conn_buffered(c) > 0)
        return take(c, to, bytes);
    if (bytes >= CO4__BUFFER_BYTES)
        return read_past(c, to, bytes, deadline);
    ssize_t n;
    CO4__CONN_FILL(n, c, 1, deadline);
    return n > 0 ? take(c, to, bytes) : n;
}

pausable ssize_t co4_conn_read_until(co4_conn *c, void *to, size_t bytes, int64_t deadline)
{
    ssize_t n;
    CO4__CONN_BEGIN_READING(n, c, deadline);
    return n > 0 ? read_some(c, to, bytes, deadline) : n;
}

pausable ssize_t co4_conn_read_exact_until(co4_conn *c, void *to, size_t bytes, int64_t deadline)
{
    size_t done = 0;
    while (done < bytes) {
        ssize_t n;
        CO4__CONN_BEGIN_READING(n, c, deadline);
        if (n > 0)
            n = read_some(c, (char *)to + done, bytes - done, deadline);
        if (n < 0)
            return done > 0 ? (ssize_t)done : n;
        if (n == 0)
            break;
        done += (size_t)n;
    }
    return (ssize_t)done;
}

pausable ssize_t co4_conn_read(co4_conn *c, void *to, size_t bytes)
{
    return co4_conn_read_until(c, to, bytes, CO4_NEVER);
}

pausable ssize_t co4_conn_read_exact(co4_conn *c, void *to, size_t bytes)
{
    return co4_conn_read_exact_until(c, to, bytes, CO4_NEVER);
}
