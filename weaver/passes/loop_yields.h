/* loop_yields.h - suspension points at loops. */
#ifndef CW_PASSES_LOOP_YIELDS_H
#define CW_PASSES_LOOP_YIELDS_H

#include <stdbool.h>

#include "base/types.h"

bool cw_loop_yields(cw_unit *unit);

#endif
