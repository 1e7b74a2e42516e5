/* mark.h - which functions, pointers and calls pause. */
#ifndef CW_PASSES_MARK_H
#define CW_PASSES_MARK_H

#include <stdbool.h>

#include "base/types.h"

bool cw_mark(cw_unit *unit);

typedef struct cw_walk {
    cw_unit *unit;
    cw_func *func; /* NULL at file scope */
    bool unevaluated;
    const cw_func *noted; /* the last one of which it has been said that the mark is missing */
} cw_walk;

#endif
