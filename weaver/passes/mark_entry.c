/* mark_entry.c - entry points: co4_run, co4_spawn and their variants, and co4_blocking.
 *
 * The macros of include/co4/mark.h expand to expressions with a marker function. Here each becomes
 * one node whose kids are the callee and its arguments, so that later passes see an ordinary
 * call. */
#include <string.h>

#include "ast/decl.h"
#include "ast/node.h"
#include "ast/type.h"
#include "passes/passes.h"
#include "text/diag.h"
#include "text/unit.h"

static const struct {
    const char *marker, *name;
    cw_entry_kind kind;
} entry_kinds[] = {
    { "co4_weave_run", "co4_run", CW_ENTRY_RUN },
    { "co4_weave_blocking", "co4_blocking", CW_ENTRY_BLOCKING },
    { "co4_weave_block", "co4_block", CW_ENTRY_BLOCK },
    { "co4_weave_spawn", "co4_spawn", CW_ENTRY_SPAWN },
    { "co4_weave_spawn_on", "co4_runtime_spawn", CW_ENTRY_SPAWN_ON },
    { "co4_weave_task", "co4_task_create", CW_ENTRY_TASK },
    { "co4_weave_call", "co4_scope_run", CW_ENTRY_CALL },
    { "co4_weave_generate", "co4_generate", CW_ENTRY_GENERATE },
};

/* Index in entry_kinds of the marker that this node calls, or -1. */
static int marker_called(const cw_node *node)
{
    if (node->kind != CW_CALL)
        return -1;
    const cw_node *callee = cw_strip(node->kids[0]);
    if (callee->kind != CW_REF || callee->decl == NULL)
        return -1;
    for (size_t i = 0; i < sizeof entry_kinds / sizeof *entry_kinds; i++)
        if (strcmp(callee->decl->name, entry_kinds[i].marker) == 0)
            return (int)i;
    return -1;
}

/* The call behind a marker, which is entry_kinds[*which]: in (marker(), (call)), whose value is the
 * call's, or as the operand of the marker's last argument. NULL for any other node. */
static cw_node *marked_call(const cw_node *node, int *which)
{
    bool before = node->kind == CW_PAREN && node->kids[0]->kind == CW_COMMA;
    if ((*which = marker_called(before ? node->kids[0]->kids[0] : node)) < 0)
        return NULL;
    cw_entry_kind kind = entry_kinds[*which].kind;
    if (before)
        return kind == CW_ENTRY_RUN || kind == CW_ENTRY_BLOCKING || kind == CW_ENTRY_BLOCK
                   ? cw_strip(node->kids[0]->kids[1])
                   : NULL;
    const cw_node *arg = cw_strip(node->kids[node->nkids - 1]);
    if (arg->kind != CW_COMMA || arg->kids[0]->kind != CW_CAST)
        return NULL;
    return cw_strip(arg->kids[0]->kids[arg->kids[0]->nkids - 1]);
}

static const cw_node *call_behind(const cw_node *node, cw_entry_kind kind)
{
    int which;
    const cw_node *call = marked_call(node, &which);
    return call != NULL && entry_kinds[which].kind == kind ? call : NULL;
}

const cw_node *cw_entry_call(const cw_node *node)
{
    int which;
    const cw_node *call = marked_call(node, &which);
    bool enters = call != NULL && entry_kinds[which].kind != CW_ENTRY_BLOCKING &&
                  entry_kinds[which].kind != CW_ENTRY_BLOCK;
    return enters ? call : NULL;
}

const cw_node *cw_blocking_call(const cw_node *node)
{
    return call_behind(node, CW_ENTRY_BLOCKING);
}

const cw_node *cw_block_call(const cw_node *node)
{
    return call_behind(node, CW_ENTRY_BLOCK);
}

static void refuse_variadic(cw_unit *unit, const cw_node *callee, const char *name)
{
    cw_diag(unit, CW_ERROR, callee->begin, "enter a function of fixed parameters that calls it",
            "%s cannot keep the arguments of '%s', which is variadic", name,
            cw_text_of(unit, callee));
}

/* Refuses a call with the list of a variadic function's arguments, which are there as long as that
 * function runs. */
static bool takes_list(cw_unit *unit, const cw_node *call, const char *name)
{
    const cw_type *type = cw_callee_type(call->kids[0]);
    for (size_t i = 1; i < call->nkids && i <= type->nparams; i++)
        if (cw_type_is_va_list(type->params[i - 1])) {
            cw_diag(unit, CW_ERROR, call->kids[i]->begin,
                    "take its values out of it, or format the text, before",
                    "%s cannot keep a va_list: it reads the arguments of a call that ends before",
                    name);
            return true;
        }
    return false;
}

/* May another thread make this call? If not, reports why. */
static bool can_be_blocking(cw_walk *w, const cw_node *call)
{
    cw_unit *unit = w->unit;
    const cw_node *what = call->kind == CW_CALL ? call->kids[0] : call;
    const char *text = cw_text_of(unit, what);
    const cw_decl *decl = cw_function_called(call);
    if (w->func == NULL || !w->func->pausable) {
        cw_diag(unit, CW_ERROR, what->begin,
                w->func == NULL ? "set it in a function"
                                : cw_format(&unit->arena, "mark '%s' pausable, or call directly",
                                            w->func->decl->name),
                "co4_blocking pauses, which only a pausable function may");
    } else if (call->kind != CW_CALL) {
        cw_diag(unit, CW_ERROR, what->begin, "write the call itself: co4_blocking(f(x))",
                "co4_blocking takes a call of an ordinary function");
    } else if (cw_is_pausable(what)) {
        cw_diag(unit, CW_ERROR, what->begin, "call it directly: it pauses by itself",
                "co4_blocking takes a call of an ordinary function, and '%s' is pausable", text);
    } else if (cw_is_setjmp(unit, call) ||
               (decl != NULL && strncmp(decl->name, "__builtin_", 10) == 0)) {
        cw_diag(unit, CW_ERROR, what->begin, "call it in a function of your own",
                "'%s' belongs to the function that calls it: co4_blocking cannot call it elsewhere",
                text);
    } else if (cw_callee_type(what)->variadic) {
        refuse_variadic(unit, what, "co4_blocking");
    } else if (cw_callee_type(what)->nparams != call->nkids - 1) {
        cw_diag(unit, CW_ERROR, what->begin, "declare it with its parameters",
                "co4_blocking cannot keep the arguments of '%s', whose parameters are not known",
                text);
    } else {
        return !takes_list(unit, call, "co4_blocking");
    }
    return false;
}

/* Turns the marker expression around a plain call into a call that is a suspension point. */
static void recognise_blocking(cw_walk *w, cw_node *node)
{
    cw_node *call = cw_strip(node->kids[0]->kids[1]);
    if (w->unevaluated || !can_be_blocking(w, call))
        return;
    node->kind = CW_CALL;
    node->entry = CW_ENTRY_BLOCKING;
    node->kids = call->kids;
    node->nkids = call->nkids;
    for (size_t i = 0; i < node->nkids; i++)
        node->kids[i]->parent = node;
    CW_PUSH(&w->unit->arena, w->unit->entries, w->unit->nentries, node);
}

/* Refuses co4_block() where it would block a thread that runs tasks, and around anything but a call
 * that has a plain form. */
static void recognise_block(cw_walk *w, cw_node *call)
{
    cw_unit *unit = w->unit;
    const cw_node *what = call->kind == CW_CALL ? call->kids[0] : call;
    const char *text = cw_text_of(unit, what);
    const cw_decl *decl = cw_function_called(call);
    if (call->kind != CW_CALL)
        cw_diag(unit, CW_ERROR, what->begin, "write the call itself: co4_block(f(x))",
                "co4_block takes a call of a function that may wait");
    else if (decl == NULL || (!decl->dual && !decl->marked))
        cw_diag(unit, CW_ERROR, what->begin, "call it directly",
                "co4_block takes a call of a pausable function, and '%s' is plain", text);
    else if (!decl->dual)
        cw_diag(unit, CW_ERROR, what->begin,
                cw_format(&unit->arena,
                          "enter it with co4_run(%s(...)), or mark it "
                          "pausable_or_block",
                          text),
                "'%s' is pausable only: it has no form that blocks the thread", text);
    else if (w->func != NULL && w->func->pausable && !w->func->decl->stressed)
        cw_diag(unit, CW_ERROR, what->begin, "call the function directly",
                "co4_block blocks the thread and may not be used in '%s', which is pausable",
                w->func->decl->name);
    call->blocks = true;
}

static bool is_bool(const cw_type *type)
{
    const cw_type *bare = type != NULL ? cw_type_bare(type) : NULL;
    return bare != NULL && bare->kind == CW_T_BUILTIN && strcmp(bare->name, "_Bool") == 0;
}

static bool is_int(const cw_type *type)
{
    const cw_type *bare = cw_type_bare(type);
    return bare->kind == CW_T_BUILTIN && strcmp(bare->name, "int") == 0;
}

/* Returns whether kid i of this node is converted to a bool. */
static bool to_bool(const cw_node *node, size_t i)
{
    if (node->kind == CW_CAST || node->kind == CW_IMPLICIT)
        return is_bool(node->type) || (node->type != NULL && cw_type_is_void(node->type));
    if (node->kind == CW_VAR)
        return i == 0 && is_bool(node->decl->type);
    if (node->kind == CW_ASSIGN)
        return i == 1 && is_bool(node->type);
    if (node->kind == CW_CALL) {
        const cw_type *type = cw_callee_type(node->kids[0]);
        return i > 0 && i <= type->nparams && is_bool(type->params[i - 1]);
    }
    if (node->kind == CW_UNARY)
        return node->op[0] == '!';
    if (node->kind == CW_BINARY)
        return (node->op[0] == '=' || node->op[0] == '!') && node->op[1] == '=';
    if (node->kind == CW_IF || node->kind == CW_WHILE || node->kind == CW_COND)
        return i == 0;
    if (node->kind == CW_DO || node->kind == CW_FOR)
        return i == 1;
    return node->kind == CW_AND_OR;
}

static size_t index_in(const cw_node *parent, const cw_node *kid)
{
    for (size_t i = 0; i < parent->nkids; i++)
        if (parent->kids[i] == kid)
            return i;
    return parent->nkids;
}

/* Returns whether the program only compares the value of this expression, or ignores it. */
static bool is_only_tested(const cw_node *node)
{
    for (const cw_node *parent = node->parent; parent != NULL;
         node = parent, parent = parent->parent) {
        size_t i = index_in(parent, node);
        if (to_bool(parent, i))
            return true;
        if (parent->kind == CW_FOR || (parent->kind == CW_COMMA && i == 0))
            return true;
        if (parent->kind ==
            CW_EXPR_STMT) { /* the last one of a statement expression is its value */
            if (parent->parent == NULL || parent->parent->kind != CW_BLOCK ||
                parent->parent->parent == NULL || parent->parent->parent->kind != CW_STMT_EXPR ||
                parent->parent->kids[parent->parent->nkids - 1] != parent)
                return true;
            parent = parent->parent;
        } else if (parent->kind != CW_PAREN && parent->kind != CW_IMPLICIT &&
                   parent->kind != CW_CAST && parent->kind != CW_COND &&
                   parent->kind != CW_STMT_EXPR && parent->kind != CW_COMMA) {
            return false;
        }
    }
    return true;
}

/* The functions of task.h need a reference and do not take it over. */
static void warn_lost_reference(cw_unit *unit, const cw_node *node, const char *entry)
{
    const cw_node *at = node->parent;
    while (at != NULL && (at->kind == CW_PAREN || at->kind == CW_IMPLICIT || at->kind == CW_CAST))
        at = at->parent;
    const cw_decl *called = at != NULL ? cw_function_called(at) : NULL;
    if (called != NULL && strncmp(called->name, "co4_task_", 9) == 0 &&
        strcmp(called->name, "co4_task_release") != 0)
        cw_diag_warn(unit, CW_W_LOST_TASK, node->begin, "keep it in a variable, and release it",
                     "nothing releases the task that %s gives to '%s'", entry, called->name);
}

/* Turns a marker expression into CW_ENTRY. */
void cw_recognise_entry(cw_walk *w, cw_node *node)
{
    cw_unit *unit = w->unit;
    int which;
    cw_node *call = marked_call(node, &which);
    if (call == NULL)
        return;
    cw_entry_kind kind = entry_kinds[which].kind;
    if (kind == CW_ENTRY_BLOCKING) {
        recognise_blocking(w, node);
        return;
    }
    if (kind == CW_ENTRY_BLOCK) {
        recognise_block(w, call);
        return;
    }
    cw_node *runtime = kind == CW_ENTRY_SPAWN_ON ? node->kids[1] : NULL;
    const char *name = entry_kinds[which].name;
    if ((kind == CW_ENTRY_SPAWN || kind == CW_ENTRY_SPAWN_ON) && !is_only_tested(node)) {
        kind = kind == CW_ENTRY_SPAWN ? CW_ENTRY_START : CW_ENTRY_START_ON;
        warn_lost_reference(unit, node, name);
    }
    uint32_t entry_at = node->kind == CW_PAREN ? node->begin + 1 : node->begin;
    node->kind = CW_ENTRY;
    node->entry = kind;
    node->kids = NULL;
    node->nkids = 0;
    if (call->kind == CW_CALL) {
        cw_node *callee = cw_strip(call->kids[0]);
        if (callee->kind == CW_REF && callee->decl != NULL)
            cw_unmarked_begin(unit, callee->decl);
        cw_resolve_dual(call->kids[0], true);
    }
    if (call->kind != CW_CALL || !cw_is_pausable(call->kids[0])) {
        const cw_node *what = call->kind == CW_CALL ? call->kids[0] : call;
        const cw_decl *decl = call->kind == CW_CALL ? cw_callee_decl(what) : NULL;
        bool library = decl != NULL && cw_place_of(unit, decl->name_at).system;
        cw_diag(unit, CW_ERROR, what->begin,
                library ? cw_format(&unit->arena, "call '%s' in a pausable function of your own",
                                    cw_text_of(unit, what))
                : decl != NULL && cw_weaves_unmarked(unit->options) && cw_decl_is_ours(decl)
                    ? "names that begin with co4_ are the library's: give it another one"
                : unit->options->plan != NULL
                    ? cw_format(&unit->arena, "'%s' stays plain: the link's --why=%s says why",
                                cw_text_of(unit, what), cw_text_of(unit, what))
                : call->kind == CW_CALL
                    ? cw_format(&unit->arena, "mark '%s' pausable", cw_text_of(unit, what))
                    : cw_format(&unit->arena, "write the call itself: %s(f(x))", name),
                "%s takes a call of a pausable function", name);
        return;
    }
    if (kind == CW_ENTRY_CALL && !is_int(cw_callee_type(call->kids[0])->inner)) {
        cw_diag(unit, CW_ERROR, call->begin, "return a code: CO4_OK, or a negative number",
                "%s takes a call that returns an int, its result code", name);
        return;
    }
    if (node->entry != CW_ENTRY_RUN && takes_list(unit, call, name))
        return;
    if (runtime != NULL)
        CW_PUSH(&unit->arena, node->kids, node->nkids, runtime);
    for (size_t i = 0; i < call->nkids; i++)
        CW_PUSH(&unit->arena, node->kids, node->nkids, call->kids[i]);
    for (size_t i = 0; i < node->nkids; i++)
        node->kids[i]->parent = node;
    if (node->entry == CW_ENTRY_RUN && w->func != NULL && w->func->pausable &&
        !w->func->decl->stressed)
        cw_diag(unit, CW_ERROR, entry_at, "call the function directly",
                "co4_run blocks the thread and may not be used in '%s', which is pausable",
                w->func->decl->name);
    CW_PUSH(&unit->arena, unit->entries, unit->nentries, node);
}
