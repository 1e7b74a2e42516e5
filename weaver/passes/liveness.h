/* liveness.h - which locals each point must save. */
#ifndef CW_PASSES_LIVENESS_H
#define CW_PASSES_LIVENESS_H

#include <stdbool.h>

#include "base/types.h"

bool cw_liveness(cw_unit *unit);

/* Adds the local to those that the point saves. */
void cw_make_live(cw_unit *unit, cw_point *point, cw_local *local);
/* Called after more locals have been pinned: removes them from the points' lists. */
void cw_forget_pinned(const cw_func *func);

#endif
