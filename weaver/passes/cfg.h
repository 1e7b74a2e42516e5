/* cfg.h - control-flow graphs. */
#ifndef CW_PASSES_CFG_H
#define CW_PASSES_CFG_H

#include <stdbool.h>

#include "base/types.h"

bool cw_cfg(cw_unit *unit);

#endif
