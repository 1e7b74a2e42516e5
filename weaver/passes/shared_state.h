/* shared_state.h - --auto: state of the whole thread or program, around a call that pauses now. */
#ifndef CW_PASSES_SHARED_STATE_H
#define CW_PASSES_SHARED_STATE_H

#include <stdbool.h>

#include "base/types.h"

bool cw_shared_state(cw_unit *unit);

#endif
