/* frame_placement.c - where a function with pinned locals takes its frame.
 *
 * In:  the pinned locals; the tree.
 * Out: func->frame_after, the statement of the body after which the frame is taken; NULL: at entry.
 *
 * A recursion often ends at once: `if (depth == 0) return;`. A function needs no frame until it
 * names a local in the frame or pauses. So it takes the frame after the last statement, at the
 * beginning of the body, that may return before that. These statements run once, in order: no label
 * is among them, and only a return jumps out of them.
 *
 * Only known kinds of statements and expressions count. A function that begins with any other takes
 * its frame at entry. */
#include "ast/decl.h"
#include "ast/node.h"
#include "ast/type.h"
#include "passes/passes.h"
#include "text/unit.h"

static bool is_light(const cw_node *node)
{
    /* clang-format off */
    static const bool light[] = {
        [CW_LITERAL] = true, [CW_STRING] = true, [CW_REF] = true, [CW_MEMBER] = true,
        [CW_CALL] = true, [CW_UNARY] = true, [CW_BINARY] = true, [CW_ASSIGN] = true,
        [CW_COMPOUND_ASSIGN] = true, [CW_AND_OR] = true, [CW_COMMA] = true, [CW_COND] = true,
        [CW_CAST] = true, [CW_IMPLICIT] = true, [CW_PAREN] = true, [CW_INDEX] = true,
        [CW_SIZEOF] = true, [CW_BLOCK] = true, [CW_DECL_STMT] = true, [CW_VAR] = true,
        [CW_EXPR_STMT] = true, [CW_IF] = true, [CW_RETURN] = true, [CW_NULL_STMT] = true,
    };
    /* clang-format on */
    if (node == NULL)
        return true;
    if (node->has_points) /* only there parts of an expression have positions of their own */
        return false;
    if (node->kind >= sizeof light / sizeof *light || !light[node->kind])
        return false;
    if (node->kind == CW_REF &&
        (node->decl == NULL || (node->decl->as_local != NULL && node->decl->as_local->pinned)))
        return false;
    if (node->kind == CW_CALL && cw_va_function(node) != NULL)
        return false;
    if (node->kind == CW_VAR && (node->decl->as_local == NULL || node->decl->as_local->pinned ||
                                 node->decl->cleanup != NULL || cw_type_is_vm(node->decl->type)))
        return false;
    if ((node->kind == CW_CAST || node->kind == CW_SIZEOF) &&
        (node->type == NULL || cw_type_is_vm(node->type)))
        return false;
    for (size_t i = 0; i < node->nkids; i++)
        if (!is_light(node->kids[i]))
            return false;
    return true;
}

static bool may_return(const cw_node *node)
{
    if (node == NULL)
        return false;
    if (node->kind == CW_RETURN)
        return true;
    for (size_t i = 0; i < node->nkids; i++)
        if (may_return(node->kids[i]))
            return true;
    return false;
}

bool cw_frame_placement(cw_unit *unit)
{
    for (size_t i = 0; i < unit->nfuncs; i++) {
        cw_func *func = unit->funcs[i];
        bool lengths = false; /* they are evaluated at entry */
        for (size_t k = 0; k < func->nparams; k++)
            lengths |= func->params[k]->nlengths > 0;
        if (!func->takes_frame || func->one_body || lengths)
            continue;
        for (size_t k = 0; k < func->body->nkids && is_light(func->body->kids[k]); k++)
            if (may_return(func->body->kids[k]))
                func->frame_after = func->body->kids[k];
    }
    return true;
}
