/* library_calls.h - calls of co4's own functions. */
#ifndef CW_PASSES_LIBRARY_CALLS_H
#define CW_PASSES_LIBRARY_CALLS_H

#include "base/types.h"

/* Reports calls of functions that no header declares, and times that are none. */
void cw_check_library_calls(cw_unit *unit);

#endif
