/* emit.h - the pass that writes text. */
#ifndef CW_EMIT_EMIT_H
#define CW_EMIT_EMIT_H

#include "ast/decl.h"
#include "base/buf.h"

bool cw_emit(cw_unit *unit);

/* The state of the files that write a function's body. */

typedef struct cw_emitter {
    cw_unit *unit;
    cw_func *func;
} cw_emitter;

/* ---- edits.c: small edits, inside expressions and declarations ---- */

/* References, prototypes, marks, calls. */
void cw_small_edits(cw_unit *unit);

/* ---- stmt.c: statements of pausable functions ---- */

/* Edits a statement and those inside it; NULL is allowed. */
void cw_emit_stmt(cw_emitter *e, const cw_node *node);

/* ---- steps.c: plans of expressions ---- */

/* Moves the definition of a type here. Returns the offset behind where it was. */
uint32_t cw_move_type(cw_unit *unit, cw_tag *tag, cw_buf *out);
/* Moves the definitions of types in a full expression to before the steps that need them; once. */
void cw_emit_types(cw_emitter *e, const cw_node *expr, cw_buf *out);
/* Writes the plan of a full expression: declarations of its temporaries, then its steps. */
void cw_emit_plan(cw_emitter *e, const cw_node *expr, cw_buf *out);
/* Writes the remainder of a planned expression, with its line. */
void cw_emit_rest(cw_emitter *e, const cw_node *expr, cw_buf *out);

/* ---- decl.c: declarations of locals ---- */

void cw_emit_decl_stmt(cw_emitter *e, const cw_node *node);
/* The text of a declaration or expression in the first part of a `for`. */
void cw_emit_init_part(cw_emitter *e, const cw_node *init, cw_buf *out);
/* Must the declaration be rewritten, declarator by declarator? */
bool cw_needs_rewriting(const cw_unit *unit, const cw_node *node);

/* ---- cleanup.c: the exits of scopes ---- */

/* goto, break, continue */
void cw_emit_jump(cw_emitter *e, const cw_node *node);
void cw_emit_return(cw_emitter *e, const cw_node *node);
void cw_emit_block_end(cw_emitter *e, const cw_node *block);
/* For a return at `at`. */
void cw_put_return_cleanups(cw_emitter *e, uint32_t at, cw_buf *out);
/* For the end of a block, or of a loop whose header contains a declaration. */
void cw_put_scope_cleanups(cw_emitter *e, const cw_node *scope, cw_buf *out);

/* ---- jump.c: setjmp and longjmp in woven code ---- */

/* What a function to which jumps come back does at each entry. */
void cw_put_catch(cw_unit *unit, const cw_func *func, cw_buf *out);
void cw_emit_setjmp(const cw_emitter *e, const cw_step *step, cw_buf *out);
void cw_emit_longjmp(cw_unit *unit, const cw_node *call, cw_buf *out);
/* A call that may end in a jump of plain code. */
void cw_emit_caught_call(cw_unit *unit, const cw_point *point, const char *call, cw_buf *out);
/* Small edits of the longjmps in plain functions. */
void cw_edit_plain_jumps(cw_unit *unit);

/* ---- render.c: expressions as woven code writes them ---- */

/* A thread-local of the task, as abi.h finds it. */
const char *cw_local_of_task(cw_unit *unit, const char *name);
/* Writes an expression in the brackets of a parameter: in it the names of parameters denote the
 * arguments, as in the user's text. */
void cw_put_param_size(cw_unit *unit, const cw_node *size, cw_buf *out);
/* Adds an edit of statements, and takes over the text in `buf`. */
void cw_large_edit(cw_emitter *e, uint32_t begin, uint32_t end, cw_buf *buf);
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

/* ---- header.c: the declarator of a function, in parts ---- */

/* Positions of the parts of a definition's declarator. */
typedef struct cw_header {
    const cw_func *func; /* NULL: a prototype */
    const cw_type *type;
    cw_decl **params;
    size_t nparams;
    uint32_t begin, name_at, open, close; /* open, close: the brackets of the parameter list */
} cw_header;

typedef enum cw_header_kind {
    CW_HEADER_ENTRY, /* for callers: the user's storage classes, attributes and types */
    CW_HEADER_BODY   /* a function called by woven code only, also by a resume, with zeros */
} cw_header_kind;

cw_header cw_header_of(const cw_unit *unit, const cw_func *func);
/* Writes a header with another name, and with parameters before the user's. `prefix` contains the
 * weaver's storage classes and attributes. */
void cw_header_put(cw_unit *unit, const cw_header *h, const char *prefix, const char *name,
                   const char *more, cw_header_kind kind, cw_buf *out);
/* Writes the user's own header, for the plain entry, and a declaration of it. */
void cw_header_put_plain(cw_unit *unit, const cw_header *h, const char *prefix, cw_buf *out);
void cw_header_declare_plain(cw_unit *unit, const cw_header *h, cw_buf *out);
/* Returns the prototype of the woven function for one of the user's prototypes, without ';'. */
const char *cw_header_prototype(cw_unit *unit, const cw_decl *decl, const cw_redecl *redecl);

/* ---- tables.c: the description of a woven function ---- */

/* The number of entries of its table of points. */
unsigned cw_table_entries(const cw_func *func);
/* Has it a function for frames that are abandoned? */
bool cw_tables_unwind(const cw_func *func);
/* Writes f__func and its tables. `body`: the single body, for a shared resume entry; or NULL. */
void cw_tables_put(cw_unit *unit, const cw_func *func, const char *resume, const char *body,
                   cw_buf *out);

/* ---- function.c: the frame, the entries and the tables around a body ---- */

/* Finds single bodies of the same type: they share a resume entry. Before any is written. */
void cw_share_resumes(cw_unit *unit);
void cw_function_wrap(cw_unit *unit, cw_func *func);
/* Small edits inside the body of a dual function, which loses its name to the plain entry. */
void cw_function_edits(cw_unit *unit, cw_func *func);

/* ---- thunk.c: the functions of co4_run and the other entry points ---- */

void cw_thunks(cw_unit *unit);
/* Writes the plain entry of a dual function: the definitions before it, and its body. */
void cw_thunk_plain_root(cw_unit *unit, const cw_func *func, cw_buf *out);
void cw_thunk_plain_body(cw_unit *unit, const cw_func *func, cw_buf *out);

#endif
