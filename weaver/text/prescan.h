/* prescan.h - is a unit worth a parse? */
#ifndef CW_TEXT_PRESCAN_H
#define CW_TEXT_PRESCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/types.h"

/* False: nothing pausable can be in use. */
bool cw_prescan(const cw_unit *unit);

/* Is there a name in [begin, end) that a marked declaration has, or an entry point? By the words of
 * the text as well. */
bool cw_mentions_marked(const cw_unit *unit, uint32_t begin, uint32_t end);

#endif
