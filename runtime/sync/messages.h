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

/* 24 bytes on 64 bits. The ring's owner records whether messages have still to move. */
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

/* Allocates memory for `room` messages. `empty`: the ring has never held a message. NULL: out of
 * memory. The caller frees it with co4__free(). */
CO4__PRIVATE void *co4__messages_alloc(uint32_t elem_size, uint32_t room, bool empty);
/* Replaces the memory by `slots`, which has space for `room` messages and for all that are there.
 * True: messages have still to move. False: the caller frees *old. */
CO4__PRIVATE bool co4__messages_move_to(struct co4__messages *m, void *slots, uint32_t room,
                                        void **old);
/* Moves some messages while messages move. False: all have moved, and the caller frees
 * co4__messages_old(). */
CO4__PRIVATE bool co4__messages_move(struct co4__messages *m);
/* Returns the old memory of a ring whose messages move, or have just moved. */
CO4__PRIVATE void *co4__messages_old(const struct co4__messages *m);

#endif
