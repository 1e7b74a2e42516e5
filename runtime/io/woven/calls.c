/* calls.c - the calls of POSIX that wait: pausable C, and once more plain.
 *
 * Each call tries, and waits only if the try found that it would block. A call that writes to a
 * stream goes on until all is written, as a blocking call does. If it fails later, or its deadline
 * comes, it returns the number of bytes that are written. */
#define _GNU_SOURCE /* struct ucred and others in the system's headers */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "io/attempt.h"
#include "io/descriptor.h"
#include "io/terminal.h"
#include "io/vector.h"
#include "sync/begin.h"
#include "sync/source.h"

#include "co4/time.h"

/* Makes `try`, and waits in between, until `n` is its result; -1 if the wait fails. */
#define TRY(n, try, direction, deadline)                                                           \
    do {                                                                                           \
        int err_ = CO4__BEGIN();                                                                   \
        while (err_ == CO4_OK && ((n) = (try)) == CO4__WOULD_WAIT)                                 \
            err_ = co4__attempt_wait((direction), (deadline));                                     \
        if (err_ != CO4_OK)                                                                        \
            (n) = co4__io_fails(err_);                                                             \
    } while (0)

/* ---- reading ---- */

#ifndef __wasi__
static pausable ssize_t read_terminal(int fd, const struct iovec *to, int count, int64_t deadline)
{
    struct co4__terminal_read r;
    ssize_t n;
    co4__terminal_begin(&r, fd, to, count);
    while ((n = co4__terminal_try(&r)) == CO4__WOULD_WAIT)
        if (co4_fd_wait_until(fd, POLLIN, r.until < deadline ? r.until : deadline) < 0 &&
            (errno != ETIMEDOUT || co4_now() >= deadline))
            return co4__terminal_end(&r);
    return n;
}
#endif

/* Reads from a terminal that counts, or from a file what the try has not read. */
static pausable ssize_t read_parts(int fd, const struct iovec *to, int count, int64_t deadline)
{
    struct co4__attempt_part part = co4__attempt_part();
#ifndef __wasi__
    if (co4__terminal_ends(fd) == CO4__TERMINAL_COUNTS)
        return read_terminal(fd, to, count, deadline);
#endif
    (void)deadline;
    return co4__io_result(co4_blocking(co4__read_blocking(fd, to, count, part)));
}

static pausable ssize_t read_slowly(int fd, void *to, size_t bytes, int64_t deadline)
{
    struct iovec one = { to, bytes };
    return read_parts(fd, &one, 1, deadline);
}

pausable ssize_t co4_read_until(int fd, void *to, size_t bytes, int64_t deadline)
{
    ssize_t n;
    TRY(n, co4__try_read(fd, to, bytes), CO4__READING, deadline);
    return n == CO4__BLOCKS ? read_slowly(fd, to, bytes, deadline) : n;
}

pausable ssize_t co4_readv_until(int fd, const struct iovec *to, int count, int64_t deadline)
{
    ssize_t n;
    TRY(n, co4__try_readv(fd, to, count), CO4__READING, deadline);
    return n == CO4__BLOCKS ? read_parts(fd, to, count, deadline) : n;
}

/* MSG_DONTWAIT is the wish not to wait. */
#define WISHES_NOT(flags) ((flags)&MSG_DONTWAIT)

static int would_wait(void)
{
    errno = EAGAIN;
    return -1;
}

pausable ssize_t co4_recvfrom_until(int fd, void *to, size_t bytes, int flags,
                                    struct sockaddr *address, socklen_t *length, int64_t deadline)
{
    ssize_t n;
    size_t done = 0;
    if (WISHES_NOT(flags)) {
        n = co4__try_recvfrom(fd, to, bytes, flags, address, length);
        return n == CO4__WOULD_WAIT ? would_wait() : n;
    }
    if (!co4__attempt_takes_all(fd, flags))
        flags &= ~MSG_WAITALL;
    for (;;) {
        int err = CO4__BEGIN();
        if (err != CO4_OK)
            return done > 0 ? (ssize_t)done : co4__io_fails(err);
        while ((n = co4__try_recvfrom(fd, (char *)to + done, bytes - done, flags, address,
                                      length)) == CO4__WOULD_WAIT) {
            err = co4__attempt_wait(CO4__READING, deadline);
            if (err != CO4_OK)
                return done > 0 ? (ssize_t)done : co4__io_fails(err);
        }
        if (n < 0)
            return done > 0 ? (ssize_t)done : n;
        done += (size_t)n;
        if (n == 0 || done == bytes || !(flags & MSG_WAITALL))
            return (ssize_t)done;
    }
}

pausable ssize_t co4_recv_until(int fd, void *to, size_t bytes, int flags, int64_t deadline)
{
    ssize_t n;
    if (flags & (MSG_WAITALL | MSG_DONTWAIT))
        return co4_recvfrom_until(fd, to, bytes, flags, NULL, NULL, deadline);
    TRY(n, co4__try_recv(fd, to, bytes, flags), CO4__READING, deadline);
    return n;
}

/* Tries to read into what is behind the first `done` bytes. */
static ssize_t try_read_rest(int fd, const struct iovec *iov, int count, size_t done)
{
    size_t in;
    int i = co4__vector_at(iov, count, done, &in);
    return in > 0 ? co4__try_read(fd, (char *)iov[i].iov_base + in, iov[i].iov_len - in)
                  : co4__try_readv(fd, iov + i, count - i);
}

/* Fills what is behind the first `done` bytes. */
static pausable ssize_t read_rest(int fd, const struct iovec *iov, int count, size_t done,
                                  int64_t deadline)
{
    size_t bytes = co4__vector_bytes(iov, (size_t)count);
    while (done < bytes) {
        ssize_t n = CO4__BEGIN() == CO4_OK ? try_read_rest(fd, iov, count, done) : -1;
        if (n == CO4__WOULD_WAIT)
            n = co4__attempt_wait(CO4__READING, deadline) == CO4_OK ? n : -1;
        if (n == 0 || n == -1)
            break;
        done += n > 0 ? (size_t)n : 0;
    }
    return (ssize_t)done;
}

pausable ssize_t co4_recvmsg_until(int fd, struct msghdr *message, int flags, int64_t deadline)
{
    ssize_t n;
    if (WISHES_NOT(flags)) {
        n = co4__try_recvmsg(fd, message, flags);
        return n == CO4__WOULD_WAIT ? would_wait() : n;
    }
    /* A message with control data is taken once: those of the rest would have no room. */
    bool all = message && message->msg_controllen == 0 && co4__attempt_takes_all(fd, flags);
    TRY(n, co4__try_recvmsg(fd, message, flags), CO4__READING, deadline);
    return n > 0 && all
               ? read_rest(fd, message->msg_iov, (int)message->msg_iovlen, (size_t)n, deadline)
               : n;
}

pausable int co4_accept4_until(int fd, struct sockaddr *address, socklen_t *length, int flags,
                               int64_t deadline)
{
    for (;;) {
        int n, err = CO4_ETIMEDOUT;
        TRY(n, co4__try_accept4(fd, address, length, flags), CO4__READING, deadline);
        if (n != CO4__BLOCKS)
            return n;
        if (co4_now() < deadline)
            err = co4_sleep_until(co4__next_look(deadline));
        if (err != CO4_OK)
            return co4__io_fails(err);
    }
}

/* ---- writing ---- */

pausable ssize_t co4_write_until(int fd, const void *from, size_t bytes, int64_t deadline)
{
    size_t done = 0;
    int err = CO4__BEGIN();
    if (err != CO4_OK)
        return co4__io_fails(err);
    for (;;) {
        ssize_t n = co4__try_write(fd, (const char *)from + done, bytes - done);
        if (n >= 0) {
            done += (size_t)n;
            if (done >= bytes || n == 0)
                return (ssize_t)done;
        } else if (n == CO4__WOULD_WAIT) {
            err = co4__attempt_wait(CO4__WRITING, deadline);
            if (err != CO4_OK)
                return done > 0 ? (ssize_t)done : co4__io_fails(err);
        } else if (n == CO4__BLOCKS) {
            struct iovec rest = { (char *)(uintptr_t)from + done, bytes - done };
            struct co4__attempt_part part = co4__attempt_part();
            n = co4_blocking(co4__write_blocking(fd, &rest, 1, part));
            if (n < 0)
                return done > 0 ? (ssize_t)done : co4__io_result(n);
            done += (size_t)n;
            if (done >= bytes || n == 0)
                return (ssize_t)done;
        } else {
            return done > 0 ? (ssize_t)done : n;
        }
    }
}

pausable ssize_t co4_send_until(int fd, const void *from, size_t bytes, int flags, int64_t deadline)
{
    return co4_sendto_until(fd, from, bytes, flags, NULL, 0, deadline);
}

pausable ssize_t co4_sendto_until(int fd, const void *from, size_t bytes, int flags,
                                  const struct sockaddr *address, socklen_t length,
                                  int64_t deadline)
{
    ssize_t n;
    size_t done = 0;
    if (WISHES_NOT(flags)) {
        n = co4__try_sendto(fd, from, bytes, flags, address, length);
        return n == CO4__WOULD_WAIT ? would_wait() : n;
    }
    int err = CO4__BEGIN();
    if (err != CO4_OK)
        return co4__io_fails(err);
    for (;;) {
        n = co4__try_sendto(fd, (const char *)from + done, bytes - done, flags, address, length);
        if (n >= 0) {
            done += (size_t)n;
            if (done >= bytes)
                return (ssize_t)done;
        } else if (n == CO4__WOULD_WAIT) {
            err = co4__attempt_wait(CO4__WRITING, deadline);
            if (err != CO4_OK)
                return done > 0 ? (ssize_t)done : co4__io_fails(err);
        } else {
            return done > 0 ? (ssize_t)done : n;
        }
    }
}

/* Tries to write what is behind the first `done` bytes: the rest of an element, or whole ones. */
static ssize_t try_rest(int fd, const struct iovec *iov, int count, size_t done)
{
    size_t in;
    int i = co4__vector_at(iov, count, done, &in);
    return in > 0 ? co4__try_write(fd, (const char *)iov[i].iov_base + in, iov[i].iov_len - in)
                  : co4__try_writev(fd, iov + i, count - i);
}

static ssize_t write_rest_blocking(int fd, const struct iovec *iov, int count, size_t done,
                                   struct co4__attempt_part part)
{
    size_t in;
    int i = co4__vector_at(iov, count, done, &in);
    struct iovec rest = { (char *)iov[i].iov_base + in, iov[i].iov_len - in };
    return in > 0 ? co4__write_blocking(fd, &rest, 1, part)
                  : co4__write_blocking(fd, iov + i, count - i, part);
}

/* Writes what is behind the first `done` bytes. */
static pausable ssize_t write_vector(int fd, const struct iovec *iov, int count, size_t done,
                                     int64_t deadline)
{
    size_t bytes = co4__vector_bytes(iov, (size_t)count);
    for (;;) {
        ssize_t n = try_rest(fd, iov, count, done);
        if (n == CO4__WOULD_WAIT) {
            int err = co4__attempt_wait(CO4__WRITING, deadline);
            if (err != CO4_OK)
                return done > 0 ? (ssize_t)done : co4__io_fails(err);
            continue;
        }
        if (n == CO4__BLOCKS) {
            struct co4__attempt_part part = co4__attempt_part();
            n = co4__io_result(co4_blocking(write_rest_blocking(fd, iov, count, done, part)));
        }
        if (n < 0)
            return done > 0 ? (ssize_t)done : n;
        done += (size_t)n;
        if (done >= bytes || n == 0)
            return (ssize_t)done;
    }
}

pausable ssize_t co4_writev_until(int fd, const struct iovec *from, int count, int64_t deadline)
{
    int err = CO4__BEGIN();
    if (err != CO4_OK)
        return co4__io_fails(err);
    if (co4__vector_is_wrong(from, count))
        return -1;
    return write_vector(fd, from, count, 0, deadline);
}

pausable ssize_t co4_sendmsg_until(int fd, const struct msghdr *message, int flags,
                                   int64_t deadline)
{
    ssize_t n;
    if (WISHES_NOT(flags)) {
        n = co4__try_sendmsg(fd, message, flags);
        return n == CO4__WOULD_WAIT ? would_wait() : n;
    }
    TRY(n, co4__try_sendmsg(fd, message, flags), CO4__WRITING, deadline);
    /* The rest of a stream, without the control data, which went with the first byte. */
    if (n > 0 && (size_t)n < co4__vector_bytes(message->msg_iov, (size_t)message->msg_iovlen))
        return write_vector(fd, message->msg_iov, (int)message->msg_iovlen, (size_t)n, deadline);
    return n;
}

#ifdef __linux__
pausable ssize_t co4_sendfile_until(int out, int in, off_t *offset, size_t bytes, int64_t deadline)
{
    size_t done = 0, near = 0; /* bytes that are known to be in memory */
    off_t at;
    while (done < bytes) {
        size_t part = bytes - done < 262144 ? bytes - done : 262144; /* others get their turn */
        int err = CO4__BEGIN();
        ssize_t n = 0;
        if (near == 0 && err == CO4_OK && co4__file_is_far(in, offset, part, &at) > 0)
            co4_blocking(co4__file_fetch(in, at, part));
        near = near == 0 ? part : near;
        part = part < near ? part : near;
        while (err == CO4_OK && (n = co4__try_sendfile(out, in, offset, part)) == CO4__WOULD_WAIT)
            err = co4__attempt_wait(CO4__WRITING, deadline);
        if (err != CO4_OK)
            return done > 0 ? (ssize_t)done : co4__io_fails(err);
        if (n < 0)
            return done > 0 ? (ssize_t)done : n;
        if (n == 0)
            break; /* the end of the file */
        done += (size_t)n;
        near -= (size_t)n < near ? (size_t)n : near;
    }
    return (ssize_t)done;
}
#endif

#ifndef __wasi__ /* it has no connect() */

/* ---- connecting ---- */

pausable int co4_connect_until(int fd, const struct sockaddr *address, socklen_t length,
                               int64_t deadline)
{
    int err = CO4__BEGIN();
    if (err != CO4_OK)
        return co4__io_fails(err);
    int n = co4__try_connect(fd, address, length);
    for (int64_t pause = CO4_MS; n == CO4__BLOCKS;
         pause = pause < 100 * CO4_MS ? 2 * pause : pause) {
        int64_t until = co4_now() + pause;
        if (until > deadline)
            return co4__io_fails(CO4_ETIMEDOUT);
        err = co4_sleep_until(until);
        if (err != CO4_OK)
            return co4__io_fails(err);
        n = co4__try_connect(fd, address, length);
    }
    while (n == CO4__WOULD_WAIT) {
        err = co4__attempt_wait(CO4__WRITING, deadline);
        if (err != CO4_OK)
            return co4__io_fails(err);
        n = co4__try_connected(fd, address, length);
    }
    return n;
}

#endif

/* ---- several ---- */

/* What a poll waits for: for each descriptor up to two cases, one for each direction. */
struct polling {
    co4_case *cases;
    struct co4__polled *polled;
    int count;
};

static int begin_polling(struct polling *p, const struct pollfd *fds, nfds_t count)
{
    size_t most = 2 * count + 1;
    p->cases = malloc(most * (sizeof *p->cases + sizeof *p->polled));
    if (!p->cases)
        return CO4_ENOMEM;
    p->polled = (struct co4__polled *)(void *)(p->cases + most);
    for (nfds_t i = 0; i < count; i++) {
        struct co4__descriptor *d = fds[i].fd < 0 ? NULL : co4__descriptor_enter(fds[i].fd);
        for (int direction = 0; d && direction < 2; direction++) {
            struct co4__polled *at = &p->polled[p->count];
            if (co4__polled_init(at, d, fds[i].events, direction))
                p->cases[p->count++] = (co4_case)CO4_CASE(&at->source, NULL);
        }
        if (d)
            co4__descriptor_leave(d);
    }
    return CO4_OK;
}

static void end_polling(struct polling *p)
{
    free(p->cases);
}

static int64_t after(int timeout)
{
    return timeout < 0 ? CO4_NEVER : co4_now() + timeout * CO4_MS;
}

/* Of descriptors there is none, and a signal or another thread may end the program: no deadlock. */
#define AGES (3600 * CO4_SEC)

pausable int co4_poll_until(struct pollfd *fds, nfds_t count, int64_t deadline)
{
    int n = co4__poll_now(fds, count);
    int err = CO4__BEGIN();
    if (err != CO4_OK)
        return co4__io_fails(err);
    if (n != 0 || co4_now() >= deadline)
        return n;
    __attribute__((cleanup(end_polling))) struct polling p = { NULL, NULL, 0 };
    err = begin_polling(&p, fds, count);
    if (err != CO4_OK)
        return co4__io_fails(err);
    do {
        if (p.count > 0)
            err = co4_select_until(p.cases, p.count, 0, deadline);
        else
            err = co4_sleep_until(deadline < CO4_NEVER ? deadline : co4_now() + AGES);
        if (err == CO4_ENOMEM && co4__lacks_descriptors())
            err = co4_sleep_until(co4__next_look(deadline));
        if (err < 0 && err > CO4_ENDED(0) && err != CO4_ETIMEDOUT)
            return co4__io_fails(err);
        n = co4__poll_now(fds, count);
    } while (n == 0 && err != CO4_ETIMEDOUT && co4_now() < deadline);
    return n;
}

pausable int co4_fd_wait_until(int fd, int direction, int64_t deadline)
{
    int n, at = direction == POLLOUT ? CO4__WRITING : CO4__READING;
    if (direction != POLLIN && direction != POLLOUT)
        return co4__io_fails(CO4_EINVAL);
    TRY(n, co4__try_ready(fd, at), at, deadline);
    return n < 0 ? -1 : 0;
}

/* ---- the same without a deadline ---- */

pausable ssize_t co4_read(int fd, void *to, size_t bytes)
{
    ssize_t n;
    TRY(n, co4__try_read(fd, to, bytes), CO4__READING, CO4_NEVER);
    return n == CO4__BLOCKS ? read_slowly(fd, to, bytes, CO4_NEVER) : n;
}

pausable ssize_t co4_write(int fd, const void *from, size_t bytes)
{
    int err = CO4__BEGIN();
    if (err != CO4_OK)
        return co4__io_fails(err);
    ssize_t n = co4__try_write(fd, from, bytes);
    if (n == (ssize_t)bytes || n == -1)
        return n;
    if (n < 0)
        return co4_write_until(fd, from, bytes, CO4_NEVER);
    ssize_t rest = co4_write_until(fd, (const char *)from + n, bytes - (size_t)n, CO4_NEVER);
    return rest < 0 ? n : n + rest;
}

pausable ssize_t co4_recv(int fd, void *to, size_t bytes, int flags)
{
    ssize_t n;
    if (flags & (MSG_WAITALL | MSG_DONTWAIT))
        return co4_recvfrom_until(fd, to, bytes, flags, NULL, NULL, CO4_NEVER);
    TRY(n, co4__try_recv(fd, to, bytes, flags), CO4__READING, CO4_NEVER);
    return n;
}

pausable ssize_t co4_readv(int fd, const struct iovec *to, int count)
{
    return co4_readv_until(fd, to, count, CO4_NEVER);
}

pausable ssize_t co4_writev(int fd, const struct iovec *from, int count)
{
    return co4_writev_until(fd, from, count, CO4_NEVER);
}

pausable ssize_t co4_send(int fd, const void *from, size_t bytes, int flags)
{
    return co4_sendto_until(fd, from, bytes, flags, NULL, 0, CO4_NEVER);
}

pausable ssize_t co4_recvfrom(int fd, void *to, size_t bytes, int flags, struct sockaddr *address,
                              socklen_t *length)
{
    return co4_recvfrom_until(fd, to, bytes, flags, address, length, CO4_NEVER);
}

pausable ssize_t co4_sendto(int fd, const void *from, size_t bytes, int flags,
                            const struct sockaddr *address, socklen_t length)
{
    return co4_sendto_until(fd, from, bytes, flags, address, length, CO4_NEVER);
}

pausable ssize_t co4_recvmsg(int fd, struct msghdr *message, int flags)
{
    return co4_recvmsg_until(fd, message, flags, CO4_NEVER);
}

pausable ssize_t co4_sendmsg(int fd, const struct msghdr *message, int flags)
{
    return co4_sendmsg_until(fd, message, flags, CO4_NEVER);
}

#ifdef __linux__
pausable ssize_t co4_sendfile(int out, int in, off_t *offset, size_t bytes)
{
    return co4_sendfile_until(out, in, offset, bytes, CO4_NEVER);
}
#endif

pausable int co4_accept4(int fd, struct sockaddr *address, socklen_t *length, int flags)
{
    int n;
    TRY(n, co4__try_accept4(fd, address, length, flags), CO4__READING, CO4_NEVER);
    return n == CO4__BLOCKS ? co4_accept4_until(fd, address, length, flags, CO4_NEVER) : n;
}

pausable int co4_accept(int fd, struct sockaddr *address, socklen_t *length)
{
    return co4_accept4(fd, address, length, 0);
}

#ifndef __wasi__
pausable int co4_connect(int fd, const struct sockaddr *address, socklen_t length)
{
    return co4_connect_until(fd, address, length, CO4_NEVER);
}
#endif

pausable int co4_poll(struct pollfd *fds, nfds_t count, int timeout)
{
    return co4_poll_until(fds, count, after(timeout));
}

pausable int co4_fd_wait(int fd, int direction)
{
    return co4_fd_wait_until(fd, direction, CO4_NEVER);
}
