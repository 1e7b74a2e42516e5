/* marks.h - the marks in the text, and whether a unit uses what they mark. */
#ifndef CW_TEXT_MARKS_H
#define CW_TEXT_MARKS_H

#include "base/types.h"

/* The range of an attribute to which `pausable` or a related word expanded. */
typedef struct cw_mark_at {
    uint32_t begin, end;
} cw_mark_at;

/* Finds the marks in the preprocessor's output, and stores them in unit->marks. */
void cw_find_marks(cw_unit *unit);
/* Index of the first mark that begins at or after `at`. */
size_t cw_first_mark(const cw_unit *unit, uint32_t at);
bool cw_has_mark(const cw_unit *unit, uint32_t begin, uint32_t end);
/* Offset at which the marks of a declaration begin. libclang may leave them out of its extent. */
uint32_t cw_with_marks(const cw_unit *unit, uint32_t begin);

/* Returns false if the unit certainly uses nothing pausable. */
bool cw_prescan(const cw_unit *unit);

/* Does [begin, end) contain the name of a marked declaration, or an entry point? Looks at words
 * only. */
bool cw_mentions_marked(const cw_unit *unit, uint32_t begin, uint32_t end);

#endif
