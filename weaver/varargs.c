/* varargs.c - the arguments behind the `...` of a pausable function.
 *
 * In:  liveness.
 * Out: errors where a pause would cut the function off from them.
 *
 * Variable arguments stay where the caller put them, on the C stack that a pause gives up. So a function may take them up
 * and use them as it likes before it pauses, and again in a call that follows, but not across. Its va_start is woven as a
 * va_copy of the list that its direct entry has started: behind a point there is none. */
#include "weaver.h"

#include <string.h>

const char *cw_va_function(const cw_node *call)
{
    static const char *const names[] = { "__builtin_va_start", "__builtin_va_copy",
                                         "__builtin_va_end", "__builtin_c23_va_start" };
    const cw_node *callee = call->kind == CW_CALL ? call->kids[0] : NULL;
    while (callee != NULL && (callee->kind == CW_PAREN || callee->kind == CW_IMPLICIT))
        callee = callee->kids[0];
    if (callee == NULL || callee->kind != CW_REF || callee->decl == NULL)
        return NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(callee->decl->name, names[i]) == 0)
            return names[i][10] == 'c' ? "va_start" : names[i] + sizeof "__builtin_" - 1;
    return NULL;
}

static bool holds_va_list(const cw_type *type)
{
    if (cw_type_is_va_list(type))
        return true;
    const cw_type *bare = cw_type_bare(type);
    if (bare->kind == CW_T_ARRAY)
        return holds_va_list(bare->inner);
    for (size_t i = 0; bare->kind == CW_T_RECORD && i < bare->tag->nfields; i++)
        if (holds_va_list(bare->tag->fields[i]->type))
            return true;
    return false;
}

static void check_lists(cw_unit *unit, const cw_func *func)
{
    for (size_t k = 0; k < func->nlocals; k++) {
        const cw_local *local = func->locals[k];
        if (local->decl == NULL || !(local->saved || local->pinned) || !holds_va_list(local->type))
            continue;
        cw_diag(
            unit, CW_ERROR, local->decl->name_at, local->decl->end,
            "use it up before waiting, in a block or function of its own",
            "the va_list '%s' is kept across a suspension point: it points into a C stack that a "
            "pause gives up",
            local->decl->name);
        for (size_t p = 0; p < func->npoints; p++)
            if (cw_bit(func->points[p]->live, k)) {
                cw_diag(unit, CW_NOTE, func->points[p]->at, func->points[p]->at, NULL,
                        "used again after this");
                break;
            }
    }
}

/* Visits what can follow a point. */
static void check_after(cw_unit *unit, const cw_block *block, size_t from, bool *seen)
{
    for (size_t i = from; i < block->nevents; i++) {
        const cw_event *event = &block->events[i];
        const char *name = event->kind == CW_CALLED ? cw_va_function(event->node) : NULL;
        if (name != NULL && strcmp(name, "va_start") == 0)
            cw_diag(unit, CW_ERROR, event->node->begin, event->node->end,
                    "start it before anything waits",
                    "va_start after a suspension point: the arguments stood on a C stack that the "
                    "pause "
                    "has given up");
    }
    for (size_t i = 0; i < block->nnext; i++)
        if (!seen[block->next[i]->id]) {
            seen[block->next[i]->id] = true;
            check_after(unit, block->next[i], 0, seen);
        }
}

static void check_starts(cw_unit *unit, const cw_func *func)
{
    bool *seen = cw_alloc(&unit->arena, func->nblocks * sizeof *seen);
    for (size_t b = 0; b < func->nblocks; b++) {
        const cw_block *block = func->blocks[b];
        for (size_t i = 0; i < block->nevents; i++)
            if (block->events[i].kind == CW_POINT) {
                check_after(unit, block, i + 1, seen);
                break;
            }
    }
}

bool cw_varargs(cw_unit *unit)
{
    for (size_t i = 0; i < unit->nfuncs; i++) {
        const cw_func *func = unit->funcs[i];
        if (func->npoints == 0)
            continue;
        check_lists(unit, func);
        if (func->variadic)
            check_starts(unit, func);
    }
    return unit->errors == 0;
}
