/* infer.h - what the files of --infer share. */
#ifndef CW_INFER_H
#define CW_INFER_H

#include "weaver.h"

/* ---- flows.c ---- */

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
/* The declaration, or the typedef of the type, that gives an expression its colour; NULL: none. */
cw_decl *cw_flow_source(const cw_node *node);

/* ---- infer.c ---- */

/* Can a mark be written in front of this declaration? */
bool cw_can_be_marked(cw_unit *unit, const cw_decl *decl);

/* ---- keep.c ---- */

/* Sets cw_decl.kept_plain where this unit, or one before it, says so. While marks are not looked
 * for yet (patch->collecting), adds what this unit has to say. */
void cw_keep_plain(cw_unit *unit);

#endif
