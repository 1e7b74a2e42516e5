/* attribute.h - attributes of functions. */
#ifndef CW_PASSES_ATTRIBUTE_H
#define CW_PASSES_ATTRIBUTE_H

#include <stdbool.h>

#include "base/types.h"

/* Drops or refuses attributes that would be false for woven functions. */
void cw_read_attributes(cw_unit *unit);

/* Does one of its declarations have this attribute, in any spelling? */
bool cw_has_attribute(const cw_unit *unit, const cw_decl *decl, const char *name);

#endif
