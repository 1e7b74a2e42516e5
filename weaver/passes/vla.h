/* vla.h - types whose size is computed. */
#ifndef CW_PASSES_VLA_H
#define CW_PASSES_VLA_H

#include "base/types.h"

/* Finds the declarations whose lengths have to be kept. */
void cw_find_lengths(cw_func *func);

#endif
