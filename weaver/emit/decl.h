/* decl.h - declarations of locals. */
#ifndef CW_EMIT_DECL_H
#define CW_EMIT_DECL_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/types.h"
#include "emit/emitter.h"

void cw_emit_decl_stmt(cw_emitter *e, const cw_node *node);
/* The text of a declaration or expression in the first part of a `for`. */
void cw_emit_init_part(cw_emitter *e, const cw_node *init, cw_buf *out);
/* Must the declaration be rewritten, declarator by declarator? */
bool cw_needs_rewriting(const cw_unit *unit, const cw_node *node);

#endif
