/* buffer.h - the bytes that a connection holds. */
#ifndef CO4_BUFFER_INTERNAL_H
#define CO4_BUFFER_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The bytes from `at` to `end` are held. */
struct co4__buffer {
    char *bytes; /* NULL: there is none */
    uint32_t at, end, size;
};

#define CO4__BUFFER_MOST (UINT32_MAX / 4) /* bytes of a buffer */

void co4__buffer_give_back(struct co4__buffer *b);
/* Makes room for so many bytes at the end. False: allocation failed. */
bool co4__buffer_make_room(struct co4__buffer *b, size_t room);

static inline void co4__buffer_advance(struct co4__buffer *b, size_t bytes)
{
    b->at += (uint32_t)bytes;
    if (b->at == b->end)
        b->at = b->end = 0;
}

static inline size_t co4__buffer_held(const struct co4__buffer *b)
{
    return b->end - b->at;
}

#endif
