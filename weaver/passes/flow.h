/* flow.h - control-flow graphs. */
#ifndef CW_PASSES_FLOW_H
#define CW_PASSES_FLOW_H

#include <stdbool.h>

#include "base/types.h"

bool cw_flow(cw_unit *unit);

#endif
