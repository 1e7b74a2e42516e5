/* packing.h - how a target passes a variable argument: co4/varargs.h. */
#ifndef CW_AST_PACKING_H
#define CW_AST_PACKING_H

#include "base/types.h"

typedef enum cw_packing {
    CW_PACKED_NOT,
    CW_PACKED_VALUE,  /* it is in its slots */
    CW_PACKED_POINTER /* its slot has a pointer to a copy */
} cw_packing;

/* `why`: why it cannot be passed. */
cw_packing cw_packing_of(cw_unit *unit, const cw_type *type, const char **why);

#endif
