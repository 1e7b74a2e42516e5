/* buffer.c - the bytes that a connection holds. */
#include "net/buffer.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "memory/buffers.h"

void co4__buffer_give_back(struct co4__buffer *b)
{
    if (b->size == CO4__BUFFER_BYTES)
        co4__buffer_drop(b->bytes);
    else
        co4__heap_free(b->bytes);
    *b = (struct co4__buffer){ NULL, 0, 0, 0 };
}

static bool grow(struct co4__buffer *b, size_t room)
{
    if (CO4__LIKELY(!b->bytes && room <= CO4__BUFFER_BYTES && (b->bytes = co4__buffer_take()))) {
        b->size = CO4__BUFFER_BYTES;
        return true;
    }
    size_t held = co4__buffer_held(b), size = b->size > 0 ? b->size : CO4__BUFFER_BYTES;
    while (size < held + room && size <= CO4__BUFFER_MOST)
        size *= 2;
    char *bytes = size > CO4__BUFFER_MOST     ? NULL
                  : size == CO4__BUFFER_BYTES ? co4__buffer_take()
                                              : co4__heap_grow(NULL, size);
    if (!bytes)
        return false;
    if (b->bytes)
        memcpy(bytes, b->bytes + b->at, held);
    co4__buffer_give_back(b);
    *b = (struct co4__buffer){ bytes, 0, (uint32_t)held, (uint32_t)size };
    return true;
}

bool co4__buffer_make_room(struct co4__buffer *b, size_t room)
{
    size_t held = co4__buffer_held(b);
    if (b->size - b->end >= room && b->bytes)
        return true;
    if (!b->bytes || b->size < held || b->size - held < room)
        return grow(b, room);
    memmove(b->bytes, b->bytes + b->at, held);
    b->at = 0;
    b->end = (uint32_t)held;
    return true;
}
