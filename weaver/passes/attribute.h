/* attribute.h - attributes of functions. */
#ifndef CW_PASSES_ATTRIBUTE_H
#define CW_PASSES_ATTRIBUTE_H

#include <stdbool.h>

#include "base/types.h"

/* Drops or refuses what cannot be said of woven functions. */
void cw_read_attributes(cw_unit *unit);

/* Has one of its declarations this attribute, in whatever spelling? */
bool cw_has_attribute(const cw_unit *unit, const cw_decl *decl, const char *name);

#endif
