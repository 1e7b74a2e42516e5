/* marks.h - finds the marks in the text. */
#ifndef CW_TEXT_MARKS_H
#define CW_TEXT_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
