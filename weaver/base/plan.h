/* plan.h - --auto: what pauses in the program that a unit is part of. The link step finds that out,
 * and writes a plan for each unit. share/co4/posix.roots has the same form. */
#ifndef CW_BASE_PLAN_H
#define CW_BASE_PLAN_H

#include "base/types.h"

/* A line of a plan has one of these words, then names; those of posix.roots are explained there:
 *
 *   pauses F          the function F, of this unit or another, has a pausing form;
 *                     *: each function of another unit may have one
 *   pointers F        calls through pointers in the function F of this unit may pause
 *   address F         pointers to the function F of this unit may be called as pausing ones
 *   throws F          the plain function F may end in a longjmp to a woven activation;
 *                     *: one called through a pointer may
 *   both F            a handler of signals may call the function F of this unit
 *   one-task *        no source of the program starts tasks: there is the first one
 *   local V           each task has its own copy of the thread-local V of the program;
 *                     *: of those that only this unit knows
 *   yields *          loops yield; not those that only compute, and have no other in them: a worker
 *                     stands in for one whose step takes long
 *   yields computing  these, too
 *   yields atomic     with --auto=test, where a seed decides: atomic operations yield
 *   yields access     likewise accesses of memory that others may see
 *   decide F          likewise calls of F
 *   root F INSTEAD N  a call of F is one of the pausing function INSTEAD; N: see posix.roots
 *   point F INSTEAD, warn F, wrap F, hint TEXT */
typedef enum cw_plan_word {
    CW_PLAN_PAUSES,
    CW_PLAN_POINTERS,
    CW_PLAN_ADDRESS,
    CW_PLAN_THROWS,
    CW_PLAN_BOTH,
    CW_PLAN_ONE_TASK,
    CW_PLAN_LOCAL,
    CW_PLAN_YIELDS,
    CW_PLAN_ROOT,
    CW_PLAN_DECIDE,
    CW_PLAN_WARN,
    CW_PLAN_WRAP,
    CW_PLAN_POINT,
    CW_PLAN_HINT
} cw_plan_word;

typedef struct cw_plan_line {
    cw_plan_word word;
    const char *name;
    const char *instead; /* NULL, but for ROOT and POINT */
    const char *through; /* of a ROOT that only pauses if what it calls does: by which parameter */
    const char *hint;    /* the text of the last HINT before it; NULL: none */
} cw_plan_line;

typedef struct cw_plan {
    char *text;          /* the lines point into it */
    cw_plan_line *lines; /* sorted */
    size_t count;
} cw_plan;

/* Takes over the text, which is allocated. Returns false after a message. */
bool cw_plan_read(cw_plan *plan, const char *file, char *text);
void cw_plan_free(cw_plan *plan);
/* Again, after its lines have changed. */
void cw_plan_sort(cw_plan *plan);
/* Both take NULL for no plan. */
bool cw_plan_has(const cw_plan *plan, cw_plan_word word, const char *name);
/* The line of a root; NULL if it is none. */
const cw_plan_line *cw_plan_root(const cw_plan *plan, const char *name);
/* The hint of what blocks; NULL if it does not block, or has none. */
const char *cw_plan_hint(const cw_plan *plan, const char *name);

/* ---- roots.c: share/co4/posix.roots, what blocks a thread ---- */

/* Which lines it has beside those for all: that begin with "threads", with "test", with "races",
 * and with "js": a library for WebAssembly has them, or not. */
typedef struct cw_roots_for {
    bool threads, simulates, races, wasm;
} cw_roots_for;

/* Its lines, and those of `more`, which is allocated or NULL and is taken over. `file` is where
 * these come from. Returns false after a message. */
bool cw_roots_read(cw_plan *roots, const char *file, char *more, cw_roots_for what);

#endif
