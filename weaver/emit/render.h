/* render.h - expressions as woven code writes them. */
#ifndef CW_EMIT_RENDER_H
#define CW_EMIT_RENDER_H

#include <stdint.h>

#include "base/buf.h"
#include "base/types.h"

void cw_render(cw_unit *unit, const cw_node *node, cw_buf *out);
/* sizeof, of an array that is a block of its own, and its elements' alignment. */
void cw_put_block_size(cw_unit *unit, const cw_local *local, cw_buf *out);
/* The same, but not as the temporary that stands for it. */
void cw_render_itself(cw_unit *unit, const cw_node *node, cw_buf *out);
/* What is assigned to `to`: never the temporary `to` itself, and an assignment-expression, as C's
 * grammar has it. */
void cw_render_value(cw_unit *unit, const cw_node *node, const cw_local *to, cw_buf *out);
/* "(T){ 0 }", or "0": a value for returns that nobody reads. "" for void. */
const char *cw_zero(cw_unit *unit, const cw_type *type);
/* What to initialize a scalar or struct with, to have it cleared. */
const char *cw_clear_value(const cw_type *type);
/* "to = from;", also for types that may not be assigned. */
void cw_put_assign(cw_unit *unit, const cw_type *type, const char *to, const char *from,
                   cw_buf *out);
/* A line marker that gives what follows the user's line of `at`. */
void cw_marker_to(cw_unit *unit, uint32_t at, cw_buf *out);
/* Around structs of woven code, which are laid out as the target has it. */
void cw_layout_begin(const cw_unit *unit, cw_buf *out);
void cw_layout_end(const cw_unit *unit, cw_buf *out);

#endif
