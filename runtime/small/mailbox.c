/* mailbox.c - mailboxes of the small library. The ring follows the mailbox in the same block of
 * memory.
 *
 * Invariants: a message is copied directly to a waiting receiver. A waiting sender's message takes
 * the next free slot before the sender wakes. So at least one of the two lists is empty, and
 * messages keep their order. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/public.h"
#include "core/task.h"
#include "core/wait.h"
#include "memory/pool.h"
#include "small/small.h"

struct co4_mailbox {
    struct co4__list receivers, senders;
    uint32_t elem_size, capacity, first, count;
    bool closed;
    _Alignas(max_align_t) unsigned char ring[];
};

_Static_assert(sizeof(co4_mailbox) + 8 <= CO4_MEMORY_MAILBOX(1, 8), "as the header says");

static size_t mailbox_bytes(size_t elem_size, size_t capacity)
{
    return sizeof(co4_mailbox) + elem_size * capacity;
}

co4_mailbox *co4_mailbox_create(size_t elem_size, size_t capacity)
{
    if (elem_size == 0 || capacity == 0 || elem_size > UINT32_MAX / 2 ||
        capacity > UINT32_MAX / 2 || capacity > (SIZE_MAX / 2 - sizeof(co4_mailbox)) / elem_size)
        return NULL;
    co4_mailbox *mb = co4__pool_take(mailbox_bytes(elem_size, capacity));
    if (!mb)
        return NULL;
    memset(mb, 0, sizeof *mb);
    mb->elem_size = (uint32_t)elem_size;
    mb->capacity = (uint32_t)capacity;
    return mb;
}

int co4_mailbox_destroy(co4_mailbox *mb)
{
    if (!mb)
        return CO4_OK;
    if (mb->receivers.head || mb->senders.head)
        return CO4_EBUSY;
    co4__pool_drop(mb, mailbox_bytes(mb->elem_size, mb->capacity));
    return CO4_OK;
}

int co4_mailbox_reserve(co4_mailbox *mb, size_t count)
{
    (void)count; /* all slots are allocated */
    return mb ? CO4_OK : CO4_EINVAL;
}

static void *slot(co4_mailbox *mb, uint32_t i)
{
    return mb->ring + (size_t)((mb->first + i) % mb->capacity) * mb->elem_size;
}

static int send_now(co4_mailbox *mb, const void *msg, size_t size)
{
    if (!mb || !msg || size != mb->elem_size)
        return CO4_EINVAL;
    if (mb->closed)
        return CO4_ECLOSED;
    struct co4__waiter *receiver = mb->receivers.head;
    if (!receiver && mb->count == mb->capacity)
        return CO4_EFULL;
    memcpy(receiver ? receiver->result.wait.buffer : slot(mb, mb->count++), msg, mb->elem_size);
    if (receiver)
        co4__small_wake(co4__task_of_waiter(receiver), CO4_OK);
    return CO4_OK;
}

static int receive_now(co4_mailbox *mb, void *out, size_t size)
{
    if (!mb || !out || size != mb->elem_size)
        return CO4_EINVAL;
    if (mb->count == 0)
        return mb->closed ? CO4_ECLOSED : CO4_EEMPTY;
    memcpy(out, slot(mb, 0), mb->elem_size);
    mb->first = (mb->first + 1) % mb->capacity;
    mb->count--;
    struct co4__waiter *sender = mb->senders.head;
    if (sender) {
        memcpy(slot(mb, mb->count++), sender->result.wait.buffer, mb->elem_size);
        co4__small_wake(co4__task_of_waiter(sender), CO4_OK);
    }
    return CO4_OK;
}

/* Outside tasks there is one thread, which nothing could wake. */
int(co4_mailbox_send_until)(co4_mailbox *mb, const void *msg, size_t size, int64_t deadline)
{
    int err = send_now(mb, msg, size);
    return err == CO4_EFULL && deadline != CO4_NOW ? CO4_EDEADLK : err;
}

int(co4_mailbox_receive_until)(co4_mailbox *mb, void *out, size_t size, int64_t deadline)
{
    int err = receive_now(mb, out, size);
    return err == CO4_EEMPTY && deadline != CO4_NOW ? CO4_EDEADLK : err;
}

/* Returns the result of a try, or begins the wait that it requires. */
static int finish_attempt(co4_fiber *co4, int err, struct co4__list *list, void *msg,
                          int64_t deadline)
{
    if ((err != CO4_EFULL && err != CO4_EEMPTY) || deadline == CO4_NOW)
        return co4__done(co4, err);
    if (deadline != CO4_NEVER && deadline <= co4_now())
        return co4__done(co4, CO4_ETIMEDOUT);
    return co4__small_wait(co4, list, msg, deadline);
}

int co4_mailbox_send_until__co4(co4_fiber *co4, co4_mailbox *mb, const void *msg, size_t size,
                                int64_t deadline)
{
    int err = co4__small_may_wait(co4);
    if (err != CO4_OK)
        return co4__done(co4, err);
    return finish_attempt(co4, send_now(mb, msg, size), &mb->senders, (void *)(uintptr_t)msg,
                          deadline);
}

int co4_abi_send(co4_fiber *co4, co4_mailbox *mb, const void *msg, size_t size)
{
    return co4_mailbox_send_until__co4(co4, mb, msg, size, CO4_NEVER);
}

int co4_mailbox_receive_until__co4(co4_fiber *co4, co4_mailbox *mb, void *out, size_t size,
                                   int64_t deadline)
{
    int err = co4__small_may_wait(co4);
    if (err != CO4_OK)
        return co4__done(co4, err);
    return finish_attempt(co4, receive_now(mb, out, size), &mb->receivers, out, deadline);
}

int co4_abi_receive(co4_fiber *co4, co4_mailbox *mb, void *out, size_t size)
{
    return co4_mailbox_receive_until__co4(co4, mb, out, size, CO4_NEVER);
}

static void wake_all(struct co4__list *list)
{
    while (list->head)
        co4__small_wake(co4__task_of_waiter(list->head), CO4_ECLOSED);
}

int co4_mailbox_close(co4_mailbox *mb)
{
    if (!mb)
        return CO4_EINVAL;
    mb->closed = true;
    wake_all(&mb->receivers);
    wake_all(&mb->senders);
    return CO4_OK;
}

int co4_mailbox_is_closed(co4_mailbox *mb)
{
    return mb ? mb->closed : CO4_EINVAL;
}

size_t co4_mailbox_len(co4_mailbox *mb)
{
    return mb ? mb->count : 0;
}

size_t co4_mailbox_capacity(const co4_mailbox *mb)
{
    return mb ? mb->capacity : 0;
}
