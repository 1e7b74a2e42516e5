/* render.h - expressions as woven code writes them. */
#ifndef CW_EMIT_RENDER_H
#define CW_EMIT_RENDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/types.h"

void cw_render(cw_unit *unit, const cw_node *node, cw_buf *out);
/* Writes the size of an array that is a block of its own, and the alignment of its elements. */
void cw_put_block_size(cw_unit *unit, const cw_local *local, cw_buf *out);
/* Renders the node itself, even if a temporary replaces it. */
void cw_render_itself(cw_unit *unit, const cw_node *node, cw_buf *out);
/* Renders a value to be assigned to `to`: never as the temporary `to` itself, and as an
 * assignment-expression of C's grammar. */
void cw_render_value(cw_unit *unit, const cw_node *node, const cw_local *to, cw_buf *out);
/* "(T){ 0 }", or "0": a value for returns whose value is not used. "" for void. */
const char *cw_zero(cw_unit *unit, const cw_type *type);
/* "return (T){ 0 };" */
const char *cw_return_zero(cw_unit *unit, const cw_type *type);
/* The memory that receives a result, as an lvalue: in the fiber, or, if it is too wide for that, in
 * the frame that the text `caller` denotes; NULL. `how`: of cw_type_write(). */
const char *cw_result_place(cw_unit *unit, const cw_type *type, const char *caller, unsigned how);
/* An initializer that clears a scalar or struct. */
const char *cw_clear_value(const cw_type *type);
/* Writes "to = from;", also for types that cannot be assigned. */
void cw_put_assign(cw_unit *unit, const cw_type *type, const char *to, const char *from,
                   cw_buf *out);
/* Writes a co4_abi_args of a call, from its types and values (co4/varargs.h). `scope`: of
 * cw_type_write(). */
typedef struct cw_packed {
    const cw_type *type;
    const char *value;
    bool pausable; /* a pausable function, or leads to one */
} cw_packed;
void cw_put_packed(cw_unit *unit, const cw_packed *args, size_t count, unsigned scope, cw_buf *out);
/* Is it a call that passes its variable arguments so? */
bool cw_packs_arguments(const cw_node *call);
/* Writes a line marker that gives the following text the user's line of `at`. */
void cw_marker_to(cw_unit *unit, uint32_t at, cw_buf *out);
/* Before and after structs of woven code, which have the target's default layout. */
void cw_layout_begin(const cw_unit *unit, cw_buf *out);
void cw_layout_end(const cw_unit *unit, cw_buf *out);

/* Copies a local to its field (`save`) or back. Raw bytes are copied as bytes: where this is
 * written, the name of their type may denote another type. */
void cw_put_copy(cw_unit *unit, const cw_local *local, bool save, cw_buf *out);

#endif
