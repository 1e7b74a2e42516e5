/* marks.h - where marks stand in the text. */
#ifndef CW_TEXT_MARKS_H
#define CW_TEXT_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/types.h"

/* Where an attribute stands that `pausable` or one of its kin has become. */
typedef struct cw_mark_at {
    uint32_t begin, end;
} cw_mark_at;

/* Finds them, as the preprocessor left them: unit->marks. */
void cw_find_marks(cw_unit *unit);
/* Index of the first mark that begins at or behind `at`. */
size_t cw_first_mark(const cw_unit *unit, uint32_t at);
bool cw_has_mark(const cw_unit *unit, uint32_t begin, uint32_t end);
/* Where the marks in front of a declaration begin: libclang may leave them out of its extent. */
uint32_t cw_with_marks(const cw_unit *unit, uint32_t begin);

#endif
