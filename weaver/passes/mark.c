/* mark.c - decides which functions, pointers and calls pause.
 *
 * In:  the tree, with `marked` on declarations that carry the attribute.
 * Out: func->pausable; node->is_point and has_points; entry points as CW_ENTRY nodes; errors
 *      wherever a pausable value flows to a plain declaration, or the other way round.
 *
 * Marks belong to declarations and typedefs, not to types: libclang shows no attribute inside a
 * type. So the mark of an expression is that of its declaration, or of a typedef in its type's
 * sugar (pausability.c). A value may flow between two pausable declarations, or between two plain
 * ones; `void *` and integers are neither. mark_entry.c has the entry points. */
#include <string.h>

#include "ast/decl.h"
#include "ast/node.h"
#include "ast/type.h"
#include "base/plan.h"
#include "passes/passes.h"
#include "text/diag.h"
#include "text/unit.h"

/* Can the callee take a fiber? If an expression chooses one of several functions, each must take
 * one. */
static bool may_take_fiber(const cw_node *callee)
{
    if (callee->kind == CW_PAREN || callee->kind == CW_IMPLICIT || callee->kind == CW_UNARY)
        return may_take_fiber(callee->kids[0]);
    if (callee->kind == CW_COMMA)
        return may_take_fiber(callee->kids[1]);
    if (callee->kind == CW_COND)
        return callee->nkids == 3 && may_take_fiber(callee->kids[1]) &&
               may_take_fiber(callee->kids[2]);
    if (callee->kind == CW_ELVIS)
        return may_take_fiber(callee->kids[0]) && may_take_fiber(callee->kids[1]);
    if (callee->kind == CW_REF && callee->decl != NULL && callee->decl->dual)
        return true;
    return cw_is_pausable(callee);
}

/* Checks that a value of `source` may flow to `target`, which is `pausable` or plain, and called
 * `what` in messages. */
static void check_flow(cw_walk *w, cw_node *source, bool pausable, const cw_type *target,
                       const char *what, uint32_t target_at)
{
    bool foreign = target_at != 0 && cw_place_of(w->unit, target_at).system;
    const cw_node *bare = cw_strip(source);
    if (bare->kind == CW_INIT_LIST || !cw_is_function_like(bare->type) ||
        !cw_is_function_like(target))
        return;
    /* bridged functions can only be called */
    if (bare->kind != CW_REF || bare->decl == NULL || !bare->decl->bridged)
        cw_resolve_dual(source, pausable);
    bool source_pausable = cw_is_pausable(source);
    if (source_pausable == pausable)
        return;
    const char *text = cw_text_of(w->unit, bare);
    if (source_pausable) {
        const char *hint = "its library calls it on a C stack that cannot pause: mark the function "
                           "pausable_or_plain, and it is plain there, or give it a plain one";
        if (!foreign)
            hint = target_at != 0
                       ? cw_format(&w->unit->arena,
                                   "mark the declaration of %s pausable, or use a marked typedef",
                                   what)
                       : "use a marked typedef, `typedef pausable int name(int);`, for its type";
        cw_diag(w->unit, CW_ERROR, bare->begin, hint,
                "'%s' is pausable, but %s takes a plain function", text, what);
        if (target_at != 0)
            cw_diag(w->unit, CW_NOTE, target_at, NULL, "%s is declared here", what);
        return;
    }
    const cw_decl *decl = cw_callee_decl(source);
    bool library = decl != NULL && cw_place_of(w->unit, decl->name_at).system;
    cw_diag(w->unit, CW_ERROR, bare->begin,
            library
                ? cw_format(&w->unit->arena, "call '%s' in a pausable function of your own", text)
                : cw_format(&w->unit->arena, "mark '%s' pausable", text),
            "'%s' is a plain function, but %s takes a pausable one", text, what);
    if (decl != NULL && !library)
        cw_diag(w->unit, CW_NOTE, decl->name_at, NULL, "'%s' is declared here", text);
    if (target_at != 0)
        cw_diag(w->unit, CW_NOTE, target_at, NULL, "%s is declared here", what);
}

static void check_flow_to_decl(cw_walk *w, cw_node *source, const cw_decl *decl)
{
    const char *kind = decl->kind == CW_D_PARAM   ? "parameter"
                       : decl->kind == CW_D_FIELD ? "member"
                                                  : "variable";
    check_flow(w, source, cw_decl_is_pausable(decl), decl->type,
               cw_format(&w->unit->arena, "%s '%s'", kind, decl->name), decl->name_at);
}

static void check_initial(void *walk, cw_node *value, cw_decl *decl, const cw_type *type)
{
    if (decl != NULL)
        check_flow_to_decl(walk, value, decl);
    else
        check_flow(walk, value, cw_type_is_pausable(type), type, "the compound literal", 0);
}

static void check_arguments(cw_walk *w, const cw_node *callee, cw_node **args, size_t nargs)
{
    const cw_decl *decl = cw_callee_decl(callee);
    const cw_type *type = cw_type_bare(cw_strip(callee)->type);
    while (type->kind == CW_T_POINTER)
        type = cw_type_bare(type->inner);
    for (size_t i = 0; i < nargs; i++) {
        const cw_type *bare = cw_strip(args[i])->type;
        if (!cw_is_function_like(bare))
            continue;
        if (decl != NULL && i < decl->nparams)
            check_flow_to_decl(w, args[i], decl->params[i]);
        else if (type->kind == CW_T_FUNCTION && i < type->nparams)
            check_flow(w, args[i], cw_type_is_pausable(type->params[i]), type->params[i],
                       cw_format(&w->unit->arena, "parameter %zu of '%s'", i + 1,
                                 cw_text_of(w->unit, callee)),
                       decl != NULL ? decl->name_at : 0);
    }
}

/* ---- the walk ---- */

/* Does the woven form, as a declaration before this call shows it, take what the call passes? A
 * function without a prototype takes what its definition lists. Variable arguments need one. */
static bool is_in_sight(const cw_node *call)
{
    const cw_node *callee = cw_strip(call->kids[0]);
    while (callee->kind == CW_UNARY)
        callee = cw_strip(callee->kids[0]);
    if (callee->kind != CW_REF || callee->decl == NULL || callee->decl->kind != CW_D_FUNCTION)
        return true;
    const cw_decl *decl = callee->decl;
    const cw_type *own = cw_type_bare(decl->type);
    for (size_t i = 0; i < decl->nredecls; i++) {
        const cw_redecl *redecl = &decl->redecls[i];
        const cw_type *type = redecl->type != NULL ? cw_type_bare(redecl->type) : NULL;
        if (redecl->begin < call->begin && type != NULL && type->prototyped)
            return true;
    }
    return !own->variadic && own->nparams + 1 == call->nkids;
}

/* The functions that this callee may be, and that are called through bridges. */
static void add_bridges(cw_unit *unit, cw_node *callee)
{
    if (callee->kind == CW_REF && callee->decl != NULL && callee->decl->bridged && callee->woven)
        CW_PUSH(&unit->arena, unit->bridges, unit->nbridges, callee);
    for (size_t i = callee->kind == CW_COND || callee->kind == CW_COMMA; i < callee->nkids; i++)
        if (callee->kind != CW_REF && callee->kind != CW_CALL && callee->kind != CW_STMT_EXPR)
            add_bridges(unit, callee->kids[i]);
}

/* Can a function of its own make this call: are the types of the variable arguments known to it? */
static bool has_known_arguments(const cw_unit *unit, const cw_node *call, const cw_type *type)
{
    bool known = !type->variadic || unit->args_size > 0;
    for (size_t i = 1 + type->nparams; type->variadic && i < call->nkids; i++)
        known = known && cw_can_be_written(call->kids[i]->type) &&
                !cw_type_is_local(call->kids[i]->type) && !cw_type_is_vm(call->kids[i]->type);
    return known;
}

/* Auto: may this call through a plain pointer pause? */
static bool may_pause_by_address(const cw_walk *w, const cw_node *call)
{
    const cw_unit *unit = w->unit;
    if (unit->options->plan == NULL || w->func == NULL || !w->func->pausable ||
        cw_function_called(call) != NULL || cw_is_pausable(call->kids[0]) ||
        !cw_plan_has(unit->options->plan, CW_PLAN_POINTERS, w->func->decl->name))
        return false;
    const cw_type *type = cw_type_bare(cw_strip(call->kids[0])->type);
    while (type->kind == CW_T_POINTER)
        type = cw_type_bare(type->inner);
    if (type->kind != CW_T_FUNCTION)
        return false;
    if (!type->prototyped)
        return cw_type_is_usable(cw_type_of_call(w->unit, type, call));
    return cw_can_be_written(type) && has_known_arguments(unit, call, type);
}

/* May this call of a plain function end in a longjmp to a woven activation? A plan says so. Stress
 * knows one unit only: there a variadic function of another may. */
static bool may_throw(const cw_walk *w, const cw_node *call)
{
    const cw_unit *unit = w->unit;
    const cw_decl *callee = cw_function_called(call);
    if (w->func == NULL || !w->func->pausable || w->unevaluated || callee == NULL)
        return false;
    return cw_plan_has(unit->options->plan, CW_PLAN_THROWS, callee->name) ||
           (unit->options->stress && callee->func == NULL && !callee->is_static &&
            cw_type_bare(callee->type)->variadic && !cw_is_c_library(callee->name) &&
            !cw_place_of(unit, callee->name_at).system);
}

/* In p == f both are pausable, or both are plain. */
static void compare_dual(cw_node *node)
{
    for (size_t i = 0; i < 2; i++)
        cw_resolve_dual(node->kids[i], cw_is_pausable(node->kids[1 - i]));
}

/* The hint for a pausable call in plain code. A value that is yielded outside a generator is lost,
 * also in a co4_run. */
static const char *way_out(cw_unit *unit, const char *caller, const char *callee, bool blocks)
{
    const char *word = blocks ? "block the thread with co4_block" : "enter with co4_run";
    static const char yield[] = "co4_gen_yield";
    if (strncmp(callee, yield, sizeof yield - 1) == 0)
        return caller == NULL
                   ? "move it to a pausable function, and start that with co4_generate(...)"
                   : cw_format(&unit->arena,
                               "mark '%s' pausable, and start the generator with co4_generate(...)",
                               caller);
    if (caller == NULL)
        return cw_format(&unit->arena, "%s(%s(...))", word, callee);
    return cw_format(&unit->arena, "mark '%s' pausable, or %s(%s(...))", caller, word, callee);
}

static void plain_call(cw_walk *w, const cw_node *node)
{
    cw_unit *unit = w->unit;
    const char *callee = cw_text_of(unit, cw_strip(node->kids[0]));
    if (w->func == NULL) {
        cw_diag(unit, CW_ERROR, node->begin, "set it in a function",
                "'%s' is pausable and may not be called here", callee);
        return;
    }
    const char *caller = w->func->decl->name;
    bool in_main = strcmp(caller, "main") == 0;
    const cw_decl *named = cw_function_called(node);
    const char *hint = way_out(unit, in_main ? NULL : caller, callee,
                               named != NULL && named->needs_block);
    cw_diag(unit, CW_ERROR, node->kids[0]->begin, hint,
            "'%s' is pausable and may not be called from '%s', which is not", callee, caller);
    if (!in_main && w->noted != w->func)
        cw_diag(unit, CW_NOTE, w->func->decl->name_at, NULL,
                "'%s' is declared here, without the mark; co4weave --infer finds all that "
                "are missing",
                caller);
    w->noted = w->func;
}
/* A jump of a pausable function: a longjmp is a point, a setjmp perhaps (make_points_of_setjmps).
 * Returns whether the call is one. */
static bool mark_jump(cw_walk *w, cw_node *call)
{
    if (w->func == NULL || !w->func->pausable || w->unevaluated || cw_jump_of(call) == CW_NO_JUMP)
        return false;
    if (cw_jump_of(call) == CW_SETJMP)
        CW_PUSH(&w->unit->arena, w->setjmps, w->nsetjmps, call);
    else
        call->is_point = call->has_points = true;
    return true;
}

/* The callee of this call is a function's name, or may be one. */
static void use_plain_form(cw_node *callee)
{
    while (callee->kind != CW_REF && callee->nkids > 0)
        callee = callee->kids[callee->nkids - 1];
    if (callee->decl != NULL && callee->decl->needs_block)
        callee->woven = false;
}

static void mark_call(cw_walk *w, cw_node *node)
{
    if (node->entry == CW_ENTRY_BLOCKING) {
        cw_resolve_dual(node->kids[0], false);
        check_arguments(w, node->kids[0], node->kids + 1, node->nkids - 1);
        node->is_point = node->has_points = true;
        return;
    }
    if (w->func != NULL && (cw_va_function(node) != NULL || cw_is_setjmp(w->unit, node)))
        w->func->single = true; /* gcc does not inline such a function */
    if (mark_jump(w, node))
        return;
    bool in_pausable = w->func != NULL && w->func->pausable && !w->unevaluated;
    bool never_waits = cw_call_never_waits(w->unit, node);
    cw_resolve_dual(node->kids[0], in_pausable && is_in_sight(node) && !never_waits &&
                                       may_take_fiber(node->kids[0]));
    if (never_waits || w->unevaluated || (node->blocks && !in_pausable))
        use_plain_form(node->kids[0]);
    check_arguments(w, node->kids[0], node->kids + 1, node->nkids - 1);
    node->by_address = !w->unevaluated && may_pause_by_address(w, node);
    node->catches = !cw_is_pausable(node->kids[0]) && !node->by_address && may_throw(w, node);
    if (node->catches)
        w->func->single = w->func->catches_throws = true;
    if (!cw_is_pausable(node->kids[0]) && !node->by_address && !node->catches)
        return;
    node->is_point = true;
    if (w->unevaluated)
        return;
    if ((w->func == NULL || !w->func->pausable) && !node->blocks)
        plain_call(w, node);
    node->has_points = true;
    add_bridges(w->unit, node->kids[0]);
    if (node->by_address)
        CW_PUSH(&w->unit->arena, w->unit->bridges, w->unit->nbridges, node);
}

static void mark_node(cw_walk *w, cw_node *node)
{
    if (node == NULL)
        return;
    cw_recognise_entry(w, node);
    bool unevaluated = w->unevaluated;
    node->woven = cw_is_woven_by_default(node);
    node->is_point = node->has_points = node->has_calls = false;
    for (size_t i = 0; i < node->nkids; i++) {
        w->unevaluated = unevaluated || !cw_evaluates(node, i);
        mark_node(w, node->kids[i]);
        if (node->kids[i] != NULL && node->kids[i]->has_points)
            node->has_points = true;
        if (node->kids[i] != NULL && node->kids[i]->has_calls)
            node->has_calls = true;
    }
    w->unevaluated = unevaluated;
    if (node->kind == CW_CALL) {
        mark_call(w, node);
    } else if (node->kind == CW_PAUSE) {
        node->is_point = node->has_points = w->func->pausable;
    } else if (node->kind == CW_BINARY && node->op[1] == '=' &&
               cw_is_function_like(cw_strip(node->kids[0])->type)) {
        compare_dual(node);
    } else if (node->kind == CW_ENTRY && node->nkids > 0) {
        size_t callee = cw_entry_has_runtime(node->entry);
        check_arguments(w, node->kids[callee], node->kids + callee + 1, node->nkids - callee - 1);
    } else if (node->kind == CW_ASSIGN) {
        const cw_node *target = cw_strip(node->kids[0]);
        if ((target->kind == CW_REF || target->kind == CW_MEMBER) && target->decl != NULL)
            check_flow_to_decl(w, node->kids[1], target->decl);
        else
            check_flow(w, node->kids[1], cw_is_pausable(target), target->type,
                       cw_format(&w->unit->arena, "'%s'", cw_text_of(w->unit, target)), 0);
    } else if (node->kind == CW_VAR && node->kids[0] != NULL) {
        cw_each_initialized(w->unit, node->kids[0], node->decl, node->decl->type, check_initial, w);
    } else if (node->kind == CW_COMPOUND_LITERAL && node->nkids > 0) {
        cw_each_initialized(w->unit, node->kids[node->nkids - 1], NULL, node->type, check_initial,
                            w);
    } else if (node->kind == CW_RETURN && node->kids[0] != NULL && w->func != NULL) {
        check_flow(w, node->kids[0], cw_type_is_pausable(w->func->decl->type->inner),
                   w->func->decl->type->inner,
                   cw_format(&w->unit->arena, "the result of '%s'", w->func->decl->name), 0);
    } else if (node->kind == CW_CAST && node->nkids > 0) {
        check_flow(w, node->kids[node->nkids - 1], cw_type_is_pausable(node->type), node->type,
                   "the type of this cast", 0);
    } else if (node->kind == CW_COND && node->nkids == 3 &&
               cw_is_function_like(cw_strip(node->kids[1])->type)) {
        check_flow(w, node->kids[2], cw_is_pausable(node->kids[1]), node->kids[1]->type,
                   "the other branch", 0);
    }
    node->has_calls = node->has_calls || (node->is_point && node->kind != CW_PAUSE);
}

/* ---- declarations ---- */

static bool may_pause(const cw_node *node)
{
    if (node == NULL || !node->has_points)
        return false;
    if (cw_is_point(node) && cw_jump_of(node) == CW_NO_JUMP)
        return true;
    for (size_t i = 0; i < node->nkids; i++)
        if (may_pause(node->kids[i]))
            return true;
    return false;
}

/* A jump comes back to a setjmp of a function that pauses as a resume does: at a point. */
static void make_points_of_setjmps(const cw_walk *w)
{
    if (!may_pause(w->func->body))
        return;
    for (size_t i = 0; i < w->nsetjmps; i++) {
        w->setjmps[i]->is_point = true;
        for (cw_node *node = w->setjmps[i]; node != NULL; node = node->parent)
            node->has_points = true;
        w->func->catches = w->setjmps[0];
    }
}

static void check_redecls(cw_unit *unit, const cw_decl *decl)
{
    for (size_t i = 0; i < decl->nredecls; i++) {
        const cw_redecl *one = &decl->redecls[i];
        bool less = decl->dual && !one->dual, same = one->needs_block == decl->needs_block;
        if (decl->marked && one->marked && (less || !same)) {
            cw_diag(unit, CW_ERROR, one->name_at, "write the same mark in front of both",
                    "'%s' is %s in another declaration, but %s in this one", decl->name,
                    decl->needs_block ? "pausable_or_block" : "pausable_or_plain",
                    less ? "only pausable" : "pausable_or_plain");
            return;
        }
        bool through_typedef = decl->kind == CW_D_FUNCTION && cw_type_is_pausable(one->type);
        if ((one->marked || through_typedef) == decl->marked)
            continue;
        const cw_redecl *other = one;
        for (size_t j = 0; j < decl->nredecls; j++)
            if (decl->redecls[j].marked)
                other = &decl->redecls[j];
        cw_diag(unit, CW_ERROR, one->name_at, "write 'pausable' in front of both, or of neither",
                "'%s' is pausable in another declaration, but not in this one", decl->name);
        cw_diag(unit, CW_NOTE, other->name_at, NULL, "pausable here");
        return;
    }
}

/* A parameter is pausable in all declarations of its function, or in none: callers in other files
 * see only one of them. */
static void check_params(cw_unit *unit, const cw_decl *decl)
{
    for (size_t i = 1; i < decl->nredecls; i++)
        for (size_t n = 0; n < decl->redecls[i].nparams && n < decl->redecls[0].nparams; n++) {
            const cw_decl *here = decl->redecls[i].params[n], *there = decl->redecls[0].params[n];
            if (!cw_is_function_like(here->type) ||
                cw_decl_is_pausable(here) == cw_decl_is_pausable(there))
                continue;
            bool marked = cw_decl_is_pausable(here);
            cw_diag(unit, CW_ERROR, here->name_at,
                    "mark both pausable, or neither; a typedef may have the mark in it",
                    "parameter %zu of '%s' is %s here, but %s in another declaration", n + 1,
                    decl->name, marked ? "pausable" : "plain", marked ? "plain" : "pausable");
            cw_diag(unit, CW_NOTE, there->name_at, NULL, "%s here", marked ? "plain" : "pausable");
        }
}

/* A mark must be where the function's parameters are written, for that list gets a fiber. A dual
 * function keeps its plain declaration, whatever typedef declares it, and gets a woven one beside
 * it. */
static void check_declarator(cw_unit *unit, const cw_decl *decl)
{
    if (!decl->marked)
        return;
    bool typedef_hides = false;
    const cw_type *type = decl->type;
    if (decl->dual && decl->kind != CW_D_FUNCTION) {
        cw_diag(unit, CW_ERROR, decl->name_at,
                "write 'pausable', or nothing for a pointer to plain functions",
                "'%s' is marked pausable_or_plain, but is not a function", decl->name);
        return;
    }
    while (type->kind == CW_T_POINTER || type->kind == CW_T_ARRAY ||
           type->kind == CW_T_OPEN_ARRAY || type->kind == CW_T_TYPEDEF) {
        typedef_hides |= type->kind == CW_T_TYPEDEF;
        type = type->inner;
    }
    if (type->kind != CW_T_FUNCTION)
        cw_diag(unit, CW_ERROR, decl->name_at, "remove the mark",
                "'%s' is marked pausable, but is neither a function nor a pointer to one",
                decl->name);
    else if (typedef_hides && !decl->dual && !cw_type_is_pausable(decl->type))
        cw_diag(unit, CW_ERROR, decl->name_at, "move 'pausable' to the typedef",
                "'%s' is marked pausable, but the typedef of its function type is not", decl->name);
    bool own = type->kind == CW_T_FUNCTION && !typedef_hides && !decl->dual;
    for (size_t i = 0; own && i < decl->nredecls; i++) {
        const cw_redecl *one = &decl->redecls[i];
        if (!one->marked || cw_parameter_list(unit, decl, one) != 0)
            continue;
        if (!cw_is_by_typedef(unit, decl, one))
            cw_diag(unit, CW_ERROR, one->name_at,
                    "write its parameters, or a typedef with the mark",
                    "'%s' is marked pausable, but its function type is in a typeof", decl->name);
        else if (!cw_type_is_pausable(one->type))
            cw_diag(unit, CW_ERROR, one->name_at, "move 'pausable' to the typedef",
                    "'%s' is marked pausable, but the typedef of its function type is not",
                    decl->name);
    }
}

static void take_marks(cw_unit *unit, cw_decl *decl)
{
    decl->type = cw_type_with_marks(unit, decl->type, decl);
    if (decl->declared_type != NULL)
        decl->declared_type = cw_type_with_marks(unit, decl->declared_type, decl);
    for (size_t i = 0; i < decl->nredecls; i++) {
        if (decl->redecls[i].type != NULL)
            decl->redecls[i].type = cw_type_with_marks(unit, decl->redecls[i].type, decl);
        for (size_t j = 0; j < decl->redecls[i].nparams; j++)
            take_marks(unit, decl->redecls[i].params[j]);
    }
}

bool cw_mark(cw_unit *unit)
{
    for (size_t i = 0; i < unit->ndecls; i++) {
        take_marks(unit, unit->decls[i]);
        check_redecls(unit, unit->decls[i]);
        if (unit->decls[i]->kind == CW_D_FUNCTION)
            check_params(unit, unit->decls[i]);
        check_declarator(unit, unit->decls[i]);
    }
    for (size_t i = 0; i < unit->nfuncs; i++) {
        cw_func *func = unit->funcs[i];
        func->pausable = cw_decl_is_pausable(func->decl) && !func->decl->bridged;
        for (size_t j = 0; j < func->ndeclared; j++)
            if (func->declared[j]->kind != CW_D_LABEL && func->declared[j]->kind != CW_D_FUNCTION) {
                take_marks(unit, func->declared[j]);
                check_declarator(unit, func->declared[j]);
            }
    }
    cw_walk w = { .unit = unit };
    unit->nbridges = 0;
    for (size_t i = 0; i < unit->ninitializers; i++)
        mark_node(&w, unit->initializers[i]);
    for (size_t i = 0; i < unit->nfuncs; i++) {
        w.func = unit->funcs[i];
        w.func->catches = NULL;
        w.nsetjmps = 0;
        mark_node(&w, w.func->body);
        make_points_of_setjmps(&w);
    }
    return unit->errors == 0;
}
