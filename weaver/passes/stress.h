/* stress.h - --stress: everything is pausable. */
#ifndef CW_PASSES_STRESS_H
#define CW_PASSES_STRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/types.h"

bool cw_stress(cw_unit *unit);

/* Functions that cannot be woven, which --stress leaves plain; malloc'd, for it outlives the unit
 * that found out. */
typedef struct cw_plain_list {
    struct cw_plain {
        char *name, *why;
    } * items;
    size_t count;
} cw_plain_list;

/* After a failure: adds the functions whose fault it was, or all where that is not known. False:
 * there are no more. */
bool cw_stress_leave_plain(const cw_unit *unit, cw_plain_list *plain);
void cw_plain_list_free(cw_plain_list *plain);

#endif
