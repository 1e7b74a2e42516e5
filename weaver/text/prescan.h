/* prescan.h - decides whether a unit needs a parse. */
#ifndef CW_TEXT_PRESCAN_H
#define CW_TEXT_PRESCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/types.h"

/* Returns false if the unit certainly uses nothing pausable. */
bool cw_prescan(const cw_unit *unit);

/* Does [begin, end) contain the name of a marked declaration, or an entry point? Looks at words
 * only. */
bool cw_mentions_marked(const cw_unit *unit, uint32_t begin, uint32_t end);

#endif
