/* keep.h - which declarations stay plain. */
#ifndef CW_PASSES_KEEP_H
#define CW_PASSES_KEEP_H

#include "base/types.h"

/* Sets cw_decl.kept_plain where this unit, or an earlier one, requires it. While patch->collecting
 * is set, no marks are searched, and this unit's results are added. */
void cw_keep_plain(cw_unit *unit);

#endif
