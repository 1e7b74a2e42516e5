/* live.c - which locals each suspension point must save.
 *
 * In:  control-flow graphs.
 * Out: point->live, a bit per local: those that some path from the point reads before writing; local->saved.
 *
 * The usual backward data flow: live_in = uses before definitions, and what is live out and not defined. A local that is
 * live at a point but not in scope there, because it is declared further down in the same block and the flow jumps past its
 * declaration, has no name at the point: it is pinned instead, which needs none. */
#include "weaver.h"

#include <string.h>

/* Applies a block's events backwards to `live`; at each point, hands a copy to the point. */
static void transfer(cw_unit *unit, const cw_func *func, const cw_block *block, uint64_t *live,
                     bool record)
{
    size_t bytes = cw_words(func->nlocals) * sizeof *live;
    for (size_t i = block->nevents; i-- > 0;) {
        const cw_event *event = &block->events[i];
        switch (event->kind) {
        case CW_USE:
            cw_bit_set(live, event->local->index);
            break;
        case CW_DEF:
        case CW_FORGET:
            cw_bit_clear(live, event->local->index);
            break;
        case CW_TOUCH:
        case CW_CALLED:
            break;
        case CW_POINT:
            if (record) {
                event->point->live = cw_alloc(&unit->arena, bytes);
                memcpy(event->point->live, live, bytes);
            }
            break;
        }
    }
}

static void solve(cw_unit *unit, const cw_func *func)
{
    size_t words = cw_words(func->nlocals);
    uint64_t *live = cw_alloc(&unit->arena, words * sizeof *live);
    for (size_t i = 0; i < func->nblocks; i++) {
        func->blocks[i]->live_in = cw_alloc(&unit->arena, words * sizeof *live);
        func->blocks[i]->live_out = cw_alloc(&unit->arena, words * sizeof *live);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = func->nblocks; i-- > 0;) {
            cw_block *block = func->blocks[i];
            for (size_t j = 0; j < block->nnext; j++)
                for (size_t w = 0; w < words; w++)
                    block->live_out[w] |= block->next[j]->live_in[w];
            memcpy(live, block->live_out, words * sizeof *live);
            transfer(unit, func, block, live, false);
            if (memcmp(live, block->live_in, words * sizeof *live) != 0) {
                memcpy(block->live_in, live, words * sizeof *live);
                changed = true;
            }
        }
    }
    for (size_t i = 0; i < func->nblocks; i++) {
        memcpy(live, func->blocks[i]->live_out, words * sizeof *live);
        transfer(unit, func, func->blocks[i], live, true);
    }
}

/* ---- which locals have a value ---- */

typedef struct values {
    uint64_t *may, *must;
} values;

enum { SPREAD, FIND_UNSURE, DROP_EMPTY };

static void assign_forward(const cw_func *func, const cw_block *block, values v, int what)
{
    for (size_t i = 0; i < block->nevents; i++) {
        const cw_event *event = &block->events[i];
        switch (event->kind) {
        case CW_DEF:
            cw_bit_set(v.may, event->local->index);
            cw_bit_set(v.must, event->local->index);
            break;
        case CW_TOUCH:
            cw_bit_set(v.may, event->local->index);
            break;
        case CW_FORGET:
            cw_bit_clear(v.may, event->local->index);
            cw_bit_clear(v.must, event->local->index);
            break;
        case CW_USE:
        case CW_CALLED:
            break;
        case CW_POINT:
            for (size_t k = 0; what != SPREAD && k < func->nlocals; k++) {
                if (!cw_bit(event->point->live, k) || cw_bit(v.must, k))
                    continue;
                if (what == FIND_UNSURE && cw_bit(v.may, k))
                    func->locals[k]->clear = true;
                if (what == DROP_EMPTY && !func->locals[k]->clear)
                    cw_bit_clear(event->point->live, k); /* nothing to save */
            }
            break;
        }
    }
}

/* Forward over the graph. A local that has a value on some paths only is declared with zero, for a
 * copy of it would be a use that the user never wrote. One that can have no value yet at a point is
 * not saved there, unless it is one of those: then it has its zero to keep. */
static void find_values(cw_unit *unit, const cw_func *func)
{
    size_t words = cw_words(func->nlocals), bytes = words * sizeof(uint64_t);
    values v = { cw_alloc(&unit->arena, bytes), cw_alloc(&unit->arena, bytes) };
    for (size_t i = 0; i < func->nblocks; i++) {
        func->blocks[i]->may_in = cw_alloc(&unit->arena, bytes);
        func->blocks[i]->must_in = cw_alloc(&unit->arena, bytes);
        memset(func->blocks[i]->must_in, i == 0 ? 0 : 0xff, bytes);
    }
    for (size_t k = 0; k < func->nlocals; k++)
        if (func->locals[k]->is_param) {
            cw_bit_set(func->blocks[0]->may_in, k);
            cw_bit_set(func->blocks[0]->must_in, k);
        }
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < func->nblocks; i++) {
            const cw_block *block = func->blocks[i];
            memcpy(v.may, block->may_in, bytes);
            memcpy(v.must, block->must_in, bytes);
            assign_forward(func, block, v, SPREAD);
            for (size_t j = 0; j < block->nnext; j++)
                for (size_t w = 0; w < words; w++) {
                    cw_block *next = block->next[j];
                    uint64_t may = next->may_in[w] | v.may[w], must = next->must_in[w] & v.must[w];
                    changed |= may != next->may_in[w] || must != next->must_in[w];
                    next->may_in[w] = may;
                    next->must_in[w] = must;
                }
        }
    }
    for (int what = FIND_UNSURE; what <= DROP_EMPTY; what++)
        for (size_t i = 0; i < func->nblocks; i++) {
            memcpy(v.may, func->blocks[i]->may_in, bytes);
            memcpy(v.must, func->blocks[i]->must_in, bytes);
            assign_forward(func, func->blocks[i], v, what);
        }
}

/* ---- names ---- */

static bool in_block(const cw_local *local, const cw_point *point)
{
    return local->decl == NULL ||
           (point->at >= local->decl->scope_begin && point->at < local->decl->scope_end);
}

/* Declared before the point: its name means it there, once shadowing names are out of the way. */
static bool is_declared(const cw_local *local, const cw_point *point)
{
    return local->decl == NULL || local->is_param || local->decl->name_at < point->at;
}

bool cw_live(cw_unit *unit)
{
    for (size_t i = 0; i < unit->nfuncs; i++) {
        cw_func *func = unit->funcs[i];
        if (func->npoints == 0)
            continue;
        solve(unit, func);
        for (size_t p = 0; p < func->npoints; p++)
            if (func->points[p]->live == NULL) /* in code that is never reached */
                func->points[p]->live = cw_alloc(&unit->arena,
                                                 cw_words(func->nlocals) * sizeof(uint64_t));
        find_values(unit, func);
        for (size_t p = 0; p < func->npoints; p++) {
            cw_point *point = func->points[p];
            for (size_t k = 0; k < func->nlocals; k++) {
                cw_local *local = func->locals[k];
                if (!cw_bit(point->live, k))
                    continue;
                if (!in_block(local, point)) { /* indeterminate when its block is entered again */
                    cw_bit_clear(point->live, k);
                } else if (!is_declared(local, point)) {
                    local->pinned = true;
                    local->why_pinned = "live at a point above its declaration";
                    local->why_at = point->at;
                } else {
                    local->saved = true;
                }
            }
        }
        for (size_t p = 0; p < func->npoints; p++)
            for (size_t k = 0; k < func->nlocals; k++)
                if (func->locals[k]->pinned) {
                    cw_bit_clear(func->points[p]->live, k);
                    func->locals[k]->saved = false;
                }
    }
    return true;
}
