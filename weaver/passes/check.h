/* check.h - refuses code that cannot be woven. */
#ifndef CW_PASSES_CHECK_H
#define CW_PASSES_CHECK_H

#include <stdbool.h>

#include "base/types.h"

bool cw_check(cw_unit *unit);

#endif
