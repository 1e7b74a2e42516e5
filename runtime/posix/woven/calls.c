/* calls.c - reads and writes of POSIX for programs without marks: pausable C, and once more plain.
 * What a program rarely needs beside them is in files of its own, so that it is not linked.
 *
 * A call that can be tried without a change for the rest of it tries first. Only if it would wait,
 * the mode of the descriptor is asked (mode.c). The others ask first. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/inside.h"
#include "io/attempt.h"
#include "io/descriptor.h"
#include "io/socket.h"
#include "io/terminal.h"
#include "io/vector.h"
#include "posix/files.h"
#include "posix/interrupts.h"
#include "posix/mode.h"
#include "posix/point.h"
#include "posix/woven/tries.h"
#include "sync/source.h"

#include "co4/io.h"
#include "co4/posix.h"
#include "co4/task.h"
#include "co4/time.h"

/* A write ends after `n` bytes, and does not wait for more, or has waited in vain. */
static ssize_t cut_short(ssize_t n, int was)
{
    if (n <= 0)
        return -1;
    errno = was;
    return n;
}

/* What written() does, of a write() of `bytes` that has waited. If the end for reading is closed
 * after a part, a pipe raises the signal at once, and a socket at the next write. */
static ssize_t written_of(int fd, ssize_t n, size_t bytes)
{
    int was = errno, type;
    socklen_t length = sizeof type;
    struct pollfd p = { .fd = fd, .events = POLLOUT };
    if (n <= 0 || (size_t)n >= bytes)
        return written(fd, 0, n);
    if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) != 0 && co4__poll_now(&p, 1) > 0 &&
        (p.revents & POLLERR))
        raise(SIGPIPE);
    errno = was;
    return n;
}

#ifndef CO4__NO_TERMINALS
/* A read of a terminal that ends by a count or a time. A handler ends it; where there are bytes,
 * any does. */
static pausable ssize_t read_terminal(int fd, const struct iovec *to, int count, int was)
{
    int64_t deadline = CO4_NEVER;
    if (!co4__posix_waits(fd, CO4__READING, &deadline))
        return waited(co4__terminal_read_now(fd, to, count), was, deadline);
    int mark = co4__interrupts_begin(false), mark_begun = co4__interrupts_begin(true);
    struct co4__terminal_read r;
    ssize_t n;
    co4__terminal_begin(&r, fd, to, count);
    while ((n = co4__terminal_try(&r)) == CO4__WOULD_WAIT) {
        n = mark < 0 ? co4__fd_wait(fd, POLLIN, r.until)
                     : co4__interrupts_wait(fd, POLLIN, r.until,
                                            r.done + r.there > 0 ? mark_begun : mark);
        if (n < 0 && errno != ETIMEDOUT)
            return waited(co4__terminal_end(&r), was, deadline);
    }
    return waited(n, was, deadline);
}

#endif

/* The call blocks. The position of a file is behind the part that the try has read, so this goes on
 * there, without a second try. */
static pausable ssize_t read_rest(int fd, const struct iovec *to, int count, int was)
{
#ifndef CO4__NO_TERMINALS
    if (co4__terminal_ends(fd) == CO4__TERMINAL_COUNTS)
        return read_terminal(fd, to, count, was);
#endif
    (void)fd;
    return waited(co4__read_rest(to, count, CO4_NEVER), was, CO4_NEVER);
}

static pausable ssize_t read_rest_to(int fd, void *to, size_t bytes, int was)
{
    struct iovec one = { to, bytes };
    return read_rest(fd, &one, 1, was);
}

CO4__INSIDE pausable ssize_t co4_posix_read(int fd, void *to, size_t bytes)
{
    co4__posix_point();
    if (CO4__FILE_WAITS(fd))
        return CO4__FILE_DO(read, (fd, to, bytes));
    int was = errno;
    int64_t deadline = CO4_NEVER;
    ssize_t n;
    TRY(n, co4__try_read(fd, to, bytes), deadline);
    if (IS_OVER(n))
        return co4__spent_call(tried(n, was));
    if (n == CO4__BLOCKS)
        return read_rest_to(fd, to, bytes, was);
    WAIT_AND_TRY(n, co4__try_read(fd, to, bytes), POLLIN, deadline);
    if (IS_OVER(n))
        return waited(n, was, deadline);
    return waited(co4_read_until(fd, to, bytes, deadline), was, deadline);
}

CO4__INSIDE pausable ssize_t co4_posix_readv(int fd, const struct iovec *to, int count)
{
    co4__posix_point();
    if (CO4__FILE_WAITS(fd))
        return CO4__FILE_DO(readv, (fd, to, count));
    int was = errno;
    int64_t deadline = CO4_NEVER;
    ssize_t n;
    TRY(n, co4__try_readv(fd, to, count), deadline);
    if (IS_OVER(n))
        return co4__spent_call(tried(n, was));
    if (n == CO4__BLOCKS)
        return read_rest(fd, to, count, was);
    WAIT_AND_TRY(n, co4__try_readv(fd, to, count), POLLIN, deadline);
    if (IS_OVER(n))
        return waited(n, was, deadline);
    return waited(co4_readv_until(fd, to, count, deadline), was, deadline);
}

/* A write, or a send with flags, whose wait a handler of signals may end. */
struct rest {
    int fd, flags; /* -1: a write */
    const struct sockaddr *address;
    socklen_t length;
    int64_t deadline;
    int mark, mark_begun; /* before and after a first byte: then any handler ends it */
};

/* Returns whether a handler may end the call. */
static bool rest_begins(struct rest *r, int fd, int flags, int64_t deadline)
{
    *r = (struct rest){ .fd = fd, .flags = flags, .deadline = deadline };
    r->mark = co4__interrupts_begin(deadline != CO4_NEVER);
    r->mark_begun = co4__interrupts_begin(true);
    return r->mark >= 0;
}

/* These take the struct by value, so that the frames of calls that no handler ends have none. */

/* Waits until a try may find room. After one that found none at a descriptor that was ready, as an
 * eventfd or a Unix socket may be, it lets time pass. */
static pausable int wait_for_room(struct rest r, int mark, bool in_vain)
{
    int64_t look = co4_now() + CO4_MS;
    if (!in_vain || r.deadline <= look)
        return co4__interrupts_wait(in_vain ? -1 : r.fd, POLLOUT, r.deadline, mark);
    int err = co4__interrupts_wait(-1, POLLOUT, look, mark);
    return err < 0 && errno == ETIMEDOUT ? 0 : err;
}

/* Writes on, where the call has written *done before; no bytes, which may be a datagram, once.
 * Returns 0; -1: a wait or a try has failed. */
static pausable int write_rest(struct rest r, const char *from, size_t bytes, size_t *done)
{
    size_t at = 0;
    ssize_t n = 0;
    do {
        n = wait_for_room(r, *done > 0 ? r.mark_begun : r.mark, n == CO4__WOULD_WAIT);
        if (n == 0)
            n = r.flags < 0
                    ? co4__try_write(r.fd, from + at, bytes - at)
                    : co4__try_sendto(r.fd, from + at, bytes - at, r.flags, r.address, r.length);
        if (n == CO4__BLOCKS)
            n = co4_write_until(r.fd, from + at, bytes - at, r.deadline);
        if (n == -1)
            return -1;
        at += n > 0 ? (size_t)n : 0;
        *done += n > 0 ? (size_t)n : 0;
    } while (at < bytes || n == CO4__WOULD_WAIT);
    return 0;
}

static pausable ssize_t write_interruptibly(struct rest r, const char *from, size_t bytes,
                                            size_t done)
{
    int err = write_rest(r, from + done, bytes - done, &done);
    return err == 0 || done > 0 ? (ssize_t)done : -1;
}

/* The same for parts. */
static pausable ssize_t write_parts(struct rest r, const struct iovec *parts, size_t count,
                                    size_t done)
{
    size_t before = 0;
    for (size_t i = 0; i < count; before += parts[i++].iov_len) {
        size_t skipped = done - before;
        if (skipped >= parts[i].iov_len)
            continue;
        if (write_rest(r, (const char *)parts[i].iov_base + skipped, parts[i].iov_len - skipped,
                       &done) < 0)
            break;
    }
    return done > 0 ? (ssize_t)done : -1;
}

/* A write of parts, or the send of a message, from its first try on. */
static pausable ssize_t write_parts_interruptibly(struct rest r, const struct iovec *parts,
                                                  size_t count, const struct msghdr *message)
{
    for (bool in_vain = false;; in_vain = true) {
        ssize_t n = message ? co4__try_sendmsg(r.fd, message, r.flags)
                            : co4__try_writev(r.fd, parts, (int)count);
        if (n > 0)
            return write_parts(r, parts, count, (size_t)n);
        if (n == CO4__BLOCKS)
            return message ? co4_sendmsg_until(r.fd, message, r.flags, r.deadline)
                           : co4_writev_until(r.fd, parts, (int)count, r.deadline);
        if (n != CO4__WOULD_WAIT || wait_for_room(r, r.mark, in_vain) < 0)
            return n == 0 ? 0 : -1;
    }
}

CO4__INSIDE pausable ssize_t co4_posix_write(int fd, const void *from, size_t bytes)
{
    co4__posix_point();
    if (CO4__FILE_WAITS(fd))
        return CO4__FILE_DO(write, (fd, from, bytes));
    int was = errno;
    int64_t deadline = CO4_NEVER;
    ssize_t n = co4__try_write(fd, from, bytes), rest;
    if (n == (ssize_t)bytes || n == -1)
        return co4__spent_call(written(fd, 0, n));
    if (n != CO4__BLOCKS && !co4__posix_waits(fd, CO4__WRITING, &deadline))
        return cut_short(n, was);
    bool blocks = n == CO4__BLOCKS;
    n = n > 0 ? n : 0;
    struct rest r;
    if (!blocks && rest_begins(&r, fd, -1, deadline))
        return written_of(fd, waited(write_interruptibly(r, from, bytes, (size_t)n), was, deadline),
                          bytes);
    rest = waited(co4_write_until(fd, (const char *)from + n, bytes - (size_t)n, deadline), was,
                  deadline);
    return written_of(fd, rest < 0 && n > 0 ? cut_short(n, was) : n + rest, bytes);
}

CO4__INSIDE pausable ssize_t co4_posix_writev(int fd, const struct iovec *from, int count)
{
    co4__posix_point();
    if (CO4__FILE_WAITS(fd))
        return CO4__FILE_DO(writev, (fd, from, count));
    int was = errno;
    int64_t deadline;
    if (!co4__posix_waits(fd, CO4__WRITING, &deadline)) {
        ssize_t n = co4__try_writev(fd, from, count);
        errno = n >= 0 ? was : n == CO4__WOULD_WAIT ? EAGAIN : errno;
        if (n != CO4__BLOCKS)
            return written(fd, 0, n < 0 ? -1 : n);
    }
    struct rest r;
    if (count > 0 && rest_begins(&r, fd, -1, deadline)) {
        ssize_t n = waited(write_parts_interruptibly(r, from, (size_t)count, NULL), was, deadline);
        return written_of(fd, n, n > 0 ? co4__vector_bytes(from, (size_t)count) : 0);
    }
    ssize_t n = waited(co4_writev_until(fd, from, count, deadline), was, deadline);
    return written_of(fd, n, n > 0 ? co4__vector_bytes(from, (size_t)count) : 0);
}

CO4__INSIDE pausable ssize_t co4_posix_sendto(int fd, const void *from, size_t bytes, int flags,
                                              const struct sockaddr *address, socklen_t length)
{
    co4__posix_point();
    int was = errno;
    int64_t deadline = CO4_NEVER;
    if (!(flags & MSG_DONTWAIT)) {
        ssize_t n = co4__try_sendto(fd, from, bytes, flags, address, length), rest;
        if (n == (ssize_t)bytes || n == -1)
            return co4__spent_call(written(fd, flags, n));
        if (!co4__posix_waits(fd, CO4__WRITING, &deadline))
            return cut_short(n, was);
        n = n > 0 ? n : 0;
        struct rest r;
        if (rest_begins(&r, fd, flags, deadline)) {
            r.address = address;
            r.length = length;
            return written(fd, flags,
                           waited(write_interruptibly(r, from, bytes, (size_t)n), was, deadline));
        }
        rest = waited(co4_sendto_until(fd, (const char *)from + n, bytes - (size_t)n, flags,
                                       address, length, deadline),
                      was, deadline);
        return rest < 0 && n > 0 ? cut_short(n, was) : written(fd, flags, n + rest);
    }
    return written(fd, flags, co4_sendto_until(fd, from, bytes, flags, address, length, CO4_NEVER));
}

CO4__INSIDE pausable ssize_t co4_posix_send(int fd, const void *from, size_t bytes, int flags)
{
    return co4_posix_sendto(fd, from, bytes, flags, NULL, 0);
}

CO4__INSIDE pausable ssize_t co4_posix_sendmsg(int fd, const struct msghdr *message, int flags)
{
    co4__posix_point();
    int was = errno;
    int64_t deadline = CO4_NEVER;
    if (!(flags & MSG_DONTWAIT) && !co4__posix_waits(fd, CO4__WRITING, &deadline))
        flags |= MSG_DONTWAIT;
    struct rest r;
    if (!(flags & MSG_DONTWAIT) && message && rest_begins(&r, fd, flags, deadline)) {
        r.address = message->msg_name;
        r.length = message->msg_namelen;
        ssize_t n = write_parts_interruptibly(r, message->msg_iov, message->msg_iovlen, message);
        return written(fd, flags, waited(n, was, deadline));
    }
    return written(fd, flags,
                   waited(co4_sendmsg_until(fd, message, flags, deadline), was, deadline));
}
