/* arena.h - memory of a unit, and arrays in it. */
#ifndef CW_BASE_ARENA_H
#define CW_BASE_ARENA_H

#include "base/buf.h"

typedef struct cw_arena {
    struct cw_arena_chunk *chunks;
} cw_arena;

void *cw_alloc(cw_arena *arena, size_t bytes); /* zeroed, aligned for any object */
char *cw_strndup(cw_arena *arena, const char *text, size_t length);
char *cw_strdup(cw_arena *arena, const char *text);
/* Copies the text, and frees the buffer. */
char *cw_take(cw_arena *arena, cw_buf *buf);
char *cw_format(cw_arena *arena, const char *format, ...) CW_PRINTF(2, 3);
void cw_arena_free(cw_arena *arena);

/* Appends to a growing array of pointers in the arena; `count` is its length. */
#define CW_PUSH(arena, items, count, item)                                                         \
    ((items) = cw_grow((arena), (items), (count), sizeof *(items)), (items)[(count)++] = (item))
void *cw_grow(cw_arena *arena, void *items, size_t count, size_t item_bytes);

/* Sets `at` to the first index below `count` for which `holds` is true, or to `count` if there is
 * none. `holds` is an expression in `at`; once it is true, it stays true for all larger indexes. */
#define CW_SEARCH(at, count, holds)                                                                \
    do {                                                                                           \
        size_t low_ = 0, high_ = (count);                                                          \
        while (low_ < high_) {                                                                     \
            (at) = low_ + (high_ - low_) / 2;                                                      \
            if (holds)                                                                             \
                high_ = (at);                                                                      \
            else                                                                                   \
                low_ = (at) + 1;                                                                   \
        }                                                                                          \
        (at) = low_;                                                                               \
    } while (0)

#endif
