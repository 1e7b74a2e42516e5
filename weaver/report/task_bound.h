/* task_bound.h - an upper bound for the frames of a task, in bytes. */
#ifndef CW_REPORT_TASK_BOUND_H
#define CW_REPORT_TASK_BOUND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/types.h"

typedef struct cw_task_bound {
    enum { CW_EXACT, CW_UNKNOWN, CW_UNBOUNDED } kind; /* in increasing order */
    uint64_t bytes;                                   /* CW_EXACT */
    const char *why;                                  /* otherwise the reason */
    const cw_func *next; /* the next function of the worst case; NULL: this is the last */
} cw_task_bound;

/* Upper bound for the frames of a task while it is in this function. Valid after cw_frame. */
const cw_task_bound *cw_task_bound_of(cw_unit *unit, cw_func *func);
/* Did the weaver insert this pause? It calls no function of the user's. */
bool cw_point_is_ours(const cw_point *point);
/* The function that a point calls by name; NULL: it calls through a pointer. */
const cw_decl *cw_point_callee(const cw_point *point);

#endif
