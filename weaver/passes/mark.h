/* mark.h - decides which functions, pointers and calls pause. */
#ifndef CW_PASSES_MARK_H
#define CW_PASSES_MARK_H

#include <stdbool.h>

#include "base/types.h"

bool cw_mark(cw_unit *unit);

#endif
