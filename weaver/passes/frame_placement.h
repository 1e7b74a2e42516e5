/* frame_placement.h - where a function with pinned locals takes its frame. */
#ifndef CW_PASSES_FRAME_PLACEMENT_H
#define CW_PASSES_FRAME_PLACEMENT_H

#include <stdbool.h>

#include "base/types.h"

bool cw_frame_placement(cw_unit *unit);

#endif
