/* reserved_names.h - names that woven code derives from those of functions. */
#ifndef CW_PASSES_RESERVED_NAMES_H
#define CW_PASSES_RESERVED_NAMES_H

#include "base/types.h"

/* Refuses the user's names that collide with them. */
void cw_check_reserved_names(cw_unit *unit);

#endif
