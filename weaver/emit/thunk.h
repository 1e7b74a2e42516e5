/* thunk.h - the functions of co4_run and the other entry points. */
#ifndef CW_EMIT_THUNK_H
#define CW_EMIT_THUNK_H

#include "base/buf.h"
#include "base/types.h"

void cw_thunks(cw_unit *unit);
/* Writes the plain entry of a dual function: the definitions before it, and its body. */
void cw_thunk_plain_root(cw_unit *unit, const cw_func *func, cw_buf *out);
void cw_thunk_plain_body(cw_unit *unit, const cw_func *func, cw_buf *out);

#endif
