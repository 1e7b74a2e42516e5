/* messages.c - messages of one size in a ring that grows a few messages at a time.
 *
 * Purpose: a ring under a spin lock. A ring that doubles has to copy all its messages; this one
 * copies only CO4__BATCH of them at first, and the others later. It uses the new slots at once. It
 * copies the first messages, reserves slots for the others, in order, and pushes newer ones behind
 * these. Each later operation of the owner moves some more, the oldest first.
 *
 * Invariants, while messages are to move:
 *   - they are those of the slots [to, to + left), which do not wrap; no other slot is reserved;
 *   - the oldest message is not among them: it is in its slot. A drop may break that, and
 *     co4__messages_move() restores it;
 *   - so code that takes the oldest or adds one at either end need not know of all this.
 * The record of the move is behind the new slots, in the same memory: a ring that does not grow has
 * none.
 *
 * Concurrency: the owner holds the lock of its wait queue. The lock is released for each allocation
 * and each free; then the thread looks at everything again.
 *
 * Rejected: segments in a list (a sender that waits for a place needs memory for a segment while
 * the oldest segment is not empty yet; looking at the i-th message takes a walk; steady use
 * allocates each time); moving the newest first (then each receive asks where the oldest is). */
#include "sync/messages.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "base/public.h"
#include "core/wait.h"

#define MOST_BYTES 4096 /* that are moved at once, except one large message */

struct moving {
    unsigned char *slots; /* the old slots */
    uint32_t room, from;  /* their number, and the slot of the next message to move */
    uint32_t to, left;    /* its new slot, and how many have still to move */
};

static size_t record_at(uint32_t elem_size, uint32_t room)
{
    const size_t align = _Alignof(struct moving);
    return ((size_t)elem_size * room + align - 1) / align * align;
}

static struct moving *moving_of(const struct co4__messages *m)
{
    return (struct moving *)(void *)(m->slots + record_at(m->elem_size, m->room));
}

bool co4__messages_move(struct co4__messages *m)
{
    struct moving *v = moving_of(m);
    uint32_t fit = MOST_BYTES / m->elem_size;
    uint32_t n = fit > CO4__BATCH ? CO4__BATCH : fit > 0 ? fit : 1; /* a few, or one large one */
    for (n = n < v->left ? n : v->left; n > 0;) {
        uint32_t upper = v->room - v->from < n ? v->room - v->from : n;
        memcpy(m->slots + (size_t)v->to * m->elem_size, v->slots + (size_t)v->from * m->elem_size,
               (size_t)upper * m->elem_size);
        v->from = v->from + upper == v->room ? 0 : v->from + upper;
        v->to += upper;
        v->left -= upper;
        n -= upper;
    }
    return v->left > 0;
}

static void free_unlocked(void *memory, struct co4__wait_queue *guard)
{
    co4__wait_queue_unlock(guard);
    co4__free(memory);
    co4__wait_queue_relock(guard);
}

void co4__messages_move_on(struct co4__messages *m, uint8_t *state, struct co4__wait_queue *guard)
{
    if (!(*state & CO4__MESSAGES_MOVE) || co4__messages_move(m))
        return;
    *state &= (uint8_t)~CO4__MESSAGES_MOVE;
    free_unlocked(moving_of(m)->slots, guard);
}

/* Replaces the memory by `slots`, if there is no larger one yet. Returns what is to be freed, or
 * NULL. */
static void *replace_slots(struct co4__messages *m, unsigned char *slots, uint32_t room,
                           bool has_record, uint8_t *state)
{
    if (room <= m->room || (*state & CO4__MESSAGES_MOVE) || (m->room > 0 && !has_record))
        return slots;
    struct moving was = { m->slots, m->room, m->head, 0, m->count };
    m->slots = slots;
    m->room = room;
    m->head = 0;
    if (m->count == 0)
        return was.slots;
    *moving_of(m) = was;
    if (!co4__messages_move(m))
        return was.slots;
    *state |= CO4__MESSAGES_MOVE;
    return NULL;
}

bool co4__messages_grow(struct co4__messages *m, uint32_t room, uint8_t *state,
                        struct co4__wait_queue *guard)
{
    for (; *state & CO4__MESSAGES_MOVE; co4__messages_move_on(m, state, guard))
        co4__wait_queue_yield(guard);
    bool has_record = m->room > 0; /* the first memory needs none */
    unsigned char *slots = NULL;
    co4__wait_queue_unlock(guard);
    if (room > 0 && room <= (SIZE_MAX - 2 * sizeof(struct moving)) / m->elem_size)
        slots = co4__alloc(has_record ? record_at(m->elem_size, room) + sizeof(struct moving)
                                      : (size_t)m->elem_size * room);
    co4__wait_queue_relock(guard);
    if (!slots)
        return false;
    void *unused = replace_slots(m, slots, room, has_record, state);
    if (unused)
        free_unlocked(unused, guard);
    return true;
}

void co4__messages_free(struct co4__messages *m, uint8_t state)
{
    if (state & CO4__MESSAGES_MOVE)
        co4__free(moving_of(m)->slots);
    co4__free(m->slots);
}
