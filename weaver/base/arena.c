/* arena.c - the memory of one translation unit.
 *
 * Objects are never freed alone: the weaver ends with its unit, which frees all chunks at once.
 * Chunks double up to a limit; an object larger than a chunk gets its own chunk. Under the address
 * sanitizer every object gets its own chunk, so that the sanitizer reports a read past the
 * object. */
#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bug.h"
#include "co4/sanitizer.h"

enum { EACH_ITS_OWN = CO4_ADDRESS_SANITIZER };

struct cw_arena_chunk {
    struct cw_arena_chunk *before;
    size_t used, room;
    _Alignas(max_align_t) char bytes[];
};

static struct cw_arena_chunk *chunk_new(struct cw_arena_chunk *before, size_t bytes)
{
    size_t room = before != NULL && before->room < (1u << 20) ? before->room * 2 : (size_t)1 << 16;
    if (room < bytes || EACH_ITS_OWN)
        room = bytes;
    struct cw_arena_chunk *chunk = cw_must(calloc(1, sizeof *chunk + room));
    chunk->before = before;
    chunk->room = room;
    return chunk;
}

void *cw_alloc(cw_arena *arena, size_t bytes)
{
    const size_t align = _Alignof(max_align_t);
    if (!EACH_ITS_OWN)
        bytes = (bytes + align - 1) / align * align;
    if (EACH_ITS_OWN || arena->chunks == NULL || arena->chunks->room - arena->chunks->used < bytes)
        arena->chunks = chunk_new(arena->chunks, bytes);
    void *at = arena->chunks->bytes + arena->chunks->used;
    arena->chunks->used += bytes;
    return at;
}

char *cw_strndup(cw_arena *arena, const char *text, size_t length)
{
    char *copy = cw_alloc(arena, length + 1);
    memcpy(copy, text, length);
    return copy;
}

char *cw_strdup(cw_arena *arena, const char *text)
{
    return cw_strndup(arena, text, strlen(text));
}

char *cw_take(cw_arena *arena, cw_buf *buf)
{
    char *copy = cw_strndup(arena, buf->data != NULL ? buf->data : "", buf->length);
    cw_buf_free(buf);
    return copy;
}

char *cw_format(cw_arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0)
        cw_bug("arena", "bad format '%s'", format);
    char *text = cw_alloc(arena, (size_t)length + 1);
    va_start(args, format);
    vsnprintf(text, (size_t)length + 1, format, args);
    va_end(args);
    return text;
}

/* As cw_more(). */
void *cw_grow(cw_arena *arena, void *items, size_t count, size_t item_bytes)
{
    if (count != 0 && (count < 4 || (count & (count - 1)) != 0))
        return items;
    size_t room = count < 4 ? 4 : count * 2;
    void *larger = cw_alloc(arena, room * item_bytes);
    if (count != 0)
        memcpy(larger, items, count * item_bytes);
    return larger;
}

void cw_arena_free(cw_arena *arena)
{
    while (arena->chunks != NULL) {
        struct cw_arena_chunk *before = arena->chunks->before;
        free(arena->chunks);
        arena->chunks = before;
    }
}
