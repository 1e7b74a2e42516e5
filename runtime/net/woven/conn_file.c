/* conn_file.c - buffered connections: sending files. Pausable C, and once more plain. */
#include <stddef.h>
#include <stdint.h>

#include "memory/buffers.h"
#include "net/conn_calls.h"

#include "co4/time.h"

/* Sends the file through a buffer, where sendfile() cannot. */
static pausable ssize_t copy_file(co4_conn *c, int file, off_t *offset, size_t bytes,
                                  int64_t deadline)
{
    size_t done = 0;
    char *buffer = co4__buffer_take();
    if (!buffer)
        return CO4_ENOMEM;
    while (done < bytes) {
        size_t part = bytes - done < CO4__BUFFER_BYTES ? bytes - done : CO4__BUFFER_BYTES;
        ssize_t n = co4__conn_try_file(file, buffer, part, *offset);
        if (n == CO4__BLOCKS)
            n = co4_blocking(co4__conn_file_blocking(file, buffer, part, *offset));
        ssize_t sent = n > 0 ? co4__conn_send_all(c, buffer, (size_t)n, deadline) : n;
        if (sent > 0) {
            done += (size_t)sent;
            *offset += sent;
        }
        if (sent <= 0 || sent < n) {
            co4__buffer_drop(buffer);
            return done > 0 ? (ssize_t)done : sent < 0 ? sent : 0;
        }
    }
    co4__buffer_drop(buffer);
    return (ssize_t)done;
}

/* The socket keeps the output until the file follows. If the output went alone, it would wake the
 * receiver early, which then would read a large file at half the rate. */
static pausable int flush_before_file(co4_conn *c, int64_t deadline)
{
    int failure = co4__conn_failure(c);
    if (failure != CO4_OK)
        return failure;
    c->more = true;
    int n = co4_conn_flush_until(c, deadline);
    c->more = false;
    if (n != 0)
        co4__conn_push(c);
    return n;
}

/* CO4_EINVAL or -ENOSYS: not this file, or not into this descriptor. */
static pausable ssize_t send_parts(co4_conn *c, int file, off_t *offset, size_t bytes,
                                   int64_t deadline)
{
    size_t done = 0, near = 0; /* bytes that are known to be in memory */
    while (done < bytes) {
        size_t part = bytes - done < 262144 ? bytes - done : 262144; /* others get their turn */
        int err = CO4__CONN_BEGIN(c);
        if (near == 0 && err == CO4_OK && co4__conn_file_is_far(file, *offset, part))
            co4_blocking(co4__conn_fetch(file, *offset, part));
        near = near == 0 ? part : near;
        part = part < near ? part : near;
        ssize_t n = err == CO4_OK ? co4__conn_try_sendfile(c, file, offset, part) : err;
        if (n == CO4__WOULD_WAIT) {
            CO4__CONN_WAIT(n, c, CO4__WRITING, deadline);
            if (n >= 0)
                continue;
        }
        if (n <= 0)
            return done > 0 ? (ssize_t)done : n;
        done += (size_t)n;
        near -= (size_t)n < near ? (size_t)n : near;
    }
    return (ssize_t)done;
}

pausable ssize_t co4_conn_send_file_until(co4_conn *c, int file, off_t *offset, size_t bytes,
                                          int64_t deadline)
{
    int failure = offset ? flush_before_file(c, deadline) : CO4_EINVAL;
    if (failure != CO4_OK)
        return failure;
    if (c->transport)
        return copy_file(c, file, offset, bytes, deadline);
    ssize_t n = send_parts(c, file, offset, bytes, deadline);
    if (n == CO4_EINVAL || n == -ENOSYS)
        n = copy_file(c, file, offset, bytes, deadline);
    if (n <= 0)
        co4__conn_push(c);
    return n;
}

pausable ssize_t co4_conn_send_file(co4_conn *c, int file, off_t *offset, size_t bytes)
{
    return co4_conn_send_file_until(c, file, offset, bytes, CO4_NEVER);
}
