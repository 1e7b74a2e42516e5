/* node.c - questions about a single node. */
#include "ast/node.h"

#include <string.h>

#include "ast/decl.h"
#include "ast/type.h"
#include "text/unit.h"

cw_node *cw_strip(const cw_node *node)
{
    while (node->kind == CW_PAREN || node->kind == CW_IMPLICIT)
        node = node->kids[0];
    return (cw_node *)(uintptr_t)node;
}

cw_node *cw_value_statement(const cw_node *stmt_expr)
{
    cw_node *node = stmt_expr->kids[0];
    while (node != NULL && node->nkids > 0 &&
           ((node->kind == CW_BLOCK && node == stmt_expr->kids[0]) || node->kind == CW_LABEL ||
            node->kind == CW_ATTRIBUTED))
        node = node->kids[node->nkids - 1];
    return node != NULL && node->kind == CW_EXPR_STMT ? node : NULL;
}

bool cw_evaluates(const cw_node *node, size_t kid)
{
    if (node->kids[kid] != NULL && node->kids[kid]->for_type &&
        !cw_type_is_vm(node->kids[kid]->type))
        return false;
    if (node->kind == CW_OTHER_DECL) /* the lengths of a typedef, but not the constants in a type */
        return node->decl != NULL && node->decl->kind == CW_D_TYPEDEF;
    if (node->kind == CW_GENERIC)
        return node->chosen == 0 ? kid > 0 : kid == node->chosen;
    if (node->kind == CW_VAR) /* its initializer; computed sizes */
        return kid == 0 || (cw_type_is_vm(node->type) && node->kids[kid]->kind != CW_OTHER_DECL);
    if (node->kind == CW_CAST || node->kind == CW_COMPOUND_LITERAL) /* those in the type's name */
        return kid + 1 == node->nkids || cw_type_is_vm(node->type);
    return node->kind != CW_SIZEOF;
}

const char *cw_text_of(cw_unit *unit, const cw_node *node)
{
    uint32_t length = node->end - node->begin;
    return cw_strndup(&unit->arena, unit->text + node->begin, length > 60 ? 60 : length);
}

/* ---- which declarations an assignment to an lvalue may write ----
 *
 * Purpose: linearize asks whether an operand may stay in place, cfg whether a local has a value. A
 * declaration missing from the answer would produce wrong code. So every form that may lead to the
 * same object is followed: brackets, members, __extension__, __real, _Generic, and all that
 * libclang does not name. */

void cw_each_written(const cw_node *target, void (*found)(void *data, cw_decl *decl), void *data)
{
    if (target == NULL)
        return;
    if (target->kind == CW_REF && target->decl != NULL)
        found(data, target->decl);
    if (target->kind == CW_INDEX || target->kind == CW_CALL ||
        target->kind == CW_COMPOUND_LITERAL || (target->kind == CW_MEMBER && target->arrow) ||
        (target->kind == CW_UNARY && strcmp(target->op, "*") == 0))
        return; /* the object is not a variable, or not known */
    for (size_t i = 0; i < target->nkids; i++)
        cw_each_written(target->kids[i], found, data);
}
