/* flows.h - flows of functions and pointers to functions; calls. */
#ifndef CW_PASSES_FLOWS_H
#define CW_PASSES_FLOWS_H

#include <stddef.h>

#include "base/types.h"

typedef struct cw_flow_visitor {
    /* `source` flows to `decl`, which has `type`, or, if `decl` is NULL, to an object of that type.
     * Both are functions or pointers to functions. */
    void (*flows)(void *data, const cw_func *func, const cw_node *source, cw_decl *decl,
                  const cw_type *type);
    /* `func` calls `callee`; `func` is NULL at file scope. `callee` is NULL for co4_blocking(),
     * which pauses whichever function it calls. */
    void (*calls)(void *data, const cw_func *func, const cw_node *callee);
    /* An entry point takes a call of `callee`. */
    void (*enters)(void *data, const cw_node *callee);
    /* `source` flows to the index-th parameter of a function whose parameters are not loaded, as
     * those of libraries. May be NULL. */
    void (*leaves)(void *data, const cw_func *func, const cw_node *source, const cw_decl *callee,
                   size_t index);
} cw_flow_visitor;

void cw_flows(cw_unit *unit, const cw_flow_visitor *visitor, void *data);
/* Calls `found` with each function, and with each pointer to a function and each typedef of one: at
 * file scope, parameters, members, locals. */
void cw_each_markable(cw_unit *unit, void (*found)(void *data, cw_decl *decl), void *data);
/* The typedef on the way from this type that contains the function type; NULL if there is none. */
cw_decl *cw_function_typedef(const cw_type *type);
/* The declaration, or the typedef of the type, whose mark applies to an expression; NULL if there
 * is none. */
cw_decl *cw_flow_source(const cw_node *node);

#endif
