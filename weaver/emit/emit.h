/* emit.h - how the passes that write text share the work. */
#ifndef CW_EMIT_H
#define CW_EMIT_H

#include "weaver.h"

/* ---- render.c: expressions as woven code writes them ----------------------------------------- */

/* Small edits: references, prototypes, marks, calls. */
void cw_render_edits(cw_unit *unit);
void cw_render(cw_unit *unit, const cw_node *node, cw_buf *out);
/* sizeof, of an array that is a block of its own, and its elements' alignment. */
void cw_put_block_size(cw_unit *unit, const cw_local *local, cw_buf *out);
/* The same, but not as the temporary that stands for it. */
void cw_render_itself(cw_unit *unit, const cw_node *node, cw_buf *out);
/* What is assigned to `to`: never the temporary `to` itself, and an assignment-expression, as C's
 * grammar has it. */
void cw_render_value(cw_unit *unit, const cw_node *node, const cw_local *to, cw_buf *out);
/* How the body names a local, and its field. */
const char *cw_local_ref(cw_unit *unit, const cw_local *local);
const char *cw_field_ref(cw_unit *unit, const cw_local *local);
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

/* ---- thunk.c: the functions behind co4_run and its kin --------------------------------------- */

void cw_thunks(cw_unit *unit);
/* The plain entry of a mixed function: what stands before it, and its body. */
void cw_thunk_plain_root(cw_unit *unit, const cw_func *func, cw_buf *out);
/* Declares and starts `co4_va`, the list of a variadic function's arguments. */
void cw_thunk_start_varargs(const cw_func *func, cw_buf *out);
void cw_thunk_plain_body(cw_unit *unit, const cw_func *func, cw_buf *out);

/* ---- header.c -------------------------------------------------------------------------------- */

/* Where the parts of a definition's declarator stand. */
typedef struct cw_header {
    const cw_func *func; /* NULL: a prototype */
    const cw_type *type;
    cw_decl **params;
    size_t nparams;
    uint32_t begin, name_at, open, close; /* open, close: of the parameter list */
} cw_header;

typedef enum cw_header_kind {
    CW_HEADER_ENTRY, /* what callers see: the user's storage classes, attributes and types */
    CW_HEADER_BODY   /* a function that is called by ours alone, also by a resume, with zeros */
} cw_header_kind;

cw_header cw_header_of(const cw_unit *unit, const cw_func *func);
/* With another name, and parameters in front of the user's. `prefix` are storage classes and
 * attributes of ours. */
void cw_header_put(cw_unit *unit, const cw_header *h, const char *prefix, const char *name,
                   const char *more, cw_header_kind kind, cw_buf *out);
/* The user's own, for the plain entry; and a declaration of that. */
void cw_header_put_plain(cw_unit *unit, const cw_header *h, const char *prefix, cw_buf *out);
void cw_header_declare_plain(cw_unit *unit, const cw_header *h, cw_buf *out);
/* What a prototype of the user's is to the woven function, without its ';'. */
const char *cw_header_prototype(cw_unit *unit, const cw_decl *decl, const cw_redecl *redecl);

/* ---- function.c: what stands around a body: frame, entries, tables --------------------------- */

void cw_function_wrap(cw_unit *unit, cw_func *func);
/* Small edits inside the body of a mixed function, which loses its name to the plain entry. */
void cw_function_edits(cw_unit *unit, cw_func *func);

/* ---- emit.c: statements ---- */

/* What the writers of one function's body hand each other. */
typedef struct cw_emitter {
    cw_unit *unit;
    cw_func *func;
} cw_emitter;

/* Edits a statement and those in it. NULL: nothing. */
void cw_emit_stmt(cw_emitter *e, const cw_node *node);
/* An edit of statements; takes what `buf` holds. */
void cw_large_edit(cw_emitter *e, uint32_t begin, uint32_t end, cw_buf *buf);

/* ---- steps.c: plans ---- */

/* The plan of a full expression: declarations of its temporaries, then its steps. */
void cw_emit_plan(cw_emitter *e, const cw_node *expr, cw_buf *out);
/* What remains of a planned expression, with its line. */
void cw_emit_rest(cw_emitter *e, const cw_node *expr, cw_buf *out);

/* ---- decl.c: declarations ---- */

void cw_emit_decl_stmt(cw_emitter *e, const cw_node *node);
/* The text of a declaration or expression in the first part of a `for`. */
void cw_emit_init_part(cw_emitter *e, const cw_node *init, cw_buf *out);
/* Must the declaration be written anew, declarator by declarator? */
bool cw_needs_rewriting(const cw_unit *unit, const cw_node *node);

/* ---- scope.c: the end of scopes ---- */

/* goto, break, continue */
void cw_emit_jump(cw_emitter *e, const cw_node *node);
void cw_emit_return(cw_emitter *e, const cw_node *node);
void cw_emit_block_end(cw_emitter *e, const cw_node *block);
/* Where the function returns from `at`. */
void cw_put_return_endings(cw_emitter *e, uint32_t at, cw_buf *out);
/* Where control falls out of a block; or of a loop whose header declares. */
void cw_put_scope_end(cw_emitter *e, const cw_node *scope, cw_buf *out);

#endif
