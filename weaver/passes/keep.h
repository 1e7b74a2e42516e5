/* keep.h - which declarations stay plain. */
#ifndef CW_PASSES_KEEP_H
#define CW_PASSES_KEEP_H

#include "base/types.h"

/* Sets cw_decl.kept_plain where this unit, or one before it, says so. While marks are not looked
 * for yet (patch->collecting), adds what this unit has to say. */
void cw_keep_plain(cw_unit *unit);

#endif
