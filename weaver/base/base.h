/* base.h - what every part of the weaver stands on: memory, strings that grow, our own mistakes. */
#ifndef CW_BASE_H
#define CW_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#if defined(__GNUC__)
#define CW_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define CW_PRINTF(text, first)
#endif

typedef struct cw_unit cw_unit;
typedef struct cw_func cw_func;
typedef struct cw_node cw_node;
typedef struct cw_decl cw_decl;
typedef struct cw_type cw_type;
typedef struct cw_local cw_local;
typedef struct cw_point cw_point;
typedef struct cw_step cw_step;
typedef struct cw_block cw_block;

/* ---- arena.c: memory of a unit -------------------------------------------------------------- */

typedef struct cw_arena {
    struct cw_arena_chunk *chunks;
} cw_arena;

void *cw_alloc(cw_arena *arena, size_t bytes); /* zeroed, aligned for any object */
char *cw_strndup(cw_arena *arena, const char *text, size_t length);
char *cw_strdup(cw_arena *arena, const char *text);
char *cw_format(cw_arena *arena, const char *format, ...) CW_PRINTF(2, 3);
void cw_arena_free(cw_arena *arena);

/* Appends to a growing array of pointers in the arena; `count` is its length. */
#define CW_PUSH(arena, items, count, item)                                                         \
    ((items) = cw_grow((arena), (items), (count), sizeof *(items)), (items)[(count)++] = (item))
void *cw_grow(cw_arena *arena, void *items, size_t count, size_t item_bytes);

/* Leaves in `at` the first index below `count` for which `holds` is true, an expression in `at`;
 * none: `count`. Where it holds once, it holds for all that come behind. */
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

/* Our own mistake: says where, and aborts. */
_Noreturn void cw_bug(const char *where, const char *format, ...) CW_PRINTF(2, 3);

/* ---- text.c: strings that grow ------------------------------------ */

typedef struct cw_buf {
    char *data; /* malloc'd, NUL-terminated once non-empty */
    size_t length, room;
} cw_buf;

void cw_put(cw_buf *buf, const char *text, size_t length);
void cw_puts(cw_buf *buf, const char *text);
void cw_printf(cw_buf *buf, const char *format, ...) CW_PRINTF(2, 3);
void cw_buf_free(cw_buf *buf);

/* ---- names.c: a set of names ---- */

typedef struct cw_name {
    const char *text; /* the caller's, as long as the set lives; NUL need not follow */
    size_t length;
    unsigned number; /* for the caller; 0 at first */
} cw_name;

typedef struct cw_names {
    cw_name *items; /* malloc'd; text NULL where there is none */
    size_t count, room;
} cw_names;

/* What they return is valid until the next name is added. */
cw_name *cw_names_find(const cw_names *names, const char *text, size_t length); /* NULL: none */
cw_name *cw_names_add(cw_names *names, const char *text, size_t length);        /* or finds it */
void cw_names_free(cw_names *names);

/* ---- json.c ---- */

/* With its quotes; valid whatever bytes there are. */
void cw_json_string(cw_buf *out, const char *text);

#endif
