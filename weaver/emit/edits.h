/* edits.h - small edits, inside expressions and declarations. */
#ifndef CW_EMIT_EDITS_H
#define CW_EMIT_EDITS_H

#include "base/types.h"

/* References, prototypes, marks, calls. */
void cw_small_edits(cw_unit *unit);

#endif
