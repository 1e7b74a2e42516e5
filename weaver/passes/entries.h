/* entries.h - how many bodies each pausable function gets, and what its points share. */
#ifndef CW_PASSES_ENTRIES_H
#define CW_PASSES_ENTRIES_H

#include <stdbool.h>

#include "base/types.h"

/* Sets one_body and saver. Needs the points with their live locals. Always true. */
bool cw_entries(cw_unit *unit);

#endif
