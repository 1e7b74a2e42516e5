/* warn.h - warnings about code that harms other tasks. */
#ifndef CW_PASSES_WARN_H
#define CW_PASSES_WARN_H

#include <stdbool.h>

#include "base/types.h"

bool cw_warn(cw_unit *unit);

#endif
