/* places.h - --infer: where marks are inserted. */
#ifndef CW_PASSES_PLACES_H
#define CW_PASSES_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/types.h"
#include "text/source_map.h"

/* Offset of the mark for a declaration that begins at `begin`. */
uint32_t cw_mark_point(const cw_unit *unit, uint32_t begin);
/* Can a word be inserted where the user wrote the text at `at`? */
bool cw_is_open(cw_unit *unit, uint32_t at, uint32_t name_at, cw_site *site);
/* Can a mark be written before this declaration? */
bool cw_can_be_marked(cw_unit *unit, const cw_decl *decl);
/* The line for an #include in a file, for a mark on line `mark`. */
uint32_t cw_include_line(cw_unit *unit, const cw_source_file *file, uint32_t mark);

#endif
