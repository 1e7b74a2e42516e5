/* text.h - the preprocessed text: its lines, where the user wrote them, its lexical shape. */
#ifndef CW_TEXT_TEXT_H
#define CW_TEXT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/types.h"

/* Where a file was included. */
typedef struct cw_inclusion {
    const char *file;
    uint32_t line;
    bool system; /* the file is a system header */
    const struct cw_inclusion *from;
} cw_inclusion;

/* The user's place for an offset, from the line markers of the preprocessor. File names are as
 * markers write them, with backslashes before quotes. */
typedef struct cw_place {
    const char *file;
    uint32_t line;
    uint32_t column;          /* from 1, in the preprocessed line */
    bool system;              /* in a system header */
    bool quiet;               /* there, or from a macro of one: compilers do not warn */
    const cw_inclusion *from; /* of the file; NULL: the source itself */
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

/* Past white space, comments and directive lines. */
uint32_t cw_skip_blank(const cw_unit *unit, uint32_t at);
/* Offset past the string, character or comment that begins at `at`, or past one character. */
uint32_t cw_skip_unit(const cw_unit *unit, uint32_t at);
/* Offset past the bracket that matches the one at `at`. */
uint32_t cw_skip_group(const cw_unit *unit, uint32_t at);
bool cw_is_word(char c);
/* Offset past the word that begins at `at`; the same when none does. */
uint32_t cw_skip_word(const cw_unit *unit, uint32_t at);
/* The next word in [*end, limit), outside of strings and comments; false: there is none. */
bool cw_next_word(const cw_unit *unit, uint32_t *at, uint32_t *end, uint32_t limit);
/* Is the word in a NULL-terminated list? */
bool cw_is_one_of(const char *word, size_t length, const char *const *list);
/* Cuts `_sized` from co4's names in a text for people: the source has the macro of co4's header
 * that calls the function. */
void cw_show_macros(char *text);
/* Is it typeof, in one of its spellings? */
bool cw_is_typeof(const char *word, size_t length);
/* Does an expression in the text step, assign or call? */
bool cw_does_something(const cw_unit *unit, uint32_t begin, uint32_t end);

#endif
