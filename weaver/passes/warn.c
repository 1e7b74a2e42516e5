/* warn.c - warns of constructs that woven code may contain but that harm other tasks.
 *
 * In:  control-flow graphs, the live locals of each point.
 * Out: warnings.
 *
 *   blocking      blocking.c
 *   held-lock     a mutex that some path has locked and not unlocked before a point. Another
 *                 thread, not the owner, may resume the task; or other tasks of this thread need
 *                 the mutex, and all wait. The text of the argument identifies a lock. An unlock
 *                 of a mutex never locked here could be an alias, and ends all. trylock is not
 *                 followed.
 *   void-pointer  a marked function passed to plain code as a `void *`, which carries no mark.
 *   lost-task     mark_entry.c: a function of task.h gets the task of a co4_spawn(), and nothing
 *                 releases it.
 *   thread-local  the address of a thread-local variable kept across a point: after it, the
 *                 address belongs to another thread. Only in locals that are not pinned; the
 *                 graph has no facts about the others. */
#include <string.h>

#include "ast/decl.h"
#include "ast/node.h"
#include "ast/type.h"
#include "base/names.h"
#include "base/plan.h"
#include "passes/passes.h"
#include "text/diag.h"
#include "text/unit.h"

/* ---- marked functions that lose their type ---- */

/* The marked function that a cast to `void *` hides; NULL if there is none. */
static const cw_decl *hidden_function(const cw_node *node)
{
    bool cast = false;
    for (; node->nkids > 0 && (node->kind == CW_PAREN || node->kind == CW_CAST ||
                               node->kind == CW_IMPLICIT || node->kind == CW_UNARY);
         node = node->kids[node->nkids - 1])
        if (node->kind == CW_CAST && node->type != NULL) {
            const cw_type *type = cw_type_bare(node->type);
            cast |= type->kind == CW_T_POINTER && cw_type_is_void(type->inner);
        }
    return cast && node->kind == CW_REF && node->decl != NULL &&
                   node->decl->kind == CW_D_FUNCTION && cw_ref_is_pausable(node)
               ? node->decl
               : NULL;
}

static void check_void_pointers(cw_unit *unit, const cw_node *node)
{
    if (node == NULL)
        return;
    const cw_decl *callee = cw_function_called(node);
    bool plain = node->kind == CW_CALL && !node->is_point && node->entry == CW_ENTRY_NONE &&
                 (callee == NULL || strncmp(callee->name, "co4_", 4) != 0);
    for (size_t i = 1; plain && i < node->nkids; i++) {
        const cw_decl *hidden = node->kids[i] != NULL ? hidden_function(node->kids[i]) : NULL;
        if (hidden != NULL)
            cw_diag_warn(unit, CW_W_VOID_POINTER, node->kids[i]->begin,
                         "pass a plain function that enters this one with co4_run, or mark the "
                         "function 'pausable_or_plain'",
                         "'%s' is pausable, and is passed to plain code as a void pointer: "
                         "called from there it would have no fiber",
                         hidden->name);
    }
    for (size_t i = 0; i < node->nkids; i++)
        check_void_pointers(unit, node->kids[i]);
}

/* ---- locks ---- */

typedef struct lock {
    const char *what;      /* the argument's text, without blanks */
    uint32_t at;           /* the first call that locks it */
    const cw_point *point; /* the first point at which it is held */
} lock;

typedef struct locks {
    lock *items;
    size_t count;
} locks;

enum { NO_LOCK, LOCKS, UNLOCKS };

static int lock_call(const cw_event *event)
{
    static const char locks[] =
        "pthread_mutex_lock pthread_mutex_timedlock pthread_spin_lock pthread_rwlock_rdlock "
        "pthread_rwlock_wrlock mtx_lock mtx_timedlock";
    static const char unlocks[] =
        "pthread_mutex_unlock pthread_spin_unlock pthread_rwlock_unlock mtx_unlock";
    const cw_decl *callee = event->kind == CW_CALLED ? cw_function_called(event->node) : NULL;
    if (callee == NULL || event->node->nkids < 2)
        return NO_LOCK;
    return cw_lists_name(locks, callee->name)     ? LOCKS
           : cw_lists_name(unlocks, callee->name) ? UNLOCKS
                                                  : NO_LOCK;
}

static size_t lock_index(const locks *list, const char *what)
{
    size_t i = 0;
    while (i < list->count && strcmp(list->items[i].what, what) != 0)
        i++;
    return i;
}

static void apply_lock(cw_facts *f, const cw_event *event, uint64_t *bits, bool report)
{
    locks *list = f->data;
    int what = lock_call(event);
    if (event->kind == CW_POINT && report) {
        for (size_t i = 0; i < list->count; i++)
            if (cw_bit(bits, i) &&
                (list->items[i].point == NULL || list->items[i].point->at > event->point->at))
                list->items[i].point = event->point;
    } else if (what != NO_LOCK) {
        size_t i = lock_index(list, cw_compact_text(f->unit, event->node->kids[1]));
        if (what == LOCKS)
            cw_bit_set(bits, i);
        else if (i < list->count)
            cw_bit_clear(bits, i);
        else
            memset(bits, 0, cw_words(f->count) * sizeof *bits);
    }
}

static void check_locks(cw_unit *unit, const cw_func *func)
{
    locks list = { 0 };
    for (size_t i = 0; i < func->nblocks; i++)
        for (size_t j = 0; j < func->blocks[i]->nevents; j++) {
            const cw_event *event = &func->blocks[i]->events[j];
            if (lock_call(event) != LOCKS)
                continue;
            lock one = { .what = cw_compact_text(unit, event->node->kids[1]),
                         .at = event->node->begin };
            size_t known = lock_index(&list, one.what);
            if (known == list.count)
                CW_PUSH(&unit->arena, list.items, list.count, one);
            else if (one.at < list.items[known].at)
                list.items[known].at = one.at;
        }
    if (list.count == 0)
        return;
    cw_facts f = { unit, func, list.count, apply_lock, &list };
    cw_facts_spread(&f);
    for (size_t i = 0; i < list.count; i++) {
        const lock *one = &list.items[i];
        const char *name = one->what + (*one->what == '&');
        if (one->point != NULL &&
            cw_diag_warn(unit, CW_W_HELD_LOCK, one->point->at,
                         "unlock it before: another thread may resume the task, and other tasks of "
                         "this one may want it",
                         "'%s' is still locked when '%s' pauses here", name, func->decl->name))
            cw_diag(unit, CW_NOTE, one->at, NULL, "'%s' is locked here", name);
    }
}

/* ---- addresses of thread-locals ---- */

typedef struct addresses {
    const char **names; /* of the thread-local whose address local k may hold */
    uint32_t *taken_at;
    bool *told;
} addresses;

static const char *address_of(const cw_node *node, const uint64_t *bits, const addresses *known);

/* The thread-local that this lvalue is, or is part of; NULL for another object. */
static const char *object_of(const cw_node *node, const uint64_t *bits, const addresses *known)
{
    while (node->kind == CW_PAREN)
        node = node->kids[0];
    if (node->kind == CW_REF)
        return node->decl != NULL && node->decl->thread_local_ && !node->decl->of_task
                   ? node->decl->name
                   : NULL;
    if (node->kind == CW_MEMBER && !node->arrow)
        return object_of(node->kids[0], bits, known);
    if (node->kind == CW_MEMBER || node->kind == CW_INDEX ||
        (node->kind == CW_UNARY && strcmp(node->op, "*") == 0))
        return address_of(node->kids[0], bits, known);
    return NULL;
}

/* The thread-local to which this pointer leads; NULL if none is visible. */
static const char *address_of(const cw_node *node, const uint64_t *bits, const addresses *known)
{
    static const char errno_calls[] = "__errno_location ___errno __errno __error _errno";
    const char *found;
    switch (node->kind) {
    case CW_PAREN:
    case CW_CAST:
        return address_of(node->kids[node->nkids - 1], bits, known);
    case CW_IMPLICIT: {
        const cw_type *from = cw_type_bare(node->kids[0]->type);
        if (cw_type_bare(node->type)->kind != CW_T_POINTER)
            return NULL;
        return from->kind == CW_T_ARRAY ? object_of(node->kids[0], bits, known)
                                        : address_of(node->kids[0], bits, known);
    }
    case CW_UNARY:
        return strcmp(node->op, "&") == 0 ? object_of(node->kids[0], bits, known) : NULL;
    case CW_BINARY:
        if (strcmp(node->op, "+") != 0 && strcmp(node->op, "-") != 0)
            return NULL;
        found = address_of(node->kids[0], bits, known);
        return found != NULL ? found : address_of(node->kids[1], bits, known);
    case CW_COMMA:
        return address_of(node->kids[1], bits, known);
    case CW_COND:
        found = address_of(node->kids[1], bits, known);
        return found != NULL || node->nkids < 3 ? found : address_of(node->kids[2], bits, known);
    case CW_REF: {
        const cw_local *local = node->decl != NULL ? node->decl->as_local : NULL;
        return local != NULL && cw_bit(bits, local->index) ? known->names[local->index] : NULL;
    }
    case CW_CALL: {
        const cw_decl *callee = cw_function_called(node);
        return callee != NULL && cw_lists_name(errno_calls, callee->name) ? "errno" : NULL;
    }
    case CW_MEMBER:
    case CW_ASSIGN:
    case CW_COMPOUND_ASSIGN:
    case CW_ELVIS:
    case CW_INDEX:
    case CW_COMPOUND_LITERAL:
    case CW_STMT_EXPR:
    case CW_GENERIC:
    case CW_STATEMENTS:
    case CW_CONSTANTS:
    case CW_INITIALIZERS:
    case CW_RESULTS:
        break;
    }
    return NULL;
}

static void report_address(cw_facts *f, const cw_point *point, const cw_local *local)
{
    addresses *known = f->data;
    size_t k = local->index;
    const char *name = known->names[k];
    if (known->told[k])
        return;
    known->told[k] = true;
    if (local->decl != NULL) {
        if (cw_diag_warn(f->unit, CW_W_THREAD_LOCAL, point->at, "take the address again afterwards",
                         "'%s' still has the address of the thread-local '%s' when '%s' pauses "
                         "here; afterwards it may be another thread's",
                         local->decl->name, name, f->func->decl->name))
            cw_diag(f->unit, CW_NOTE, known->taken_at[k], NULL, "it is taken here");
        return;
    }
    cw_diag_warn(f->unit, CW_W_THREAD_LOCAL, point->at,
                 "give the value a variable of its own, and go on with that in the next statement",
                 "the address of the thread-local '%s' is taken before '%s' pauses here, and used "
                 "afterwards, when it may be another thread's",
                 name, f->func->decl->name);
}

static void apply_address(cw_facts *f, const cw_event *event, uint64_t *bits, bool report)
{
    addresses *known = f->data;
    size_t k;
    switch (event->kind) {
    case CW_DEF: {
        k = event->local->index;
        bool pointer = cw_type_bare(event->local->type)->kind == CW_T_POINTER;
        const char *name = pointer && event->node != NULL ? address_of(event->node, bits, known)
                                                          : NULL;
        cw_bit_clear(bits, k);
        if (name == NULL)
            break;
        cw_bit_set(bits, k);
        if (known->names[k] == NULL) {
            known->names[k] = name;
            known->taken_at[k] = event->node->begin;
        }
        break;
    }
    case CW_FORGET:
        cw_bit_clear(bits, event->local->index);
        break;
    case CW_POINT:
        for (k = 0; report && k < event->point->nlive; k++)
            if (cw_bit(bits, event->point->live[k]->index))
                report_address(f, event->point, event->point->live[k]);
        break;
    default:
        break;
    }
}

/* Does a local get such an address anywhere, in any order? If not, no analysis is needed. */
static bool takes_addresses(cw_unit *unit, const cw_func *func)
{
    uint64_t *none = cw_alloc(&unit->arena, cw_words(func->nlocals + 1) * sizeof *none);
    for (size_t i = 0; i < func->nblocks; i++)
        for (size_t j = 0; j < func->blocks[i]->nevents; j++) {
            const cw_event *event = &func->blocks[i]->events[j];
            if (event->kind == CW_DEF && event->node != NULL &&
                cw_type_bare(event->local->type)->kind == CW_T_POINTER &&
                address_of(event->node, none, NULL) != NULL)
                return true;
        }
    return false;
}

static void check_addresses(cw_unit *unit, const cw_func *func)
{
    size_t count = func->nlocals + 1;
    if (!takes_addresses(unit, func))
        return;
    addresses known = { .names = cw_alloc(&unit->arena, count * sizeof *known.names),
                        .taken_at = cw_alloc(&unit->arena, count * sizeof *known.taken_at),
                        .told = cw_alloc(&unit->arena, count * sizeof *known.told) };
    cw_facts f = { unit, func, count, apply_address, &known };
    cw_facts_spread(&f);
}

bool cw_warn(cw_unit *unit)
{
    if (unit->options->stress || unit->options->summary)
        return true; /* the program does not wait */
    cw_plan roots;
    if (!cw_roots_read(&roots, NULL, NULL, (cw_roots_for){ 0 }))
        return false;
    if (unit->options->plan == NULL) /* --auto: the link knows what blocks */
        cw_find_blocking(unit, &roots);
    for (size_t i = 0; i < unit->nfuncs; i++) {
        const cw_func *func = unit->funcs[i];
        if (unit->options->plan == NULL) /* --auto: pointers are plain ones */
            check_void_pointers(unit, func->body);
        if (!func->pausable || func->decl->stressed)
            continue;
        cw_warn_blocking(unit, &roots, func);
        if (func->npoints == 0)
            continue;
        check_locks(unit, func);
        check_addresses(unit, func);
    }
    cw_plan_free(&roots);
    return unit->errors == 0;
}
