/* conn.c - buffered connections: writing and closing. Pausable C, and once more plain. */
#include <stddef.h>
#include <stdint.h>

#include "memory/buffers.h"
#include "net/conn_calls.h"

#include "co4/time.h"

pausable ssize_t co4__conn_send_all(co4_conn *c, const char *from, size_t bytes, int64_t deadline)
{
    size_t done = 0;
    co4__conn_own(c);
    while (done < bytes || co4_conn_unsent(c) > 0 || c->holds) {
        int err = CO4__CONN_BEGIN(c);
        ssize_t n = err == CO4_OK ? co4__conn_try_write(c, from + done, bytes - done) : err;
        if (n == CO4__WOULD_WAIT) {
            CO4__CONN_WAIT(n, c, c->wants[CO4__WRITING], deadline);
            n = n > 0 ? 0 : n; /* ready: nothing was sent yet */
        } else if (n == CO4__BLOCKS) {
            n = co4_conn_put(c, from + done, bytes - done);
            err = n < 0 ? (int)n : (int)co4_blocking(co4__conn_flush_blocking(c));
            n = err < 0 ? err : n;
        }
        if (n < 0) {
            co4__conn_leave(c);
            return done > 0 ? (ssize_t)done : n;
        }
        done += (size_t)n;
    }
    return (ssize_t)done;
}

pausable ssize_t co4_conn_write_until(co4_conn *c, const void *from, size_t bytes, int64_t deadline)
{
    int err = CO4__CONN_BEGIN(c);
    if (err != CO4_OK)
        return err;
    if (bytes <= CO4__BUFFER_BYTES && co4_conn_unsent(c) + bytes <= CO4__BUFFER_BYTES)
        return co4_conn_put(c, from, bytes);
    return co4__conn_send_all(c, from, bytes, deadline);
}

pausable int co4_conn_flush_until(co4_conn *c, int64_t deadline)
{
    int failure = co4__conn_failure(c);
    return failure != CO4_OK ? failure : (int)co4__conn_send_all(c, "", 0, deadline);
}

pausable int co4_conn_end_until(co4_conn *c, int64_t deadline)
{
    int n = co4_conn_flush_until(c, deadline);
    while (n >= 0 && (n = co4__conn_try_end(c)) == CO4__WOULD_WAIT)
        CO4__CONN_WAIT(n, c, c->wants[CO4__WRITING], deadline);
    return n;
}

pausable int co4_conn_close_until(co4_conn *c, int64_t deadline)
{
    if (!c)
        return 0;
    int n = c->transport ? co4_conn_end_until(c, deadline) : co4_conn_flush_until(c, deadline);
    co4_conn_destroy(c);
    return n;
}

pausable ssize_t co4_conn_write(co4_conn *c, const void *from, size_t bytes)
{
    return co4_conn_write_until(c, from, bytes, CO4_NEVER);
}

pausable int co4_conn_flush(co4_conn *c)
{
    return co4_conn_flush_until(c, CO4_NEVER);
}

pausable int co4_conn_end(co4_conn *c)
{
    return co4_conn_end_until(c, CO4_NEVER);
}

pausable int co4_conn_close(co4_conn *c)
{
    return co4_conn_close_until(c, CO4_NEVER);
}
