/* flows.h - flows of functions and pointers to functions; calls. */
#ifndef CW_PASSES_FLOWS_H
#define CW_PASSES_FLOWS_H

#include "base/types.h"

typedef struct cw_flow_visitor {
    /* `source` flows to `decl`, which has `type`; decl NULL: to something of that type. Both are
     * function-like. */
    void (*flows)(void *data, const cw_func *func, const cw_node *source, cw_decl *decl,
                  const cw_type *type);
    /* `func` calls; NULL: at file scope. callee NULL: co4_blocking(), which pauses whatever it
     * calls. */
    void (*calls)(void *data, const cw_func *func, const cw_node *callee);
    /* An entry point takes a call of `callee`. */
    void (*enters)(void *data, const cw_node *callee);
} cw_flow_visitor;

void cw_flows(cw_unit *unit, const cw_flow_visitor *visitor, void *data);
/* Functions, and all that is a pointer to one or a typedef of that: at file scope, parameters,
 * members, locals. */
void cw_each_markable(cw_unit *unit, void (*found)(void *data, cw_decl *decl), void *data);
/* The typedef that has the function type in it, on the way from this type; NULL: none. */
cw_decl *cw_function_typedef(const cw_type *type);
/* The declaration, or the typedef of the type, whose mark an expression has; NULL: none. */
cw_decl *cw_flow_source(const cw_node *node);

#endif
