/* load.h - libclang's tree becomes ours. */
#ifndef CW_CLANG_LOAD_H
#define CW_CLANG_LOAD_H

#include <stdbool.h>

#include "base/types.h"

/* Fills in the unit's tree. False: unit->unparsable, libclang found errors in user code. */
bool cw_load(cw_unit *unit);

#endif
