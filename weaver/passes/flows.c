/* flows.c - finds the flows of functions and of pointers to functions.
 *
 * In:  the loaded tree.
 * Out: nothing. A visitor (cw_flow_visitor) is called for each flow, call and entry point, in text
 *      order.
 *
 * A value flows from an expression to a declaration: from an argument to its parameter, from an
 * initializer to its variable or member. If no declaration is known, it flows to a type. mark.c
 * refuses flows between pausable and plain declarations at the same points. */
#include "ast/decl.h"
#include "ast/node.h"
#include "ast/type.h"
#include "passes/passes.h"
#include "text/unit.h"

typedef struct walk {
    cw_unit *unit;
    const cw_flow_visitor *visitor;
    void *data;
    const cw_func *func; /* NULL at file scope */
} walk;

/* A number, as in SIG_IGN or SQLITE_TRANSIENT. */
static bool is_number(const cw_node *node)
{
    while (node->kind == CW_CAST || node->kind == CW_UNARY) {
        if (node->nkids == 0)
            return false;
        node = cw_strip(node->kids[node->nkids - 1]);
    }
    return node->kind == CW_LITERAL;
}

bool cw_may_be_function(const cw_node *node)
{
    node = cw_strip(node);
    if (node->kind == CW_COND && node->nkids == 3)
        return cw_may_be_function(node->kids[1]) || cw_may_be_function(node->kids[2]);
    return cw_is_function_like(node->type) && !(node->kind == CW_CAST && is_number(node));
}

/* The function that an expression of another type is cast from, as in `(void *)f`. */
static const cw_node *behind_casts(const cw_node *node)
{
    for (node = cw_strip(node);
         node->kind == CW_CAST && node->nkids > 0 && !cw_may_be_function(node);)
        node = cw_strip(node->kids[node->nkids - 1]);
    return node;
}

static void flow(walk *w, const cw_node *source, cw_decl *decl, const cw_type *type)
{
    if (source == NULL || !cw_is_function_like(type))
        return;
    if (w->visitor->behind_casts)
        source = behind_casts(source);
    if (cw_may_be_function(source))
        w->visitor->flows(w->data, w->func, source, decl, type);
}

cw_decl *cw_function_typedef(const cw_type *type)
{
    cw_decl *found = NULL;
    for (; type != NULL && type->kind != CW_T_FUNCTION; type = type->inner)
        if (type->kind == CW_T_TYPEDEF)
            found = type->decl;
    return type != NULL ? found : NULL;
}

cw_decl *cw_flow_source(const cw_node *node)
{
    const cw_node *bare = cw_strip(node);
    while (bare->kind == CW_UNARY || bare->kind == CW_INDEX)
        bare = cw_strip(bare->kids[0]);
    if ((bare->kind == CW_REF || bare->kind == CW_MEMBER) && bare->decl != NULL)
        return bare->decl;
    return cw_function_typedef(bare->type);
}

static void flow_initial(void *w, cw_node *value, cw_decl *decl, const cw_type *type)
{
    flow(w, value, decl, type);
}

static void flow_arguments(walk *w, const cw_node *call)
{
    const cw_decl *callee = cw_callee_decl(call->kids[0]);
    const cw_type *type = cw_callee_type(call->kids[0]);
    for (size_t i = 0; i + 1 < call->nkids; i++) {
        if (callee != NULL && i < callee->nparams) {
            flow(w, call->kids[i + 1], callee->params[i], callee->params[i]->type);
        } else if (type->kind == CW_T_FUNCTION && i < type->nparams) {
            const cw_node *value = call->kids[i + 1];
            flow(w, value, NULL, type->params[i]);
            if (w->visitor->behind_casts)
                value = behind_casts(value);
            if (callee != NULL && callee->kind == CW_D_FUNCTION && w->visitor->leaves != NULL &&
                cw_is_function_like(type->params[i]) && cw_may_be_function(value))
                w->visitor->leaves(w->data, w->func, value, callee, i);
        }
    }
}

static void visit(walk *w, const cw_node *node, bool entered)
{
    if (node == NULL || node->kind == CW_SIZEOF)
        return;
    const cw_node *call = cw_blocking_call(node);
    if (call != NULL) { /* a pausable callee in a plain call */
        if (w->visitor->calls != NULL)
            w->visitor->calls(w->data, w->func, NULL);
        visit(w, call, false);
        return;
    }
    call = cw_entry_call(node);
    bool plain = call == NULL && (call = cw_block_call(node)) != NULL;
    if (call != NULL) {
        if (call->kind == CW_CALL && !plain && w->visitor->enters != NULL)
            w->visitor->enters(w->data, call->kids[0]);
        visit(w, call, true);
        return;
    }
    if (node->kind == CW_CALL) {
        if (!entered && w->visitor->calls != NULL && !cw_call_never_waits(w->unit, node))
            w->visitor->calls(w->data, w->func, node->kids[0]);
        flow_arguments(w, node);
    } else if (node->kind == CW_ASSIGN) {
        const cw_node *target = cw_strip(node->kids[0]);
        bool named = (target->kind == CW_REF || target->kind == CW_MEMBER) && target->decl != NULL;
        flow(w, node->kids[1], named ? target->decl : cw_flow_source(target), target->type);
    } else if (node->kind == CW_VAR && node->kids[0] != NULL) {
        cw_each_initialized(w->unit, node->kids[0], node->decl, node->decl->type, flow_initial, w);
    } else if (node->kind == CW_COMPOUND_LITERAL && node->nkids > 0) {
        cw_each_initialized(w->unit, node->kids[node->nkids - 1], NULL, node->type, flow_initial,
                            w);
    } else if (node->kind == CW_CAST && node->nkids > 0) {
        flow(w, node->kids[node->nkids - 1], NULL, node->type);
    } else if (node->kind == CW_RETURN && w->func != NULL) {
        flow(w, node->kids[0], NULL, w->func->decl->type->inner);
    } else if (node->kind == CW_COND && node->nkids == 3 && cw_may_be_function(node->kids[1]) &&
               cw_may_be_function(node->kids[2])) {
        flow(w, node->kids[1], cw_flow_source(node->kids[2]), node->kids[2]->type);
        flow(w, node->kids[2], cw_flow_source(node->kids[1]), node->kids[1]->type);
    }
    for (size_t i = 0; i < node->nkids; i++)
        visit(w, node->kids[i], false);
}

void cw_each_markable(cw_unit *unit, void (*found)(void *data, cw_decl *decl), void *data)
{
    for (size_t i = 0; i < unit->ndecls; i++) {
        cw_decl *decl = unit->decls[i];
        if (decl->kind == CW_D_FUNCTION || cw_is_function_like(decl->type))
            found(data, decl);
        for (size_t j = 0; j < decl->nredecls; j++)
            for (size_t n = 0; n < decl->redecls[j].nparams; n++)
                if (cw_is_function_like(decl->redecls[j].params[n]->type))
                    found(data, decl->redecls[j].params[n]);
    }
    for (size_t i = 0; i < unit->ntags; i++)
        for (size_t j = 0; j < unit->tags[i]->nfields; j++)
            if (cw_is_function_like(unit->tags[i]->fields[j]->type))
                found(data, unit->tags[i]->fields[j]);
    for (size_t i = 0; i < unit->nfuncs; i++)
        for (size_t j = 0; j < unit->funcs[i]->ndeclared; j++)
            if (unit->funcs[i]->declared[j]->type != NULL &&
                cw_is_function_like(unit->funcs[i]->declared[j]->type))
                found(data, unit->funcs[i]->declared[j]);
}

void cw_flows(cw_unit *unit, const cw_flow_visitor *visitor, void *data)
{
    walk w = { unit, visitor, data, NULL };
    for (size_t i = 0; i < unit->ninitializers; i++)
        visit(&w, unit->initializers[i], false);
    for (size_t i = 0; i < unit->nfuncs; i++) {
        w.func = unit->funcs[i];
        visit(&w, w.func->body, false);
    }
}
