/* lifetime.c - descriptors are attached, replaced, detached, and closed.
 *
 * descriptor.c explains the generation, CLOSING, and the count of calls.
 *
 * While close() is under way, the number means the old file, nothing, or a new one, and no call can
 * tell. So the close sets ENDING before, and a call that comes to attach the number waits until it
 * is cleared. A call that has looked at the file before sees that the generation has changed, and
 * looks again. close() may take long (SO_LINGER): its number was free at its beginning, so a call
 * waits for half a second. Should it be wrong then, it has registered a file that is gone. So a
 * close that finds the number attached afterwards wakes all tasks that wait at it, and they try
 * again. Model: tests/model/attach.pml.
 *
 * Rejected: a new generation only after close(): a thread that opens the number at once would find
 * it closed. */
#define _GNU_SOURCE /* O_NONBLOCK and others, whatever -std says */
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/closed.h"
#include "io/descriptor.h"
#include "io/reactor.h"
#include "io/shared.h"
#include "platform/lock.h"
#include "platform/thread.h"

/* ---- attaching ---- */

/* What a descriptor has from the beginning. */
struct how {
    enum co4__descriptor_kind kind;
    bool shared, direct;
};

/* Called under the lock: attaches it, if the generation is still that of `before`, an even one. */
static bool begin(struct co4__descriptor *d, uint32_t before, struct how how)
{
    uint64_t use = atomic_load_explicit(&d->use, memory_order_relaxed);
    if (co4__generation_of(use) != before || before % 2 != 0)
        return false;
    for (int i = 0; i < 2; i++)
        d->sources[i].ops = &co4__direction_ops[i];
    d->kind = (uint8_t)how.kind;
    d->shared = how.shared;
    atomic_store_explicit(&d->drained, 0, memory_order_relaxed);
    atomic_store_explicit(&d->ended, false, memory_order_relaxed);
    /* With O_DIRECT it would wait for the device. */
    atomic_store_explicit(&d->no_nowait, how.direct ? CO4__MAY_READ | CO4__MAY_WRITE : 0,
                          memory_order_relaxed);
    do
        if (co4__generation_of(use) != before) /* a close does not take the lock */
            return false;
    /* Release: a call that sees the generation sees these fields. */
    while (!atomic_compare_exchange_weak_explicit(&d->use, &use,
                                                  use + (UINT64_C(1) << CO4__GENERATION_SHIFT),
                                                  memory_order_release, memory_order_relaxed));
    return true;
}

/* The number belongs to another file now. */
static void replace(struct co4__descriptor *d)
{
    struct co4__list woken = { NULL, NULL };
    co4__reactor_forget(d);
    if (d->kind == CO4__VIRTUAL)
        co4__virtual_close(d,
                           co4__generation_of(atomic_load_explicit(&d->use, memory_order_relaxed)));
    co4__lock_take(&d->queues[0].lock);
    if (co4__is_attached(atomic_load_explicit(&d->use, memory_order_relaxed))) {
        atomic_fetch_add_explicit(&d->use, UINT64_C(1) << CO4__GENERATION_SHIFT,
                                  memory_order_release);
        co4__descriptor_end_waits(d, CO4_ECLOSED, CO4_ECLOSED, &woken);
    }
    co4__lock_give(&d->queues[0].lock);
    co4__list_wake(&woken);
}

static bool is_direct(int fd)
{
#ifdef O_DIRECT
    int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && (flags & O_DIRECT) != 0;
#else
    (void)fd;
    return false;
#endif
}

/* Returns whether a task waits at the very file that has the number now. */
static bool is_same(struct co4__descriptor *d, uint64_t use)
{
    return co4__descriptor_is_awaited(d) && co4__reactor_has(d, co4__generation_of(use));
}

/* Tries to wait for the end of close(): the last 500 sleep for a millisecond or more. */
enum { PATIENCE = 1024 + 500 };

/* Returns the generation, when no close() of the number is under way. */
static uint32_t settled(const struct co4__descriptor *d)
{
    /* Acquire: pairs with co4__descriptor_ended(). What is asked of the number comes after. */
    uint64_t use = atomic_load_explicit(&d->use, memory_order_acquire);
    for (unsigned tries = 0; CO4__UNLIKELY(use & CO4__ENDING) && tries < PATIENCE; tries++) {
        co4__back_off(tries);
        use = atomic_load_explicit(&d->use, memory_order_acquire);
    }
    return co4__generation_of(use);
}

/* `again`: an earlier descriptor of this number is forgotten. Otherwise what is attached stays.
 * EAGAIN: the generation is not that of `before`, so the number may mean another file by now. */
static int attach(struct co4__descriptor *d, uint32_t before, struct how how, bool again)
{
    uint64_t use = atomic_load_explicit(&d->use, memory_order_acquire);
    if (use & CO4__CLOSING)
        return EBADF;
    if (co4__is_attached(use)) {
        if (!again || is_same(d, use))
            return 0;
        replace(d);
        return EAGAIN;
    }
    co4__lock_take(&d->queues[0].lock);
    bool attached = begin(d, before, how);
    co4__lock_give(&d->queues[0].lock);
    return attached ? 0 : EAGAIN;
}

/* Returns its record, or NULL with an error number. */
static struct co4__descriptor *record_of(int fd, int *err)
{
    struct co4__descriptor *d = co4__descriptor_at(fd);
    if (!d)
        d = co4__descriptor_make(fd);
    if (!d)
        *err = fcntl(fd, F_GETFD) < 0 ? EBADF : ENOMEM;
    return d;
}

int co4__descriptor_attach(int fd, enum co4__descriptor_kind kind, bool shared)
{
    int err;
    struct co4__descriptor *d = record_of(fd, &err);
    if (!d)
        return err;
    struct how how = { kind, shared, kind == CO4__FILE && is_direct(fd) };
    do
        err = attach(d, settled(d), how, true);
    while (err == EAGAIN);
    return err;
}

static int kind_of(int fd, enum co4__descriptor_kind *kind)
{
    struct stat s;
    int type;
    socklen_t bytes = sizeof type;
    if (fstat(fd, &s) != 0)
        return errno;
    if (S_ISSOCK(s.st_mode))
        *kind = getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &bytes) == 0 && type == SOCK_STREAM
                    ? CO4__STREAM
                    : CO4__SOCKET;
    else if (S_ISFIFO(s.st_mode))
        *kind = CO4__PIPE;
    else if (S_ISREG(s.st_mode) || S_ISDIR(s.st_mode) || S_ISBLK(s.st_mode))
        *kind = CO4__FILE;
    else
        *kind = (s.st_mode & S_IFMT) == 0 ? CO4__ANONYMOUS : CO4__OTHER;
#ifdef __wasi__ /* the host calls a pipe a socket, and the calls on sockets do not take it */
    if (*kind != CO4__FILE)
        *kind = CO4__PIPE;
#endif
    return 0;
}

static int set_nonblocking(int fd, int flags, bool *shared)
{
#ifdef __wasi__ /* the host's own flags may be among them; some hosts cannot change any */
    *shared = fcntl(fd, F_SETFL, (flags & (O_APPEND | O_DSYNC | O_RSYNC)) | O_NONBLOCK) != 0;
    return 0;
#else
    (void)shared;
    return fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0 ? 0 : errno;
#endif
}

static int adopt_now(struct co4__descriptor *d, bool shared, bool again)
{
    uint32_t before = settled(d);
    enum co4__descriptor_kind kind = CO4__OTHER;
    int err = kind_of(d->fd, &kind);
    if (err != 0)
        return err;
    int flags = fcntl(d->fd, F_GETFL);
    if (flags < 0)
        return errno;
    /* The mode of a descriptor that its first call attaches is the program's: it may change. */
    if ((flags & O_NONBLOCK) && again && !co4__shared_is_ours(d->fd, flags))
        shared = false;
    else if (!shared && kind != CO4__FILE)
        err = set_nonblocking(d->fd, flags, &shared);
    if (err != 0)
        return err;
    struct how how = { kind, shared && kind != CO4__FILE, kind == CO4__FILE && is_direct(d->fd) };
    return attach(d, before, how, again);
}

static int adopt(int fd, bool shared, bool again)
{
    int err;
    struct co4__descriptor *d = record_of(fd, &err);
    if (!d)
        return err;
    do
        err = adopt_now(d, shared, again);
    while (err == EAGAIN);
    return err;
}

int co4__descriptor_adopt(int fd, bool shared)
{
    return adopt(fd, shared, true);
}

CO4__NOINLINE struct co4__descriptor *co4__descriptor_enter_slow(int fd)
{
    for (;;) {
        struct co4__descriptor *d = co4__descriptor_at(fd);
        if (d) {
            uint64_t use = atomic_fetch_add_explicit(&d->use, 1, memory_order_acquire);
            if (co4__is_attached(use))
                return d;
            co4__descriptor_leave(d);
            if (use & CO4__CLOSING) {
                errno = EBADF;
                return NULL;
            }
        }
        /* Several calls may come first at the same time: one attaches it, for all. */
        int err = adopt(fd, true, false);
        if (err != 0) {
            errno = err;
            return NULL;
        }
    }
}

struct co4__descriptor *co4__descriptor_enter_same(int fd, uint32_t generation)
{
    struct co4__descriptor *d = co4__descriptor_at(fd);
    if (!d)
        return NULL;
    uint64_t use = atomic_fetch_add_explicit(&d->use, 1, memory_order_acquire);
    if (co4__is_attached(use) && co4__generation_of(use) == generation)
        return d;
    co4__descriptor_leave(d);
    return NULL;
}

uint32_t co4__descriptor_generation(int fd)
{
    struct co4__descriptor *d = co4__descriptor_at(fd);
    return d ? co4__generation_of(atomic_load_explicit(&d->use, memory_order_relaxed)) : 0;
}

int co4__descriptor_if_same(int fd, uint32_t generation)
{
    struct co4__descriptor *d = fd >= 0 ? co4__descriptor_at(fd) : NULL;
    if (!d)
        return -1;
    uint64_t use = atomic_load_explicit(&d->use, memory_order_acquire);
    return co4__is_attached(use) && co4__generation_of(use) == generation &&
                   !(atomic_load_explicit(&d->no_nowait, memory_order_relaxed) & CO4__TAKEN_OVER)
               ? fd
               : -1;
}

/* ---- the end ---- */

/* Returns whether it is still unattached, and marks then that close() is under way. */
static bool begin_end(struct co4__descriptor *d, uint32_t *generation)
{
    uint64_t use = atomic_load_explicit(&d->use, memory_order_relaxed);
    do {
        *generation = co4__generation_of(use) + 2;
        if (*generation % 2 != 0)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(
        &d->use, &use, (use | CO4__ENDING) + (UINT64_C(2) << CO4__GENERATION_SHIFT),
        memory_order_acq_rel, memory_order_relaxed));
    return true;
}

/* d: NULL if no number near it was ever attached. */
static int close_unattached(struct co4__descriptor *d, int fd, uint32_t generation)
{
    int n = close(fd), was = errno;
    if (d)
        co4__descriptor_ended(d, generation);
    co4__closed_notify();
    errno = was;
    return n;
}

int co4__descriptor_close(int fd)
{
    uint32_t generation = 0;
    struct co4__descriptor *d = co4__descriptor_at(fd);
    struct co4__list woken = { NULL, NULL };
    if (!d)
        return close_unattached(d, fd, generation);
    while (!co4__is_attached(atomic_fetch_add_explicit(&d->use, 1, memory_order_acquire))) {
        co4__descriptor_leave(d);
        if (begin_end(d, &generation))
            return close_unattached(d, fd, generation);
        if (atomic_load_explicit(&d->use, memory_order_relaxed) & CO4__CLOSING) {
            errno = EBADF;
            return -1;
        }
    }
    co4__lock_take(&d->queues[0].lock);
    bool mine = !(atomic_fetch_or_explicit(&d->use, CO4__CLOSING, memory_order_acq_rel) &
                  CO4__CLOSING);
    if (mine) /* nothing queues any more: the wait looks at CLOSING under the lock */
        co4__descriptor_end_waits(d, CO4_ECLOSED, CO4_ECLOSED, &woken);
    co4__lock_give(&d->queues[0].lock);
    co4__list_wake(&woken);
    if (mine)
        co4__reactor_forget(d);
    co4__descriptor_leave(d);
    if (mine)
        return 0;
    errno = EBADF;
    return -1;
}

int co4__descriptor_detach(int fd)
{
    struct co4__descriptor *d = co4__descriptor_at(fd);
    if (!d || !co4__is_attached(atomic_load_explicit(&d->use, memory_order_acquire)))
        return -1;
    replace(d);
    return 0;
}
