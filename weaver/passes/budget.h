/* budget.h - checks frames against their limits. */
#ifndef CW_PASSES_BUDGET_H
#define CW_PASSES_BUDGET_H

#include <stdbool.h>

#include "base/types.h"

bool cw_budget_check(cw_unit *unit);

#endif
