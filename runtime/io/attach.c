/* attach.c - a number gets a descriptor: the record is attached, and later detached.
 *
 * While close() is under way (descriptor.c), the number means the old file, nothing, or a new one,
 * and no call can tell. So a call that comes to attach it waits until the close clears ENDING.
 * close() may take long (SO_LINGER), but then its number was free at its beginning: a call waits
 * for half a second only. The answers of the system may be those of an earlier file or of a
 * later one. A change of the generation tells that, and then the call asks again. A call that has
 * lost its patience may register a file that is gone. So a close() that finds its number attached
 * makes the waiters try again. Model: tests/model/attach.pml.
 *
 * Rejected: a new generation only after close(): a thread that opens the number at once would find
 * it closed. */
#define _GNU_SOURCE /* fcntl() and others, whatever -std says */
#include <errno.h>
#include <fcntl.h>

#include "io/descriptor.h"
#include "io/lost.h"
#include "io/ops.h"
#include "io/reactor.h"
#include "platform/lock.h"
#include "platform/thread.h"

/* ---- attaching ---- */

/* Called under the lock: attaches it, if the generation is still that of `before`, an even one. */
static bool begin_generation(struct co4__descriptor *d, uint32_t before,
                             const struct co4__attachment *how)
{
    uint64_t use = atomic_load_explicit(&d->use, memory_order_relaxed);
    if (co4__generation_of(use) != before || before % 2 != 0)
        return false;
    for (int i = 0; i < 2; i++)
        d->sources[i].ops = &co4__direction_ops[i];
    d->kind = (uint8_t)how->kind;
    d->shared = how->shared;
    d->ops = how->ops;
    d->is_socket = how->ops->of_system && (how->kind == CO4__STREAM || how->kind == CO4__SOCKET);
    atomic_store_explicit(&d->drained, 0, memory_order_relaxed);
    atomic_store_explicit(&d->ended, false, memory_order_relaxed);
    /* With O_DIRECT it would wait for the device. */
    atomic_store_explicit(&d->no_nowait, how->direct ? CO4__MAY_READ | CO4__MAY_WRITE : 0,
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

/* Tries to wait for the end of close(): the last 500 sleep for a millisecond or more. */
enum { PATIENCE = 1024 + 500 };

uint32_t co4__descriptor_settled(struct co4__descriptor *d)
{
    /* Acquire: pairs with end_closing(). What is asked of the number comes after. */
    uint64_t use = atomic_load_explicit(&d->use, memory_order_acquire);
    for (unsigned tries = 0; CO4__UNLIKELY(use & CO4__ENDING) && tries < PATIENCE; tries++) {
        co4__back_off(tries);
        use = atomic_load_explicit(&d->use, memory_order_acquire);
    }
    return co4__generation_of(use);
}

int co4__descriptor_attach_new(struct co4__descriptor *d, uint32_t before,
                               const struct co4__attachment *how)
{
    uint64_t use = atomic_load_explicit(&d->use, memory_order_acquire);
    if (use & CO4__CLOSING)
        return EBADF;
    if (co4__is_attached(use))
        return EEXIST;
    co4__lock_take(&d->queues[0].lock);
    bool attached = begin_generation(d, before, how);
    co4__lock_give(&d->queues[0].lock);
    return attached ? 0 : EAGAIN;
}

int co4__descriptor_forget_earlier(struct co4__descriptor *d)
{
    uint64_t use = atomic_load_explicit(&d->use, memory_order_acquire);
    uint32_t generation = co4__generation_of(use);
    bool is_known = false;
    /* A task waits at the very file that has the number now. */
    if (co4__descriptor_is_awaited(d, NULL) && co4__reactor_has(d, generation, &is_known))
        return 0;
    co4__descriptor_replace(d, generation, is_known);
    return EAGAIN;
}

struct co4__descriptor *co4__descriptor_record(int fd, int *err)
{
    struct co4__descriptor *d = co4__descriptor_at(fd);
    if (!d)
        d = co4__descriptor_make(fd);
    if (!d)
        *err = fcntl(fd, F_GETFD) < 0 ? EBADF : ENOMEM;
    return d;
}

int co4__descriptor_attach(int fd, enum co4__descriptor_kind kind, bool shared,
                           const struct co4__io_ops *ops)
{
    const struct co4__attachment how = { .ops = ops, .kind = kind, .shared = shared };
    int err;
    struct co4__descriptor *d = co4__descriptor_record(fd, &err);
    if (!d)
        return err;
    do {
        err = co4__descriptor_attach_new(d, co4__descriptor_settled(d), &how);
        if (err == EEXIST)
            err = co4__descriptor_forget_earlier(d);
    } while (err == EAGAIN);
    return err;
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

int co4__descriptor_detach(int fd)
{
    struct co4__descriptor *d = co4__descriptor_at(fd);
    uint64_t use = d ? atomic_load_explicit(&d->use, memory_order_acquire) : 0;
    if (!co4__is_attached(use))
        return -1;
    co4__descriptor_replace(d, co4__generation_of(use), false);
    return 0;
}

struct co4__descriptor *co4__descriptor_find(int fd)
{
    return co4__descriptor_at(fd);
}
