/* escape.h - which locals must have one address for life. */
#ifndef CW_PASSES_ESCAPE_H
#define CW_PASSES_ESCAPE_H

#include <stdbool.h>

#include "base/types.h"

bool cw_escape(cw_unit *unit);

#endif
