/* messages.h - messages of one size in a ring that grows a few messages at a time. The story is in
 * messages.c. */
#ifndef CO4_MESSAGES_INTERNAL_H
#define CO4_MESSAGES_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/public.h"

/* 24 bytes on 64 bits. Whether messages are still to move is the owner's to remember. */
struct co4__messages {
    unsigned char *slots;
    uint32_t elem_size;   /* below 2^31; constant */
    uint32_t room;        /* messages that `slots` has space for; below 2^31 */
    uint32_t head, count; /* slot of the oldest; how many */
};

/* A compiler makes a few instructions of the common sizes. */
static inline void co4__message_copy(void *to, const void *from, uint32_t bytes)
{
    if (bytes == 8)
        co4_abi_copy(to, from, 8);
    else if (bytes == 4)
        co4_abi_copy(to, from, 4);
    else
        memcpy(to, from, bytes);
}

static inline uint32_t co4__messages_index(const struct co4__messages *m, uint32_t i)
{
    uint32_t at = m->head + i; /* both below 2^31 */
    return at >= m->room ? at - m->room : at;
}

/* The slot of the i-th oldest. It stands there if it is the oldest or the newest, or none is to
 * move. */
static inline void *co4__messages_slot(const struct co4__messages *m, uint32_t i)
{
    return m->slots + (size_t)co4__messages_index(m, i) * m->elem_size;
}

/* There is room. */
static inline void co4__messages_push(struct co4__messages *m, const void *msg)
{
    co4__message_copy(co4__messages_slot(m, m->count), msg, m->elem_size);
    m->count++;
}

static inline void co4__messages_push_front(struct co4__messages *m, const void *msg)
{
    m->head = (m->head == 0 ? m->room : m->head) - 1;
    m->count++;
    co4__message_copy(co4__messages_slot(m, 0), msg, m->elem_size);
}

/* The oldest goes. While messages are to move, co4__messages_move() comes next. */
static inline void co4__messages_drop(struct co4__messages *m)
{
    m->head = m->head + 1 == m->room ? 0 : m->head + 1;
    m->count--;
}

/* Memory for `room` messages; `empty`: it is for a ring that has had none. NULL: there is none.
 * Given back with co4__free(). */
void *co4__messages_alloc(uint32_t elem_size, uint32_t room, bool empty);
/* `slots`, which has space for `room` messages and all that are there, takes the place of the old.
 * True: messages are still to move. False: *old is to be freed. */
bool co4__messages_move_to(struct co4__messages *m, void *slots, uint32_t room, void **old);
/* Where messages are to move: moves some. False: all have moved, and co4__messages_old() is to be
 * freed. */
bool co4__messages_move(struct co4__messages *m);
/* Of a ring whose messages move, or have just done so: the memory that they leave. */
void *co4__messages_old(const struct co4__messages *m);
/* Where the i-th oldest stands; `moves`: some are to move. */
void *co4__messages_at(const struct co4__messages *m, bool moves, uint32_t i);

#endif
