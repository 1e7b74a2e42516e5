/* verify.c - invariants between passes. A failure is an internal error, found before it becomes
 * wrong code. */
#include "ast/decl.h"
#include "ast/func.h"
#include "ast/node.h"
#include "base/bug.h"
#include "report/report.h"
#include "text/unit.h"

static void verify_node(const char *pass, const cw_node *node)
{
    if (node == NULL)
        return;
    if (node->begin > node->end)
        cw_bug(pass, "node of kind %d ends at %u before it begins at %u", (int)node->kind,
               node->end, node->begin);
    for (size_t i = 0; i < node->nkids; i++) {
        const cw_node *kid = node->kids[i];
        if (kid == NULL)
            continue;
        if (kid->has_points && !node->has_points && node->kind != CW_SIZEOF)
            cw_bug(pass, "a point at %u is not known at %u", kid->begin, node->begin);
        verify_node(pass, kid);
    }
}

static size_t count_points(const cw_node *node)
{
    if (node == NULL || !node->has_points)
        return 0;
    size_t count = cw_is_point(node);
    for (size_t i = 0; i < node->nkids; i++)
        count += count_points(node->kids[i]);
    return count;
}

static void verify_events(cw_unit *unit, const char *pass, const cw_func *func)
{
    size_t *events = cw_alloc(&unit->arena, (func->npoints + 1) * sizeof *events); /* by id */
    for (size_t i = 0; i < func->nblocks; i++)
        for (size_t j = 0; j < func->blocks[i]->nevents; j++)
            if (func->blocks[i]->events[j].point != NULL)
                events[func->blocks[i]->events[j].point->id]++;
    for (size_t p = 0; p < func->npoints; p++)
        if (events[func->points[p]->id] != 1)
            cw_bug(pass, "point %u of %s is not in exactly one block", func->points[p]->id,
                   func->decl->name);
}

static void verify_frame(const char *pass, const cw_func *func, uint32_t head)
{
    uint32_t end = head;
    for (size_t i = 0; i < func->nfields; i++) {
        const cw_local *local = func->fields[i];
        if (local->offset < end)
            cw_bug(pass, "field %s of %s overlaps", local->field, func->decl->name);
        end = local->offset + local->size;
    }
    if (func->npoints > 0 && end > func->frame_bytes)
        cw_bug(pass, "the frame of %s is too small", func->decl->name);
    for (size_t p = 0; p < func->npoints; p++)
        for (size_t k = 0; k < func->points[p]->nlive; k++) {
            const cw_local *local = func->points[p]->live[k];
            if (local->pinned || local->field == NULL)
                cw_bug(pass, "%s is live at point %u of %s, but has no field", local->name,
                       func->points[p]->id, func->decl->name);
        }
}

void cw_verify_tree(cw_unit *unit, const char *pass)
{
    for (size_t i = 0; i < unit->nfuncs; i++)
        verify_node(pass, unit->funcs[i]->body);
}

void cw_verify_points(cw_unit *unit, const char *pass)
{
    for (size_t i = 0; i < unit->nfuncs; i++) {
        const cw_func *func = unit->funcs[i];
        if (func->pausable && count_points(func->body) != func->npoints)
            cw_bug(pass, "%s has %zu points, but %zu were linearized", func->decl->name,
                   count_points(func->body), func->npoints);
    }
}

void cw_verify_cfgs(cw_unit *unit, const char *pass)
{
    for (size_t i = 0; i < unit->nfuncs; i++)
        if (unit->funcs[i]->pausable)
            verify_events(unit, pass, unit->funcs[i]);
}

void cw_verify_frames(cw_unit *unit, const char *pass)
{
    for (size_t i = 0; i < unit->nfuncs; i++)
        if (unit->funcs[i]->pausable)
            verify_frame(pass, unit->funcs[i], unit->head_bytes);
}
