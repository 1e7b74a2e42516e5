/* report.h - --report: the saved locals and the frame of each pausable function. */
#ifndef CW_REPORT_REPORT_H
#define CW_REPORT_REPORT_H

#include <stdio.h>

#include "base/types.h"

void cw_report(cw_unit *unit, FILE *to);
/* Says in words when the function takes its frame. */
const char *cw_frame_taken(const cw_func *func);

/* ---- report_json.c: --report=json ---- */

void cw_report_json(cw_unit *unit, FILE *to);

/* ---- graph.c: --graph: prints which functions may wait in which ---- */

void cw_graph(cw_unit *unit, FILE *to);

/* ---- dump.c: --dump: prints the unit after a pass ---- */

typedef enum cw_dump_kind {
    CW_DUMP_TREE, /* with plans, once they exist */
    CW_DUMP_CFG,
    CW_DUMP_LIVENESS, /* the graph, with the live locals of each point */
    CW_DUMP_FRAME,
    CW_DUMP_TEXT
} cw_dump_kind;

void cw_dump(cw_unit *unit, cw_dump_kind kind, FILE *to);

/* ---- verify.c: invariants between passes ---- */

/* Each function returns, or ends the program with a message that names the pass. */
void cw_verify_tree(cw_unit *unit, const char *pass);
/* Is each call that may pause a point? */
void cw_verify_points(cw_unit *unit, const char *pass);
/* Is each point in one block? */
void cw_verify_cfgs(cw_unit *unit, const char *pass);
void cw_verify_frames(cw_unit *unit, const char *pass);

/* ---- task_bound.c: an upper bound for the frames of a task, in bytes ---- */

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
