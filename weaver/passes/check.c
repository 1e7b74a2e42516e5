/* check.c - refuses constructs that cannot be woven, with the reason and the way out.
 *
 * In:  the marked tree.
 * Out: errors. If there are none, every later pass may assume that its input can be woven.
 *
 * There are two kinds of refusal. A construct that lives across a suspension point (a
 * variable-length array, a va_list) is refused only if its scope contains a point. A form that
 * linearize cannot split (an operand of asm) is always refused. All refusals of a unit are reported
 * in one run. */
#include <string.h>

#include "ast/decl.h"
#include "ast/node.h"
#include "ast/type.h"
#include "base/names.h"
#include "passes/passes.h"
#include "text/diag.h"
#include "text/unit.h"

/* Checks a local whose scope contains a suspension point. */
static void check_local(cw_unit *unit, const cw_decl *decl)
{
    const char *name = decl->name;
    uint32_t at = decl->name_at;
    if (!cw_can_be_written(decl->type))
        cw_diag(unit, CW_ERROR, at, "declare it with a type of C11",
                "'%s' has a type that cannot be kept across a suspension point", name);
    else if (decl->aligned && decl->align == 0)
        cw_diag(unit, CW_ERROR, at, "write the alignment as a number",
                "the alignment of '%s', which lives across a suspension point, is not understood",
                name);
}

static void check_call(cw_unit *unit, const cw_func *func, const cw_node *node)
{
    static const char stack[] =
        "__builtin_return_address __builtin_frame_address __builtin_stack_address "
        "__builtin_dwarf_cfa __builtin_unwind_init __builtin_eh_return";
    static const char jump[] =
        "__builtin_setjmp __builtin_longjmp __builtin_nonlocal_goto getcontext swapcontext "
        "setcontext makecontext";
    const cw_decl *callee = cw_function_called(node);
    if (callee == NULL)
        return;
    const char *name = callee->name, *written = name;
    if (strncmp(written, "__builtin_", 10) == 0)
        written += 10;
    written += strspn(written, "_"); /* the C library's macros call `_setjmp` */
    if (cw_lists_name(stack, name))
        cw_diag(unit, CW_ERROR, node->begin, "move it into a plain function",
                "'%s' looks at the C stack frame of '%s', which its pauses release", name,
                func->decl->name);
    else if (cw_lists_name(jump, name))
        cw_diag(unit, CW_ERROR, node->begin,
                strncmp(name, "__builtin_", 10) == 0 ? "use setjmp and longjmp of the C library"
                                                     : "return an error code instead",
                "'%s' jumps between C stack frames that the pauses of '%s' release", written,
                func->decl->name);
}

/* Refuses a use of the function's own arguments as a block. They include the fiber, and the body
 * has other arguments than its entries. So this holds even if nothing pauses. */
static void check_arguments_taken(cw_unit *unit, const cw_func *func, const cw_node *node)
{
    static const char takes[] =
        "__builtin_apply_args __builtin_apply __builtin_return __builtin_va_arg_pack "
        "__builtin_va_arg_pack_len";
    if (node == NULL)
        return;
    const cw_decl *callee = node->kind == CW_CALL ? cw_function_called(node) : NULL;
    if (callee != NULL && cw_lists_name(takes, callee->name))
        cw_diag(unit, CW_ERROR, node->begin, "move it into a plain function",
                "'%s' passes on the arguments of '%s', which is pausable and has others",
                callee->name, func->decl->name);
    for (size_t i = 0; i < node->nkids; i++)
        check_arguments_taken(unit, func, node->kids[i]);
}

/* Refuses a call of a function without a prototype: the callee could not distinguish a fiber before
 * such arguments from the arguments. */
static void check_prototype(cw_unit *unit, const cw_node *call)
{
    const cw_type *type = cw_type_bare(cw_strip(call->kids[0])->type);
    while (type->kind == CW_T_POINTER)
        type = cw_type_bare(type->inner);
    const cw_decl *callee = cw_callee_decl(call->kids[0]);
    if (callee != NULL && callee->kind == CW_D_FUNCTION && (callee->func != NULL || callee->dual))
        type = cw_type_bare(callee->type); /* defined in the old style, or known by its calls */
    if (call->is_point && call->entry == CW_ENTRY_NONE && !call->catches && !call->by_address &&
        call->nkids > 1 && type->kind == CW_T_FUNCTION && !type->prototyped)
        cw_diag(unit, CW_ERROR, call->begin, "declare it with its parameters",
                "'%.*s' is pausable and gets arguments that its declaration does not list",
                (int)(call->kids[0]->end - call->kids[0]->begin),
                unit->text + call->kids[0]->begin);
}

/* Variable arguments are laid out by the caller: co4/varargs.h. `first`: the callee. */
static void check_packed(cw_unit *unit, const cw_node *call, size_t first)
{
    const cw_type *type = call->nkids > first ? cw_callee_type(call->kids[first]) : NULL;
    if (type == NULL || type->kind != CW_T_FUNCTION || !type->variadic)
        return;
    if (unit->args_size == 0) {
        cw_diag(unit, CW_ERROR, call->begin, "pass a pointer to an array, and its length",
                "'%s' is pausable and variadic, and co4 does not know how this target passes "
                "variable arguments",
                cw_text_of(unit, call->kids[first]));
        return;
    }
    for (size_t i = first + 1 + type->nparams; i < call->nkids; i++) {
        const char *why = NULL;
        if (cw_packing_of(unit, call->kids[i]->type, &why) == CW_PACKED_NOT)
            cw_diag(unit, CW_ERROR, call->kids[i]->begin, "pass a pointer to it",
                    "argument %zu of '%s', which is pausable and variadic, has a type that cannot "
                    "be passed so: %s",
                    i - first, cw_text_of(unit, call->kids[first]), why);
    }
}

/* gcc applies a `break` in the header of a loop to the statement around the loop, clang to the loop
 * itself. */
static void check_header(cw_unit *unit, const cw_node *node, bool in_switch)
{
    if (node == NULL || node->kind == CW_WHILE || node->kind == CW_DO || node->kind == CW_FOR)
        return;
    if ((node->kind == CW_BREAK && !in_switch) || node->kind == CW_CONTINUE)
        cw_diag(
            unit, CW_ERROR, node->begin, "use goto, or a variable",
            "'%s' in the header of a loop means another loop to gcc than to clang, which is not "
            "woven",
            node->kind == CW_BREAK ? "break" : "continue");
    for (size_t i = 0; i < node->nkids; i++)
        check_header(unit, node->kids[i], in_switch || (node->kind == CW_SWITCH && i > 0));
}

static void check_node(cw_unit *unit, const cw_func *func, const cw_node *node)
{
    if (node == NULL)
        return;
    const char *construct = NULL, *way_out = "give the value a variable of its own before this";
    if (node->kind == CW_GENERIC && node->chosen == 0)
        construct = "a _Generic selection";
    const cw_decl *callee = node->kind == CW_CALL ? cw_function_called(node) : NULL;
    static const char with_chain[] = "__builtin_call_with_static_chain";
    if (callee != NULL && strcmp(callee->name, with_chain) == 0)
        construct = with_chain; /* the call that is its first operand must stay there */
    if (node->kind == CW_OTHER_EXPR)
        construct = "this kind of expression";
    if (node->kind == CW_ASM)
        construct = "an asm statement";
    if (node->kind == CW_OTHER_STMT) {
        construct = "this kind of statement";
        way_out = "move the call into a statement of its own";
    }
    if (node->has_points && construct != NULL)
        cw_diag(unit, CW_ERROR, node->begin, way_out, "a suspension point inside %s is not woven",
                construct);
    if (node->kind == CW_COMPOUND_LITERAL && cw_type_is_vm(node->type))
        cw_diag(unit, CW_ERROR, node->begin, "declare a variable of that type",
                "a compound literal of a type whose size is computed is not woven");
    bool loops = node->kind == CW_WHILE || node->kind == CW_DO || node->kind == CW_FOR;
    for (size_t i = node->kind == CW_FOR; loops && i < node->nkids; i++)
        if (node->kids[i] != NULL && node->kids[i]->type != NULL)
            check_header(unit, node->kids[i], false);
    if (node->kind == CW_CALL) {
        check_call(unit, func, node);
        check_prototype(unit, node);
        if (node->is_point && node->entry == CW_ENTRY_NONE && !node->catches &&
            cw_jump_of(node) == CW_NO_JUMP && (node->by_address || cw_is_pausable(node->kids[0])))
            check_packed(unit, node, 0);
    }
    for (size_t i = 0; i < node->nkids; i++)
        check_node(unit, func, node->kids[i]);
}

/* The target of a computed goto is unknown, and so are the lives that the jump ends. (libclang
 * refuses jumps past the declaration of a local with a cleanup, which gcc would allow.) */
static void check_computed_jumps(cw_unit *unit, const cw_node *node)
{
    if (node == NULL)
        return;
    if (node->kind == CW_INDIRECT_GOTO || node->jumps)
        cw_diag(unit, CW_ERROR, node->begin, "use a switch",
                "a computed goto cannot be combined with cleanup attributes or variable-length "
                "arrays across "
                "suspension points");
    for (size_t i = 0; i < node->nkids; i++)
        check_computed_jumps(unit, node->kids[i]);
}

static void check_handlers(cw_unit *unit, const cw_func *func)
{
    for (size_t i = 0; i < func->ncleanups; i++) {
        const cw_decl *decl = func->cleanups[i]->decl;
        for (size_t j = 0; decl->cleanup != NULL && j < unit->ndecls; j++)
            if (unit->decls[j]->kind == CW_D_FUNCTION && cw_decl_is_pausable(unit->decls[j]) &&
                !unit->decls[j]->dual && strcmp(unit->decls[j]->name, decl->cleanup) == 0)
                cw_diag(unit, CW_ERROR, decl->name_at, "give it a plain function",
                        "the cleanup of '%s' is pausable: it may have to run when nothing can wait",
                        decl->name);
    }
}

static bool ends_in(const char *name, const char *end)
{
    size_t length = strlen(name), tail = strlen(end);
    return length > tail && strcmp(name + length - tail, end) == 0;
}

/* Refuses names inside a function that would hide names of woven code, or be defined twice. */
static void check_name(cw_unit *unit, const cw_decl *decl)
{
    const char *name = decl->name;
    bool label = decl->kind == CW_D_LABEL; /* only woven labels share its name space */
    if (decl->kind == CW_D_FUNCTION || decl->unnamed)
        return;
    /* co4's macros, such as co4_retry_run(), have locals of which woven code has no name */
    bool of_macro = !label && (ends_in(name, "_") || strcmp(name, "co4_attempt") == 0);
    if ((strncmp(name, "co4_", 4) == 0 && !of_macro) ||
        (!label && (strcmp(name, "co4") == 0 || ends_in(name, "__co4") || ends_in(name, "__func"))))
        cw_diag(unit, CW_ERROR, label ? decl->begin : decl->name_at, "choose another name",
                "'%s': names that begin with co4_, and co4 itself, belong to woven code, as do "
                "those that end in __co4 and __func",
                name);
}

/* Refuses names at file scope that woven bodies hide: the fiber, the frame, temporaries. */
static void check_file_scope_name(cw_unit *unit, const cw_decl *decl)
{
    static const char hidden[] = "co4 co4_f co4_resumed";
    const char *name = decl->name;
    bool temporary = (strncmp(name, "co4_t", 5) == 0 || strncmp(name, "co4_n", 5) == 0) &&
                     name[5] != '\0' && strspn(name + 5, "0123456789") == strlen(name + 5);
    if (decl->kind != CW_D_FIELD && (temporary || cw_lists_name(hidden, name)))
        cw_diag(unit, CW_ERROR, decl->name_at, "choose another name",
                "'%s': names that begin with co4_, and co4 itself, belong to woven code", name);
}

/* Each entry of a function declares its parameters again. */
static void check_parameter(cw_unit *unit, const cw_func *func, const cw_decl *param)
{
    const char *name = func->decl->name;
    if (param->unnamed && cw_type_is_vm(param->type))
        cw_diag(unit, CW_ERROR, param->begin, "give it a name",
                "'%s' is pausable and has a parameter of computed size without a name", name);
    uint32_t at = param->begin;
    while (at < param->end && unit->text[at] != '[')
        at = cw_skip_unit(unit, at);
    if (cw_does_something(unit, at, param->end))
        cw_diag(unit, CW_ERROR, at, "compute the size before the call",
                "the size in the declaration of '%s', a parameter of '%s', has side effects",
                param->name, name);
}

/* OpenMP and OpenACC: code after a pragma may run on other threads, and a resume may not jump into
 * it. */
static void check_regions(cw_unit *unit, const cw_func *func)
{
    for (uint32_t at = func->body_at, end; at < func->end; at = end) {
        end = cw_skip_unit(unit, at);
        const char *word = unit->text + at + 1;
        if (unit->text[at] != '#')
            continue;
        word += strspn(word, " \t");
        if (strncmp(word, "pragma", 6) != 0)
            continue;
        word += 6 + strspn(word + 6, " \t");
        if (strncmp(word, "omp", 3) == 0 || strncmp(word, "acc", 3) == 0)
            cw_diag(unit, CW_ERROR, (uint32_t)(word - unit->text),
                    "move the code under the pragma into a plain function",
                    "a pragma of Open%s in '%s', whose pauses would leave its region and jump back "
                    "into it",
                    *word == 'o' ? "MP" : "ACC", func->decl->name);
    }
}

/* Generated code that calls or starts a pausable function declares its parameters and its
 * result. */
static void check_types(cw_unit *unit, const cw_decl *decl)
{
    uint32_t begin = decl->func != NULL ? decl->func->begin : decl->begin;
    if (!cw_can_be_written(decl->type))
        cw_diag(unit, CW_ERROR, begin, "use types of C11",
                "'%s' has a parameter or result of a type that woven code cannot write",
                decl->name);
}

/* Woven, the function has a prototype. So its other declarations need one too, or plain callers
 * would pass no fiber. */
static void check_old_style(cw_unit *unit, const cw_func *func, uint32_t at)
{
    const cw_decl *decl = func->decl;
    bool computed = false;
    for (size_t i = 0; i < func->nparams; i++)
        computed |= cw_type_is_vm(func->params[i]->type) || func->params[i]->sized;
    if (computed)
        cw_diag(unit, CW_ERROR, at, "write the parameters' types between the brackets",
                "'%s' is pausable, and its definition in the old style has a parameter of computed "
                "size",
                decl->name);
    for (size_t i = 0; i < decl->nredecls && !decl->dual; i++) {
        const cw_redecl *redecl = &decl->redecls[i];
        if (!redecl->definition && !cw_type_bare(redecl->type)->prototyped)
            cw_diag(unit, CW_ERROR, redecl->name_at,
                    "write the parameters' types between the brackets",
                    "'%s' is pausable and has parameters, which this declaration does not list",
                    decl->name);
    }
}

/* Refuses types that are defined in the header of a pausable function. */
static void check_header_types(cw_unit *unit)
{
    for (size_t i = 0; i < unit->ntags; i++) {
        const cw_tag *tag = unit->tags[i];
        const cw_func *func = cw_func_at(unit, tag->begin);
        if (func == NULL || !func->pausable || tag->end <= tag->begin ||
            tag->begin >= func->body_at)
            continue;
        if (tag->begin > cw_definition_of(func->decl) ||
            strncmp(unit->text + cw_skip_blank(unit, tag->end), "__attribute", 11) == 0)
            cw_diag(unit, CW_ERROR, tag->begin, "define it before the function",
                    "'%s' is pausable, and its header defines a type", func->decl->name);
    }
}

static void check_function(cw_unit *unit, cw_func *func)
{
    const char *name = func->decl->name;
    uint32_t at = cw_definition_of(func->decl);
    if (strcmp(name, "main") == 0 && !func->decl->dual)
        cw_diag(unit, CW_ERROR, at,
                "mark it pausable_or_plain, or let main call co4_run(real_main(argc, argv))",
                "main is called by the C library and cannot be pausable");
    const cw_func *last = func->decl->func;
    if (last != func)
        cw_diag(unit, CW_ERROR, last->begin, "write it once", "'%s' is pausable and has two bodies",
                name);
    if (func->old_style)
        check_old_style(unit, func, at);
    for (size_t i = 0; i < func->nparams; i++)
        check_parameter(unit, func, func->params[i]);
    for (size_t i = 0; i < func->ndeclared; i++)
        check_name(unit, func->declared[i]);
    check_arguments_taken(unit, func, func->body);
    if (!func->body->has_points)
        return;
    cw_find_cleanups(func);
    cw_find_lengths(func);
    for (size_t i = 0; i < func->ndeclared; i++) {
        const cw_decl *decl = func->declared[i];
        bool automatic = decl->kind == CW_D_PARAM ? decl->func == func
                                                  : decl->kind == CW_D_VARIABLE && !decl->is_static;
        if (automatic && cw_holds_point(func, decl->scope_begin, decl->scope_end))
            check_local(unit, decl);
    }
    check_node(unit, func, func->body);
    cw_check_moved_types(unit, func);
    if (unit->options->regions)
        check_regions(unit, func);
    if (func->ncleanups > 0) {
        check_computed_jumps(unit, func->body);
        check_handlers(unit, func);
    }
}

bool cw_check(cw_unit *unit)
{
    cw_read_attributes(unit);
    cw_check_library_calls(unit);
    cw_check_mistakes(unit);
    bool any = false;
    for (size_t i = 0; i < unit->nfuncs; i++) {
        cw_func *func = unit->funcs[i];
        if (!func->pausable)
            continue;
        any = true;
        check_function(unit, func);
    }
    if (any)
        check_header_types(unit);
    for (size_t i = 0; i < unit->nentries; i++)
        if (unit->entries[i]->kind == CW_ENTRY)
            check_packed(unit, unit->entries[i], cw_entry_has_runtime(unit->entries[i]->entry));
    for (size_t i = 0; any && i < unit->ndecls; i++)
        check_file_scope_name(unit, unit->decls[i]);
    for (size_t i = 0; i < unit->ndecls; i++)
        if (unit->decls[i]->kind == CW_D_FUNCTION && cw_decl_is_pausable(unit->decls[i]))
            check_types(unit, unit->decls[i]);
    if (any)
        cw_check_reserved_names(unit);
    return unit->errors == 0;
}
