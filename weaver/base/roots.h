/* roots.h - share/co4/posix.roots: what blocks a thread. */
#ifndef CW_BASE_ROOTS_H
#define CW_BASE_ROOTS_H

#include "base/plan.h"

/* Its lines, and those of `more`, which is allocated or NULL and is taken over. `file` is where
 * these come from. Returns false after a message. */
bool cw_roots_read(cw_plan *roots, const char *file, char *more);

#endif
