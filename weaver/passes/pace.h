/* pace.h - suspension points at loops. */
#ifndef CW_PASSES_PACE_H
#define CW_PASSES_PACE_H

#include <stdbool.h>

#include "base/types.h"

bool cw_pace(cw_unit *unit);

#endif
