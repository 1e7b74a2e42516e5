/* linearize.h - moves suspension points out of expressions. */
#ifndef CW_PASSES_LINEARIZE_H
#define CW_PASSES_LINEARIZE_H

#include <stdbool.h>

#include "base/types.h"

bool cw_linearize(cw_unit *unit);

#endif
