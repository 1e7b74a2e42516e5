/* lvalue.c - which declarations an assignment to an lvalue may write.
 *
 * Purpose: linearize asks whether an operand may stay in place, cfg whether a local has a value. A
 * declaration missing from the answer would produce wrong code. So every form that may lead to the
 * same object is followed: brackets, members, __extension__, __real, _Generic, and all that
 * libclang does not name. */
#include "ast/lvalue.h"

#include <stddef.h>
#include <string.h>

#include "ast/decl.h"
#include "ast/node.h"

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
