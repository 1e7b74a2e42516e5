/* entries.h - how many bodies each pausable function gets. */
#ifndef CW_PASSES_ENTRIES_H
#define CW_PASSES_ENTRIES_H

#include <stdbool.h>

#include "base/types.h"

/* Sets one_body. Needs the points. Always true. */
bool cw_entries(cw_unit *unit);

#endif
