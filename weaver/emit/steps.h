/* steps.h - plans of expressions. */
#ifndef CW_EMIT_STEPS_H
#define CW_EMIT_STEPS_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/types.h"
#include "emit/emitter.h"

/* Moves the definition of a type here. Returns the offset behind where it was. */
uint32_t cw_move_type(cw_unit *unit, cw_tag *tag, cw_buf *out);
/* Moves the definitions of types in a full expression to before the steps that need them; once. */
void cw_emit_types(cw_emitter *e, const cw_node *expr, cw_buf *out);
/* Writes the plan of a full expression: declarations of its temporaries, then its steps. */
void cw_emit_plan(cw_emitter *e, const cw_node *expr, cw_buf *out);
/* Writes the remainder of a planned expression, with its line. */
void cw_emit_rest(cw_emitter *e, const cw_node *expr, cw_buf *out);

#endif
