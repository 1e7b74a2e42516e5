/* unmarked.c - --stress, --auto: functions that pause without a mark.
 *
 * In:  the loaded tree; --auto: the plan of the unit (plan.h).
 * Out: functions with a body are marked as if by `pausable_or_plain`: all of them under stress,
 *      else those that the plan names. A call by name from another such function is pausable; calls
 *      from the C library are plain. If check.c would refuse such a function, that is not an error:
 *      the function stays plain. For a summary: only why functions have to stay plain.
 *
 * Other files may define functions woven, or plain (a library). Calls of them go through a bridge,
 * thunk.c: it refers to the woven form weakly, so the linker decides. So does a call of a root,
 * whose woven form is another function. Functions of the C library never have a bridge else, even
 * if a program declares them itself: compilers know them by name.
 *
 * A function that is declared without a prototype, or by its call alone, is known by its name. Its
 * type comes from its calls.
 *
 * A function that promises not to return may pause, or jump, and then its woven form does return.
 * So woven code drops that promise (attribute.c).
 *
 * Some functions stay plain from the start: inline functions with external linkage and weak ones,
 * for callers may get another definition; a program's own malloc and the like; and signal handlers.
 * To pause allocates memory, and a handler may have interrupted the allocator. So a function that a
 * handler calls has its text as its plain form. Where it cannot be there twice, it stays plain; and
 * under stress, which leaves no function out. */
#include <stdlib.h>
#include <string.h>

#include "ast/decl.h"
#include "ast/node.h"
#include "ast/type.h"
#include "base/bug.h"
#include "base/names.h"
#include "base/plan.h"
#include "passes/passes.h"
#include "text/diag.h"
#include "text/unit.h"

static void mark_as_dual(cw_decl *decl)
{
    decl->marked = decl->dual = decl->stressed = true;
    for (size_t i = 0; i < decl->nredecls; i++)
        decl->redecls[i].marked = decl->redecls[i].dual = true;
}

/* The reason why an earlier attempt could not weave it; NULL if there was none, or it succeeded. */
static const char *refusal_of(const cw_unit *unit, const cw_decl *decl)
{
    for (size_t i = 0; i < unit->plain->count; i++)
        if (strcmp(unit->plain->items[i].name, decl->name) == 0)
            return unit->plain->items[i].why;
    return NULL;
}

/* ---- handlers of signals --------------------------------------------------------------------- */

static const char handler[] = "it is a handler of signals";

bool cw_unmarked_is_handler(const cw_func *func)
{
    return func->left_plain == handler;
}

static bool names_thread_local(const cw_node *node)
{
    if (node == NULL)
        return false;
    if (node->kind == CW_REF && node->decl != NULL && node->decl->thread_local_)
        return true;
    for (size_t i = 0; i < node->nkids; i++)
        if (names_thread_local(node->kids[i]))
            return true;
    return false;
}

const char *cw_unmarked_why_once(const cw_func *func)
{
    for (size_t i = 0; i < func->ndeclared; i++)
        if (func->declared[i]->kind == CW_D_VARIABLE && func->declared[i]->is_static)
            return "it runs in a handler of signals, and has a static variable";
    return names_thread_local(func->body) ? "it runs in a handler of signals, and uses a "
                                            "thread-local"
                                          : NULL;
}

/* Functions that are named here, or in the bodies of these functions, run in a handler; `given`:
 * these are handlers. For a link its graph knows better what a handler calls. */
static void find_in_handler(const cw_unit *unit, const cw_node *node, bool given)
{
    if (node == NULL)
        return;
    if (node->kind == CW_REF && node->decl != NULL && node->decl->kind == CW_D_FUNCTION) {
        cw_func *func = node->decl->func;
        node->decl->in_handler = true;
        if (func != NULL && func->left_plain == NULL && !func->in_handler) {
            func->in_handler = true;
            func->left_plain = given                   ? handler
                               : unit->options->stress ? "it runs in a handler of signals"
                                                       : cw_unmarked_why_once(func);
            if (!unit->options->summary && unit->options->plan == NULL)
                find_in_handler(unit, func->body, false);
        }
    }
    for (size_t i = 0; i < node->nkids; i++)
        find_in_handler(unit, node->kids[i], given);
}

static bool gives_handlers(const cw_node *node)
{
    static const char functions[] = "signal bsd_signal sysv_signal sigset";
    static const char members[] = "sa_handler sa_sigaction";
    if (node->kind == CW_CALL) {
        const cw_decl *called = cw_function_called(node);
        return called != NULL && called->func == NULL && cw_lists_name(functions, called->name);
    }
    if (node->kind == CW_ASSIGN) {
        const cw_node *to = cw_strip(node->kids[0]);
        return to->kind == CW_MEMBER && to->decl != NULL && cw_lists_name(members, to->decl->name);
    }
    const cw_type *type = node->kind == CW_INIT_LIST ? cw_type_bare(node->type) : NULL;
    return type != NULL && type->kind == CW_T_RECORD && type->tag->name != NULL &&
           strcmp(type->tag->name, "sigaction") == 0;
}

static void find_handlers(const cw_unit *unit, const cw_node *node)
{
    if (node == NULL)
        return;
    if (gives_handlers(node))
        find_in_handler(unit, node, true);
    for (size_t i = 0; i < node->nkids; i++)
        find_handlers(unit, node->kids[i]);
}

/* ---- functions without a prototype ----------------------------------------------------------- */

/* Do two calls pass the same types, as far as a function can tell? */
static bool are_same(cw_unit *unit, const cw_type *one, const cw_type *other)
{
    bool same = one->nparams == other->nparams;
    for (size_t i = 0; same && i < one->nparams; i++)
        same = strcmp(cw_type_write(unit, one->params[i], "", CW_WRITE_FILE_SCOPE),
                      cw_type_write(unit, other->params[i], "", CW_WRITE_FILE_SCOPE)) == 0;
    return same;
}

/* C allows only calls that fit to the definition, so any of them shows its promoted parameters. */
static void learn_from_call(cw_unit *unit, const cw_node *call)
{
    cw_decl *decl = (cw_decl *)(uintptr_t)cw_function_called(call);
    const cw_type *type = decl != NULL ? cw_type_bare(decl->type) : NULL;
    if (type == NULL || type->kind != CW_T_FUNCTION || decl->func != NULL || decl->calls_differ ||
        cw_decl_is_ours(decl) || (type->prototyped && !decl->by_calls))
        return;
    cw_type bare = *type;
    bare.params = NULL;
    bare.nparams = 0;
    bare.prototyped = false;
    const cw_type *called = cw_type_of_call(unit, &bare, call);
    decl->calls_differ = !cw_type_is_usable(called) ||
                         (decl->by_calls && !are_same(unit, type, called));
    decl->by_calls = !decl->calls_differ;
    if (decl->calls_differ) {
        cw_type *unknown = cw_alloc(&unit->arena, sizeof *unknown);
        *unknown = bare;
        called = unknown;
    }
    decl->type = called;
}

static void learn_from_calls(cw_unit *unit, const cw_node *node)
{
    if (node == NULL)
        return;
    if (node->kind == CW_CALL)
        learn_from_call(unit, node);
    for (size_t i = 0; i < node->nkids; i++)
        learn_from_calls(unit, node->kids[i]);
}

/* ---- functions ------------------------------------------------------------------------------- */

/* A plan names only functions of the program. */
static bool is_named(const cw_unit *unit, const cw_decl *decl)
{
    return cw_plan_has(unit->options->plan, CW_PLAN_PAUSES, decl->name);
}

/* Names with two underscores belong to the implementation, but programs have them, too. */
static bool is_c_library(const cw_unit *unit, const cw_decl *decl)
{
    if (unit->options->stress || strncmp(decl->name, "__builtin_", 10) == 0 ||
        strncmp(decl->name, "__", 2) != 0)
        return cw_is_c_library(decl->name);
    return cw_place_of(unit, decl->name_at).system;
}

static bool is_planned(const cw_unit *unit, const cw_decl *decl)
{
    const cw_plan *plan = unit->options->plan;
    return plan == NULL || is_named(unit, decl) ||
           (decl->func == NULL && cw_plan_has(plan, CW_PLAN_PAUSES, "*"));
}

static const char inlined[] = "inline __inline __inline__", assembler[] = "asm __asm __asm__";
static const char weak[] = "it is weak, and another definition may take its place";

/* The names after `#pragma weak`. */
static void find_weak_pragmas(const cw_unit *unit, cw_names *names)
{
    static const char pragma[] = "#pragma";
    for (const char *at = unit->text; (at = strstr(at, pragma)) != NULL;) {
        bool begins = at == unit->text || at[-1] == '\n';
        at += sizeof pragma - 1;
        at += strspn(at, " \t");
        if (!begins || strncmp(at, "weak", 4) != 0 || (at[4] != ' ' && at[4] != '\t'))
            continue;
        at += 4 + strspn(at + 4, " \t");
        size_t length = strcspn(at, " \t\r\n=");
        cw_names_add(names, at, length);
    }
}

bool cw_unmarked_is_weak(const cw_func *func)
{
    return func->left_plain == weak;
}

static void mark_function(cw_unit *unit, const cw_names *weak_pragmas, cw_func *func)
{
    cw_decl *decl = func->decl;
    if (cw_decl_is_ours(decl)) {
        func->left_plain = NULL; /* even if its file is not read: it does not belong to the user */
        return;
    }
    if (cw_decl_is_pausable(decl) || func->left_plain != NULL || !is_planned(unit, decl))
        return;
    if ((func->left_plain = refusal_of(unit, decl)) != NULL)
        return;
    /* its attributes let compilers omit or merge calls of it */
    if (cw_has_attribute(unit, decl, "const pure unsequenced reproducible"))
        func->left_plain = "it is pure or const";
    else if (cw_has_attribute(unit, decl, "weak") ||
             cw_names_find(weak_pragmas, decl->name, strlen(decl->name)) != NULL)
        func->left_plain = weak;
    else if (cw_has_specifier(unit, decl, assembler))
        func->left_plain = "it has a name for the assembler";
    else if (is_c_library(unit, decl))
        func->left_plain = "compilers know its name as one of the C library";
    else if (!decl->is_static && cw_has_specifier(unit, decl, inlined))
        func->left_plain = "it is inline, but not static";
    else if (!unit->options->summary)
        mark_as_dual(decl);
    func->in_handler |= cw_plan_has(unit->options->plan, CW_PLAN_BOTH, decl->name);
}

static bool may_be_woven_elsewhere(const cw_unit *unit, const cw_decl *decl)
{
    const cw_type *type = decl->kind == CW_D_FUNCTION ? cw_type_bare(decl->type) : NULL;
    return type != NULL && decl->func == NULL && !cw_decl_is_pausable(decl) && type->prototyped &&
           (!type->variadic || is_named(unit, decl)) && !decl->is_static &&
           !cw_decl_is_ours(decl) && !is_c_library(unit, decl) && cw_can_be_written(decl->type) &&
           refusal_of(unit, decl) == NULL && !cw_has_specifier(unit, decl, inlined) &&
           !cw_has_specifier(unit, decl, assembler) && is_planned(unit, decl);
}

/* Headers of the system declare functions of libraries, too. The plan of a link names those that
 * pause. Without one they are plain, but where a task begins with them. */
static bool is_of_program(const cw_unit *unit, const cw_decl *decl)
{
    return is_named(unit, decl) || !cw_place_of(unit, decl->name_at).system;
}

/* The linker takes a weak function from elsewhere if it finds another there. A link's plan names it
 * then, for the one here stays plain. */
static bool is_replaced(const cw_unit *unit, const cw_decl *decl)
{
    return unit->options->plan != NULL && decl->func != NULL && decl->kind == CW_D_FUNCTION &&
           cw_unmarked_is_weak(decl->func) && is_named(unit, decl) &&
           !cw_type_bare(decl->type)->variadic && cw_type_bare(decl->type)->prototyped &&
           cw_can_be_written(decl->type);
}

static void mark_as_elsewhere(cw_decl *decl)
{
    mark_as_dual(decl);
    decl->bridged = !cw_type_bare(decl->type)->variadic; /* it cannot pass on open arguments */
}

void cw_unmarked_begin(const cw_unit *unit, cw_decl *decl)
{
    if (unit->options->plan != NULL && may_be_woven_elsewhere(unit, decl))
        mark_as_elsewhere(decl);
}

/* A root is a function of the system. Its pausing form is another function. */
static bool is_root(const cw_unit *unit, cw_decl *decl)
{
    const cw_type *type = decl->kind == CW_D_FUNCTION ? cw_type_bare(decl->type) : NULL;
    if (type == NULL || !type->prototyped || decl->is_static || !cw_can_be_written(decl->type))
        return false;
    const cw_plan_line *root = cw_plan_root(unit->options->plan, decl->name);
    decl->instead = root != NULL ? root->instead : NULL;
    return decl->instead != NULL;
}

bool cw_unmarked_is_root_by_address(const cw_unit *unit, cw_decl *decl)
{
    return decl->kind == CW_D_FUNCTION && decl->func == NULL &&
           cw_plan_has(unit->options->plan, CW_PLAN_ADDRESS, decl->name) && is_root(unit, decl) &&
           !cw_type_bare(decl->type)->variadic;
}

bool cw_unmarked(cw_unit *unit)
{
    if (!cw_weaves_unmarked(unit->options))
        return true;
    for (size_t i = 0; i < unit->nfuncs; i++)
        learn_from_calls(unit, unit->funcs[i]->body);
    for (size_t i = 0; i < unit->nfuncs; i++)
        find_handlers(unit, unit->funcs[i]->body);
    for (size_t i = 0; i < unit->ninitializers; i++)
        find_handlers(unit, unit->initializers[i]);
    cw_names weak_pragmas = { 0 };
    find_weak_pragmas(unit, &weak_pragmas);
    for (size_t i = 0; i < unit->nfuncs; i++)
        mark_function(unit, &weak_pragmas, unit->funcs[i]);
    cw_names_free(&weak_pragmas);
    cw_find_locals_of_tasks(unit);
    for (size_t i = 0; i < unit->ndecls; i++)
        if (!unit->options->summary &&
            (is_root(unit, unit->decls[i]) || is_replaced(unit, unit->decls[i]) ||
             (may_be_woven_elsewhere(unit, unit->decls[i]) && is_of_program(unit, unit->decls[i]))))
            mark_as_elsewhere(unit->decls[i]);
    return true;
}

/* Does the text at an offset belong to a declaration of this function, or to its body? */
static bool is_in(const cw_unit *unit, const cw_decl *decl, uint32_t at)
{
    if (decl->func != NULL && at >= decl->func->begin && at < decl->func->end)
        return true;
    for (size_t i = 0; i < decl->nredecls; i++) {
        uint32_t end = decl->redecls[i].end;
        while (!decl->redecls[i].definition && end < unit->length && unit->text[end] != ';')
            end++; /* attributes */
        if (at >= decl->redecls[i].begin && at < end)
            return true;
    }
    return false;
}

static const cw_decl *stressed_at(const cw_unit *unit, uint32_t at)
{
    for (size_t i = 0; i < unit->ndecls; i++)
        if (unit->decls[i]->stressed && is_in(unit, unit->decls[i], at))
            return unit->decls[i];
    return NULL;
}

static void leave_plain(cw_plain_list *plain, const cw_decl *decl, const char *why)
{
    for (size_t i = 0; i < plain->count; i++)
        if (strcmp(plain->items[i].name, decl->name) == 0)
            return;
    struct cw_plain new = { cw_must(strdup(decl->name)), cw_must(strdup(why)) };
    CW_ADD(plain->items, plain->count, new);
}

bool cw_unmarked_leave_plain(const cw_unit *unit, cw_plain_list *plain)
{
    size_t before = plain->count;
    for (size_t i = 0; i < unit->ndiagnostics; i++) {
        const cw_diagnostic *d = unit->diagnostics[i];
        if (d->severity != CW_ERROR)
            continue;
        const cw_decl *decl = stressed_at(unit, d->at);
        if (decl != NULL)
            leave_plain(plain, decl, d->message);
        for (size_t k = 0; decl == NULL && k < unit->ndecls;
             k++) /* it is in none: any of them may be at fault */
            if (unit->decls[k]->stressed)
                leave_plain(plain, unit->decls[k], d->message);
    }
    return plain->count > before;
}

void cw_plain_list_free(cw_plain_list *plain)
{
    for (size_t i = 0; i < plain->count; i++) {
        free(plain->items[i].name);
        free(plain->items[i].why);
    }
    free(plain->items);
}
