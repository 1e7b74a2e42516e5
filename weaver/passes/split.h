/* split.h - suspension points out of expressions. */
#ifndef CW_PASSES_SPLIT_H
#define CW_PASSES_SPLIT_H

#include <stdbool.h>

#include "base/types.h"

bool cw_split(cw_unit *unit);

#endif
