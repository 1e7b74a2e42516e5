/* mailbox_memory.c - the memory of a mailbox's rings.
 *
 * Purpose: the ring starts empty and doubles up to the capacity. So a mailbox that only hands over
 * messages never has a ring, and a million mailboxes do not cost a million rings of 300. The
 * messages in it move a few at a time (messages.c). CO4__SLOW_MOVES says that some have still to
 * move, or that their old memory has still to be freed. Each send and receive moves some then.
 *
 * Concurrency: memory is allocated and freed without the lock. A thread that has released the lock
 * for that looks at everything again.
 *
 * Rejected: rings from the frame pool (they mix with frames of the same size and leave its lists in
 * disorder: a second skynet ran 1.5 times as long). */
#include "sync/mailbox_memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/public.h"
#include "core/wait.h"
#include "platform/lock.h"
#include "sync/mailbox.h"
#include "sync/messages.h"

#define SMALL_RING   256 /* bytes */
#define FIRST_URGENT 4   /* messages; it doubles */

/* Returns the room for the first messages: all of a small mailbox at once, a few elements of a
 * large one. */
static uint32_t first_room(const co4_mailbox *mb)
{
    return (uint64_t)mb->capacity * mb->ring.elem_size <= SMALL_RING ? mb->capacity : 4;
}

bool co4__mailbox_moves(const co4_mailbox *mb, const struct co4__messages *m)
{
    return m == &mb->ring ? (mb->slow & CO4__SLOW_MOVES) != 0 : mb->extension->urgent_moves;
}

static void set_moves(co4_mailbox *mb, const struct co4__messages *m, bool to)
{
    if (m != &mb->ring)
        mb->extension->urgent_moves = to;
    else if (to)
        mb->slow |= CO4__SLOW_MOVES;
    else
        mb->slow &= (uint8_t)~CO4__SLOW_MOVES;
}

/* Moves some of the messages of *m into the new memory. True: now all have moved. */
bool co4__mailbox_move_some(co4_mailbox *mb, struct co4__messages *m)
{
    return co4__mailbox_moves(mb, m) && !co4__messages_move(m);
}

/* All messages have moved: frees their old memory, and releases the lock meanwhile. */
static void free_old(co4_mailbox *mb, struct co4__messages *m)
{
    void *old = co4__messages_old(m);
    set_moves(mb, m, false);
    co4__wait_queue_unlock(&mb->queues[0]);
    co4__free(old);
    co4__wait_queue_relock(&mb->queues[0]);
}

/* Moves and frees like the two functions above, for an operation that may release the lock. True:
 * it has released it. */
bool co4__mailbox_moved_on(co4_mailbox *mb)
{
    bool done = co4__mailbox_move_some(mb, &mb->ring);
    if (done)
        free_old(mb, &mb->ring);
    if (mb->extension && co4__mailbox_move_some(mb, &mb->extension->urgent)) {
        free_old(mb, &mb->extension->urgent);
        done = true;
    }
    return done;
}

/* Moves all messages, and yields the lock in between. */
void co4__mailbox_move_all(co4_mailbox *mb, struct co4__messages *m)
{
    while (co4__mailbox_moves(mb, m))
        if (co4__mailbox_move_some(mb, m))
            free_old(mb, m);
        else
            co4__wait_queue_yield(&mb->queues[0]);
}

/* Returns the number of messages that *m must have room for. */
static uint32_t needs(const co4_mailbox *mb, const struct co4__messages *m)
{
    return m == &mb->ring ? co4__mailbox_count(mb) : m->count + mb->extension->urgent_waiting;
}

int co4__mailbox_resize(co4_mailbox *mb, struct co4__messages *m, uint32_t room, bool larger)
{
    void *unused;
    co4__mailbox_move_all(mb, m);
    bool empty = m->room == 0;
    co4__wait_queue_unlock(&mb->queues[0]);
    void *slots = unused = co4__messages_alloc(m->elem_size, room, empty);
    co4__wait_queue_relock(&mb->queues[0]);
    if (slots && empty == (m->room == 0) && !co4__mailbox_moves(mb, m) && room >= needs(mb, m) &&
        (larger ? room > m->room : room < m->room) &&
        co4__messages_move_to(m, slots, room, &unused)) {
        set_moves(mb, m, true);
        unused = NULL;
    }
    if (unused) {
        co4__wait_queue_unlock(&mb->queues[0]);
        co4__free(unused);
        co4__wait_queue_relock(&mb->queues[0]);
    }
    return slots ? CO4_OK : CO4_ENOMEM;
}

/* Grows the ring one step towards `room` messages. True: the lock was released meanwhile, so the
 * caller looks again; or there is room. */
static CO4__NOINLINE bool grow(co4_mailbox *mb, uint32_t room)
{
    if (room > mb->capacity)
        room = mb->capacity;
    return room <= mb->ring.room || co4__mailbox_resize(mb, &mb->ring, room, true) == CO4_OK;
}

/* The ring is full, the mailbox is not. True: the lock was released meanwhile, so the caller looks
 * again. */
CO4__NOINLINE bool co4__mailbox_make_room(co4_mailbox *mb)
{
    return grow(mb, mb->ring.room ? 2 * mb->ring.room : first_room(mb));
}

int co4_mailbox_reserve(co4_mailbox *mb, size_t count)
{
    if (!mb)
        return CO4_EINVAL;
    bool ok = true;
    co4__lock_take(&mb->queues[0].lock);
    while (ok && mb->ring.room < (count < mb->capacity ? count : mb->capacity))
        ok = grow(mb, count < mb->capacity ? (uint32_t)count : mb->capacity);
    co4__lock_give(&mb->queues[0].lock);
    return ok ? CO4_OK : CO4_ENOMEM;
}

/* The oldest urgent message is in the mailbox's ring. */
bool co4__mailbox_has_urgent_room(const co4_mailbox *mb)
{
    const struct co4__mailbox_extension *x = mb->extension;
    return x->urgent.count + x->urgent_waiting < x->urgent.room;
}

bool co4__mailbox_make_urgent_room(co4_mailbox *mb)
{
    struct co4__messages *m = &mb->extension->urgent;
    return co4__mailbox_resize(mb, m, m->room ? 2 * m->room : FIRST_URGENT, true) == CO4_OK;
}
