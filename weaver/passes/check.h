/* check.h - refuse what is not woven. */
#ifndef CW_PASSES_CHECK_H
#define CW_PASSES_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/types.h"

bool cw_check(cw_unit *unit);

/* Does an expression in the text step, assign or call? */
bool cw_does_something(const cw_unit *unit, uint32_t begin, uint32_t end);

#endif
