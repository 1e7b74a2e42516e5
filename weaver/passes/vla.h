/* vla.h - types of computed size. */
#ifndef CW_PASSES_VLA_H
#define CW_PASSES_VLA_H

#include "base/types.h"

/* Finds the declarations whose lengths must be saved. */
void cw_find_lengths(cw_func *func);

#endif
