/* thunk_parts.h - a callee of entry points, and the pieces of text of which their functions
 * consist. thunk.c explains them. */
#ifndef CW_EMIT_THUNK_PARTS_H
#define CW_EMIT_THUNK_PARTS_H

#include "ast/node.h"
#include "base/buf.h"

typedef struct cw_thunk {
    const cw_decl *callee; /* NULL: through a pointer */
    const cw_type *type;   /* the function's type */
    /* of one call, with the types of its variable arguments as further parameters; else NULL */
    const cw_type *called;
    const char *name;   /* the prefix of the generated names */
    const cw_func *own; /* plain entry: arguments have the function's own parameter names */
    /* Generated code has a single line, that of the definition of the function that it calls:
     * debuggers and coverage must find no such code in the user's next lines. */
    uint32_t home;
    bool plain; /* through a pointer to a plain function */
    bool made[CW_ENTRY_BLOCKING + 1], made_call, made_bridge;
} cw_thunk;

/* Those of the call, or of the function. */
const cw_type *cw_thunk_parameters(const cw_thunk *t);
/* "int co4_a1" as a field or a variable; the pointer that is called. */
const char *cw_thunk_param(cw_unit *unit, const cw_thunk *t, size_t i);
const char *cw_thunk_pointer(cw_unit *unit, const cw_thunk *t);
/* "name__suffix(int co4_a1, …)", with `before` before the parameters if that is not empty. */
const char *cw_thunk_declarator(cw_unit *unit, const cw_thunk *t, const char *suffix,
                                const char *before);
/* The woven call. */
void cw_thunk_put_call(cw_unit *unit, const cw_thunk *t, cw_buf *out);
/* Whether the result does not fit into the fiber. */
bool cw_thunk_is_wide(const cw_thunk *t);
/* "co4_abi_call_drop(PREFIXa2);" for each argument that is a prepared call; the same for the copy
 * of variable arguments, if the call frame has one. */
void cw_thunk_put_call_drops(const cw_thunk *t, const char *prefix, cw_buf *out);
/* Whether there is anything to drop. */
bool cw_thunk_owns(const cw_thunk *t);
/* Writes the struct of a frame: the callee, if that is a pointer, the arguments and, if asked for,
 * the result. `what` ends its comment; `more`: members in front of these. */
void cw_thunk_put_struct(cw_unit *unit, const cw_thunk *t, const char *frame, const char *what,
                         const char *more, bool value, cw_buf *out);
/* Declares a description and its points. */
void cw_thunk_put_func_struct(const char *frame, unsigned npoints, cw_buf *out);
/* Defines them. `value`: the offset of a wide result that arrives at its point, "0" if none does;
 * NULL: it has no point. */
void cw_thunk_put_func(cw_unit *unit, const cw_thunk *t, const char *resume, const char *frame,
                       const char *value, const char *unwind, cw_buf *out);
const char *cw_thunk_offset(cw_unit *unit, const char *frame, const char *field);

/* thunk_run.c */
void cw_thunk_put_blocking(cw_unit *unit, const cw_thunk *t, cw_buf *out);
void cw_thunk_put_run(cw_unit *unit, const cw_thunk *t, cw_buf *out);

#endif
