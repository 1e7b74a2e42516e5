/* conn.c - buffered connections: what does not wait.
 *
 * Purpose: a connection has an input and an output buffer over a descriptor or a transport. The
 * calls that wait are in woven/conn.c: each tries, and waits for the direction that the try wants.
 *
 * Invariants: a buffer is held while it has bytes. A read of no byte gives the input's buffer
 * back before the task waits; a flush gives the output's back. So an idle connection is only its
 * struct. A pointer into the input stays valid until the next read, which may move the bytes.
 *
 * Concurrency: one task reads, another writes. They share `writer` alone, which says whose output
 * waits. A task that reads flushes only its own output, since another task may be writing.
 *
 * Rejected: a flush at every wait of the task. It costs a look at each pause, and a task that
 * writes and then waits for a message can say co4_conn_flush(). */
#define _GNU_SOURCE /* preadv2, RWF_NOWAIT */
#include "net/conn.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/descriptor.h"
#include "memory/buffers.h"
#include "memory/pool.h"
#include "platform/thread.h"

#include "co4/task.h"

#define LARGEST (UINT32_MAX / 4) /* bytes of a buffer */

static void give_back(struct co4__buffer *b)
{
    if (b->size == CO4__BUFFER_BYTES)
        co4__buffer_drop(b->bytes);
    else
        free(b->bytes);
    *b = (struct co4__buffer){ NULL, 0, 0, 0 };
}

static bool grow(struct co4__buffer *b, size_t room)
{
    size_t held = co4__buffer_held(b), size = b->size > 0 ? b->size : CO4__BUFFER_BYTES;
    while (size < held + room && size <= LARGEST)
        size *= 2;
    char *bytes = size > LARGEST              ? NULL
                  : size == CO4__BUFFER_BYTES ? co4__buffer_take()
                                              : malloc(size);
    if (!bytes) {
        errno = ENOMEM;
        return false;
    }
    if (b->bytes)
        memcpy(bytes, b->bytes + b->at, held);
    give_back(b);
    *b = (struct co4__buffer){ bytes, 0, (uint32_t)held, (uint32_t)size };
    return true;
}

/* Makes room for so many bytes at the end. False with `errno`: allocation failed. */
static bool make_room(struct co4__buffer *b, size_t room)
{
    size_t held = co4__buffer_held(b);
    if (b->size - b->end >= room && b->bytes)
        return true;
    if (!b->bytes || b->size < held || b->size - held < room)
        return grow(b, room);
    memmove(b->bytes, b->bytes + b->at, held);
    b->at = 0;
    b->end = (uint32_t)held;
    return true;
}

static void advance(struct co4__buffer *b, size_t bytes)
{
    b->at += (uint32_t)bytes;
    if (b->at == b->end)
        b->at = b->end = 0;
}

/* ---- making and destroying ---- */

co4_conn *co4_conn_create_over(int fd, const co4_transport *transport, void *self)
{
    struct co4__descriptor *d = co4__descriptor_at(fd);
    bool attached = d && co4__is_attached(atomic_load_explicit(&d->use, memory_order_acquire));
    int err = attached ? 0 : co4__descriptor_adopt(fd, false);
    co4_conn *c = err == 0 ? co4__pool_take(sizeof *c) : NULL;
    if (!c) {
        errno = err != 0 ? err : ENOMEM;
        return NULL;
    }
    *c = (co4_conn){
        .transport = transport, .self = self, .fd = fd, .wants = { CO4__READING, CO4__WRITING }
    };
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
    int err = errno;
    co4_close(c->fd);
    if (c->transport && c->transport->destroy)
        c->transport->destroy(c->self);
    give_back(&c->in);
    give_back(&c->out);
    co4__pool_drop(c, sizeof *c);
    errno = err;
}

/* ---- input ---- */

/* Translates the result of a transport. */
static ssize_t of_transport(co4_conn *c, int direction, ssize_t n)
{
    if (n != CO4_WANTS_READ && n != CO4_WANTS_WRITE)
        return n;
    c->wants[direction] = n == CO4_WANTS_READ ? CO4__READING : CO4__WRITING;
    return CO4__WOULD_WAIT;
}

/* The system tells of a reset once, and then of an end of the input. A connection does so for ever:
 * what came before a reset is no whole. */
static ssize_t remembered(co4_conn *c, ssize_t n)
{
    if (n == 0 && atomic_load_explicit(&c->failed, memory_order_relaxed) == ECONNRESET) {
        errno = ECONNRESET;
        n = -1;
    }
    if (n == -1 && errno != EBADF && errno != EINVAL && errno != EFAULT && errno != ENOMEM)
        c->broken = errno;
    return n;
}

ssize_t co4__conn_try_read(co4_conn *c, void *to, size_t bytes)
{
    if (c->broken) {
        errno = c->broken;
        return -1;
    }
    ssize_t n = c->transport ? of_transport(c, CO4__READING, c->transport->read(c->self, to, bytes))
                             : co4__try_read(c->fd, to, bytes);
    if (CO4__UNLIKELY(n == CO4__BLOCKS)) { /* a file: the part that is in memory is enough */
        size_t done = co4__attempt_part().done;
        n = done > 0 ? (ssize_t)done : n;
    }
    return n > 0 ? n : remembered(c, n);
}

ssize_t co4__conn_try_fill(co4_conn *c, size_t at_least)
{
    co4__conn_uncover(c);
    size_t held = co4__buffer_held(&c->in);
    if (at_least > LARGEST) {
        errno = EMSGSIZE;
        return -1;
    }
    if (!make_room(&c->in, at_least > held ? at_least - held : 1))
        return -1;
    ssize_t n = co4__conn_try_read(c, c->in.bytes + c->in.end, c->in.size - c->in.end);
    if (n > 0)
        c->in.end += (uint32_t)n;
    else if (held == 0)
        give_back(&c->in);
    return n;
}

ssize_t co4__conn_fill_blocking(co4_conn *c, size_t at_least)
{
    co4__conn_uncover(c);
    size_t held = co4__buffer_held(&c->in);
    if (!make_room(&c->in, at_least > held ? at_least - held : 1))
        return -ENOMEM;
    struct iovec to = { c->in.bytes + c->in.end, c->in.size - c->in.end };
    ssize_t n = co4__read_blocking(c->fd, &to, 1, co4__attempt_none(c->fd));
    if (n > 0)
        c->in.end += (uint32_t)n;
    return n;
}

ssize_t co4__conn_take_line(co4_conn *c, size_t bytes, char **line)
{
    struct co4__buffer *in = &c->in;
    bool is_all = bytes == co4__buffer_held(in);
    if (is_all && !make_room(in, 1))
        return -1;
    *line = in->bytes + in->at;
    char *behind = *line + bytes;
    c->covered = !is_all;
    c->under = is_all ? '\0' : *behind;
    *behind = '\0';
    advance(in, bytes);
    return (ssize_t)bytes;
}

size_t co4_conn_skip(co4_conn *c, size_t bytes)
{
    if (!c)
        return 0;
    co4__conn_uncover(c);
    size_t held = co4__buffer_held(&c->in);
    size_t taken = bytes < held ? bytes : held;
    advance(&c->in, taken);
    return taken;
}

size_t co4_conn_buffered(const co4_conn *c)
{
    return c ? co4__buffer_held(&c->in) : 0;
}

/* ---- output ---- */

/* The calling task, or the thread outside tasks. */
static const void *caller(void)
{
    const void *task = co4_self();
    return task ? task : co4__local();
}

bool co4__conn_owes(const co4_conn *c)
{
    const void *writer = atomic_load_explicit(&((co4_conn *)(uintptr_t)c)->writer,
                                              memory_order_relaxed);
    return writer && writer == caller();
}

size_t co4_conn_unsent(const co4_conn *c)
{
    return c ? co4__buffer_held(&c->out) : 0;
}

bool co4__conn_is_broken(const co4_conn *c)
{
    int err = c ? atomic_load_explicit(&((co4_conn *)(uintptr_t)c)->failed, memory_order_relaxed)
                : EINVAL;
    if (err != 0)
        errno = err;
    return err != 0;
}

static void has_put(co4_conn *c, size_t bytes)
{
    c->out.end += (uint32_t)bytes;
    if (bytes > 0)
        atomic_store_explicit(&c->writer, caller(), memory_order_relaxed);
}

ssize_t co4_conn_put(co4_conn *c, const void *from, size_t bytes)
{
    if (co4__conn_is_broken(c))
        return -1;
    if (bytes > 0 && !from) {
        errno = EFAULT;
        return -1;
    }
    if (bytes > LARGEST || !make_room(&c->out, bytes)) {
        errno = ENOMEM;
        return -1;
    }
    if (bytes > 0)
        memcpy(c->out.bytes + c->out.end, from, bytes);
    has_put(c, bytes);
    return (ssize_t)bytes;
}

int co4_conn_printf(co4_conn *c, const char *format, ...)
{
    if (co4__conn_is_broken(c))
        return -1;
    for (size_t room = 256;;) {
        if (!make_room(&c->out, room))
            return -1;
        size_t has = c->out.size - c->out.end;
        va_list args;
        va_start(args, format);
        int n = vsnprintf(c->out.bytes + c->out.end, has, format, args);
        va_end(args);
        if (n < 0)
            return -1;
        if ((size_t)n < has) {
            has_put(c, (size_t)n);
            return n;
        }
        room = (size_t)n + 1;
    }
}

/* What was not sent is lost, and later calls say so. */
static void has_failed(co4_conn *c)
{
    c->failed = errno;
    c->holds = false;
    give_back(&c->out);
    atomic_store_explicit(&c->writer, NULL, memory_order_relaxed);
    errno = c->failed;
}

ssize_t co4__conn_try_write(co4_conn *c, const void *from, size_t bytes)
{
    size_t held = co4__buffer_held(&c->out);
    struct iovec iov[2] = { { c->out.bytes + c->out.at, held },
                            { (void *)(uintptr_t)from, bytes } };
    struct iovec *first = held > 0 ? iov : iov + 1;
    int count = (held > 0) + (bytes > 0);
    if (co4__conn_is_broken(c))
        return -1;
    if (count == 0 && !c->holds)
        return 0;
    ssize_t n = c->transport
                    ? of_transport(c, CO4__WRITING, c->transport->write(c->self, first, count))
                : count == 1 ? co4__try_write(c->fd, first->iov_base, first->iov_len)
                             : co4__try_writev(c->fd, first, count);
    if (n == -1)
        has_failed(c);
    if (n < 0)
        return n;
    c->holds = c->transport && count > 0;
    if ((size_t)n < held) {
        advance(&c->out, (size_t)n);
        return 0;
    }
    if (held > 0)
        give_back(&c->out);
    if (!c->holds)
        atomic_store_explicit(&c->writer, NULL, memory_order_relaxed);
    return n - (ssize_t)held;
}

ssize_t co4__conn_flush_blocking(co4_conn *c)
{
    while (co4__buffer_held(&c->out) > 0) {
        struct iovec from = { c->out.bytes + c->out.at, co4__buffer_held(&c->out) };
        ssize_t n = co4__write_blocking(c->fd, &from, 1, co4__attempt_none(c->fd));
        if (n < 0) {
            errno = (int)-n;
            has_failed(c);
            return n;
        }
        advance(&c->out, (size_t)n);
    }
    give_back(&c->out);
    atomic_store_explicit(&c->writer, NULL, memory_order_relaxed);
    return 0;
}

int co4__conn_try_end(co4_conn *c)
{
    if (c->transport)
        return c->transport->end ? (int)of_transport(c, CO4__WRITING, c->transport->end(c->self))
                                 : 0;
    return co4_shutdown(c->fd, SHUT_WR);
}

/* ---- files ---- */

ssize_t co4__conn_try_sendfile(co4_conn *c, int file, off_t *offset, size_t bytes)
{
#ifdef __linux__
    return co4__try_sendfile(c->fd, file, offset, bytes);
#else
    (void)c, (void)file, (void)offset, (void)bytes;
    errno = EINVAL;
    return -1;
#endif
}

ssize_t co4__conn_try_file(int file, void *to, size_t bytes, off_t offset)
{
#if defined(__linux__) && defined(RWF_NOWAIT)
    struct iovec iov = { to, bytes };
    ssize_t n = preadv2(file, &iov, 1, offset, RWF_NOWAIT);
    if (n > 0 || (n < 0 && errno != EAGAIN && errno != EOPNOTSUPP && errno != ENOSYS))
        return n;
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
    return n < 0 ? -errno : n;
}
