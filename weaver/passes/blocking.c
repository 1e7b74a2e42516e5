/* blocking.c - warns of calls in pausable functions that block the thread: all its tasks wait,
 * perhaps including the one that would end the wait.
 *
 * In:  functions with their bodies.
 * Out: warnings; cw_func.blocks_by of plain functions.
 *
 * A call that blocks is known by name, if a system header declares it, and share/co4/posix.roots
 * has a hint. A call that returns at once is silent: by its flags, a zero limit, or a descriptor
 * that the function itself makes non-blocking. So is output to stdout and stderr.
 *
 * A plain function of the unit that makes such a call, or calls one that does, blocks as well:
 * from those that make one, a search goes to their callers. One that looks for EAGAIN tries
 * without a wait. What other units define is not known. */
#include <string.h>

#include "ast/decl.h"
#include "ast/node.h"
#include "base/names.h"
#include "base/plan.h"
#include "passes/passes.h"
#include "text/diag.h"
#include "text/unit.h"

/* ---- what blocks ---- */

/* The hint of posix.roots, with the function's name in it. */
static const char *blocking_hint(cw_unit *unit, const cw_plan *roots, const char *name)
{
    const char *hint = cw_plan_hint(roots, name), *at = hint != NULL ? strstr(hint, "NAME") : NULL;
    return at == NULL ? hint
                      : cw_format(&unit->arena, "%.*s%s%s", (int)(at - hint), hint, name,
                                  at + strlen("NAME"));
}

/* ---- calls that do not block ---- */

const char *cw_compact_text(cw_unit *unit, const cw_node *node)
{
    char *text = cw_strndup(&unit->arena, unit->text + node->begin, node->end - node->begin);
    char *to = text;
    for (const char *from = text; *from != '\0'; from++)
        if (strchr(" \t\r\n", *from) == NULL)
            *to++ = *from;
    *to = '\0';
    return text;
}

/* The texts of the descriptors that the function makes non-blocking somewhere. */
typedef struct descriptors {
    const char **items;
    size_t count;
} descriptors;

/* Does the expression name the flag, or contain the number to which its macro expands? */
static bool holds_flag(cw_unit *unit, const cw_node *node, const char *names)
{
    if (node == NULL)
        return false;
    if (node->kind == CW_REF && node->decl != NULL && cw_lists_name(names, node->decl->name))
        return true;
    if (node->kind == CW_LITERAL &&
        cw_lists(names, unit->text + node->begin, node->end - node->begin))
        return true;
    for (size_t i = 0; i < node->nkids; i++)
        if (holds_flag(unit, node->kids[i], names))
            return true;
    return false;
}

static bool opens_non_blocking(cw_unit *unit, const cw_node *call)
{
    static const char flags[] = "SOCK_NONBLOCK O_NONBLOCK 04000 00004000 0x0004 0x4000";
    static const char calls[] =
        "socket accept4 open openat fcntl timerfd_create eventfd signalfd inotify_init1";
    call = cw_strip(call);
    const cw_decl *callee = cw_function_called(call);
    if (callee == NULL || !cw_lists_name(calls, callee->name))
        return false;
    for (size_t i = 2; i < call->nkids; i++)
        if (holds_flag(unit, call->kids[i], flags))
            return true;
    return false;
}

static void find_non_blocking(cw_unit *unit, const cw_node *node, descriptors *found)
{
    const char *name = NULL;
    if (node == NULL)
        return;
    if (node->kind == CW_VAR && node->kids[0] != NULL && opens_non_blocking(unit, node->kids[0]))
        name = node->decl->name;
    if (node->kind == CW_ASSIGN && opens_non_blocking(unit, node->kids[1]))
        name = cw_compact_text(unit, node->kids[0]);
    if (node->kind == CW_CALL && node->nkids > 3 && opens_non_blocking(unit, node) &&
        strcmp(cw_function_called(node)->name, "fcntl") == 0)
        name = cw_compact_text(unit, node->kids[1]);
    if (name != NULL)
        CW_PUSH(&unit->arena, found->items, found->count, name);
    for (size_t i = 0; i < node->nkids; i++)
        find_non_blocking(unit, node->kids[i], found);
}

/* Does it return at once, by its descriptor, its flags, or a time limit of zero? Output to a stream
 * of the program's own counts as such. */
static bool returns_at_once(cw_unit *unit, const cw_node *call, const char *name,
                            const descriptors *known)
{
    static const char own_outputs[] = "stdout stderr __stdoutp __stderrp";
    static const struct {
        const char *name;
        size_t argument; /* from 1 */
        const char *flags;
    } limits[] = {
        { "recv", 4, "MSG_DONTWAIT 0x40 0x80" },
        { "recvfrom", 4, "MSG_DONTWAIT 0x40 0x80" },
        { "recvmsg", 3, "MSG_DONTWAIT 0x40 0x80" },
        { "send", 4, "MSG_DONTWAIT 0x40 0x80" },
        { "sendto", 4, "MSG_DONTWAIT 0x40 0x80" },
        { "sendmsg", 3, "MSG_DONTWAIT 0x40 0x80" },
        { "waitpid", 3, "WNOHANG 1" },
        { "wait4", 3, "WNOHANG 1" },
        { "poll", 3, "0" },
        { "epoll_wait", 4, "0" },
        { "flock", 2, "LOCK_NB LOCK_UN 4 8" },
        { "lockf", 2, "F_ULOCK F_TLOCK F_TEST 2 3" },
    };
    if (cw_call_never_waits(unit, call))
        return true;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (strcmp(limits[i].name, name) == 0 && call->nkids > limits[i].argument) {
            const cw_node *argument = cw_strip(call->kids[limits[i].argument]);
            if ((*limits[i].flags != '0' || argument->kind == CW_LITERAL) &&
                holds_flag(unit, argument, limits[i].flags))
                return true;
        }
    for (size_t i = 0; i < known->count && call->nkids > 1; i++)
        if (strcmp(known->items[i], cw_compact_text(unit, call->kids[1])) == 0)
            return true;
    for (size_t i = 1; i < call->nkids; i++)
        if (holds_flag(unit, call->kids[i], own_outputs))
            return true;
    return false;
}

/* The hint for a call that blocks; NULL: it does not. */
static const char *blocks(cw_unit *unit, const cw_plan *roots, const descriptors *known,
                          const cw_node *call, const cw_decl *callee)
{
    const char *hint = cw_place_of(unit, callee->name_at).system
                           ? blocking_hint(unit, roots, callee->name)
                           : NULL;
    return hint != NULL && !returns_at_once(unit, call, callee->name, known) ? hint : NULL;
}

/* ---- plain functions ---- */

/* Does it look whether a call would have blocked? Then its descriptors are non-blocking. */
static bool tries(cw_unit *unit, const cw_node *body)
{
    return holds_flag(unit, body, "EAGAIN EWOULDBLOCK 11 35");
}

/* Of one plain function: the first call that blocks, and the functions that it calls. */
static void look_at_plain(cw_unit *unit, const cw_plan *roots, cw_func *func,
                          const descriptors *known, const cw_node *node)
{
    if (node == NULL || node->kind == CW_SIZEOF)
        return;
    const cw_decl *callee = cw_function_called(node);
    if (callee == NULL || callee->marked) {
        /* not known, or an error elsewhere */
    } else if (callee->func != NULL && callee->func != func) {
        CW_PUSH(&unit->arena, callee->func->callers, callee->func->ncallers, func);
    } else if (func->blocks_by == NULL && blocks(unit, roots, known, node, callee) != NULL) {
        func->blocks_by = callee->name;
        func->blocks_itself = true;
    }
    for (size_t i = 0; i < node->nkids; i++)
        look_at_plain(unit, roots, func, known, node->kids[i]);
}

void cw_find_blocking(cw_unit *unit, const cw_plan *roots)
{
    cw_func **found = NULL;
    size_t count = 0;
    for (size_t i = 0; i < unit->nfuncs; i++) {
        cw_func *func = unit->funcs[i];
        descriptors known = { 0 };
        if (func->pausable || tries(unit, func->body))
            continue;
        find_non_blocking(unit, func->body, &known);
        look_at_plain(unit, roots, func, &known, func->body);
        if (func->blocks_by != NULL)
            CW_PUSH(&unit->arena, found, count, func);
    }
    for (size_t i = 0; i < count; i++) /* each function is found once */
        for (size_t j = 0; j < found[i]->ncallers; j++) {
            cw_func *caller = found[i]->callers[j];
            if (caller->blocks_by != NULL)
                continue;
            caller->blocks_by = found[i]->blocks_by;
            CW_PUSH(&unit->arena, found, count, caller);
        }
}

/* ---- pausable functions ---- */

static void check_blocking(cw_unit *unit, const cw_plan *roots, const cw_func *func,
                           const descriptors *known, const cw_node *node)
{
    if (node == NULL || node->kind == CW_SIZEOF)
        return;
    const cw_decl *callee = cw_function_called(node);
    const char *hint;
    if (callee == NULL || callee->marked || node->entry == CW_ENTRY_BLOCKING) {
        /* through a pointer, or it pauses, or another thread makes it */
    } else if (strcmp(callee->name, "co4_runtime_join") == 0) {
        cw_diag_warn(
            unit, CW_W_BLOCKING, node->begin, "join the tasks it waits for with co4_task_join()",
            "'%s' is for threads: inside a task it waits for nothing, and fails", callee->name);
    } else if ((hint = blocks(unit, roots, known, node, callee)) != NULL) {
        cw_diag_warn(unit, CW_W_BLOCKING, node->begin, hint,
                     "'%s' blocks the thread, and with '%s' all other tasks on it", callee->name,
                     func->decl->name);
    } else if (callee->func != NULL && callee->func->blocks_by != NULL &&
               !tries(unit, func->body)) {
        cw_diag_warn(unit, CW_W_BLOCKING, node->begin,
                     cw_format(&unit->arena,
                               "mark '%s' pausable, with a call that pauses; or write "
                               "co4_blocking(%s(...)) here",
                               callee->name, callee->name),
                     "'%s' %s '%s', which blocks the thread, and with '%s' all other tasks on it",
                     callee->name, callee->func->blocks_itself ? "calls" : "leads to",
                     callee->func->blocks_by, func->decl->name);
    }
    for (size_t i = 0; i < node->nkids; i++)
        check_blocking(unit, roots, func, known, node->kids[i]);
}

void cw_warn_blocking(cw_unit *unit, const cw_plan *roots, const cw_func *func)
{
    descriptors known = { 0 };
    find_non_blocking(unit, func->body, &known);
    check_blocking(unit, roots, func, &known, func->body);
}
