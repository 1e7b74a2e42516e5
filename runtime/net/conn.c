/* conn.c - buffered connections: the calls that do not wait.
 *
 * Purpose: a connection has an input and an output buffer over a descriptor or a transport. The
 * calls that wait are in woven/: each tries, and waits for the direction that the try wants.
 *
 * Invariants: a buffer is held while it has bytes. A read of no byte gives the input's buffer
 * back before the task waits; a flush gives the output's back. So an idle connection is only its
 * struct. A pointer into the input stays valid until the next read, which may move the bytes.
 *
 * Concurrency: one task reads, another writes. They share `writer` alone, which says whose output
 * waits (conn_output.c). A task that reads flushes only its own output, since another task may be
 * writing. */
#define _GNU_SOURCE /* preadv2, RWF_NOWAIT */
#include "net/conn.h"

#include <errno.h>
#ifdef __linux__
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#endif
#include <string.h>
#include <unistd.h>

#include "io/descriptor.h"
#include "memory/buffers.h"
#include "memory/pool.h"

#include "co4/task.h"

/* ---- making and destroying ---- */

co4_conn *co4_conn_create_over(int fd, const co4_transport *transport, void *self)
{
    struct co4__descriptor *d = co4__descriptor_at(fd);
    bool attached = d && co4__is_attached(atomic_load_explicit(&d->use, memory_order_acquire));
    int err = attached ? 0 : co4__descriptor_adopt(fd, false);
    co4_conn *c = err == 0 ? co4__pool_take(sizeof *c) : NULL;
    if (!c)
        return NULL;
    atomic_fetch_or_explicit(&co4__descriptor_at(fd)->no_nowait, CO4__TAKEN_OVER,
                             memory_order_relaxed);
    *c = (co4_conn){ .transport = transport,
                     .self = self,
                     .refs = 1,
                     .fd = fd,
                     .wants = { CO4__READING, CO4__WRITING } };
    return c;
}

co4_conn *co4_conn_create(int fd)
{
    return co4_conn_create_over(fd, NULL, NULL);
}

int co4_conn_fd(const co4_conn *c)
{
    return c ? c->fd : -1;
}

void *co4_conn_transport(const co4_conn *c, const co4_transport *transport)
{
    return c && transport && c->transport == transport ? c->self : NULL;
}

void co4_conn_destroy(co4_conn *c)
{
    if (!c)
        return;
    co4__conn_own(c);
    co4_close(c->fd);
    if (c->transport && c->transport->destroy)
        c->transport->destroy(c->self);
    co4__buffer_give_back(&c->in);
    co4__buffer_give_back(&c->out);
    c->holds = false;
    co4__conn_unref(c);
}

/* ---- input ---- */

/* The system reports a reset once, and then the end of the input. A connection reports a reset for
 * ever, since bytes that came before a reset may be only a part. */
static ssize_t remember_failure(co4_conn *c, ssize_t n)
{
    if (n == 0 && atomic_load_explicit(&c->failed, memory_order_relaxed) == -ECONNRESET)
        n = -ECONNRESET;
    if (n < 0 && n != CO4__WOULD_WAIT && n != CO4__BLOCKS && n != CO4_ECLOSED && n != CO4_EINVAL &&
        n != CO4_ENOMEM && n != -EFAULT)
        c->broken = (int16_t)n;
    return n;
}

ssize_t co4__conn_try_read(co4_conn *c, void *to, size_t bytes)
{
    if (c->broken)
        return c->broken;
    ssize_t n = c->transport ? co4__conn_of_transport(c, CO4__READING,
                                                      c->transport->read(c->self, to, bytes))
                             : co4__io_code(co4__try_read(c->fd, to, bytes));
    if (CO4__UNLIKELY(n == CO4__BLOCKS)) { /* a file: the part that is in memory is enough */
        size_t done = co4__attempt_part().done;
        n = done > 0 ? (ssize_t)done : n;
    }
    return n > 0 ? n : remember_failure(c, n);
}

ssize_t co4__conn_try_fill(co4_conn *c, size_t at_least)
{
    co4__conn_uncover(c);
    size_t held = co4__buffer_held(&c->in);
    if (at_least > CO4__BUFFER_MOST)
        return -EMSGSIZE;
    if (!co4__buffer_make_room(&c->in, at_least > held ? at_least - held : 1))
        return CO4_ENOMEM;
    ssize_t n = co4__conn_try_read(c, c->in.bytes + c->in.end, c->in.size - c->in.end);
    if (n > 0)
        c->in.end += (uint32_t)n;
    else if (held == 0)
        co4__buffer_give_back(&c->in);
    return n;
}

ssize_t co4__conn_fill_blocking(co4_conn *c, size_t at_least)
{
    co4__conn_uncover(c);
    size_t held = co4__buffer_held(&c->in);
    if (!co4__buffer_make_room(&c->in, at_least > held ? at_least - held : 1))
        return CO4_ENOMEM;
    struct iovec to = { c->in.bytes + c->in.end, c->in.size - c->in.end };
    ssize_t n = co4__read_blocking(co4__attempt_none(c->fd), &to, 1);
    if (n > 0)
        c->in.end += (uint32_t)n;
    return n < 0 ? co4_code_of_errno((int)-n) : n;
}

size_t co4__conn_find(const co4_conn *c, const void *delimiter, size_t bytes, size_t max,
                      size_t searched)
{
    size_t held = co4__buffer_held(&c->in), limit = held < max ? held : max;
    size_t from = searched >= bytes ? searched - bytes + 1 : 0;
    const char *begin = c->in.bytes + c->in.at, *at, *first = delimiter;
    for (; limit >= bytes && from <= limit - bytes; from = (size_t)(at - begin) + 1) {
        at = memchr(begin + from, *first, limit - bytes - from + 1);
        if (!at)
            break;
        if (memcmp(at, delimiter, bytes) == 0)
            return (size_t)(at - begin) + bytes;
    }
    return 0;
}

ssize_t co4__conn_take_line(co4_conn *c, size_t bytes, char **line)
{
    struct co4__buffer *in = &c->in;
    bool is_all = bytes == co4__buffer_held(in);
    if (is_all && !co4__buffer_make_room(in, 1))
        return CO4_ENOMEM;
    *line = in->bytes + in->at;
    char *behind = *line + bytes;
    c->covered = !is_all;
    c->under = is_all ? '\0' : *behind;
    *behind = '\0';
    co4__buffer_advance(in, bytes);
    return (ssize_t)bytes;
}

size_t co4_conn_skip(co4_conn *c, size_t bytes)
{
    if (!c)
        return 0;
    co4__conn_uncover(c);
    size_t held = co4__buffer_held(&c->in);
    size_t taken = bytes < held ? bytes : held;
    co4__buffer_advance(&c->in, taken);
    return taken;
}

size_t co4_conn_buffered(const co4_conn *c)
{
    return c ? co4__buffer_held(&c->in) : 0;
}

/* ---- the end, files ---- */

int co4__conn_try_end(co4_conn *c)
{
    if (c->transport)
        return c->transport->end
                   ? (int)co4__conn_of_transport(c, CO4__WRITING, c->transport->end(c->self))
                   : 0;
    return (int)co4__io_code(co4_shutdown(c->fd, SHUT_WR));
}

ssize_t co4__conn_try_sendfile(co4_conn *c, int file, off_t *offset, size_t bytes)
{
#ifdef __linux__
    return co4__io_code(co4__try_sendfile(c->fd, file, offset, bytes));
#else
    (void)c, (void)file, (void)offset, (void)bytes;
    return CO4_EINVAL;
#endif
}

void co4__conn_push(const co4_conn *c)
{
#ifdef TCP_CORK
    int off = 0;
    setsockopt(c->fd, IPPROTO_TCP, TCP_CORK, &off, sizeof off);
#else
    (void)c;
#endif
}

bool co4__conn_file_is_far(int file, off_t offset, size_t bytes)
{
#ifdef __linux__
    off_t at;
    return co4__file_is_far(file, &offset, bytes, &at) > 0;
#else
    (void)file, (void)offset, (void)bytes;
    return false;
#endif
}

ssize_t co4__conn_fetch(int file, off_t offset, size_t bytes)
{
#ifdef __linux__
    return co4__file_fetch(file, offset, bytes);
#else
    (void)file, (void)offset, (void)bytes;
    return 0;
#endif
}

ssize_t co4__conn_try_file(int file, void *to, size_t bytes, off_t offset)
{
#if defined(__linux__) && defined(RWF_NOWAIT)
    struct iovec iov = { to, bytes };
    ssize_t n = preadv2(file, &iov, 1, offset, RWF_NOWAIT);
    if (n > 0 || (n < 0 && errno != EAGAIN && errno != EOPNOTSUPP && errno != ENOSYS))
        return co4__io_code(n);
#else
    (void)file, (void)to, (void)bytes, (void)offset;
#endif
    return CO4__BLOCKS;
}

ssize_t co4__conn_file_blocking(int file, void *to, size_t bytes, off_t offset)
{
    ssize_t n;
    do
        n = pread(file, to, bytes, offset);
    while (n < 0 && errno == EINTR);
    return co4__io_code(n);
}
