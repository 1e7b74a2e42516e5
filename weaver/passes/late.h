/* late.h - where a function with pinned locals takes its frame. */
#ifndef CW_PASSES_LATE_H
#define CW_PASSES_LATE_H

#include <stdbool.h>

#include "base/types.h"

bool cw_late(cw_unit *unit);

#endif
