/* task_bound.h - the bytes of frames that a task needs at most. */
#ifndef CW_REPORT_TASK_BOUND_H
#define CW_REPORT_TASK_BOUND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/types.h"

typedef struct cw_task_bound {
    enum { CW_EXACT, CW_UNKNOWN, CW_UNBOUNDED } kind; /* the worse the later */
    uint64_t bytes;                                   /* CW_EXACT */
    const char *why;                                  /* else */
    const cw_func *next; /* where the worst case goes on; NULL: here it ends */
} cw_task_bound;

/* Bytes of frames that a task needs at most while it is in this function. After cw_frame. */
const cw_task_bound *cw_task_bound_of(cw_unit *unit, cw_func *func);
/* A pause that the weaver put there: it calls nothing of the user's. */
bool cw_point_is_ours(const cw_point *point);
/* The function that a point calls by name; NULL: through a pointer. */
const cw_decl *cw_point_callee(const cw_point *point);

#endif
