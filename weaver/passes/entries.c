/* entries.c - chooses how many bodies each pausable function has, and which points share code.
 *
 * In:  points, attributes. Out: one_body of each function, saver of each point.
 *
 * Purpose: with two bodies a call that does not pause costs a load and a branch, and a resume jumps
 * into a copy of its own. One body is half the code, and tests at its entry how it was entered.
 * With --entry=auto a function has one body if
 *
 *     it is `cold`, or the compiler optimizes for size, and it is not `hot`;
 *     it has MANY points: two bodies cost too much compile time;
 *     it has SOME points, or SEVERAL if it is recursive;
 *     it only calls functions of the unit, in loops, and is not recursive;
 *     it is LARGE: it has so many expressions and statements.
 *
 * The last three hold only for a compiler that optimizes: a debugger knows a single body by the
 * name of the direct entry. A function with many points makes many tests in any case, and one more
 * is a small part of them, as it is of the work of a large function. A small function with few
 * points is a leaf, a wrapper, or a loop that yields, and those run a million times.
 *
 * In a function with one body, points share the code that saves, and parameters are restored at the
 * entry. Both make points save locals that are not live there.
 *
 * Rejected: a resume entry that is compiled for size (`cold`), if no point is in a loop. It saved 1
 * to 4 % of a file's code, and a walk of a tree that yields took 18 % more instructions. */
#include <string.h>

#include "ast/decl.h"
#include "ast/node.h"
#include "ast/type.h"
#include "passes/passes.h"
#include "text/unit.h"

enum { SOME_POINTS = 3, SEVERAL_POINTS = 5, MANY_POINTS = 60, LARGE = 120, MOST = 1000 };

/* ---- recursion: Tarjan's strongly connected components of the calls by name ---- */

typedef struct components {
    cw_unit *unit;
    cw_func **stack;
    size_t nstack, order;
} components;

static cw_func *callee(const cw_point *point)
{
    const cw_decl *decl = point->call != NULL ? cw_function_called(point->call) : NULL;
    return decl != NULL && decl->func != NULL && decl->func->pausable ? decl->func : NULL;
}

static void find_component(components *c, cw_func *func)
{
    size_t depth = c->nstack;
    func->call_order = func->call_low = ++c->order;
    CW_PUSH(&c->unit->arena, c->stack, c->nstack, func);
    for (size_t i = 0; i < func->npoints; i++) {
        cw_func *next = callee(func->points[i]);
        if (next == NULL)
            continue;
        func->recursive |= next == func;
        if (next->call_order == 0)
            find_component(c, next);
        if (next->call_low < func->call_low) /* that of a finished component is the greatest */
            func->call_low = next->call_low;
    }
    if (func->call_low != func->call_order)
        return;
    bool several = c->nstack > depth + 1;
    while (c->nstack > depth) {
        cw_func *member = c->stack[--c->nstack];
        member->recursive |= several;
        member->call_low = (size_t)-1;
    }
}

/* ---- the choice ---- */

/* Counts the expressions and statements of a tree. */
static size_t count_nodes(const cw_node *node)
{
    size_t count = 1;
    for (size_t i = 0; i < node->nkids; i++)
        if (node->kids[i] != NULL)
            count += count_nodes(node->kids[i]);
    return count;
}

/* After a resume of a single body, gcc's debug information gives such a parameter the value with
 * which the resume entry has called it. */
static bool has_struct_parameter(const cw_func *func)
{
    for (size_t i = 0; i < func->nparams; i++)
        if (cw_type_bare(func->params[i]->type)->kind == CW_T_RECORD)
            return true;
    return false;
}

static bool is_in_loop(const cw_node *node)
{
    for (; node != NULL; node = node->parent)
        if (node->kind == CW_WHILE || node->kind == CW_DO || node->kind == CW_FOR)
            return true;
    return false;
}

/* Does it only call other functions of the program, in loops? Then each call of it makes several,
 * and a resume comes once for each of theirs that has paused, not once for each value. */
static bool only_calls_in_loops(const cw_func *func)
{
    for (size_t i = 0; i < func->npoints; i++)
        if (func->points[i]->call == NULL || callee(func->points[i]) == NULL ||
            !is_in_loop(func->points[i]->call))
            return false;
    return func->npoints > 0;
}

static bool has_one_body(cw_unit *unit, const cw_func *func)
{
    cw_entry_mode mode = unit->options->entries;
    if (func->single || mode != CW_ENTRIES_AUTO)
        return func->single || mode == CW_ENTRIES_SINGLE;
    if (cw_has_attribute(unit, func->decl, "hot"))
        return false;
    if (unit->for_size || cw_has_attribute(unit, func->decl, "cold") || func->npoints > MANY_POINTS)
        return true;
    if (!unit->for_time || has_struct_parameter(func))
        return false;
    if (!func->recursive && only_calls_in_loops(func))
        return true;
    return func->npoints >= (func->recursive ? SEVERAL_POINTS : SOME_POINTS) ||
           count_nodes(func->body) >= LARGE;
}

/* ---- shared saves ---- */

/* A parameter is in scope at every point and has a value there. So a single body saves it at every
 * point if it is live at half of them, and restores it once, at its entry. */
static void widen_parameters(cw_unit *unit, cw_func *func)
{
    size_t *uses = cw_alloc(&unit->arena, (func->nlocals + 1) * sizeof *uses);
    for (size_t i = 0; i < func->npoints; i++)
        for (size_t k = 0; k < func->points[i]->nlive; k++)
            uses[func->points[i]->live[k]->index]++;
    for (size_t k = 0; k < func->nlocals; k++) {
        cw_local *local = func->locals[k];
        if (!local->is_param || local->pinned || !local->saved ||
            uses[k] * (unit->for_size ? MOST : 2) < func->npoints)
            continue;
        local->at_entry = true;
        for (size_t i = 0; i < func->npoints; i++)
            cw_make_live(unit, func->points[i], local);
    }
}

/* The labels of a function, and from where jumps to them come. */
typedef struct label {
    uint32_t at, from;
} label;

typedef struct labels {
    cw_arena *arena;
    label *items;
    size_t count;
} labels;

static void find_labels(labels *l, const cw_node *node, uint32_t in_switch)
{
    bool is_case = node->kind == CW_CASE || node->kind == CW_DEFAULT;
    if (is_case || node->kind == CW_LABEL) {
        label found = { node->begin, is_case ? in_switch : 0 };
        CW_PUSH(l->arena, l->items, l->count, found);
    }
    for (size_t i = 0; i < node->nkids; i++)
        if (node->kids[i] != NULL)
            find_labels(l, node->kids[i], node->kind == CW_SWITCH ? node->begin : in_switch);
}

/* May a point save it where it is not live? It has a value from its declaration on: no jump passes
 * that, and a copy of any value is harmless. */
static bool may_be_saved(const labels *l, const cw_local *local)
{
    const cw_type *type = cw_type_bare(local->type);
    const cw_decl *decl = local->decl;
    if (decl == NULL || local->pinned || local->bytes ||
        (type->kind != CW_T_POINTER && type->kind != CW_T_ENUM &&
         (type->kind != CW_T_BUILTIN || type->size > 8 || strcmp(type->name, "_Bool") == 0)))
        return false;
    for (size_t i = 0; i < l->count && !local->is_param; i++)
        if (l->items[i].at > decl->name_at && l->items[i].at < decl->scope_end &&
            l->items[i].from < decl->name_at)
            return false;
    return true;
}

static bool is_in_scope(const cw_local *local, uint32_t at)
{
    return local->is_param || (local->decl->end < at && at < local->decl->scope_end);
}

/* Points that share the code that saves: it stores what is live at any of them. */
typedef struct group {
    cw_point *first, *last;
    cw_local **all;     /* by index */
    size_t nall, least; /* of the live locals of a point */
} group;

enum { GROUPS = 16, MORE = 8 };

/* What the group would store with the point. Returns the number of locals, or 0 if the two do not
 * fit. With `all` it also writes them. */
static size_t union_of(const labels *l, const group *g, const cw_point *point, cw_local **all)
{
    size_t least = point->nlive < g->least ? point->nlive : g->least;
    size_t nall = 0, i = 0, k = 0;
    while (i < g->nall || k < point->nlive) {
        cw_local *mine = k < point->nlive ? point->live[k] : NULL;
        cw_local *theirs = i < g->nall ? g->all[i] : NULL;
        bool both = mine == theirs;
        cw_local *local = theirs == NULL || (mine != NULL && mine->index < theirs->index) ? mine
                                                                                          : theirs;
        i += local == theirs;
        k += local == mine;
        if (all != NULL)
            all[nall] = local;
        if (++nall - least > MORE && nall > least)
            return 0;
        if (!both && (!may_be_saved(l, local) || !is_in_scope(local, point->at) ||
                      !is_in_scope(local, g->first->at)))
            return 0;
    }
    return nall;
}

/* Adds the point to the group, if it may. Memory is taken only for a group that grows. */
static bool join(cw_unit *unit, const labels *l, group *g, cw_point *point)
{
    size_t nall = union_of(l, g, point, NULL);
    size_t least = point->nlive < g->least ? point->nlive : g->least;
    if (nall == 0 && (g->nall > 0 || point->nlive > 0))
        return false;
    if (nall > g->nall) {
        cw_local **all = cw_alloc(&unit->arena, nall * sizeof(cw_local *));
        union_of(l, g, point, all);
        g->all = all;
    }
    for (size_t i = 0; i < nall; i++)
        if (nall > least && g->all[i]->decl != NULL)
            g->all[i]->clear = true;
    g->last = point;
    g->nall = nall;
    g->least = least;
    return true;
}

/* In a single body, points share the code that saves. Each of the locals that it stores is in scope
 * at all of them, so its lifetime includes the jump. */
static void share_saves(cw_unit *unit, cw_func *func)
{
    bool forced = unit->options->force_pauses || unit->options->stress;
    labels l = { .arena = &unit->arena };
    find_labels(&l, func->body, 0);
    group groups[GROUPS];
    size_t ngroups = 0;
    for (size_t i = 0; i < func->npoints; i++) {
        cw_point *point = func->points[i];
        if (forced && point->wide) /* it also saves its result */
            continue;
        if (point->call != NULL && cw_jump_of(point->call) == CW_SETJMP)
            continue; /* it saves, and goes on */
        group *found = NULL;
        for (size_t k = 0; k < ngroups && found == NULL; k++)
            if (join(unit, &l, &groups[k], point))
                found = &groups[k];
        if (found != NULL) {
            point->saver = found->first;
            found->first->saver = found->first;
            found->first->stored = found->all;
            found->first->nstored = found->nall;
            func->shares_saves = true;
            continue;
        }
        if (ngroups < GROUPS)
            ngroups++;
        memmove(groups + 1, groups, (ngroups - 1) * sizeof *groups);
        groups[0] = (group){ point, point, point->live, point->nlive, point->nlive };
    }
}

/* Does the point let others go on in a loop without calls that pause? Then nothing else changes the
 * fiber's count meanwhile. */
static bool counts_here(const cw_point *point)
{
    const cw_node *pause = point->call;
    if (pause->kind != CW_PAUSE || pause->parent->kind != CW_EXPR_STMT)
        return false;
    const cw_node *loop = pause->parent->parent->parent; /* NULL: it begins the function */
    return loop != NULL &&
           (loop->kind == CW_WHILE || loop->kind == CW_DO || loop->kind == CW_FOR) &&
           !loop->has_calls;
}

bool cw_entries(cw_unit *unit)
{
    components c = { .unit = unit };
    for (size_t i = 0; i < unit->nfuncs; i++)
        if (unit->funcs[i]->pausable && unit->funcs[i]->call_order == 0)
            find_component(&c, unit->funcs[i]);
    for (size_t i = 0; i < unit->nfuncs; i++) {
        cw_func *func = unit->funcs[i];
        func->one_body = func->pausable && has_one_body(unit, func);
        uint32_t entry = 1;
        for (size_t p = 0; p < func->npoints; p++) {
            func->points[p]->entry = entry;
            entry += func->points[p]->wide ? 2 : 1;
            func->points[p]->counts = unit->gnu && !func->single && counts_here(func->points[p]);
            func->counts |= func->points[p]->counts;
        }
        if (!func->one_body)
            continue;
        widen_parameters(unit, func);
        share_saves(unit, func);
    }
    return true;
}
