/* mailbox_life.c - mailboxes are made, closed and destroyed. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"
#include "base/public.h"
#include "core/wait.h"
#include "memory/pool.h"
#include "platform/lock.h"
#include "sync/mailbox.h"

#define LIMIT ((size_t)1 << 31)

static size_t mailbox_bytes(bool accounted)
{
    return sizeof(co4_mailbox) + (accounted ? sizeof(struct co4__account) : 0);
}

atomic_uint co4__accounts;

static struct co4__account *account_of(co4_mailbox *mb)
{
    return (struct co4__account *)(void *)(mb + 1);
}

co4_mailbox *co4_mailbox_create(size_t elem_size, size_t capacity)
{
    if (capacity == CO4_UNBOUNDED)
        capacity = LIMIT - 1;
    if (elem_size == 0 || elem_size >= LIMIT || capacity >= LIMIT)
        return NULL;
    bool accounted = atomic_load_explicit(&co4__accounts, memory_order_relaxed) > 0;
    co4_mailbox *mb = co4__pool_take(mailbox_bytes(accounted));
    if (!mb)
        return NULL;
    memset(mb, 0, sizeof *mb);
    mb->accounted = accounted;
    mb->source.ops = &co4__mailbox_ops;
    mb->ring.elem_size = (uint32_t)elem_size;
    mb->capacity = (uint32_t)capacity;
    mb->queues[CO4__SENDERS].second = 1;
    if (CO4__UNLIKELY(accounted))
        co4__mailbox_hooks.is_made(account_of(mb), mb);
    return mb;
}

int co4_mailbox_destroy(co4_mailbox *mb)
{
    if (!mb)
        return CO4_OK;
    co4__lock_take(&mb->queues[0].lock);
    bool clear = co4__wait_queue_clear(&mb->queues[CO4__RECEIVERS]) &&
                 co4__wait_queue_clear(&mb->queues[CO4__SENDERS]) &&
                 mb->notified[CO4__RECEIVERS] == 0 && mb->notified[CO4__SENDERS] == 0;
    co4__lock_give(&mb->queues[0].lock);
    if (!clear)
        return CO4_EBUSY;
    co4__messages_free(&mb->ring, mb->slow);
    if (CO4__UNLIKELY(mb->accounted))
        co4__mailbox_hooks.is_destroyed(account_of(mb));
    co4__pool_drop(mb, mailbox_bytes(mb->accounted));
    return CO4_OK;
}

int co4_mailbox_close(co4_mailbox *mb)
{
    struct co4__list woken = { NULL, NULL };
    if (!mb)
        return CO4_EINVAL;
    co4__lock_take(&mb->queues[0].lock);
    mb->closed = true;
    mb->slow |= CO4__SLOW;
    co4__mailbox_settle(mb, &woken);
    co4__lock_give(&mb->queues[0].lock);
    co4__list_wake(&woken);
    return CO4_OK;
}

int co4_mailbox_reserve(co4_mailbox *mb, size_t count)
{
    if (!mb)
        return CO4_EINVAL;
    bool ok = true;
    uint32_t room = count < mb->capacity ? (uint32_t)count : mb->capacity;
    co4__lock_take(&mb->queues[0].lock);
    while (ok && mb->ring.room < room)
        ok = co4__messages_grow(&mb->ring, room, &mb->slow, &mb->queues[0]);
    co4__lock_give(&mb->queues[0].lock);
    return ok ? CO4_OK : CO4_ENOMEM;
}

size_t co4_mailbox_len(co4_mailbox *mb)
{
    if (!mb)
        return 0;
    co4__lock_take(&mb->queues[0].lock);
    size_t n = mb->ring.count;
    co4__lock_give(&mb->queues[0].lock);
    return n;
}

size_t co4_mailbox_capacity(const co4_mailbox *mb)
{
    return mb ? mb->capacity : 0;
}

int co4_mailbox_is_closed(co4_mailbox *mb)
{
    if (!mb)
        return 0;
    co4__lock_take(&mb->queues[0].lock);
    int closed = mb->closed;
    co4__lock_give(&mb->queues[0].lock);
    return closed;
}
