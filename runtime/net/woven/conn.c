/* conn.c - buffered connections: the calls that wait. Pausable C, and once more plain. */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "io/attempt.h"
#include "io/descriptor.h"
#include "memory/buffers.h"
#include "net/conn.h"
#include "net/wait.h"
#include "sync/begin.h"
#include "sync/source.h"

#include "co4/blocking.h"
#include "co4/io.h"
#include "co4/time.h"

#define BEGIN(c) ((c) ? CO4__BEGIN() : CO4_EINVAL)

/* The calls of this file that often wait are macros inside others, so that a task that waits has
 * few frames. */

/* ---- output ---- */

/* Sends the output, and bytes of the caller. Returns how many of those it has sent; -1. */
static pausable ssize_t send_all(co4_conn *c, const char *from, size_t bytes, int64_t deadline)
{
    size_t done = 0;
    co4__conn_own(c);
    while (done < bytes || co4_conn_unsent(c) > 0 || c->holds) {
        int err = BEGIN(c);
        ssize_t n = err == CO4_OK ? co4__conn_try_write(c, from + done, bytes - done)
                                  : co4__io_fails(err);
        if (n == CO4__WOULD_WAIT) {
            CO4__CONN_WAIT(n, c, c->wants[CO4__WRITING], deadline);
            n = n > 0 ? 0 : n; /* ready: nothing was sent yet */
        } else if (n == CO4__BLOCKS && (n = co4_conn_put(c, from + done, bytes - done)) >= 0)
            n = co4__io_result(co4_blocking(co4__conn_flush_blocking(c))) < 0
                    ? -1
                    : (ssize_t)(bytes - done);
        if (n < 0) {
            co4__conn_leave(c);
            return done > 0 ? (ssize_t)done : -1;
        }
        done += (size_t)n;
    }
    return (ssize_t)done;
}

pausable int co4_conn_flush_until(co4_conn *c, int64_t deadline)
{
    if (co4__conn_is_broken(c))
        return -1;
    return send_all(c, "", 0, deadline) < 0 ? -1 : 0;
}

pausable ssize_t co4_conn_write_until(co4_conn *c, const void *from, size_t bytes, int64_t deadline)
{
    int err = BEGIN(c);
    if (err != CO4_OK)
        return co4__io_fails(err);
    if (bytes <= CO4__BUFFER_BYTES && co4_conn_unsent(c) + bytes <= CO4__BUFFER_BYTES)
        return co4_conn_put(c, from, bytes);
    return send_all(c, from, bytes, deadline);
}

/* Without sendfile(): by a buffer. */
static pausable ssize_t copy_file(co4_conn *c, int file, off_t *offset, size_t bytes,
                                  int64_t deadline)
{
    size_t done = 0;
    char *buffer = co4__buffer_take();
    if (!buffer)
        return co4__io_fails(CO4_ENOMEM);
    while (done < bytes) {
        size_t part = bytes - done < CO4__BUFFER_BYTES ? bytes - done : CO4__BUFFER_BYTES;
        ssize_t n = co4__conn_try_file(file, buffer, part, *offset);
        if (n == CO4__BLOCKS)
            n = co4__io_result(co4_blocking(co4__conn_file_blocking(file, buffer, part, *offset)));
        ssize_t sent = n > 0 ? send_all(c, buffer, (size_t)n, deadline) : n;
        if (sent > 0) {
            done += (size_t)sent;
            *offset += sent;
        }
        if (sent <= 0 || sent < n) {
            co4__buffer_drop(buffer);
            return done > 0 || sent == 0 ? (ssize_t)done : -1;
        }
    }
    co4__buffer_drop(buffer);
    return (ssize_t)done;
}

pausable ssize_t co4_conn_send_file_until(co4_conn *c, int file, off_t *offset, size_t bytes,
                                          int64_t deadline)
{
    size_t done = 0, near = 0; /* bytes that are known to be in memory */
    if (!offset || co4_conn_flush_until(c, deadline) != 0)
        return offset ? -1 : co4__io_fails(CO4_EINVAL);
    while (!c->transport && done < bytes) {
        size_t part = bytes - done < 262144 ? bytes - done : 262144; /* others get their turn */
        int err = BEGIN(c);
        if (near == 0 && err == CO4_OK && co4__conn_file_is_far(file, *offset, part))
            co4_blocking(co4__conn_fetch(file, *offset, part));
        near = near == 0 ? part : near;
        part = part < near ? part : near;
        ssize_t n = err == CO4_OK ? co4__conn_try_sendfile(c, file, offset, part)
                                  : co4__io_fails(err);
        if (n == CO4__WOULD_WAIT) {
            CO4__CONN_WAIT(n, c, CO4__WRITING, deadline);
            if (n >= 0)
                continue;
        }
        if (n < 0 && done == 0 && (errno == EINVAL || errno == ENOSYS))
            break; /* not this file, or not into this descriptor */
        if (n <= 0)
            return done > 0 ? (ssize_t)done : n;
        done += (size_t)n;
        near -= (size_t)n < near ? (size_t)n : near;
    }
    return done < bytes && done == 0 ? copy_file(c, file, offset, bytes, deadline) : (ssize_t)done;
}

pausable int co4_conn_end_until(co4_conn *c, int64_t deadline)
{
    if (co4_conn_flush_until(c, deadline) != 0)
        return -1;
    int n, waited;
    while ((n = co4__conn_try_end(c)) == CO4__WOULD_WAIT) {
        CO4__CONN_WAIT(waited, c, c->wants[CO4__WRITING], deadline);
        if (waited < 0)
            return -1;
    }
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

/* ---- input ---- */

/* A peer that sends on and on, and takes no answer, would let the output grow for ever. */
#define MOST_OWED 65536
#define RELIEF_FAILS(c, deadline)                                                                  \
    ((c) && co4__conn_owes(c) && co4_conn_unsent(c) > MOST_OWED &&                                 \
     co4_conn_flush_until((c), (deadline)) != 0 && !co4__conn_is_broken(c))

/* A call that reads begins: `n` is 1, or -1 if it fails. */
#define BEGIN_READING(n, c, deadline)                                                              \
    do {                                                                                           \
        (n) = RELIEF_FAILS(c, deadline) ? -1 : 1;                                                  \
        int err_ = (n) > 0 ? BEGIN(c) : CO4_OK;                                                    \
        if (err_ != CO4_OK)                                                                        \
            (n) = co4__io_fails(err_);                                                             \
    } while (0)

/* Makes `try` until `n` is its result, and waits in between. The end of a task's step sends its
 * output. A thread flushes before it waits. */
#ifdef CO4_PLAIN
#define READ(n, c, try, deadline)                                                                  \
    do {                                                                                           \
        (n) = 0;                                                                                   \
        while ((n) >= 0 && ((n) = (try)) == CO4__WOULD_WAIT) {                                     \
            if (!co4__conn_owes(c)) {                                                              \
                CO4__CONN_WAIT(n, c, (c)->wants[CO4__READING], deadline);                          \
            } else {                                                                               \
                (n) = co4_conn_flush_until((c), (deadline));                                       \
                /* The peer may have sent bytes before it closed. */                               \
                (n) = co4__conn_is_broken(c) ? 0 : (n);                                            \
            }                                                                                      \
        }                                                                                          \
    } while (0)
#else
#define READ(n, c, try, deadline)                                                                  \
    do {                                                                                           \
        (n) = 0;                                                                                   \
        while ((n) >= 0 && ((n) = (try)) == CO4__WOULD_WAIT)                                       \
            CO4__CONN_WAIT(n, c, (c)->wants[CO4__READING], deadline);                              \
    } while (0)
#endif

/* Reads more into the input: `n` is the number of bytes, 0 or -1. */
#define FILL(n, c, at_least, deadline)                                                             \
    do {                                                                                           \
        READ(n, c, co4__conn_try_fill((c), (at_least)), deadline);                                 \
        if ((n) == CO4__BLOCKS)                                                                    \
            (n) = co4__io_result(co4_blocking(co4__conn_fill_blocking((c), (at_least))));          \
    } while (0)

/* Reads into the caller's memory, past the input, which is empty. */
static pausable ssize_t read_past(co4_conn *c, void *to, size_t bytes, int64_t deadline)
{
    ssize_t n;
    READ(n, c, co4__conn_try_read(c, to, bytes), deadline);
    if (n == CO4__BLOCKS) {
        struct iovec one = { to, bytes };
        struct co4__attempt_part part = co4__attempt_part();
        return co4__io_result(co4_blocking(co4__read_blocking(c->fd, &one, 1, part)));
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
    FILL(n, c, 1, deadline);
    return n > 0 ? take(c, to, bytes) : n;
}

pausable ssize_t co4_conn_read_until(co4_conn *c, void *to, size_t bytes, int64_t deadline)
{
    ssize_t n;
    BEGIN_READING(n, c, deadline);
    return n > 0 ? read_some(c, to, bytes, deadline) : n;
}

pausable ssize_t co4_conn_read_exact_until(co4_conn *c, void *to, size_t bytes, int64_t deadline)
{
    size_t done = 0;
    while (done < bytes) {
        ssize_t n;
        BEGIN_READING(n, c, deadline);
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

static ssize_t seen(co4_conn *c, const char **data)
{
    co4__conn_uncover(c);
    *data = c->in.bytes ? c->in.bytes + c->in.at : "";
    return (ssize_t)co4_conn_buffered(c);
}

pausable ssize_t co4_conn_peek_until(co4_conn *c, const char **data, size_t at_least,
                                     int64_t deadline)
{
    ssize_t n;
    BEGIN_READING(n, c, deadline);
    while (n > 0 && co4_conn_buffered(c) < at_least)
        FILL(n, c, at_least, deadline);
    return n < 0 ? n : seen(c, data);
}

pausable ssize_t co4_conn_peek(co4_conn *c, const char **data, size_t at_least)
{
    ssize_t n;
    BEGIN_READING(n, c, CO4_NEVER);
    while (n > 0 && co4_conn_buffered(c) < at_least)
        FILL(n, c, at_least, CO4_NEVER);
    return n < 0 ? n : seen(c, data);
}

/* Takes the input up to a delimiter of so many bytes: `n` is their number, 0 or -1. */
#define TAKE_TO(n, c, data, delimiter, bytes, max, deadline)                                       \
    do {                                                                                           \
        size_t searched = 0, found = 0;                                                            \
        BEGIN_READING(n, c, deadline);                                                             \
        if ((n) > 0)                                                                               \
            co4__conn_uncover(c);                                                                  \
        while ((n) > 0 &&                                                                          \
               (found = co4__conn_find((c), (delimiter), (bytes), (max), searched)) == 0) {        \
            searched = co4_conn_buffered(c);                                                       \
            (n) = searched < (max) ? 1 : -1;                                                       \
            if ((n) > 0)                                                                           \
                FILL(n, c, searched + 1, deadline);                                                \
            else                                                                                   \
                errno = EMSGSIZE;                                                                  \
        }                                                                                          \
        if ((n) >= 0)                                                                              \
            (n) = co4__conn_take_line((c), (n) > 0 ? found : co4_conn_buffered(c), (data));        \
    } while (0)

pausable ssize_t co4_conn_read_line_until(co4_conn *c, char **line, size_t max, int64_t deadline)
{
    ssize_t n;
    TAKE_TO(n, c, line, "\n", 1, max, deadline);
    return n;
}

pausable ssize_t co4_conn_read_to_until(co4_conn *c, char **data, const void *delimiter,
                                        size_t bytes, size_t max, int64_t deadline)
{
    if (bytes == 0 || !delimiter)
        return co4__io_fails(CO4_EINVAL);
    ssize_t n;
    TAKE_TO(n, c, data, delimiter, bytes, max, deadline);
    return n;
}

/* ---- the same without a deadline ---- */

pausable ssize_t co4_conn_read(co4_conn *c, void *to, size_t bytes)
{
    return co4_conn_read_until(c, to, bytes, CO4_NEVER);
}

pausable ssize_t co4_conn_read_exact(co4_conn *c, void *to, size_t bytes)
{
    return co4_conn_read_exact_until(c, to, bytes, CO4_NEVER);
}

pausable ssize_t co4_conn_read_line(co4_conn *c, char **line, size_t max)
{
    return co4_conn_read_line_until(c, line, max, CO4_NEVER);
}

pausable ssize_t co4_conn_read_to(co4_conn *c, char **data, const void *delimiter, size_t bytes,
                                  size_t max)
{
    return co4_conn_read_to_until(c, data, delimiter, bytes, max, CO4_NEVER);
}

pausable ssize_t co4_conn_write(co4_conn *c, const void *from, size_t bytes)
{
    return co4_conn_write_until(c, from, bytes, CO4_NEVER);
}

pausable ssize_t co4_conn_send_file(co4_conn *c, int file, off_t *offset, size_t bytes)
{
    return co4_conn_send_file_until(c, file, offset, bytes, CO4_NEVER);
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
