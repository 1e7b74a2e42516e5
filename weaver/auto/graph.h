/* graph.h - --auto: which functions of a whole program pause. */
#ifndef CW_AUTO_GRAPH_H
#define CW_AUTO_GRAPH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/plan.h"

typedef struct cw_graph_of_program cw_program;

cw_program *cw_program_new(void);
void cw_program_free(cw_program *program);

/* The summary outlives the program; its lines are cut at their ends. A line `U` says that the
 * source may have marks. */
void cw_program_add_unit(cw_program *program, const char *source, char *summary);
/* A function of a unit has to stay plain after all. */
void cw_program_refuse(cw_program *program, size_t index, const char *name, const char *why);
/* After all units, and again when functions have been refused. Of the plan the roots count.
 * `plain`: functions that stay plain. */
void cw_program_solve(cw_program *program, const cw_plan *roots, char *const *plain, size_t nplain);
/* The plan of the index-th unit. Returns false if nothing in it pauses: then it needs none. */
bool cw_program_plan(cw_program *program, size_t index, cw_buf *out);
/* Has the program a function of this name, or does it call one? */
/* The linker's --wrap: calls of the function are calls of __wrap_NAME, and those of __real_NAME are
 * its own. Call it after all units are added. */
void cw_program_wrap(cw_program *program, const char *name);

bool cw_program_has(const cw_program *program, const char *function);

#endif
