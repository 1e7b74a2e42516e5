/* task_bound.c - an upper bound for the frames of a task, in bytes.
 *
 * Purpose: a suspended task holds a chain of frames, one for each active pausable function. The
 * worst case of a function is its own frame and the worst case of its pausable callees. The figure
 * is exact, with two exceptions:
 *
 * - if a function in the chain calls itself again, the figure is unbounded;
 * - if a function in the chain is in another unit, or is called through a pointer, the figure is
 *   unknown. co4's own functions are known, for they have no frames.
 *
 * Invariants: frames count in the pool's steps of 8 bytes. The task itself, an object of the
 * library, does not count. Nor does the call frame of a new task: it is released before the first
 * frame is taken. */
#include <string.h>

#include "ast/decl.h"
#include "ast/func.h"
#include "ast/node.h"
#include "ast/type.h"
#include "report/report.h"
#include "text/unit.h"

enum { GRAIN = 8 }; /* runtime/memory/pool.c */

static uint64_t pooled(uint32_t bytes)
{
    return ((uint64_t)bytes + GRAIN - 1) / GRAIN * GRAIN;
}

bool cw_point_is_ours(const cw_point *point)
{
    return point->call->kind == CW_PAUSE;
}

const cw_decl *cw_point_callee(const cw_point *point)
{
    if (cw_point_is_ours(point))
        return NULL;
    const cw_node *callee = point->call->kids[0];
    while (callee->kind == CW_PAREN || callee->kind == CW_IMPLICIT ||
           (callee->kind == CW_UNARY && strcmp(callee->op, "*") == 0))
        callee = callee->kids[0];
    return callee->kind == CW_REF && callee->decl != NULL && callee->decl->kind == CW_D_FUNCTION
               ? callee->decl
               : NULL;
}

static bool add_field(uint64_t *at, uint64_t *widest, int64_t size, int64_t align)
{
    if (size < 0 || align <= 0)
        return false;
    uint64_t a = (uint64_t)align;
    *at = (*at + a - 1) / a * a + (uint64_t)size;
    *widest = a > *widest ? a : *widest;
    return true;
}

/* The frame of a co4_blocking: see thunk.c. */
static cw_task_bound job_frame(cw_unit *unit, const cw_node *call)
{
    const cw_type *type = cw_type_bare(cw_strip(call->kids[0])->type);
    int64_t pointer = unit->head_bytes / 2;
    uint64_t at = unit->head_bytes, widest = 8;
    bool known = add_field(&at, &widest, 5 * pointer, pointer); /* co4_abi_job */
    if (type->kind == CW_T_POINTER) {
        const cw_decl *decl = cw_function_called(call);
        known = known && (decl != NULL || add_field(&at, &widest, pointer, pointer));
        while (type->kind == CW_T_POINTER)
            type = cw_type_bare(type->inner);
    }
    for (size_t i = 0; i < type->nparams; i++) {
        const cw_type *param = cw_type_value(unit, type->params[i]);
        known = known && add_field(&at, &widest, param->size, param->align);
    }
    if (!cw_type_is_void(type->inner))
        known = known && add_field(&at, &widest, type->inner->size, type->inner->align);
    add_field(&at, &widest, 0, (int64_t)widest);
    if (known)
        return (cw_task_bound){ .kind = CW_EXACT, .bytes = pooled((uint32_t)at) };
    return (cw_task_bound){ .kind = CW_UNKNOWN,
                            .why = cw_format(&unit->arena,
                                             "line %u blocks on a call of unknown size",
                                             cw_place_of(unit, call->begin).line) };
}

/* Takes the larger bound: unbounded, then unknown, then more bytes. */
static void take_worse(cw_task_bound *bound, const cw_task_bound *other, const cw_func *through)
{
    if (other->kind < bound->kind || (other->kind == bound->kind && other->bytes <= bound->bytes))
        return;
    *bound = *other;
    bound->next = through;
}

static const cw_task_bound *visit(cw_unit *unit, cw_func *func)
{
    if (func->bound != NULL)
        return func->bound;
    cw_task_bound *bound = func->bound = cw_alloc(&unit->arena, sizeof *bound);
    bound->kind = CW_UNBOUNDED; /* the result for a recursion that finds the function again */
    bound->why = cw_format(&unit->arena, "recursion through %s()", func->decl->name);
    cw_task_bound found = { .kind = CW_EXACT };
    for (size_t i = 0; i < func->npoints; i++) {
        const cw_point *point = func->points[i];
        const cw_decl *callee = cw_point_callee(point);
        cw_task_bound other = { .kind = CW_UNKNOWN };
        if (cw_point_is_ours(point))
            other.kind = CW_EXACT;
        else if (point->call->entry == CW_ENTRY_BLOCKING)
            other = job_frame(unit, point->call);
        else if (callee == NULL)
            other.why = cw_format(&unit->arena, "line %u of %s() calls through a pointer",
                                  cw_place_of(unit, point->at).line, func->decl->name);
        else if (callee->func != NULL)
            other = *visit(unit, callee->func);
        else if (strcmp(callee->name, "co4_scope_run") == 0)
            other.why = cw_format(&unit->arena, "line %u of %s() opens a scope",
                                  cw_place_of(unit, point->at).line, func->decl->name);
        else if (strncmp(callee->name, "co4_", 4) == 0)
            other.kind = CW_EXACT;
        else
            other.why = cw_format(&unit->arena, "%s() is in another file", callee->name);
        bool woven = callee != NULL && point->call->entry == CW_ENTRY_NONE;
        take_worse(&found, &other, woven ? callee->func : NULL);
    }
    if (func->npoints > 0)
        found.bytes += pooled(func->frame_bytes);
    *bound = found;
    return bound;
}

const cw_task_bound *cw_task_bound_of(cw_unit *unit, cw_func *func)
{
    return visit(unit, func);
}
