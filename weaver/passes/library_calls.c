/* library_calls.c - calls of co4's own functions, in all code of a unit.
 *
 * In:  the loaded tree, marked.
 * Out: nothing.
 *
 * A call of a function that no header in sight declares would be a plain call with the types that
 * its arguments have: it would block the thread, or worse. So it is an error, which names the
 * header. A constant that is no deadline, a duration without a unit, and a try whose result is
 * dropped, are warnings. */
#include <stdlib.h>
#include <string.h>

#include "ast/decl.h"
#include "ast/func.h"
#include "ast/node.h"
#include "ast/type.h"
#include "passes/passes.h"
#include "text/diag.h"
#include "text/library.h"
#include "text/unit.h"

/* ---- functions without a declaration ---- */

/* Is the first call in sight all that declares it? */
static bool is_declared_by_a_call(const cw_unit *unit, const cw_decl *decl)
{
    return decl->func == NULL && decl->nredecls > 0 &&
           (decl->redecls[0].begin == 0 || decl->redecls[0].begin == decl->name_at) &&
           cw_func_at(unit, decl->name_at) != NULL;
}

static void check_declared(cw_unit *unit, const cw_node *name)
{
    const cw_decl *decl = name->decl;
    if (strncmp(decl->name, "co4__", 5) == 0 || !is_declared_by_a_call(unit, decl))
        return;
    const char *folder = cw_library_folder(&unit->arena, unit->text);
    const char *header = cw_library_header(&unit->arena, folder, decl->name);
    const char *meant = header == NULL ? cw_library_meant(&unit->arena, folder, decl->name) : NULL;
    cw_diag(unit, CW_ERROR, name->begin,
            header != NULL   ? cw_format(&unit->arena, "#include <%s>", header)
            : meant != NULL  ? cw_format(&unit->arena, "do you mean %s?", meant)
            : folder == NULL ? "#include <co4.h>"
                             : "no header of co4 has a function of this name",
            "'%s' is not declared: a call of it could not pause", decl->name);
}

/* ---- times ---- */

/* An expression of numbers alone. */
static bool is_constant(const cw_node *node)
{
    if (node->kind == CW_LITERAL)
        return true;
    if (node->kind != CW_PAREN && node->kind != CW_IMPLICIT && node->kind != CW_CAST &&
        node->kind != CW_BINARY && (node->kind != CW_UNARY || strchr("-+~", node->op[0]) == NULL))
        return false;
    for (size_t i = 0; i < node->nkids; i++)
        if (node->kids[i] == NULL || !is_constant(node->kids[i]))
            return false;
    return node->nkids > 0;
}

/* CO4_NEVER and other numbers so large; 0, which is past. */
static bool may_be_deadline(cw_unit *unit, const cw_node *number)
{
    if (number->kind != CW_LITERAL)
        return false;
    uint64_t value = strtoull(cw_text_of(unit, number), NULL, 0);
    return value == 0 || value > INT64_MAX / 2;
}

static void check_time(cw_unit *unit, const char *param, const cw_decl *callee,
                       const cw_node *argument)
{
    const cw_node *bare = cw_strip(argument);
    const char *text = cw_text_of(unit, bare);
    if (strcmp(param, "deadline") == 0) {
        if (is_constant(bare) && !cw_is_deadline_now(unit, bare) && !may_be_deadline(unit, bare))
            cw_diag_warn(
                unit, CW_W_TIME, bare->begin,
                cw_format(&unit->arena, "write co4_after(%s), or CO4_NOW to try only", text),
                "'%s' takes a deadline, a time of the clock that co4_now() shows: '%s' "
                "is long past",
                callee->name, text);
    } else if (strcmp(param, "ns") == 0 && bare->kind == CW_LITERAL) {
        uint64_t value = strtoull(text, NULL, 0);
        if (value > 0 && value < 1000)
            cw_diag_warn(unit, CW_W_TIME, bare->begin,
                         cw_format(&unit->arena, "write %s * CO4_MS or %s * CO4_SEC", text, text),
                         "'%s' takes nanoseconds, and '%s' of them is no time", callee->name, text);
    }
}

static void check_call(cw_unit *unit, const cw_node *callee, cw_node *const *arguments,
                       size_t count)
{
    const cw_node *name = cw_strip(callee);
    const cw_decl *decl = name->kind == CW_REF ? name->decl : NULL;
    if (decl == NULL || decl->kind != CW_D_FUNCTION || !cw_decl_is_ours(decl))
        return;
    check_declared(unit, name);
    for (size_t i = 0; i < count && i < decl->nparams; i++)
        check_time(unit, decl->params[i]->name, decl, arguments[i]);
    /* The loader does not read the parameters of plain functions. */
    if (count == 1 && decl->nparams == 0 && strcmp(decl->name, "co4_after") == 0)
        check_time(unit, "ns", decl, arguments[0]);
}

/* A call that only tries, and whose code nobody looks at. Those of POSIX return more than a
 * code. */
static void check_tried(cw_unit *unit, const cw_node *statement)
{
    const cw_node *call = statement->kids[0] != NULL ? cw_strip(statement->kids[0]) : NULL;
    const cw_decl *decl = call != NULL ? cw_function_called(call) : NULL;
    const cw_type *type = call != NULL && call->type != NULL ? cw_type_bare(call->type) : NULL;
    const cw_node *around = statement->parent != NULL ? statement->parent->parent : NULL;
    bool is_value = around != NULL && around->kind == CW_STMT_EXPR &&
                    cw_value_statement(around) == statement;
    if (decl == NULL || !decl->needs_block || is_value || type->kind != CW_T_BUILTIN ||
        strcmp(type->name, "int") != 0 || !cw_call_never_waits(unit, call))
        return;
    cw_diag_warn(unit, CW_W_UNUSED_TRY, call->begin, "look at its result, or cast the call to void",
                 "'%s' with CO4_NOW may have done nothing, and its result says so", decl->name);
}

static void check_node(cw_unit *unit, const cw_node *node)
{
    if (node == NULL)
        return;
    if (node->kind == CW_EXPR_STMT)
        check_tried(unit, node);
    size_t callee = node->kind == CW_ENTRY && cw_entry_has_runtime(node->entry);
    if ((node->kind == CW_CALL || node->kind == CW_ENTRY) && node->nkids > callee)
        check_call(unit, node->kids[callee], node->kids + callee + 1, node->nkids - callee - 1);
    for (size_t i = 0; i < node->nkids; i++)
        check_node(unit, node->kids[i]);
}

void cw_check_library_calls(cw_unit *unit)
{
    for (size_t i = 0; i < unit->nfuncs; i++)
        check_node(unit, unit->funcs[i]->body);
}
