/* pin.h - which locals must have one address for life. */
#ifndef CW_PASSES_PIN_H
#define CW_PASSES_PIN_H

#include <stdbool.h>

#include "base/types.h"

bool cw_pin(cw_unit *unit);

#endif
