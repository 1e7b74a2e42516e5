/* pin.h - which locals must have one address for life. */
#ifndef CW_PASSES_PIN_H
#define CW_PASSES_PIN_H

#include <stdbool.h>

#include "base/types.h"

bool cw_pin(cw_unit *unit);

cw_local *cw_local_new(cw_func *func, const char *name, const cw_type *type);

#endif
