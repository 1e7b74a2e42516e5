/* prescan.h - decides whether a unit needs a parse. */
#ifndef CW_TEXT_PRESCAN_H
#define CW_TEXT_PRESCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/names.h"
#include "base/types.h"

/* Returns false if the unit certainly uses nothing pausable. */
bool cw_prescan(const cw_unit *unit);

/* The two halves of it. The first collects the names that marked declarations declare; it returns
 * false if one has a body, or is not understood. The second asks whether one of the names, or an
 * entry point, is elsewhere. */
bool cw_prescan_names(const cw_unit *unit, cw_names *names);
bool cw_prescan_mentions(const cw_unit *unit, const cw_names *names);

/* Does [begin, end) contain the name of a marked declaration, or an entry point? Looks at words
 * only. */
bool cw_mentions_marked(const cw_unit *unit, uint32_t begin, uint32_t end);

#endif
