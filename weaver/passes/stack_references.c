/* stack_references.c - objects on the C stack, which a pause releases.
 *
 * In:  liveness.
 * Out: errors where a pause would release an object that is still used.
 *
 * Variable arguments are in the caller's stack frame. A function may read them before it pauses,
 * and anew in each later call, but not across a pause. Its va_start is woven as a va_copy of the
 * list that its direct entry started: after a point there is no such list.
 *
 * Memory from alloca belongs to the current stack. It is allowed if no point follows before the
 * function returns. The pass does not ask where the pointers go. The same holds for the setjmps
 * that are not points. vfork returns twice like setjmp, first in a child that shares its parent's
 * stack. The same holds for every function declared `returns_twice`. */
#include "passes/stack_references.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "ast/call.h"
#include "ast/decl.h"
#include "ast/func.h"
#include "ast/local.h"
#include "ast/node.h"
#include "ast/plan.h"
#include "ast/type.h"
#include "base/arena.h"
#include "passes/liveness.h"
#include "text/diag.h"
#include "text/text.h"
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

static void check_lists(cw_unit *unit, const cw_func *func)
{
    for (size_t k = 0; k < func->nlocals; k++) {
        const cw_local *local = func->locals[k];
        if (local->decl == NULL || !(local->saved || local->pinned) || !holds_va_list(local->type))
            continue;
        cw_diag(unit, CW_ERROR, local->decl->name_at,
                "read all of it before the pause, in a block or function of its own",
                "the va_list '%s' is kept across a suspension point: it points into a C stack that "
                "a pause releases",
                local->decl->name);
        for (size_t p = 0; p < func->npoints; p++)
            if (cw_is_live(func->points[p], local)) {
                cw_diag(unit, CW_NOTE, func->points[p]->at, NULL, "used again after this");
                break;
            }
    }
}

/* Visits the code that can follow a point. */
static void check_after(cw_unit *unit, const cw_block *block, size_t from, bool *seen)
{
    for (size_t i = from; i < block->nevents; i++) {
        const cw_event *event = &block->events[i];
        const char *name = event->kind == CW_CALLED ? cw_va_function(event->node) : NULL;
        if (name != NULL && strcmp(name, "va_start") == 0)
            cw_diag(unit, CW_ERROR, event->node->begin, "call va_start before any suspension point",
                    "va_start after a suspension point: the arguments were on a C stack that the "
                    "pause has released");
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

static bool is_returns_twice(const cw_unit *unit, const cw_decl *function)
{
    static const char *const names[] = { "returns_twice", "__returns_twice__", NULL };
    for (size_t i = 0; i < function->nredecls; i++) {
        uint32_t limit = function->redecls[i].name_at;
        /* it has no position: a builtin that only the compiler knows */
        if (function->redecls[i].begin == 0)
            continue;
        while (limit < unit->length && unit->text[limit] != ';' && unit->text[limit] != '{')
            limit = cw_skip_unit(unit, limit);
        for (uint32_t at, end = function->redecls[i].begin; cw_next_word(unit, &at, &end, limit);)
            if (cw_is_one_of(unit->text + at, end - at, names))
                return true;
    }
    return false;
}

static const taking *taking_of(cw_unit *unit, const cw_node *call)
{
    const cw_decl *callee = cw_function_called(call);
    for (size_t i = 0; callee != NULL && i < sizeof takings / sizeof *takings; i++)
        if (strcmp(takings[i].name, callee->name) == 0)
            return &takings[i];
    if (callee == NULL || !is_returns_twice(unit, callee))
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

static void check_takings(cw_unit *unit, const cw_func *func)
{
    for (size_t b = 0; b < func->nblocks; b++)
        for (size_t i = 0; i < func->blocks[b]->nevents; i++)
            if (func->blocks[b]->events[i].kind == CW_CALLED)
                check_taking(unit, func, func->blocks[b], i);
}

bool cw_stack_references(cw_unit *unit)
{
    for (size_t i = 0; i < unit->nfuncs; i++) {
        const cw_func *func = unit->funcs[i];
        if (func->npoints == 0)
            continue;
        check_lists(unit, func);
        check_takings(unit, func);
        if (func->variadic)
            check_starts(unit, func);
    }
    return unit->errors == 0;
}
