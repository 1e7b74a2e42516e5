/* load.h - converts libclang's tree to ours. */
#ifndef CW_CLANG_LOAD_H
#define CW_CLANG_LOAD_H

#include "base/types.h"

/* Builds the unit's tree. Returns false, with unit->unparsable set, if libclang found errors in
 * user code. */
bool cw_load(cw_unit *unit);

#endif
