/* text.h - the preprocessed text: its lines, their positions in the source, its lexical
 * structure. */
#ifndef CW_TEXT_TEXT_H
#define CW_TEXT_TEXT_H

#include "base/types.h"

/* The position of an #include. */
typedef struct cw_inclusion {
    const char *file;
    uint32_t line;
    bool system; /* the file is a system header */
    const struct cw_inclusion *from;
} cw_inclusion;

/* The user's position of an offset, from the preprocessor's line markers. File names are as in the
 * markers, with backslashes before quotes. */
typedef struct cw_place {
    const char *file;
    uint32_t line;
    uint32_t column;          /* from 1, in the preprocessed line */
    bool system;              /* in a system header */
    bool quiet;               /* there, or from a macro defined there: compilers do not warn */
    const cw_inclusion *from; /* where the file is included; NULL: it is the source itself */
    uint32_t line_at;         /* offset at which the preprocessed line begins */
} cw_place;

typedef struct cw_marker {
    size_t first; /* index in unit->lines of the line after the marker */
    uint32_t line;
    const char *file;
    bool system, quiet;
    const cw_inclusion *from;
} cw_marker;

void cw_lines_scan(cw_unit *unit);
/* Index in unit->lines of the preprocessed line that `at` is in. */
size_t cw_line_of(const cw_unit *unit, uint32_t at);
cw_place cw_place_of(const cw_unit *unit, uint32_t at);

/* Skips white space, comments and directives. */
uint32_t cw_skip_blank(const cw_unit *unit, uint32_t at);
/* Returns the offset after the string, character or comment that begins at `at`, or after one
 * character. */
uint32_t cw_skip_unit(const cw_unit *unit, uint32_t at);
/* Returns the offset after the bracket that matches the one at `at`. */
uint32_t cw_skip_group(const cw_unit *unit, uint32_t at);
static inline bool cw_is_word(char c)
{
    unsigned char u = (unsigned char)c;
    return (unsigned)(u | 32) - 'a' < 26 || (unsigned)u - '0' < 10 || u == '_' || u == '$' ||
           u >= 0x80;
}
/* Returns the offset after the word that begins at `at`, or `at` if none does. */
uint32_t cw_skip_word(const cw_unit *unit, uint32_t at);
/* Finds the next word in [*end, limit), outside strings and comments. Returns false if there is
 * none. */
bool cw_next_word(const cw_unit *unit, uint32_t *at, uint32_t *end, uint32_t limit);
/* Are these characters anywhere in [from, to)? */
bool cw_contains(const cw_unit *unit, uint32_t from, uint32_t to, const char *what);
/* Is the word typeof, in one of its spellings? */
bool cw_is_typeof(const char *word, size_t length);
/* Does an expression in the text increment, decrement, assign or call? */
bool cw_does_something(const cw_unit *unit, uint32_t begin, uint32_t end);

#endif
