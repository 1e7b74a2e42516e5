/* unmarked.h - --stress, --auto: functions that pause without a mark. */
#ifndef CW_PASSES_UNMARKED_H
#define CW_PASSES_UNMARKED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/types.h"

bool cw_unmarked(cw_unit *unit);

/* Does it stay plain for it is weak? */
bool cw_unmarked_is_weak(const cw_func *func);

/* A task begins with a call of `decl`: it may pause, though a header of the system declares it. */
void cw_unmarked_begin(const cw_unit *unit, cw_decl *decl);

/* Functions that cannot be woven, and stay plain. It is malloc'd, because it outlives
 * the unit that found them. */
typedef struct cw_plain_list {
    struct cw_plain {
        char *name, *why;
    } * items;
    size_t count;
} cw_plain_list;

/* After a failure: adds the functions that caused it, or all functions if the cause is not known.
 * Returns false if no further functions are left. */
bool cw_unmarked_leave_plain(const cw_unit *unit, cw_plain_list *plain);
void cw_plain_list_free(cw_plain_list *plain);

#endif
