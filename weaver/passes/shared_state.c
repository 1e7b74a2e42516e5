/* shared_state.c - --auto: state of the whole thread or program, around a call that pauses now.
 *
 * In:  control-flow graphs with uses of static objects, the live locals of each point.
 * Out: warnings.
 *
 * A function without marks was written for a thread that nothing else uses while it waits. Now
 * other tasks run there. What they write may be what this function goes on with:
 *
 *   - a thread-local or a static local that some path writes before a point and reads after it.
 *     With --auto-report also static variables of the file and external ones, which many programs
 *     share by intent;
 *   - the result of localtime() and the like, in a local that lives across a point, or as an
 *     argument of a call that pauses;
 *   - the state of strtok() and the like, begun before a point and continued after it.
 *
 * Arrays, and objects that pointers reach, are not followed. A program of which no source starts
 * tasks has one: nothing is said there. */
#include <string.h>

#include "ast/decl.h"
#include "ast/node.h"
#include "ast/type.h"
#include "base/names.h"
#include "passes/passes.h"
#include "text/diag.h"
#include "text/unit.h"

static const char hint[] = "make such calls one at a time, or let the function stay plain; "
                           "--why=FUNCTION says why it pauses";

/* The function of the C library that a node calls; NULL if it calls another one, or none. */
static const char *library_call(const cw_unit *unit, const cw_node *node)
{
    const cw_decl *callee = node != NULL && node->kind == CW_CALL ? cw_function_called(node) : NULL;
    return callee != NULL && callee->func == NULL && cw_place_of(unit, callee->name_at).system
               ? callee->name
               : NULL;
}

/* ---- objects, and the hidden state of the C library ---- */

typedef struct state {
    const cw_decl *object; /* NULL: of the library */
    const char *name;
    const cw_point *point; /* the first at which it has been written */
    bool reported;
} state;

/* Facts 2k and 2k + 1 of state k: it has been written; a point has come since. */
typedef struct states {
    state *items;
    size_t count;
} states;

/* The calls that go on where an earlier one of the same state has ended. */
static const struct walk {
    const char *begins, *goes_on, *shown;
} walks[] = {
    { "strtok", "strtok", "strtok()" },
    { "setpwent", "getpwent", "getpwent()" },
    { "setgrent", "getgrent", "getgrent()" },
    { "sethostent", "gethostent", "gethostent()" },
    { "setservent", "getservent", "getservent()" },
};

static bool is_null(const cw_node *node)
{
    for (; node != NULL &&
           (node->kind == CW_PAREN || node->kind == CW_CAST || node->kind == CW_IMPLICIT);
         node = node->kids[node->nkids - 1])
        ;
    return node != NULL && node->kind == CW_LITERAL;
}

/* What a call does to the state of the library: its name, and whether it goes on; or NULL. */
static const char *walk_of(const cw_unit *unit, const cw_node *call, bool *goes_on)
{
    const char *name = library_call(unit, call);
    for (size_t i = 0; name != NULL && i < sizeof walks / sizeof *walks; i++) {
        bool tokens = strcmp(walks[i].begins, walks[i].goes_on) == 0;
        *goes_on = strcmp(name, walks[i].goes_on) == 0;
        if (tokens && *goes_on)
            *goes_on = call->nkids > 1 && is_null(call->kids[1]);
        if (*goes_on || strcmp(name, walks[i].begins) == 0)
            return walks[i].shown;
    }
    return NULL;
}

static size_t index_of(cw_unit *unit, states *all, const cw_decl *object, const char *name)
{
    size_t i = 0;
    while (i < all->count && (all->items[i].object != object ||
                              (object == NULL && strcmp(all->items[i].name, name) != 0)))
        i++;
    if (i == all->count) {
        state one = { .object = object, .name = name };
        CW_PUSH(&unit->arena, all->items, all->count, one);
    }
    return i;
}

/* The state that an event uses, and how. */
static bool uses_state(cw_unit *unit, states *all, const cw_event *event, size_t *index,
                       bool *reads, bool *writes)
{
    bool goes_on = false;
    const char *walk = event->kind == CW_CALLED ? walk_of(unit, event->node, &goes_on) : NULL;
    *reads = event->kind == CW_STATE_READ || (walk != NULL && goes_on);
    *writes = event->kind == CW_STATE_WRITE || walk != NULL;
    if (walk != NULL)
        *index = index_of(unit, all, NULL, walk);
    else if (*reads || *writes)
        *index = index_of(unit, all, event->object, event->object->name);
    return *reads || *writes;
}

static void apply_state(cw_facts *f, const cw_event *event, uint64_t *bits, bool report)
{
    states *all = f->data;
    size_t k, count = all->count;
    bool reads, writes;
    if (event->kind == CW_POINT) {
        for (k = 0; k < count; k++) {
            if (!cw_bit(bits, 2 * k))
                continue;
            cw_bit_set(bits, 2 * k + 1);
            if (all->items[k].point == NULL || all->items[k].point->at > event->point->at)
                all->items[k].point = event->point;
        }
        return;
    }
    if (!uses_state(f->unit, all, event, &k, &reads, &writes))
        return;
    state *one = &all->items[k];
    if (reads && report && cw_bit(bits, 2 * k + 1) && !one->reported) {
        one->reported = true;
        cw_diag_warn(f->unit, CW_W_SHARED_STATE, event->node->begin, hint,
                     "%s%s%s has its value from before '%s' pauses in line %u, and other tasks use "
                     "it meanwhile",
                     one->object != NULL ? "'" : "the state of ", one->name,
                     one->object != NULL ? "'" : "", f->func->decl->name,
                     cw_place_of(f->unit, one->point->at).line);
    }
    if (writes) {
        cw_bit_set(bits, 2 * k);
        cw_bit_clear(bits, 2 * k + 1);
    }
}

static void check_states(cw_unit *unit, const cw_func *func)
{
    states all = { 0 };
    size_t k;
    bool reads, writes, any = false;
    for (size_t i = 0; i < func->nblocks; i++)
        for (size_t j = 0; j < func->blocks[i]->nevents; j++) {
            const cw_event *event = &func->blocks[i]->events[j];
            bool object = event->kind == CW_STATE_READ || event->kind == CW_STATE_WRITE;
            if (!uses_state(unit, &all, event, &k, &reads, &writes))
                continue;
            all.items[k].reported = object && !unit->options->auto_report &&
                                    !event->object->thread_local_ && !event->object->local;
            any |= reads && !all.items[k].reported;
        }
    if (!any)
        return;
    cw_facts f = { unit, func, 2 * all.count, apply_state, &all };
    cw_facts_spread(&f);
}

/* ---- results of the C library that the next call overwrites ---- */

/* Not strerror() and the like: a number that the library knows has a text that nothing overwrites.
 */
static const char overwritten[] =
    "asctime ctime localtime gmtime inet_ntoa gethostbyname getservbyname gethostbyaddr "
    "getservbyport getprotobyname getpwnam getpwuid getgrnam getgrgid getpwent getgrent getmntent "
    "ttyname ptsname crypt l64a ecvt fcvt localeconv nl_langinfo getlogin dlerror ether_ntoa "
    "getspnam";

typedef struct results {
    const char **names; /* of the function whose result local k may hold */
    bool *reported;
} results;

static const char *result_of(const cw_unit *unit, const cw_node *node, const uint64_t *bits,
                             const results *known)
{
    for (; node != NULL && node->temp == NULL &&
           (node->kind == CW_PAREN || node->kind == CW_CAST || node->kind == CW_IMPLICIT);
         node = node->kids[node->nkids - 1])
        ;
    if (node == NULL)
        return NULL;
    const cw_local *local = node->temp != NULL                           ? node->temp
                            : node->kind == CW_REF && node->decl != NULL ? node->decl->as_local
                                                                         : NULL;
    if (local != NULL)
        return bits != NULL && cw_bit(bits, local->index) ? known->names[local->index] : NULL;
    const char *name = library_call(unit, node);
    return name != NULL && cw_lists_name(overwritten, name) ? name : NULL;
}

static void report_result(cw_facts *f, uint32_t at, const char *what, const char *name)
{
    cw_diag_warn(f->unit, CW_W_SHARED_STATE, at, hint,
                 "%s the result of %s() while '%s' pauses here, and other tasks' calls overwrite "
                 "that",
                 what, name, f->func->decl->name);
}

static void apply_result(cw_facts *f, const cw_event *event, uint64_t *bits, bool report)
{
    results *known = f->data;
    if (event->kind == CW_DEF) {
        size_t k = event->local->index;
        const char *name = event->node != NULL ? result_of(f->unit, event->node, bits, known)
                                               : NULL;
        cw_bit_clear(bits, k);
        if (name != NULL) {
            cw_bit_set(bits, k);
            known->names[k] = name;
        }
    } else if (event->kind == CW_FORGET) {
        cw_bit_clear(bits, event->local->index);
    } else if (event->kind == CW_POINT && report) {
        const cw_point *point = event->point;
        for (size_t i = 0; i < point->nlive; i++) {
            const cw_local *local = point->live[i];
            if (!cw_bit(bits, local->index) || known->reported[local->index])
                continue;
            known->reported[local->index] = true;
            const char *what = local->decl == NULL
                                   ? "an expression has"
                                   : cw_format(&f->unit->arena, "'%s' has", local->decl->name);
            report_result(f, point->at, what, known->names[local->index]);
        }
        for (size_t i = 1; point->call != NULL && i < point->call->nkids; i++) {
            const char *name = result_of(f->unit, point->call->kids[i], bits, known);
            if (name != NULL)
                report_result(f, point->at, "a call gets", name);
        }
    }
}

static bool calls_overwritten(const cw_unit *unit, const cw_func *func)
{
    for (size_t i = 0; i < func->nblocks; i++)
        for (size_t j = 0; j < func->blocks[i]->nevents; j++) {
            const cw_event *event = &func->blocks[i]->events[j];
            const char *name = event->kind == CW_CALLED ? library_call(unit, event->node) : NULL;
            if (name != NULL && cw_lists_name(overwritten, name))
                return true;
        }
    return false;
}

static void check_results(cw_unit *unit, const cw_func *func)
{
    size_t count = func->nlocals + 1;
    if (!calls_overwritten(unit, func))
        return;
    results known = { .names = cw_alloc(&unit->arena, count * sizeof *known.names),
                      .reported = cw_alloc(&unit->arena, count * sizeof *known.reported) };
    cw_facts f = { unit, func, count, apply_result, &known };
    cw_facts_spread(&f);
}

bool cw_shared_state(cw_unit *unit)
{
    if (unit->options->plan == NULL || cw_plan_has(unit->options->plan, CW_PLAN_ONE_TASK, "*"))
        return true;
    for (size_t i = 0; i < unit->nfuncs; i++) {
        const cw_func *func = unit->funcs[i];
        if (!func->pausable || func->npoints == 0 || !func->decl->stressed)
            continue;
        check_states(unit, func);
        check_results(unit, func);
    }
    return unit->errors == 0;
}
