/* mistakes.c - uses of the library that compile and surely do something else.
 *
 * In:  the loaded tree, marked.
 * Out: warnings.
 *
 *   code           a code of the library compared with -1 or with the negative number of an errno
 *                  that has a name of the library's: no call returns these. The calls of io.h and
 *                  file.h are POSIX's, and do return -1. A local counts if each value that the
 *                  function gives it is such a code.
 *   endless        a loop without an end that drops the codes of all calls that may wait: a task
 *                  that is cancelled in it never ends.
 *   local-address  the address of a local given to a task, where nothing waits until the local
 *                  ends: with its function, if that drops or returns the handle of the task, or
 *                  with its inner block. The local is gone before the task has used it, or is the
 *                  next one's. */
#include <string.h>

#include "ast/decl.h"
#include "ast/func.h"
#include "ast/node.h"
#include "ast/type.h"
#include "base/names.h"
#include "passes/passes.h"
#include "text/diag.h"
#include "text/source_map.h"
#include "text/unit.h"

/* ---- codes ---- */

static bool ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n >= m && strcmp(s + n - m, end) == 0;
}

static bool may_wait(const cw_decl *callee)
{
    return callee != NULL && cw_decl_is_ours(callee) && (callee->marked || callee->needs_block);
}

/* The function of the library, other than POSIX's, whose code this expression is; or NULL. */
static const cw_decl *gives_code(cw_unit *unit, const cw_node *node)
{
    const cw_node *call = cw_strip(node);
    const cw_decl *callee = cw_function_called(call);
    if (!may_wait(callee))
        return NULL;
    const cw_type *type = call->type != NULL ? cw_type_bare(call->type) : NULL;
    const char *header = cw_place_of(unit, callee->name_at).file;
    bool posix = ends_with(header, "co4/io.h") || ends_with(header, "co4/file.h");
    return !posix && type != NULL && type->kind == CW_T_BUILTIN && strcmp(type->name, "void") != 0
               ? callee
               : NULL;
}

static void note_value(cw_unit *unit, cw_decl *local, const cw_node *value)
{
    const cw_decl *callee = value != NULL ? gives_code(unit, value) : NULL;
    local->gets_other |= callee == NULL;
    local->gets_code_of = callee;
}

/* Notes of each local what the function gives it. */
static void note_values(cw_unit *unit, const cw_node *node)
{
    if (node == NULL)
        return;
    if (node->kind == CW_VAR && node->kids[0] != NULL)
        note_value(unit, node->decl, node->kids[0]);
    if (node->kind == CW_ASSIGN || node->kind == CW_COMPOUND_ASSIGN) {
        const cw_node *target = cw_strip(node->kids[0]);
        if (target->kind == CW_REF && target->decl != NULL)
            note_value(unit, target->decl, node->kind == CW_ASSIGN ? node->kids[1] : NULL);
    }
    for (size_t i = 0; i < node->nkids; i++)
        note_values(unit, node->kids[i]);
}

static const cw_decl *code_of(cw_unit *unit, const cw_node *node)
{
    node = cw_strip(node);
    if (node->kind == CW_ASSIGN)
        return gives_code(unit, node->kids[1]);
    const cw_decl *local = node->kind == CW_REF ? node->decl : NULL;
    if (local == NULL)
        return gives_code(unit, node);
    return local->kind == CW_D_VARIABLE && local->local && !local->is_static &&
                   !local->address_taken && !local->gets_other
               ? local->gets_code_of
               : NULL;
}

/* -1, or the negative of an errno that has a name of the library's: "EINVAL", by its macro. Returns
 * the name, "1", or NULL for another expression. */
static const char *wrong_code(cw_unit *unit, const cw_node *node)
{
    static const char named[] =
        "ENOMEM EINVAL ETIMEDOUT ECANCELED EBUSY EDEADLK EAGAIN EWOULDBLOCK EPERM";
    node = cw_strip(node);
    if (node->kind != CW_UNARY || node->op[0] != '-' || node->op[1] != '\0')
        return NULL;
    const cw_node *number = cw_strip(node->kids[0]);
    if (number->kind != CW_LITERAL)
        return NULL;
    const char *macro = cw_site_of(unit, number->begin).macro;
    if (macro != NULL && cw_lists_name(named, macro))
        return macro;
    return macro == NULL && strcmp(cw_text_of(unit, number), "1") == 0 ? "1" : NULL;
}

static void check_comparison(cw_unit *unit, const cw_node *node)
{
    if (node->kind != CW_BINARY || node->op[1] != '=' || strchr("=!", node->op[0]) == NULL)
        return;
    for (int side = 0; side < 2; side++) {
        const char *wrong = wrong_code(unit, node->kids[side]);
        const cw_decl *callee = wrong != NULL ? code_of(unit, node->kids[!side]) : NULL;
        if (callee == NULL)
            continue;
        if (wrong[0] == '1')
            cw_diag_warn(unit, CW_W_CODE, node->begin,
                         "compare with < 0; co4_strerror(code) says what it means",
                         "'%s' returns a code when it fails, and -1 is none: errno is not set",
                         callee->name);
        else
            cw_diag_warn(unit, CW_W_CODE, node->begin,
                         cw_format(&unit->arena, "compare with CO4_%s",
                                   strcmp(wrong, "EWOULDBLOCK") == 0 ? "EAGAIN" : wrong),
                         "'%s' never returns -%s: this code has a name of its own", callee->name,
                         wrong);
    }
}

/* ---- endless loops ---- */

/* What a loop does about its end. */
typedef struct loop {
    cw_unit *unit;
    const cw_node *dropped; /* the first call whose code is dropped */
    bool ends;              /* it may be left, or looks at a code */
} loop;

/* A call that does not return, or of which that is not known: a longjmp, an exit. */
static bool may_leave(const cw_decl *callee)
{
    static const char names[] =
        "exit _exit _Exit quick_exit abort longjmp _longjmp siglongjmp pthread_exit thrd_exit "
        "co4_gen_yield __assert_fail __builtin_unreachable __builtin_trap execv execve execvp";
    return callee != NULL && cw_lists_name(names, callee->name);
}

static bool code_is_dropped(const cw_node *call)
{
    const cw_node *at = call->parent;
    while (at != NULL && (at->kind == CW_PAREN || at->kind == CW_IMPLICIT))
        at = at->parent;
    return at != NULL && at->kind == CW_EXPR_STMT;
}

static void look_at_call(loop *l, const cw_node *call)
{
    const cw_decl *callee = cw_function_called(call);
    bool dropped = code_is_dropped(call);
    if (callee == NULL || may_leave(callee) || cw_jump_of(call) != CW_NO_JUMP)
        l->ends = true;
    else if (may_wait(callee) || callee->func != NULL) /* the code of its own may end the loop */
        l->ends |= !dropped;
    if (may_wait(callee) && dropped && l->dropped == NULL && !cw_call_never_waits(l->unit, call))
        l->dropped = call;
}

/* `inside`: in a loop or switch of its own, which a `break` leaves. */
static void look_for_end(loop *l, const cw_node *node, bool inside)
{
    if (node == NULL || l->ends)
        return;
    if (node->kind == CW_RETURN || node->kind == CW_GOTO || node->kind == CW_INDIRECT_GOTO ||
        node->kind == CW_ASM || (node->kind == CW_BREAK && !inside))
        l->ends = true;
    if (node->kind == CW_CALL)
        look_at_call(l, node);
    inside = inside || node->kind == CW_WHILE || node->kind == CW_DO || node->kind == CW_FOR ||
             node->kind == CW_SWITCH;
    for (size_t i = 0; i < node->nkids; i++)
        look_for_end(l, node->kids[i], inside);
}

static bool is_true(cw_unit *unit, const cw_node *condition)
{
    const cw_node *bare = condition != NULL ? cw_strip(condition) : NULL;
    return bare == NULL || (bare->kind == CW_LITERAL && strcmp(cw_text_of(unit, bare), "1") == 0) ||
           (bare->kind == CW_LITERAL && strcmp(cw_text_of(unit, bare), "true") == 0);
}

static void check_loop(cw_unit *unit, const cw_func *func, const cw_node *node)
{
    const cw_node *body = NULL;
    if (node->kind == CW_WHILE && is_true(unit, node->kids[0]))
        body = node->kids[1];
    else if (node->kind == CW_DO && is_true(unit, node->kids[1]))
        body = node->kids[0];
    else if (node->kind == CW_FOR && is_true(unit, node->kids[1]))
        body = node->kids[3];
    if (body == NULL || !func->pausable)
        return;
    loop l = { .unit = unit };
    look_for_end(&l, body, false);
    if (node->kind == CW_FOR)
        look_for_end(&l, node->kids[2], true);
    if (l.ends || l.dropped == NULL)
        return;
    cw_diag_warn(unit, CW_W_ENDLESS, l.dropped->begin,
                 cw_format(&unit->arena, "look at its code: while (%s(...) == CO4_OK)",
                           cw_function_called(l.dropped)->name),
                 "this loop never ends: when the task is cancelled, '%s' returns at once with "
                 "CO4_ECANCELED, and nobody looks",
                 cw_function_called(l.dropped)->name);
}

/* ---- addresses of locals ---- */

/* The local that this lvalue is, or is part of; NULL for another object. */
static const cw_decl *local_of_place(const cw_node *node)
{
    while (node->kind == CW_PAREN || (node->kind == CW_MEMBER && !node->arrow) ||
           (node->kind == CW_INDEX && cw_strip(node->kids[0])->kind == CW_REF &&
            cw_type_bare(cw_strip(node->kids[0])->type)->kind == CW_T_ARRAY))
        node = node->kind == CW_INDEX ? cw_strip(node->kids[0]) : node->kids[0];
    const cw_decl *decl = node->kind == CW_REF ? node->decl : NULL;
    bool automatic = decl != NULL && !decl->is_static &&
                     (decl->kind == CW_D_PARAM || (decl->kind == CW_D_VARIABLE && decl->local));
    return automatic ? decl : NULL;
}

/* The local whose address this value is; NULL for another value. */
static const cw_decl *local_of_address(const cw_node *node)
{
    while (node->kind == CW_PAREN || node->kind == CW_CAST || node->kind == CW_IMPLICIT) {
        const cw_node *kid = node->kids[node->nkids - 1];
        if (node->kind == CW_IMPLICIT && kid->type != NULL &&
            cw_type_bare(kid->type)->kind == CW_T_ARRAY)
            return local_of_place(kid);
        node = kid;
    }
    return node->kind == CW_UNARY && strcmp(node->op, "&") == 0 ? local_of_place(node->kids[0])
                                                                : NULL;
}

/* Where the function or the block ends whose local it is. */
static uint32_t end_of(const cw_func *func, const cw_decl *local)
{
    return local->scope_end > 0 ? local->scope_end : func->body->end;
}

/* The node around this one, but for parentheses. */
static const cw_node *around(const cw_node *node)
{
    const cw_node *at = node->parent;
    while (at != NULL && (at->kind == CW_PAREN || at->kind == CW_IMPLICIT || at->kind == CW_CAST))
        at = at->parent;
    return at;
}

/* This function has no handle of the task by which to wait for its end; or the scope waits, which
 * is another function's. */
static bool is_left_alone(const cw_node *entry)
{
    const cw_node *at = around(entry);
    const cw_decl *called = at != NULL ? cw_function_called(at) : NULL;
    return entry->entry == CW_ENTRY_SPAWN || entry->entry == CW_ENTRY_SPAWN_ON ||
           (at != NULL && at->kind == CW_RETURN) ||
           (entry->entry == CW_ENTRY_TASK && called != NULL &&
            strcmp(called->name, "co4_scope_start") == 0);
}

static bool makes_task(const cw_node *node)
{
    return node->kind == CW_ENTRY &&
           (node->entry == CW_ENTRY_SPAWN || node->entry == CW_ENTRY_SPAWN_ON ||
            node->entry == CW_ENTRY_START || node->entry == CW_ENTRY_START_ON ||
            node->entry == CW_ENTRY_TASK);
}

/* Is there a call in the range? In a plain function it may wait for the task. */
static bool holds_call(const cw_node *node, uint32_t begin, uint32_t end)
{
    if (node == NULL || node->end <= begin || node->begin >= end)
        return false;
    bool found = node->begin >= begin &&
                 (node->kind == CW_CALL || (node->kind == CW_ENTRY && !makes_task(node)));
    for (size_t i = 0; !found && i < node->nkids; i++)
        found = holds_call(node->kids[i], begin, end);
    return found;
}

static void check_spawn(cw_unit *unit, cw_func *func, const cw_node *node)
{
    if (!makes_task(node))
        return;
    bool alone = is_left_alone(node);
    for (size_t i = 1 + cw_entry_has_runtime(node->entry); i < node->nkids; i++) {
        const cw_decl *local = local_of_address(node->kids[i]);
        if (local == NULL)
            continue;
        uint32_t end = end_of(func, local);
        if ((alone || end < func->body->end) &&
            !(func->pausable ? cw_holds_point(func, node->end, end)
                             : holds_call(func->body, node->end, end)))
            cw_diag_warn(
                unit, CW_W_LOCAL_ADDRESS, node->kids[i]->begin,
                "wait for the task here, or give it the value",
                "the task gets the address of '%s', and '%s' does not wait for it: when the "
                "task runs, '%s' is gone or has changed",
                local->name, func->decl->name, local->name);
    }
}

static void check_node(cw_unit *unit, cw_func *func, const cw_node *node)
{
    if (node == NULL)
        return;
    check_comparison(unit, node);
    check_loop(unit, func, node);
    check_spawn(unit, func, node);
    for (size_t i = 0; i < node->nkids; i++)
        check_node(unit, func, node->kids[i]);
}

void cw_check_mistakes(cw_unit *unit)
{
    if (unit->options->stress)
        return;
    for (size_t i = 0; i < unit->nfuncs; i++) {
        if (unit->options->plan != NULL && !unit->funcs[i]->decl->marked)
            continue;
        note_values(unit, unit->funcs[i]->body);
        check_node(unit, unit->funcs[i], unit->funcs[i]->body);
    }
}
