/* edit.h - edits of the text, as data. */
#ifndef CW_TEXT_EDIT_H
#define CW_TEXT_EDIT_H

#include "base/buf.h"

typedef struct cw_edit {
    uint32_t begin, end;
    const char *text;
    size_t order;
} cw_edit;

/* A run of edits. All runs are sorted, except the last one while edits are added to it. */
typedef struct cw_edit_run {
    cw_edit *items;
    size_t count;
} cw_edit_run;

typedef struct cw_edits {
    cw_edit_run runs[64];
    size_t nruns;
    bool open; /* the last one is not sorted yet */
} cw_edits;

void cw_edit_add(cw_unit *unit, cw_edits *edits, uint32_t begin, uint32_t end, const char *text);
/* Appends the text of [begin, end) with these edits applied. An outer edit replaces the edits
 * inside it. */
void cw_edit_apply(cw_unit *unit, cw_edits *edits, uint32_t begin, uint32_t end, cw_buf *out);
/* The same with the edits of both the unit's lists. */
void cw_edit_apply_both(cw_unit *unit, uint32_t begin, uint32_t end, cw_buf *out);

#endif
