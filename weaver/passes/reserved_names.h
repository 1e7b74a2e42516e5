/* reserved_names.h - names that woven code makes from those of functions. */
#ifndef CW_PASSES_RESERVED_NAMES_H
#define CW_PASSES_RESERVED_NAMES_H

#include "base/types.h"

/* Refuses those that are taken. */
void cw_check_reserved_names(cw_unit *unit);

#endif
