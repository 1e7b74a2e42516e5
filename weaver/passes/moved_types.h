/* moved_types.h - types that an expression with a suspension point defines. */
#ifndef CW_PASSES_MOVED_TYPES_H
#define CW_PASSES_MOVED_TYPES_H

#include "base/types.h"

/* Refuses those that would hide other names in woven code. */
void cw_check_moved_types(cw_unit *unit, const cw_func *func);

#endif
