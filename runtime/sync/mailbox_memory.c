/* mailbox_memory.c - the memory of a mailbox's ring.
 *
 * The ring starts empty and doubles up to the capacity. So a mailbox that only hands over messages
 * never has a ring, and a million mailboxes do not cost a million rings of 300. The messages in it
 * move a few at a time (messages.c), some with each operation of the slow path.
 *
 * Concurrency: memory is allocated and freed without the lock; then the thread looks at everything
 * again. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/public.h"
#include "core/wait.h"
#include "platform/lock.h"
#include "sync/mailbox.h"

#define SMALL_RING 256 /* bytes */

void co4__mailbox_move_on(co4_mailbox *mb)
{
    if (!(mb->slow & CO4__SLOW_MOVES) || co4__messages_move(&mb->ring))
        return;
    void *old = co4__messages_old(&mb->ring);
    mb->slow &= (uint8_t)~CO4__SLOW_MOVES;
    co4__wait_queue_unlock(&mb->queues[0]);
    co4__free(old);
    co4__wait_queue_relock(&mb->queues[0]);
}

/* Lets the ring grow to `room` messages, and releases the lock meanwhile. False: out of memory.
 * True: the caller looks at everything again. */
static bool grow_ring(co4_mailbox *mb, uint32_t room)
{
    for (; mb->slow & CO4__SLOW_MOVES; co4__mailbox_move_on(mb))
        co4__wait_queue_yield(&mb->queues[0]);
    struct co4__messages *ring = &mb->ring;
    bool empty = ring->room == 0;
    co4__wait_queue_unlock(&mb->queues[0]);
    void *slots = co4__messages_alloc(ring->elem_size, room, empty), *unused = slots;
    co4__wait_queue_relock(&mb->queues[0]);
    if (slots && empty == (ring->room == 0) && !(mb->slow & CO4__SLOW_MOVES) && room > ring->room &&
        co4__messages_move_to(ring, slots, room, &unused)) {
        mb->slow |= CO4__SLOW_MOVES;
        unused = NULL;
    }
    if (unused) {
        co4__wait_queue_unlock(&mb->queues[0]);
        co4__free(unused);
        co4__wait_queue_relock(&mb->queues[0]);
    }
    return slots;
}

/* The first room is all of a small mailbox, a few elements of a large one. */
bool co4__mailbox_make_room(co4_mailbox *mb)
{
    uint64_t bytes = (uint64_t)mb->capacity * mb->ring.elem_size;
    uint32_t room = mb->ring.room > 0 ? 2 * mb->ring.room : bytes <= SMALL_RING ? mb->capacity : 4;
    return grow_ring(mb, room < mb->capacity ? room : mb->capacity);
}

int co4_mailbox_reserve(co4_mailbox *mb, size_t count)
{
    if (!mb)
        return CO4_EINVAL;
    bool ok = true;
    uint32_t room = count < mb->capacity ? (uint32_t)count : mb->capacity;
    co4__lock_take(&mb->queues[0].lock);
    while (ok && mb->ring.room < room)
        ok = grow_ring(mb, room);
    co4__lock_give(&mb->queues[0].lock);
    return ok ? CO4_OK : CO4_ENOMEM;
}
