/* jump.h - setjmp and longjmp in woven code. */
#ifndef CW_EMIT_JUMP_H
#define CW_EMIT_JUMP_H

#include "base/types.h"
#include "emit/emitter.h"

/* What a function to which jumps come back does at each entry. */
void cw_put_catch(cw_unit *unit, const cw_func *func, cw_buf *out);
void cw_emit_setjmp(const cw_emitter *e, const cw_step *step, cw_buf *out);
void cw_emit_longjmp(cw_unit *unit, const cw_node *call, cw_buf *out);
/* A call that may end in a jump of plain code. */
void cw_emit_caught_call(cw_unit *unit, const cw_point *point, const char *call, cw_buf *out);
/* Small edits of the longjmps in plain functions. */
void cw_edit_plain_jumps(cw_unit *unit);

#endif
