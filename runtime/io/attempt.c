/* attempt.c - one try of each call, and the wait between two tries.
 *
 * Purpose: a try never blocks its thread. It asks the table of the descriptor (ops.h), or a socket
 * of the system directly, and then says what follows: the result, a wait, or a thread that blocks.
 *
 * Invariants: the thread remembers its last try (`attempt` of struct co4__local): the descriptor,
 * its generation, and the number of events before the try. The wait that follows, on the same
 * thread and without a pause in between, needs no arguments for that. So a paused call keeps only
 * the arguments of its caller. */
#define _GNU_SOURCE /* accept4, preadv2, and others */
#include "io/attempt.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "core/caller.h"
#include "core/fiber.h"
#include "core/timers.h"
#include "core/wait.h"
#include "io/descriptor.h"
#include "io/ops.h"
#include "io/reactor.h"
#include "io/socket.h"
#include "io/vector.h"
#include "memory/pool.h"
#include "platform/before_wait.h"
#include "platform/clock.h"
#include "platform/lock.h"
#include "platform/thread.h"
#ifdef __wasi__
#include "io/wasi.h"
#endif

/* ---- what all tries have in common ---- */

static struct co4__descriptor *attempt_begin(int fd, int direction)
{
    struct co4__descriptor *d = co4__descriptor_enter(fd);
    struct co4__local *here = co4__local();
    if (CO4__UNLIKELY(!d))
        return NULL;
    here->attempt.descriptor = d;
    here->attempt.generation = co4__generation_of(
        atomic_load_explicit(&d->use, memory_order_relaxed));
    here->attempt.direction = direction;
    /* Acquire: pairs with the release of the event, for `ended`. */
    here->attempt.events = atomic_load_explicit(&d->events[direction], memory_order_acquire);
    return d;
}

static bool would_block(void)
{
    return errno == EAGAIN || errno == EWOULDBLOCK;
}

/* Returns whether a read is known to find nothing. */
static bool is_drained(const struct co4__descriptor *d)
{
    return atomic_load_explicit(&((struct co4__descriptor *)(uintptr_t)d)->drained,
                                memory_order_relaxed) == co4__local()->attempt.events;
}

static ssize_t attempt_end(struct co4__descriptor *d, int direction, ssize_t n)
{
    if (CO4__LIKELY(n >= 0))
        co4__descriptor_pass(d, direction);
    else if (n == -1 && would_block() && !co4__socket_lacks_port(d, direction))
        n = CO4__WOULD_WAIT; /* not CO4__BLOCKS, with any `errno` */
    else if (n == -1) { /* the event is not used up: after a reset, the next reader finds an end */
        int err = errno;
        co4__descriptor_pass(d, direction);
        errno = err;
    }
    co4__descriptor_leave(d);
    return n;
}

/* Looks at the result of a read that has asked for so many bytes. */
static ssize_t attempt_end_read(struct co4__descriptor *d, ssize_t n, size_t bytes)
{
    n = CO4__LIKELY(n != -1) ? n : co4__socket_at_shutdown(d, n);
    if (d->is_socket && d->kind == CO4__STREAM &&
        (n > 0 ? (size_t)n < bytes : n == -1 && would_block()))
        co4__descriptor_drained(d, co4__local()->attempt.events);
    return attempt_end(d, CO4__READING, n);
}

/* ---- reading ---- */

ssize_t co4__try_readv(int fd, const struct iovec *to, int count)
{
    struct co4__descriptor *d = attempt_begin(fd, CO4__READING);
    static const struct iovec none = { NULL, 0 };
    if (!d)
        return -1;
    if (co4__vector_is_wrong(to, count))
        return attempt_end(d, CO4__READING, -1);
    size_t bytes = co4__vector_bytes(to, (size_t)count);
    if (bytes == 0)
        return attempt_end(d, CO4__READING,
                           d->ops->read(d, count > 0 ? to : &none, count > 0 ? count : 1));
    if (is_drained(d))
        return attempt_end(d, CO4__READING, CO4__WOULD_WAIT);
    return attempt_end_read(d, d->ops->read(d, to, count), bytes);
}

ssize_t co4__try_read(int fd, void *to, size_t bytes)
{
    struct co4__descriptor *d = attempt_begin(fd, CO4__READING);
    ssize_t n;
    if (CO4__UNLIKELY(!d))
        return -1;
    if (CO4__UNLIKELY(bytes == 0))
        return attempt_end(d, CO4__READING, d->ops->read(d, NULL, 0));
    if (is_drained(d))
        return attempt_end(d, CO4__READING, CO4__WOULD_WAIT);
    if (CO4__LIKELY(d->is_socket)) {
        CO4__AGAIN(n, recv(fd, to, bytes, MSG_DONTWAIT));
    } else {
        struct iovec one = { to, bytes };
        n = d->ops->read(d, &one, 1);
    }
    return attempt_end_read(d, n, bytes);
}

/* WASI: without flags the calls are made that any descriptor has, since hosts refuse the calls on
 * sockets for standard input. */
#define IS_PLAIN(flags) (MSG_DONTWAIT == 0 && ((flags) & ~MSG_WAITALL) == 0)

/* With other flags a short count proves nothing: a peek leaves the bytes, for example. */
static bool is_ordinary(int flags)
{
    return (flags & ~(MSG_DONTWAIT | MSG_NOSIGNAL | MSG_WAITALL)) == 0;
}

/* Looks at the result of a read with other flags. */
static ssize_t attempt_end_other_read(struct co4__descriptor *d, ssize_t n, int flags)
{
    if (n >= 0 || !co4__socket_never_waits(d, flags))
        return attempt_end(d, CO4__READING,
                           flags & MSG_DONTWAIT ? n : co4__socket_at_shutdown(d, n));
    co4__descriptor_leave(d);
    return n;
}

static ssize_t receive_from(struct co4__descriptor *d, void *to, size_t bytes, int flags,
                            struct sockaddr *address, socklen_t *length)
{
    struct iovec one = { to, bytes };
    struct msghdr m = { .msg_iov = &one, .msg_iovlen = 1, .msg_name = length ? address : NULL };
    if (m.msg_name)
        m.msg_namelen = *length;
    ssize_t n = d->ops->receive(d, &m, flags);
    if (n >= 0 && m.msg_name)
        *length = m.msg_namelen;
    return n;
}

ssize_t co4__try_recvfrom(int fd, void *to, size_t bytes, int flags, struct sockaddr *address,
                          socklen_t *length)
{
    if (IS_PLAIN(flags) && !(address && length))
        return co4__try_read(fd, to, bytes);
    struct co4__descriptor *d = attempt_begin(fd, CO4__READING);
    ssize_t n;
    if (!d)
        return -1;
    if (is_ordinary(flags) && is_drained(d))
        return attempt_end(d, CO4__READING, CO4__WOULD_WAIT);
    flags &= ~MSG_WAITALL;
    if (CO4__LIKELY(d->is_socket))
        CO4__AGAIN(n, recvfrom(fd, to, bytes, flags | MSG_DONTWAIT, address, length));
    else
        n = receive_from(d, to, bytes, flags, address, length);
    return is_ordinary(flags) ? attempt_end_read(d, n, bytes) : attempt_end_other_read(d, n, flags);
}

ssize_t co4__try_recvmsg(int fd, struct msghdr *message, int flags)
{
    if (IS_PLAIN(flags) && !message->msg_name && !message->msg_control)
        return co4__try_readv(fd, message->msg_iov, (int)message->msg_iovlen);
    struct co4__descriptor *d = attempt_begin(fd, CO4__READING);
    if (!d)
        return -1;
    return attempt_end_other_read(d, d->ops->receive(d, message, flags & ~MSG_WAITALL), flags);
}

int co4__try_accept4(int fd, struct sockaddr *address, socklen_t *length, int flags)
{
    struct co4__descriptor *d = attempt_begin(fd, CO4__READING);
    return d ? (int)attempt_end(d, CO4__READING, d->ops->accept(d, address, length, flags, false))
             : -1;
}

int co4__try_accept_as_is(int fd, struct sockaddr *address, socklen_t *length, int flags)
{
    struct co4__descriptor *d = attempt_begin(fd, CO4__READING);
    return d ? (int)attempt_end(d, CO4__READING, d->ops->accept(d, address, length, flags, true))
             : -1;
}

bool co4__attempt_takes_all(int fd, int flags)
{
    if (!(flags & MSG_WAITALL) || (flags & MSG_PEEK))
        return false;
    struct co4__descriptor *d = co4__descriptor_enter(fd);
    bool is = d && d->kind == CO4__STREAM;
    if (d)
        co4__descriptor_leave(d);
    return is;
}

/* ---- writing ---- */

ssize_t co4__try_sendmsg(int fd, const struct msghdr *message, int flags)
{
    if (IS_PLAIN(flags) && !message->msg_name && !message->msg_control)
        return co4__try_writev(fd, message->msg_iov, (int)message->msg_iovlen);
    struct co4__descriptor *d = attempt_begin(fd, CO4__WRITING);
    return d ? attempt_end(d, CO4__WRITING, d->ops->send(d, message, flags)) : -1;
}

static ssize_t send_to(struct co4__descriptor *d, const void *from, size_t bytes, int flags,
                       const struct sockaddr *address, socklen_t length)
{
    struct iovec one = { (void *)(uintptr_t)from, bytes };
    struct msghdr m = { .msg_iov = &one,
                        .msg_iovlen = 1,
                        .msg_name = (void *)(uintptr_t)address,
                        .msg_namelen = length };
    return d->ops->send(d, &m, flags);
}

ssize_t co4__try_sendto(int fd, const void *from, size_t bytes, int flags,
                        const struct sockaddr *address, socklen_t length)
{
    if (IS_PLAIN(flags) && !(address && length > 0))
        return co4__try_write(fd, from, bytes);
    struct co4__descriptor *d = attempt_begin(fd, CO4__WRITING);
    ssize_t n;
    if (!d)
        return -1;
    if (CO4__LIKELY(d->is_socket))
        CO4__AGAIN(n,
                   sendto(fd, from, bytes, flags | MSG_DONTWAIT | MSG_NOSIGNAL, address, length));
    else
        n = send_to(d, from, bytes, flags, address, length);
    return attempt_end(d, CO4__WRITING, n);
}

ssize_t co4__try_writev(int fd, const struct iovec *from, int count)
{
    struct co4__descriptor *d = attempt_begin(fd, CO4__WRITING);
    static const struct iovec none = { NULL, 0 };
    if (!d)
        return -1;
    if (co4__vector_is_wrong(from, count))
        return attempt_end(d, CO4__WRITING, -1);
    return attempt_end(d, CO4__WRITING,
                       d->ops->write(d, count > 0 ? from : &none, count > 0 ? count : 1));
}

static inline ssize_t try_write_with(int fd, const void *from, size_t bytes, int flags)
{
    struct co4__descriptor *d = attempt_begin(fd, CO4__WRITING);
    ssize_t n;
    if (CO4__UNLIKELY(!d))
        return -1;
    if (CO4__LIKELY(d->is_socket)) {
        CO4__AGAIN(n, send(fd, from, bytes, MSG_DONTWAIT | MSG_NOSIGNAL | flags));
    } else {
        struct iovec one = { (void *)(uintptr_t)from, bytes };
        n = d->ops->write(d, &one, bytes > 0);
    }
    return attempt_end(d, CO4__WRITING, n);
}

ssize_t co4__try_write(int fd, const void *from, size_t bytes)
{
    return try_write_with(fd, from, bytes, 0);
}

#ifndef MSG_MORE
#define MSG_MORE 0
#endif

ssize_t co4__try_write_more(int fd, const void *from, size_t bytes)
{
    return try_write_with(fd, from, bytes, MSG_MORE);
}

#ifdef __linux__
ssize_t co4__try_sendfile(int out, int in, off_t *offset, size_t bytes)
{
    struct co4__descriptor *d = attempt_begin(out, CO4__WRITING);
    return d ? attempt_end(d, CO4__WRITING, d->ops->send_file(d, in, offset, bytes)) : -1;
}
#endif

/* ---- connecting ---- */

#ifndef __wasi__ /* it has no connect() */

static int attempt_end_connect(struct co4__descriptor *d, int n)
{
    int err = errno;
    if (n == -1 && (err == EINPROGRESS || err == EINTR))
        n = CO4__WOULD_WAIT; /* the system goes on with it */
    else if (n == -1 && err == EAGAIN && co4__attempt_is_unix(d->fd))
        n = CO4__BLOCKS; /* the listener of a Unix socket is full: no event says when it has room */
    errno = err;
    co4__descriptor_leave(d);
    return n;
}

int co4__try_connect(int fd, const struct sockaddr *address, socklen_t length)
{
    struct co4__descriptor *d = attempt_begin(fd, CO4__WRITING);
    return d ? attempt_end_connect(d, d->ops->connect(d, address, length)) : -1;
}

int co4__try_connected(int fd, const struct sockaddr *address, socklen_t length)
{
    struct co4__descriptor *d = attempt_begin(fd, CO4__WRITING);
    struct pollfd p = { .fd = fd, .events = POLLOUT };
    if (!d)
        return -1;
    int n = co4__poll_now(&p, 1) > 0 ? d->ops->connected(d, address, length) : CO4__WOULD_WAIT;
    if (n == -1 && errno == EALREADY)
        n = CO4__WOULD_WAIT;
    return attempt_end_connect(d, n);
}

#endif

/* ---- readiness ---- */

/* The system has said so, and its event may come later, or never to a thread without a reactor: the
 * next read tries. */
static void is_seen_ready(struct co4__descriptor *d, int direction)
{
    if (direction == CO4__READING)
        atomic_store_explicit(&d->drained, 0, memory_order_relaxed);
}

int co4__try_ready(int fd, int direction)
{
    struct co4__descriptor *d = attempt_begin(fd, direction);
    struct pollfd p = { .fd = fd, .events = co4__poll_event(direction) };
    if (!d)
        return -1;
    int n = d->kind == CO4__FILE || co4__poll_now(&p, 1) != 0 ? 1 : CO4__WOULD_WAIT;
    if (n == 1)
        is_seen_ready(d, direction);
    co4__descriptor_leave(d);
    return n;
}

void co4__attempt_pass(int fd, int direction)
{
    struct co4__descriptor *d = co4__descriptor_enter(fd);
    if (!d)
        return;
    co4__descriptor_pass(d, direction);
    co4__descriptor_leave(d);
}

bool co4__attempt_was(int fd, int direction)
{
    const struct co4__local *here = co4__local();
    return here->attempt.descriptor && here->attempt.descriptor->fd == fd &&
           here->attempt.direction == direction;
}

/* ---- codes ---- */

int co4__io_fails(int code)
{
    switch (code) {
    case CO4_ECANCELED:
        errno = ECANCELED;
        break;
    case CO4_ETIMEDOUT:
        errno = ETIMEDOUT;
        break;
    case CO4_ENOMEM:
        errno = ENOMEM;
        break;
    case CO4_ECLOSED:
        errno = EBADF;
        break;
    case CO4_EINVAL:
        errno = EINVAL;
        break;
    case CO4_EDEADLK:
        errno = EDEADLK;
        break;
    case CO4_EBUSY: /* it would have to wait, and the deadline is CO4_NOW */
        errno = EAGAIN;
        break;
    default: /* CO4_ESTATE: inside a generator */
        errno = code < 0 && code > CO4_ERROR_BASE_ ? -code : ENOTSUP;
    }
    return -1;
}

ssize_t co4__io_result(ssize_t result)
{
    if (result >= 0)
        return result;
    errno = (int)-result;
    return -1;
}

/* ---- the wait ---- */

/* Between two tries while the process is out of descriptors, and the worker has no reactor. */
#define DEVICE_LOOK (2 * CO4_MS)

/* Called under the lock. CO4_EEMPTY: the task has to wait. */
static int changed(struct co4__descriptor *d, int direction, uint32_t generation, uint32_t events)
{
    uint64_t use = atomic_load_explicit(&d->use, memory_order_relaxed);
    if (!co4__is_attached(use) || co4__generation_of(use) != generation)
        return CO4_ECLOSED;
    return atomic_load_explicit(&d->events[direction], memory_order_relaxed) != events ? CO4_OK
                                                                                       : CO4_EEMPTY;
}

static int attempt_watch(struct co4__descriptor *d, uint32_t generation)
{
    int err = d->ops->watch(d, generation);
    if (CO4__LIKELY(err == 0))
        return CO4_OK;
    if (err == EPERM) { /* a device without readiness: its calls never wait */
        d->kind = CO4__FILE;
        return CO4_EAGAIN;
    }
    return err == EBADF ? CO4_ECLOSED : CO4_ENOMEM; /* EBADF: by a plain close() */
}

bool co4__lacks_descriptors(void)
{
    int err = co4__reactor_prepare();
    return err == EMFILE || err == ENFILE;
}

int64_t co4__next_look(int64_t deadline)
{
    int64_t next = co4_now() + DEVICE_LOOK;
    return next < deadline ? next : deadline;
}

/* Nothing can say when a try makes sense. */
static int wait_to_look(co4_fiber *co4, struct co4__descriptor *d, int64_t deadline)
{
    if (deadline != CO4_NEVER && co4_now() >= deadline)
        return co4__done(co4, CO4_ETIMEDOUT);
    co4__descriptor_seen_ready(d->fd);
    return co4_sleep_until__co4(co4, co4__next_look(deadline));
}

int co4__attempt_wait__co4(co4_fiber *co4, int direction, int64_t deadline)
{
    struct co4__local *here = co4__local();
    struct co4__descriptor *d = here->attempt.descriptor;
    uint32_t generation = here->attempt.generation, events = here->attempt.events;
    struct co4__timer *timer = NULL;
    if (CO4__UNLIKELY(!co4__may_pause(co4)))
        return CO4_ESTATE;
    if (co4__is_cancelled(co4__task_of(co4)))
        return co4__done(co4, CO4_ECANCELED);
    if (CO4__UNLIKELY(deadline == CO4_NOW))
        return co4__done(co4, CO4_EBUSY);
    if (CO4__UNLIKELY(co4__socket_is_ready_in_vain(d, direction)))
        return wait_to_look(co4, d, deadline);
    int err = attempt_watch(d, generation);
    if (CO4__UNLIKELY(err != CO4_OK))
        return err == CO4_ENOMEM && co4__lacks_descriptors()
                   ? wait_to_look(co4, d, deadline)
                   : co4__done(co4, err == CO4_EAGAIN ? CO4_OK : err);
    if (deadline != CO4_NEVER) {
        if (co4_now() >= deadline)
            return co4__done(co4, CO4_ETIMEDOUT);
        if (!(timer = co4__timer_create(co4__task_of(co4), deadline)))
            return co4__done(co4, CO4_ENOMEM);
    }
    co4__lock_take(&d->queues[0].lock);
    err = changed(d, direction, generation, events);
    if (CO4__LIKELY(err == CO4_EEMPTY)) {
        atomic_store_explicit(&d->has_queued[direction], true, memory_order_relaxed);
        co4__wait(co4, &d->queues[direction],
                  direction == CO4__READING ? CO4__WAIT_READ : CO4__WAIT_WRITE, NULL, timer);
        co4__reactor_arm(d, co4__poll_event(direction));
        return CO4_OK;
    }
    co4__lock_give(&d->queues[0].lock);
    if (timer)
        co4__pool_drop(timer, sizeof *timer);
    return co4__done(co4, err);
}

/* What comes before the wait may make tries. */
static void before_wait(void)
{
    struct co4__local *here = co4__local();
    if (CO4__LIKELY(!here->before_wait))
        return;
    struct co4__descriptor *d = here->attempt.descriptor;
    uint32_t generation = here->attempt.generation, events = here->attempt.events;
    int direction = here->attempt.direction;
    co4__before_wait_run();
    here->attempt.descriptor = d;
    here->attempt.generation = generation;
    here->attempt.events = events;
    here->attempt.direction = direction;
}

int co4__attempt_wait_block(int direction, int64_t deadline)
{
    struct co4__descriptor *d = co4__local()->attempt.descriptor;
    if (deadline == CO4_NOW)
        return CO4_EBUSY;
    if (co4__in_task())
        return CO4_EDEADLK;
    before_wait();
    int err = d->ops->wait(d, direction, deadline);
    if (err == CO4_OK)
        is_seen_ready(d, direction);
    return err;
}
