/* liveness.c - which locals each suspension point must save.
 *
 * In:  control-flow graphs.
 * Out: point->live, the locals that some path from the point reads before writing, by their index;
 *      local->saved.
 *
 * This is the usual backward data flow, one local at a time: from the blocks that read it before
 * they write it, up to those that write it. So each local costs as much as its life is long. A
 * function with many short-lived locals costs as much as their number.
 *
 * Rejected: a bit for each local in each block. For 65,536 blocks from a macro, each with a local,
 * that is gigabytes.
 *
 * A local may be live at a point but not in scope there: it is declared later in the same block,
 * and the flow jumps past its declaration; or by its own initializer, which may end in a jump to a
 * setjmp behind it. It has no name at the point, so it is pinned instead, which needs no name. */
#include <stdlib.h>

#include "ast/decl.h"
#include "base/bug.h"
#include "passes/passes.h"
#include "text/unit.h"

/* An event of a block that mentions a local. */
typedef struct mention {
    uint32_t block, at;
    cw_event_kind kind;
} mention;

typedef struct point_at {
    uint32_t at; /* index of its event */
    cw_point *point;
} point_at;

/* Facts about the current local. A member such as `in` holds the local's number, from 1, if the
 * fact is true of it. */
typedef struct block_state {
    uint32_t in, out;      /* it is live at the block's beginning, end */
    uint32_t mentioned;    /* the block has mentions of it: */
    uint32_t first, after; /* their range */
    bool exposed, kills;   /* read before written; written or forgotten */
    bool may, must;        /* at its beginning, some path or every path has given it a value */
    bool queued;
} block_state;

typedef struct solver {
    cw_unit *unit;
    cw_func *func;
    mention *mentions; /* of all locals, by local, block, event */
    size_t *first;     /* for each local, and one after the last */
    uint32_t *before;  /* the predecessors of all blocks */
    size_t *first_before;
    point_at *points; /* of all blocks */
    size_t *first_point;
    block_state *state;
    uint32_t *blocks, *queue; /* where it is live or mentioned */
    size_t nblocks, nqueue;
    uint32_t now; /* the current local, from 1 */
} solver;

/* ---- tables ---- */

static void *table(size_t count, size_t bytes)
{
    return cw_must(calloc(count + 1, bytes));
}

static bool is_mention(const cw_event *event)
{
    return event->kind == CW_USE || event->kind == CW_DEF || event->kind == CW_TOUCH ||
           event->kind == CW_FORGET;
}

/* Turns counts of items into the ends of their groups; filling each group from its end leaves where
 * it begins. */
static void add_up(size_t *first, size_t count)
{
    for (size_t i = 0; i < count; i++)
        first[i + 1] += first[i];
}

static void find_mentions(solver *s)
{
    const cw_func *func = s->func;
    s->first = table(func->nlocals + 1, sizeof *s->first);
    s->first_point = table(func->nblocks + 1, sizeof *s->first_point);
    s->first_before = table(func->nblocks + 1, sizeof *s->first_before);
    for (size_t i = 0; i < func->nblocks; i++) {
        const cw_block *block = func->blocks[i];
        for (size_t j = 0; j < block->nevents; j++)
            if (is_mention(&block->events[j]))
                s->first[block->events[j].local->index]++;
            else
                s->first_point[i] += block->events[j].kind == CW_POINT;
        for (size_t j = 0; j < block->nnext; j++)
            s->first_before[block->next[j]->id]++;
    }
    add_up(s->first, func->nlocals);
    add_up(s->first_point, func->nblocks);
    add_up(s->first_before, func->nblocks);
    s->mentions = table(s->first[func->nlocals], sizeof *s->mentions);
    s->points = table(s->first_point[func->nblocks], sizeof *s->points);
    s->before = table(s->first_before[func->nblocks], sizeof *s->before);
    for (size_t i = func->nblocks; i-- > 0;) {
        const cw_block *block = func->blocks[i];
        for (size_t j = block->nevents; j-- > 0;) {
            const cw_event *event = &block->events[j];
            if (is_mention(event))
                s->mentions[--s->first[event->local->index]] = (mention){ (uint32_t)i, (uint32_t)j,
                                                                          event->kind };
            else if (event->kind == CW_POINT)
                s->points[--s->first_point[i]] = (point_at){ (uint32_t)j, event->point };
        }
        for (size_t j = 0; j < block->nnext; j++)
            s->before[--s->first_before[block->next[j]->id]] = (uint32_t)i;
    }
}

/* ---- one local: where it is live ---- */

static void look_at(solver *s, uint32_t block)
{
    block_state *state = &s->state[block];
    if (state->in == s->now || state->out == s->now || state->mentioned == s->now)
        return;
    s->blocks[s->nblocks++] = block;
    state->kills = state->exposed = state->may = false;
    state->must = true;
}

static void read_mentions(solver *s, size_t k)
{
    for (size_t i = s->first[k]; i < s->first[k + 1];) {
        uint32_t block = s->mentions[i].block;
        block_state *state = &s->state[block];
        look_at(s, block);
        state->mentioned = s->now;
        state->first = (uint32_t)i;
        for (; i < s->first[k + 1] && s->mentions[i].block == block; i++) {
            state->exposed |= !state->kills && s->mentions[i].kind == CW_USE;
            state->kills |= s->mentions[i].kind == CW_DEF || s->mentions[i].kind == CW_FORGET;
        }
        state->after = (uint32_t)i;
    }
}

static void live_at_beginning(solver *s, uint32_t block)
{
    look_at(s, block);
    if (s->state[block].in == s->now)
        return;
    s->state[block].in = s->now;
    s->queue[s->nqueue++] = block;
}

static void find_life(solver *s)
{
    size_t mentioned = s->nblocks;
    s->nqueue = 0;
    for (size_t i = 0; i < mentioned; i++)
        if (s->state[s->blocks[i]].exposed)
            live_at_beginning(s, s->blocks[i]);
    for (size_t i = 0; i < s->nqueue; i++) {
        uint32_t block = s->queue[i];
        for (size_t j = s->first_before[block]; j < s->first_before[block + 1]; j++) {
            uint32_t before = s->before[j];
            look_at(s, before);
            s->state[before].out = s->now;
            if (s->state[before].mentioned != s->now || !s->state[before].kills)
                live_at_beginning(s, before);
        }
    }
}

/* ---- one local: where it has a value ---- */

static void apply_mention(cw_event_kind kind, bool *may, bool *must)
{
    if (kind == CW_DEF || kind == CW_TOUCH)
        *may = true;
    if (kind == CW_DEF)
        *must = true;
    if (kind == CW_FORGET)
        *may = *must = false;
}

static void leave_block(const solver *s, uint32_t block, bool *may, bool *must)
{
    const block_state *state = &s->state[block];
    *may = state->may;
    *must = state->must;
    for (uint32_t i = state->first; state->mentioned == s->now && i < state->after; i++)
        apply_mention(s->mentions[i].kind, may, must);
}

/* Forward through the local's life only. A predecessor of a block where it is live has it live as
 * well, or writes it. */
static void find_values(solver *s, bool is_param)
{
    for (size_t i = 0; i < s->nqueue; i++)
        s->state[s->queue[i]].queued = true;
    s->state[0].may = is_param;
    s->state[0].must = is_param;
    for (size_t from = 0, to = s->nqueue; from != to;) {
        uint32_t block = s->queue[from % s->nqueue];
        block_state *state = &s->state[block];
        bool may = state->may, must = state->must;
        from++;
        state->queued = false;
        for (size_t j = s->first_before[block]; j < s->first_before[block + 1]; j++) {
            bool before_may, before_must;
            leave_block(s, s->before[j], &before_may, &before_must);
            may |= before_may;
            must &= before_must;
        }
        if (may == state->may && must == state->must)
            continue;
        state->may = may;
        state->must = must;
        const cw_block *b = s->func->blocks[block];
        for (size_t j = 0; j < b->nnext; j++) {
            block_state *next = &s->state[b->next[j]->id];
            if (next->in != s->now || next->queued)
                continue;
            next->queued = true;
            s->queue[to++ % s->nqueue] = (uint32_t)b->next[j]->id;
        }
    }
}

/* ---- one local: the points where it is live ---- */

enum { FIND_UNSURE, SAVE };

static void note_points(solver *s, cw_local *local, uint32_t block, uint32_t from, uint32_t to,
                        bool may, bool must, int what)
{
    const size_t begin = s->first_point[block], count = s->first_point[block + 1] - begin;
    size_t i;
    CW_SEARCH(i, count, s->points[begin + i].at >= from);
    for (; i < count && s->points[begin + i].at < to; i++) {
        cw_point *point = s->points[begin + i].point;
        if (what == FIND_UNSURE)
            local->clear |= may && !must;
        else if (must || local->clear)
            CW_PUSH(&s->unit->arena, point->live, point->nlive, local);
        else
            continue; /* it has no value yet: nothing to save */
    }
}

static void visit_points(solver *s, cw_local *local, uint32_t block, bool *live_after, int what)
{
    const block_state *state = &s->state[block];
    if (s->first_point[block] == s->first_point[block + 1])
        return;
    bool may = state->may, must = state->must, live = state->out == s->now;
    uint32_t from = 0;
    if (state->mentioned != s->now) {
        if (state->in == s->now)
            note_points(s, local, block, 0, UINT32_MAX, may, must, what);
        return;
    }
    for (uint32_t i = state->after; i-- > state->first;) {
        live_after[i] = live;
        live = s->mentions[i].kind == CW_USE || (s->mentions[i].kind == CW_TOUCH && live);
    }
    for (uint32_t i = state->first; i < state->after; i++) {
        if (live)
            note_points(s, local, block, from, s->mentions[i].at, may, must, what);
        apply_mention(s->mentions[i].kind, &may, &must);
        from = s->mentions[i].at;
        live = live_after[i];
    }
    if (live)
        note_points(s, local, block, from, UINT32_MAX, may, must, what);
}

/* A local that has a value on some paths only is initialized with zero, for a copy of it would be a
 * use that the user did not write. A local without a value on any path to a point is not saved
 * there. The exception is a local initialized with zero: it keeps that value. */
static void solve(cw_unit *unit, cw_func *func)
{
    solver s = { .unit = unit, .func = func };
    find_mentions(&s);
    s.state = table(func->nblocks, sizeof *s.state);
    s.blocks = table(func->nblocks, sizeof *s.blocks);
    s.queue = table(func->nblocks, sizeof *s.queue);
    bool *live_after = table(s.first[func->nlocals], sizeof *live_after);
    for (size_t k = 0; k < func->nlocals; k++) {
        s.now = (uint32_t)k + 1;
        s.nblocks = 0;
        read_mentions(&s, k);
        find_life(&s);
        find_values(&s, func->locals[k]->is_param);
        for (int what = FIND_UNSURE; what <= SAVE; what++)
            for (size_t i = 0; i < s.nblocks; i++)
                visit_points(&s, func->locals[k], s.blocks[i], live_after, what);
    }
    free(live_after);
    free(s.queue);
    free(s.blocks);
    free(s.state);
    free(s.before);
    free(s.points);
    free(s.mentions);
    free(s.first_before);
    free(s.first_point);
    free(s.first);
}

void cw_make_live(cw_unit *unit, cw_point *point, cw_local *local)
{
    size_t known;
    CW_SEARCH(known, point->nlive, point->live[known]->index >= local->index);
    if (known < point->nlive && point->live[known] == local)
        return;
    CW_PUSH(&unit->arena, point->live, point->nlive, local);
    for (size_t i = point->nlive - 1; i > 0 && point->live[i - 1]->index > local->index; i--) {
        point->live[i] = point->live[i - 1];
        point->live[i - 1] = local;
    }
}

void cw_forget_pinned(const cw_func *func)
{
    for (size_t p = 0; p < func->npoints; p++) {
        cw_point *point = func->points[p];
        size_t kept = 0;
        for (size_t i = 0; i < point->nlive; i++)
            if (!point->live[i]->pinned)
                point->live[kept++] = point->live[i];
        point->nlive = kept;
    }
    for (size_t k = 0; k < func->nlocals; k++)
        if (func->locals[k]->pinned)
            func->locals[k]->saved = false;
}

/* ---- names ---- */

/* Finds the live locals whose name does not denote them at the point. */
static void check_names(cw_point *point)
{
    size_t kept = 0;
    for (size_t i = 0; i < point->nlive; i++) {
        cw_local *local = point->live[i];
        /* its value is indeterminate when its block is entered again */
        if (local->decl != NULL &&
            (point->at < local->decl->scope_begin || point->at >= local->decl->scope_end))
            continue;
        point->live[kept++] = local;
        /* where it is declared, its name denotes it, once shadowing names are renamed */
        if (local->decl == NULL || local->is_param || local->decl->end <= point->at) {
            local->saved = true;
        } else {
            local->pinned = true;
            local->why_pinned = "live at a point before the end of its declaration";
            local->why_at = point->at;
        }
    }
    point->nlive = kept;
}

bool cw_liveness(cw_unit *unit)
{
    for (size_t i = 0; i < unit->nfuncs; i++) {
        cw_func *func = unit->funcs[i];
        if (func->npoints == 0)
            continue;
        solve(unit, func);
        for (size_t p = 0; p < func->npoints; p++)
            check_names(func->points[p]);
        cw_forget_pinned(func);
    }
    return true;
}
