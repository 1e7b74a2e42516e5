/* cleanup.c - locals whose life ends with an action: those with a cleanup attribute, and
 * variable-length arrays, which are memory blocks of their own (vla.c).
 *
 * In:  the marked tree.
 * Out: func->cleanups, the declarations of such locals in text order. All of them are pinned
 *      (escape.c).
 *
 * The compiler's own attribute does not work across a pause: it would run the handler at the pause,
 * and clang refuses a resume's jump into the variable's scope. So the attribute is dropped, and the
 * emitter writes the calls itself at every exit of a scope: its end, return, break, continue, goto.
 * If a paused frame is abandoned, the function's unwind entry makes the calls, according to the
 * point at which the frame waits (function.c). A function's handlers are either all called by woven
 * code, or all by the compiler: mixed, their order could not be kept.
 *
 * A statement expression without a point stays an expression, and the compiler handles its
 * declarations. But if it contains a jump out, that jump leaves scopes that woven code handles.
 * Then it is split as if it contained a point. */
#include <stdlib.h>

#include "ast/decl.h"
#include "ast/node.h"
#include "ast/type.h"
#include "passes/passes.h"
#include "text/unit.h"

typedef struct finder {
    cw_unit *unit;
    cw_func *func;
    bool crossing; /* one such local lives across a point */
} finder;

bool cw_is_automatic(const cw_decl *decl)
{
    return decl->kind == CW_D_VARIABLE && !decl->is_static && !decl->is_extern;
}

/* A point, and the least end of all points that begin there or later. */
struct cw_span {
    uint32_t begin, end, least_end;
};

static void find_spans(cw_func *func, const cw_node *node)
{
    if (node == NULL || !node->has_points)
        return;
    struct cw_span span = { node->begin, node->end, node->end };
    if (cw_is_point(node))
        CW_PUSH(&func->unit->arena, func->spans, func->nspans, span);
    for (size_t i = 0; i < node->nkids; i++)
        find_spans(func, node->kids[i]);
}

static int by_begin(const void *left, const void *right)
{
    const struct cw_span *a = left, *b = right;
    return a->begin < b->begin ? -1 : a->begin > b->begin;
}

bool cw_holds_point(cw_func *func, uint32_t begin, uint32_t end)
{
    if (func->spans == NULL) {
        find_spans(func, func->body);
        if (func->spans == NULL)
            return false;
        qsort(func->spans, func->nspans, sizeof *func->spans, by_begin);
        for (size_t i = func->nspans - 1; i-- > 0;)
            if (func->spans[i + 1].least_end < func->spans[i].least_end)
                func->spans[i].least_end = func->spans[i + 1].least_end;
    }
    size_t i;
    CW_SEARCH(i, func->nspans, func->spans[i].begin >= begin);
    return i < func->nspans && func->spans[i].least_end <= end;
}

static bool needs_cleanup(const cw_decl *decl)
{
    return cw_is_automatic(decl) &&
           (decl->cleanup != NULL || cw_type_bare(decl->type)->kind == CW_T_VLA);
}

static bool crosses(const finder *f, const cw_decl *decl)
{
    return cw_holds_point(f->func, decl->scope_begin, decl->scope_end);
}

static void look_for_crossing(finder *f, const cw_node *node)
{
    if (node == NULL)
        return;
    if (node->kind == CW_VAR && needs_cleanup(node->decl))
        f->crossing |= crosses(f, node->decl);
    for (size_t i = 0; i < node->nkids; i++)
        look_for_crossing(f, node->kids[i]);
}

/* Does it contain a jump out of it? `in_loop` and `in_switch` say that a loop or switch inside it
 * takes `continue` and `break`. */
static bool jumps_out(const cw_node *node, bool in_loop, bool in_switch)
{
    if (node == NULL)
        return false;
    switch (node->kind) {
    case CW_RETURN:
    case CW_GOTO:
    case CW_INDIRECT_GOTO:
        return true;
    case CW_BREAK:
        return !in_loop && !in_switch;
    case CW_CONTINUE:
        return !in_loop;
    case CW_WHILE:
    case CW_DO:
    case CW_FOR:
        in_loop = true;
        break;
    case CW_SWITCH:
        in_switch = true;
        break;
    case CW_BLOCK:
    case CW_DECL_STMT:
    case CW_VAR:
    case CW_OTHER_DECL:
    case CW_EXPR_STMT:
    case CW_IF:
    case CW_CASE:
    case CW_DEFAULT:
    case CW_LABEL:
    case CW_ASM:
    case CW_NULL_STMT:
    case CW_ATTRIBUTED:
    case CW_OTHER_STMT:
    case CW_EXPRESSIONS:
        break;
    }
    for (size_t i = 0; i < node->nkids; i++)
        if (jumps_out(node->kids[i], in_loop, in_switch))
            return true;
    return false;
}

/* Collects the declarations handled here, and the statement expressions that become statements. */
static void collect(finder *f, cw_node *node)
{
    if (node == NULL)
        return;
    if (node->kind == CW_STMT_EXPR && !node->has_points) {
        if (!jumps_out(node, false, false))
            return;
        for (cw_node *up = node; up != NULL && !up->has_points; up = up->parent)
            up->has_points = true;
    }
    for (size_t i = 0; i < node->nkids; i++)
        if (cw_evaluates(node, i))
            collect(f, node->kids[i]);
    if (node->kind == CW_VAR && needs_cleanup(node->decl) &&
        (node->decl->cleanup != NULL || crosses(f, node->decl)))
        CW_PUSH(&f->unit->arena, f->func->cleanups, f->func->ncleanups, node);
}

void cw_find_cleanups(cw_func *func)
{
    finder f = { func->unit, func, false };
    look_for_crossing(&f, func->body);
    if (f.crossing)
        collect(&f, func->body);
}

bool cw_is_alive(const cw_node *var, uint32_t at)
{
    return at >= var->end && at < var->decl->scope_end;
}

bool cw_has_cleanup(const cw_func *func, const cw_decl *decl)
{
    for (size_t i = 0; i < func->ncleanups; i++)
        if (func->cleanups[i]->decl == decl)
            return true;
    return false;
}
