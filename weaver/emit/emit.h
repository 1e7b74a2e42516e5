/* emit.h - the pass that writes text. */
#ifndef CW_EMIT_EMIT_H
#define CW_EMIT_EMIT_H

#include <stdbool.h>

#include "base/types.h"

bool cw_emit(cw_unit *unit);

#endif
