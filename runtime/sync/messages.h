/* messages.h - messages of one size in a ring that grows a few messages at a time. messages.c
 * explains how. */
#ifndef CO4_MESSAGES_INTERNAL_H
#define CO4_MESSAGES_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"
#include "base/public.h"

struct co4__wait_queue;

/* In a byte of the ring's owner: messages have still to move, or have just moved. */
enum { CO4__MESSAGES_MOVE = 2 };

/* 24 bytes on 64 bits. */
struct co4__messages {
    unsigned char *slots;
    uint32_t elem_size; /* below 2^31; constant */
    uint32_t room;      /* messages that `slots` has space for; below 2^31 */
    /* The slot of the oldest message, and the number of messages. */
    uint32_t head, count;
};

static inline uint32_t co4__messages_index(const struct co4__messages *m, uint32_t i)
{
    uint32_t at = m->head + i; /* both below 2^31 */
    return at >= m->room ? at - m->room : at;
}

/* Returns the slot of the i-th oldest. The message is there if it is the oldest or the newest, or
 * if no message has still to move. */
static inline void *co4__messages_slot(const struct co4__messages *m, uint32_t i)
{
    return m->slots + (size_t)co4__messages_index(m, i) * m->elem_size;
}

/* Adds a message. There is room. */
static inline void co4__messages_push(struct co4__messages *m, const void *msg)
{
    memcpy(co4__messages_slot(m, m->count), msg, m->elem_size);
    m->count++;
}

/* Removes the oldest. While messages move, a call of co4__messages_move() follows. */
static inline void co4__messages_drop(struct co4__messages *m)
{
    m->head = m->head + 1 == m->room ? 0 : m->head + 1;
    m->count--;
}

/* Moves some messages while messages move. False: all have moved, and their old memory is still to
 * be freed. */
CO4__PRIVATE bool co4__messages_move(struct co4__messages *m);

/* The functions below are called under the lock of `guard`, which they release for a moment.
 * `state` is a byte of the owner, in which they set and clear CO4__MESSAGES_MOVE. */

/* Lets the ring grow to `room` messages. False: out of memory. True: the caller looks at everything
 * again. */
CO4__PRIVATE bool co4__messages_grow(struct co4__messages *m, uint32_t room, uint8_t *state,
                                     struct co4__wait_queue *guard);
/* Moves some messages while messages move, and frees the old memory when all have moved. */
CO4__PRIVATE void co4__messages_move_on(struct co4__messages *m, uint8_t *state,
                                        struct co4__wait_queue *guard);
/* Frees all memory of the ring, which nobody uses any more. No lock is held. */
CO4__PRIVATE void co4__messages_free(struct co4__messages *m, uint8_t state);

#endif
