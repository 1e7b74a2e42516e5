/* pausability.c - whether a declaration or an expression is pausable. */
#include "ast/decl.h"
#include "ast/node.h"
#include "ast/type.h"
#include "text/unit.h"

bool cw_decl_is_pausable(const cw_decl *decl)
{
    return decl->marked || (decl->type != NULL && cw_type_is_pausable(decl->type));
}

bool cw_ref_is_pausable(const cw_node *ref)
{
    if (ref->decl != NULL && ref->decl->dual)
        return ref->woven;
    return (ref->decl != NULL && cw_decl_is_pausable(ref->decl)) || cw_type_is_pausable(ref->type);
}

const char *cw_woven_name(cw_unit *unit, const cw_decl *function)
{
    if (function->bridged)
        return cw_format(&unit->arena, "%s__any", function->name);
    return cw_format(&unit->arena, "%s__co4",
                     function->instead != NULL ? function->instead : function->name);
}

bool cw_is_point(const cw_node *node)
{
    return (node->kind == CW_CALL || node->kind == CW_PAUSE) && node->is_point;
}

bool cw_is_pausable(const cw_node *node)
{
    if (node->type != NULL && !cw_is_function_like(node->type))
        return false; /* a long chain of operators is not examined */
    switch (node->kind) {
    case CW_PAREN:
    case CW_IMPLICIT:
    case CW_INDEX:
    case CW_ASSIGN:
        return cw_is_pausable(node->kids[0]) || cw_type_is_pausable(node->type);
    case CW_UNARY:
        return cw_is_pausable(node->kids[0]);
    case CW_REF:
        return cw_ref_is_pausable(node);
    case CW_MEMBER:
        return (node->decl != NULL && cw_decl_is_pausable(node->decl)) ||
               cw_type_is_pausable(node->type);
    case CW_COMMA:
        return cw_is_pausable(node->kids[1]);
    case CW_GENERIC:
        for (size_t i = 1; i < node->nkids; i++)
            if (cw_evaluates(node, i) && cw_is_pausable(node->kids[i]))
                return true;
        return false;
    case CW_STMT_EXPR: {
        const cw_node *last = cw_value_statement(node);
        return last != NULL && cw_is_pausable(last->kids[0]);
    }
    case CW_COND:
        return node->nkids == 3 && (cw_is_pausable(node->kids[1]) || cw_is_pausable(node->kids[2]));
    case CW_ELVIS:
        return cw_is_pausable(node->kids[0]) || cw_is_pausable(node->kids[1]);
    case CW_CALL:
    case CW_BINARY:
    case CW_COMPOUND_ASSIGN:
    case CW_CAST:
    case CW_COMPOUND_LITERAL:
    case CW_STATEMENTS:
    case CW_CONSTANTS:
    case CW_INITIALIZERS:
    case CW_RESULTS:
        break;
    }
    return cw_type_is_pausable(node->type);
}

bool cw_is_function_like(const cw_type *type)
{
    const cw_type *bare = cw_type_bare(type);
    while (bare->kind == CW_T_POINTER || bare->kind == CW_T_ARRAY || bare->kind == CW_T_OPEN_ARRAY)
        bare = cw_type_bare(bare->inner);
    return bare->kind == CW_T_FUNCTION;
}

bool cw_is_woven_by_default(const cw_node *node)
{
    return node->kind == CW_REF && node->decl != NULL && node->decl->needs_block;
}

void cw_resolve_dual(cw_node *node, bool pausable)
{
    switch (node->kind) {
    case CW_REF:
        node->woven = node->decl != NULL && node->decl->dual &&
                      (pausable || cw_is_woven_by_default(node));
        break;
    case CW_PAREN:
    case CW_IMPLICIT:
    case CW_UNARY:
        cw_resolve_dual(node->kids[0], pausable);
        break;
    case CW_COMMA:
        cw_resolve_dual(node->kids[1], pausable);
        break;
    case CW_COND:
        for (size_t i = 1; i < node->nkids; i++)
            cw_resolve_dual(node->kids[i], pausable);
        break;
    case CW_ELVIS:
        cw_resolve_dual(node->kids[0], pausable);
        cw_resolve_dual(node->kids[1], pausable);
        break;
    case CW_GENERIC:
        for (size_t i = 1; i < node->nkids; i++)
            cw_resolve_dual(node->kids[i], pausable);
        break;
    case CW_STMT_EXPR: {
        const cw_node *last = cw_value_statement(node);
        if (last != NULL)
            cw_resolve_dual(last->kids[0], pausable);
        break;
    }
    case CW_MEMBER:
    case CW_CALL:
    case CW_BINARY:
    case CW_ASSIGN:
    case CW_COMPOUND_ASSIGN:
    case CW_CAST:
    case CW_INDEX:
    case CW_COMPOUND_LITERAL:
    case CW_STATEMENTS:
    case CW_CONSTANTS:
    case CW_INITIALIZERS:
    case CW_RESULTS:
        break;
    }
}
