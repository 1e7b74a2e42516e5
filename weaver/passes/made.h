/* made.h - names that woven code makes from those of functions. */
#ifndef CW_PASSES_MADE_H
#define CW_PASSES_MADE_H

#include "base/types.h"

/* Refuses those that are taken. */
void cw_check_made_names(cw_unit *unit);

#endif
