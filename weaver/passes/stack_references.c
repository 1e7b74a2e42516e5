/* stack_references.c - objects on the C stack, which a pause releases.
 *
 * In:  liveness.
 * Out: variadic functions that keep their arguments; errors where a pause would release an object
 *      that is still used.
 *
 * Variable arguments are in the caller's stack frame (co4/varargs.h). A function that is done with
 * them before it pauses reads them there. Any other copies them at its entry: one that has a list
 * across a point, starts one after it, or lets other code have one.
 *
 * Memory from alloca belongs to the current stack. It is allowed if no point follows before the
 * function returns. The pass does not ask where the pointers go. The same holds for the setjmps
 * that are not points. vfork returns twice like setjmp, first in a child that shares its parent's
 * stack. The same holds for every function declared `returns_twice`. */
#include <string.h>

#include "ast/decl.h"
#include "ast/node.h"
#include "ast/type.h"
#include "passes/passes.h"
#include "text/diag.h"
#include "text/unit.h"

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

/* A list is copied by va_copy alone where it is an array: then it has one address for life. A
 * parameter that is a list changes with each va_arg. */
static void keep_lists(cw_func *func)
{
    bool pinned = false;
    for (size_t k = 0; k < func->nlocals; k++) {
        cw_local *local = func->locals[k];
        if (local->decl == NULL || !holds_va_list(local->type))
            continue;
        local->decl->assigned = true;
        if (!local->saved || local->pinned || cw_type_bare(local->type)->kind != CW_T_ARRAY)
            continue;
        local->pinned = pinned = true;
        local->why_pinned = "it is a va_list that is used after a pause";
        local->why_at = local->decl->name_at;
    }
    if (pinned)
        cw_forget_pinned(func);
}

/* ---- the arguments that the lists read ---- */

/* Is the list done with when this use of it ends? `use` is a local that is a list. A function that
 * has no pausing form and is not the C library's may have stored a copy of it. */
static bool ends_here(const cw_node *use)
{
    const cw_node *list = use, *up = use->parent;
    while (up != NULL && (up->kind == CW_PAREN || up->kind == CW_IMPLICIT)) {
        list = up;
        up = up->parent;
    }
    if (up == NULL || up->kind == CW_OTHER_EXPR) /* va_arg */
        return up != NULL;
    if (up->kind != CW_CALL || list == up->kids[0])
        return false;
    const char *name = cw_va_function(up);
    if (name != NULL && strcmp(name, "va_copy") == 0) {
        const cw_node *to = cw_strip(up->kids[1]);
        return to->kind == CW_REF && to->decl != NULL && to->decl->as_local != NULL;
    }
    const cw_decl *callee = cw_function_called(up);
    return name != NULL ||
           (callee != NULL && (cw_decl_is_ours(callee) || callee->instead != NULL ||
                               (cw_is_c_library(callee->name) && callee->func == NULL)));
}

/* Does some other code get a list here, or is one started that is no variable? */
static bool gives_list(const cw_node *node)
{
    if (node == NULL)
        return false;
    const char *name = node->kind == CW_CALL ? cw_va_function(node) : NULL;
    if (name != NULL && strcmp(name, "va_start") == 0) {
        const cw_node *list = cw_strip(node->kids[1]);
        if (list->kind != CW_REF || list->decl == NULL || list->decl->as_local == NULL)
            return true;
    }
    if (node->kind == CW_REF && node->decl != NULL && node->decl->as_local != NULL &&
        cw_type_is_list_itself(node->decl->type) && !ends_here(node))
        return true;
    for (size_t i = 0; i < node->nkids; i++)
        if (cw_evaluates(node, i) && gives_list(node->kids[i]))
            return true;
    return false;
}

/* Is va_start called in the code that can follow a point? */
static bool starts_after(const cw_block *block, size_t from, bool *seen)
{
    for (size_t i = from; i < block->nevents; i++) {
        const cw_event *event = &block->events[i];
        const char *name = event->kind == CW_CALLED ? cw_va_function(event->node) : NULL;
        if (name != NULL && strcmp(name, "va_start") == 0)
            return true;
    }
    for (size_t i = 0; i < block->nnext; i++)
        if (!seen[block->next[i]->id]) {
            seen[block->next[i]->id] = true;
            if (starts_after(block->next[i], 0, seen))
                return true;
        }
    return false;
}

static bool starts_late(cw_unit *unit, const cw_func *func)
{
    bool *seen = cw_alloc(&unit->arena, func->nblocks * sizeof *seen);
    for (size_t b = 0; b < func->nblocks; b++) {
        const cw_block *block = func->blocks[b];
        for (size_t i = 0; i < block->nevents; i++)
            if (block->events[i].kind == CW_POINT && starts_after(block, i + 1, seen))
                return true;
    }
    return false;
}

/* Does a variadic function need its arguments after a pause? */
static bool keeps_arguments(cw_unit *unit, const cw_func *func)
{
    for (size_t k = 0; k < func->nlocals; k++) {
        const cw_local *local = func->locals[k];
        if (local->decl != NULL && (local->saved || local->pinned) && holds_va_list(local->type))
            return true;
    }
    return gives_list(func->body) || starts_late(unit, func);
}

typedef enum effect { TAKES_MEMORY, JUMPS, RETURNS_TWICE } effect;

typedef struct taking {
    const char *name, *written;
    effect effect;
} taking;

/* Functions whose effect lasts until their caller returns. */
static const taking takings[] = {
    { "alloca", "alloca", TAKES_MEMORY },
    { "__builtin_alloca", "alloca", TAKES_MEMORY },
    { "__builtin_alloca_with_align", "alloca", TAKES_MEMORY },
    { "__builtin_alloca_with_align_and_max", "alloca", TAKES_MEMORY },
    { "__builtin_alloca_uninitialized", "alloca", TAKES_MEMORY },
    { "__builtin_alloca_with_align_uninitialized", "alloca", TAKES_MEMORY },
    { "setjmp", "setjmp", JUMPS },
    { "_setjmp", "setjmp", JUMPS },
    { "__sigsetjmp", "sigsetjmp", JUMPS },
    { "sigsetjmp", "sigsetjmp", JUMPS },
    { "__builtin_setjmp", "setjmp", JUMPS },
    { "vfork", "vfork", RETURNS_TWICE },
    { "__vfork", "vfork", RETURNS_TWICE },
};

static const taking *taking_of(cw_unit *unit, const cw_node *call)
{
    const cw_decl *callee = cw_function_called(call);
    for (size_t i = 0; callee != NULL && i < sizeof takings / sizeof *takings; i++)
        if (strcmp(takings[i].name, callee->name) == 0)
            return &takings[i];
    if (callee == NULL || cw_value_without_call(unit, call) != NULL ||
        !cw_has_attribute(unit, callee, "returns_twice"))
        return NULL;
    taking *t = cw_alloc(&unit->arena, sizeof *t);
    *t = (taking){ callee->name, callee->name, RETURNS_TWICE };
    return t;
}

bool cw_is_setjmp(cw_unit *unit, const cw_node *call)
{
    const taking *t = taking_of(unit, call);
    return t != NULL && t->effect != TAKES_MEMORY;
}

/* A point that can follow; NULL if there is none. */
static const cw_point *point_after(const cw_block *block, size_t from, bool *seen)
{
    for (size_t i = from; i < block->nevents; i++)
        if (block->events[i].kind == CW_POINT)
            return block->events[i].point;
    for (size_t i = 0; i < block->nnext; i++) {
        const cw_block *next = block->next[i];
        if (seen[next->id])
            continue;
        seen[next->id] = true;
        const cw_point *point = point_after(next, 0, seen);
        if (point != NULL)
            return point;
    }
    return NULL;
}

static void check_taking(cw_unit *unit, const cw_func *func, const cw_block *block, size_t at)
{
    const cw_node *call = block->events[at].node;
    const taking *t = taking_of(unit, call);
    if (t == NULL || cw_jump_of(call) != CW_NO_JUMP)
        return;
    bool *seen = cw_alloc(&unit->arena, func->nblocks * sizeof *seen);
    const cw_point *point = point_after(block, at + 1, seen);
    if (point == NULL)
        return;
    if (t->effect == JUMPS)
        cw_diag(unit, CW_ERROR, call->begin, "return an error code instead",
                "'%s' jumps between C stack frames that the pauses of '%s' release", t->written,
                func->decl->name);
    else if (t->effect == RETURNS_TWICE)
        cw_diag(unit, CW_ERROR, call->begin,
                "move it, and all up to where one side ends, into a plain function; or use "
                "posix_spawn",
                "'%s' returns twice into a C stack frame that the pauses of '%s' release",
                t->written, func->decl->name);
    else
        cw_diag(unit, CW_ERROR, call->begin, "use an array, also one of computed length, or malloc",
                "'%s' takes memory of a C stack that the pauses of '%s' release", t->written,
                func->decl->name);
    cw_diag(unit, CW_NOTE, point->at, NULL, "it may pause here");
}

bool cw_stack_references(cw_unit *unit)
{
    for (size_t i = 0; i < unit->nfuncs; i++) {
        cw_func *func = unit->funcs[i];
        if (func->npoints == 0)
            continue;
        keep_lists(func);
        func->keeps_args = func->variadic && keeps_arguments(unit, func);
        for (size_t b = 0; b < func->nblocks; b++)
            for (size_t k = 0; k < func->blocks[b]->nevents; k++)
                if (func->blocks[b]->events[k].kind == CW_CALLED)
                    check_taking(unit, func, func->blocks[b], k);
    }
    return unit->errors == 0;
}
