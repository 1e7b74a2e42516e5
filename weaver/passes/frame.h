/* frame.h - lays out the frame struct of each pausable function. */
#ifndef CW_PASSES_FRAME_H
#define CW_PASSES_FRAME_H

#include <stdbool.h>

#include "base/types.h"

bool cw_frame(cw_unit *unit);

#endif
