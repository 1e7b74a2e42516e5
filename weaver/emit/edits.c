/* edits.c - small edits, inside expressions and declarations: names, parameter lists, marks.
 *
 * cw_emit makes them for the whole text at once, before it writes statements. Each piece of text
 * that is copied later contains these edits. */
#include <string.h>

#include "ast/func.h"
#include "ast/node.h"
#include "ast/type.h"
#include "base/names.h"
#include "emit/emit.h"
#include "text/unit.h"

/* A use of a pinned local. Its field is not const, so that woven code can set it, but the object
 * keeps its const. */
static const char *use_of(cw_unit *unit, const cw_local *local)
{
    const cw_type *element = local->type;
    while (cw_type_bare(element)->kind == CW_T_ARRAY && !cw_type_is_const(element))
        element = cw_type_bare(element)->inner;
    if (!unit->selects || local->seen != NULL || !cw_type_is_const(element))
        return cw_local_ref(unit, local);
    const cw_type *pointer = cw_type_pointer_to(unit, local->type);
    return cw_format(&unit->arena, "(*(%s)%sco4_f->%s)", cw_type_write(unit, pointer, "", 0),
                     local->bytes ? "(void *)" : "&", local->field);
}

/* Adds the fiber to the parameter list of a function type; `open` is the offset of its '('. An
 * empty list does not say which parameters there are, so it needs none. */
static void add_fiber(cw_unit *unit, uint32_t open, const cw_type *function)
{
    static const char fiber[] = "co4_fiber *";
    uint32_t close = cw_skip_group(unit, open) - 1;
    bool empty = cw_skip_blank(unit, open + 1) == close;
    if (empty && (function->nparams > 0 || function->variadic))
        return;
    if (function->nparams == 0 && !function->variadic)
        cw_edit_add(unit, &unit->small, open + 1, close, fiber);
    else
        cw_edit_add(unit, &unit->small, open, open + 1, cw_format(&unit->arena, "(%s, ", fiber));
    for (uint32_t at = open + 1; function->variadic && at < close;) {
        if (strncmp(unit->text + at, "...", 3) == 0) {
            cw_edit_add(unit, &unit->small, at, at + 3, "co4_abi_args *");
            return;
        }
        at = strchr("([{", unit->text[at]) != NULL ? cw_skip_group(unit, at)
                                                   : cw_skip_unit(unit, at);
    }
}

/* A dual function is declared twice, pausable and plain. A call of a function that is not declared
 * is its declaration; the woven form is declared before the function that has it. */
static void add_woven_prototype(cw_unit *unit, const cw_decl *decl, const cw_redecl *redecl)
{
    if (decl->bridged)
        return;
    const cw_func *around = cw_func_at(unit, redecl->begin);
    if (around != NULL && around->begin == redecl->begin)
        around = NULL; /* its own definition */
    bool implicit = around != NULL && redecl->begin == redecl->name_at;
    const char *text = cw_format(&unit->arena, " %s%s;",
                                 decl->is_static && (around == NULL || implicit) ? "static " : "",
                                 cw_header_prototype(unit, decl, redecl));
    uint32_t at = redecl->end;
    while (at < unit->length && unit->text[at] != ';')
        at = strchr("([{", unit->text[at]) != NULL ? cw_skip_group(unit, at)
                                                   : cw_skip_unit(unit, at);
    if (implicit)
        cw_edit_add(unit, &unit->large, around->begin, around->begin, text);
    else
        cw_edit_add(unit, &unit->small, at + 1, at + 1, text);
}

static void edit_decl(cw_unit *unit, const cw_decl *decl)
{
    if (!decl->marked)
        return;
    const cw_type *type = decl->type;
    while (type->kind == CW_T_POINTER || type->kind == CW_T_ARRAY || type->kind == CW_T_OPEN_ARRAY)
        type = type->inner;
    for (size_t i = 0; i < decl->nredecls; i++) {
        const cw_redecl *redecl = &decl->redecls[i];
        if (decl->dual) {
            if (!redecl->definition)
                add_woven_prototype(unit, decl, redecl);
            continue;
        }
        bool woven_definition = decl->kind == CW_D_FUNCTION && redecl->definition;
        if (decl->kind == CW_D_FUNCTION && !woven_definition)
            cw_edit_add(unit, &unit->small, redecl->name_at,
                        redecl->name_at + (uint32_t)strlen(decl->name),
                        cw_format(&unit->arena, "%s__co4", decl->name));
        uint32_t open = cw_parameter_list(unit, decl, redecl);
        if (!woven_definition && type->kind == CW_T_FUNCTION && open != 0)
            add_fiber(unit, open, type);
    }
}

static void edit_params(cw_unit *unit, const cw_decl *decl)
{
    for (size_t i = 0; i < decl->nredecls; i++)
        for (size_t j = 0; j < decl->redecls[i].nparams; j++) {
            const cw_decl *param = decl->redecls[i].params[j];
            bool listed = param->local; /* those are in func->declared */
            if (!listed)
                edit_decl(unit, param);
            edit_params(unit, param);
        }
}

/* The declaration that a name denotes at an offset inside a function. */
static const cw_decl *meaning_of(const cw_func *func, const char *name, size_t length, uint32_t at)
{
    const cw_decl *found = NULL;
    for (size_t i = 0; i < func->ndeclared; i++) {
        const cw_decl *decl = func->declared[i];
        if (strlen(decl->name) == length && memcmp(decl->name, name, length) == 0 &&
            decl->name_at < at && at >= decl->scope_begin && at < decl->scope_end &&
            (found == NULL || decl->name_at > found->name_at))
            found = decl;
    }
    return found;
}

/* The text of cw_value_without_call() with the variables of glibc's macro. */
static const char *with_variables(cw_unit *unit, const cw_func *func, const char *text, uint32_t at)
{
    static const char *const names[] = { "__cancel_buf", "__cancel_routine", "__cancel_arg" };
    cw_buf out = { 0 };
    for (; *text != '\0'; text++) {
        if (*text != '$') {
            cw_put(&out, text, 1);
            continue;
        }
        text++;
        const char *name = names[*text == 'b' ? 0 : *text == 'r' ? 1 : 2];
        const cw_decl *decl = meaning_of(func, name, strlen(name), at);
        cw_puts(&out, decl != NULL && decl->as_local != NULL ? use_of(unit, decl->as_local)
                      : decl != NULL && decl->rename != NULL ? decl->rename
                                                             : name);
    }
    const char *made = cw_strndup(&unit->arena, out.data, out.length);
    cw_buf_free(&out);
    return made;
}

static void edit_nodes(cw_unit *unit, cw_func *func, const cw_node *node, bool evaluated)
{
    if (node == NULL)
        return;
    for (size_t i = 0; i < node->nkids; i++)
        edit_nodes(unit, func, node->kids[i], evaluated && cw_evaluates(node, i));
    const cw_decl *decl = node->decl;
    if (node->kind == CW_REF && decl != NULL) {
        if (decl->kind == CW_D_FUNCTION && cw_ref_is_pausable(node))
            cw_edit_add(unit, &unit->small, node->begin, node->end, cw_woven_name(unit, decl));
        else if (decl->as_local != NULL && decl->as_local->pinned)
            cw_edit_add(unit, &unit->small, node->begin, node->end, use_of(unit, decl->as_local));
        else if (decl->of_task && evaluated)
            cw_edit_add(unit, &unit->small, node->begin, node->end,
                        cw_local_of_task(unit, decl->name));
        else if (decl->rename != NULL)
            cw_edit_add(unit, &unit->small, node->begin, node->end, decl->rename);
    }
    const char *va = func != NULL && func->pausable ? cw_va_function(node) : NULL;
    if (va != NULL && strcmp(va, "va_start") == 0) { /* the caller has done this */
        cw_edit_add(unit, &unit->small, node->kids[0]->begin, node->kids[0]->end,
                    "__builtin_va_copy");
        cw_edit_add(unit, &unit->small, node->kids[1]->end, node->end,
                    func->args != NULL ? ", co4_f->co4_args->list)" : ", co4_va->list)");
    }
    const char *value = func != NULL && func->pausable ? cw_value_without_call(unit, node) : NULL;
    if (value != NULL)
        cw_edit_add(unit, &unit->small, node->begin, node->end,
                    with_variables(unit, func, value, node->begin));
    if (node->kind == CW_CALL && node->is_point && node->entry == CW_ENTRY_NONE && !node->catches &&
        !node->by_address && !cw_packs_arguments(node)) {
        uint32_t open = cw_skip_blank(unit, node->kids[0]->end);
        bool pausable = func != NULL && func->pausable && evaluated;
        cw_edit_add(unit, &unit->small, open,
                    open + 1, /* over the '(': an insertion could fall between two pieces */
                    cw_format(&unit->arena, "(%s%s", pausable ? "co4" : "(co4_fiber *)0",
                              node->nkids > 1 ? ", " : ""));
    }
}

static const char *type_name_instead(cw_unit *unit, const cw_decl *decl)
{
    return cw_format(&unit->arena, "__typeof__(%s)", cw_type_write(unit, decl->type, "", 0));
}

/* Edits names in the operand of a typeof, for which libclang provides no expression. */
static void edit_operand(cw_unit *unit, const cw_func *func, uint32_t from, uint32_t to)
{
    static const char before_tag[] = "struct union enum";
    bool member = false; /* or tag: no variable */
    for (uint32_t at = from; at < to;) {
        char c = unit->text[at];
        uint32_t end = cw_skip_word(unit, at);
        if (end == at) {
            if (c == '.' || (c == '>' && unit->text[at - 1] == '-'))
                member = true;
            else if (strchr(" \t\n", c) == NULL)
                member = false;
            at = cw_skip_unit(unit, at);
            continue;
        }
        const cw_decl *decl = member ? NULL : meaning_of(func, unit->text + at, end - at, at);
        if (decl != NULL && decl->as_local != NULL && decl->as_local->pinned)
            cw_edit_add(unit, &unit->small, at, end, use_of(unit, decl->as_local));
        else if (decl != NULL && decl->rename != NULL)
            cw_edit_add(unit, &unit->small, at, end, decl->rename);
        else if (decl != NULL && decl->kind == CW_D_TYPEDEF && decl->kept_lengths)
            cw_edit_add(unit, &unit->small, at, end, type_name_instead(unit, decl));
        member = cw_lists(before_tag, unit->text + at, end - at);
        at = end;
    }
}

static void edit_typeofs(cw_unit *unit, const cw_func *func)
{
    for (uint32_t at, end = func->body_at; cw_next_word(unit, &at, &end, func->end);) {
        uint32_t open = cw_skip_blank(unit, end);
        if (cw_is_typeof(unit->text + at, end - at) && unit->text[open] == '(')
            edit_operand(unit, func, open, cw_skip_group(unit, open));
    }
}

/* Edits names of typedefs that woven code does not declare (vla.c), in casts, sizeof and the
 * like. */
static void edit_type_names(cw_unit *unit, const cw_func *func)
{
    for (size_t i = 0; i < func->nnamed_types; i++) {
        const cw_decl *decl = func->named_types[i].decl;
        uint32_t at = func->named_types[i].at;
        if (decl->kept_lengths)
            cw_edit_add(unit, &unit->small, at, at + (uint32_t)strlen(decl->name),
                        type_name_instead(unit, decl));
    }
}

/* Initializes locals that a point may save before they have a value. */
static void edit_declarators(cw_unit *unit, const cw_node *node)
{
    if (node == NULL)
        return;
    for (size_t i = 0; i < node->nkids; i++)
        edit_declarators(unit, node->kids[i]);
    if (node->kind != CW_VAR || node->kids[0] != NULL)
        return;
    const cw_local *local = node->decl->as_local;
    if (local == NULL || !local->clear || !local->saved)
        return;
    uint32_t at = cw_skip_blank(unit, node->end); /* past attributes */
    while (cw_is_word(unit->text[at]) || unit->text[at] == '(') {
        if (unit->text[at] == '(')
            at = cw_skip_group(unit, at);
        at = cw_skip_word(unit, at);
        at = cw_skip_blank(unit, at);
    }
    cw_edit_add(unit, &unit->small, at, at,
                cw_format(&unit->arena, " = %s", cw_clear_value(local->type)));
}

/* Edits nodes that differ from their text. An outer node's edit contains those of inner nodes. */
static void edit_special(cw_unit *unit, const cw_node *node)
{
    if (node == NULL)
        return;
    if (node->kind == CW_ENTRY || node->entry == CW_ENTRY_BLOCKING || node->by_address ||
        node->storage != NULL || cw_packs_arguments(node)) {
        cw_buf buf = { 0 };
        cw_render_itself(unit, node, &buf);
        cw_edit_add(unit, &unit->small, node->begin, node->end, cw_strdup(&unit->arena, buf.data));
        cw_buf_free(&buf);
        return;
    }
    for (size_t i = 0; i < node->nkids; i++)
        edit_special(unit, node->kids[i]);
}

/* Renames a variable with pausable functions that other files can use. As with functions, its name
 * distinguishes woven objects from unwoven ones, which would call through it without a fiber. */
static void rename_shared(cw_unit *unit, cw_decl *decl)
{
    if (!decl->has_linkage || !cw_decl_is_pausable(decl))
        return;
    decl->rename = cw_format(&unit->arena, "%s__co4", decl->name);
    for (size_t i = 0; i < decl->nredecls; i++) {
        uint32_t at = decl->redecls[i].name_at;
        cw_edit_add(unit, &unit->small, at, at + (uint32_t)strlen(decl->name), decl->rename);
    }
}

void cw_small_edits(cw_unit *unit)
{
    for (size_t i = 0; i < unit->ndecls; i++)
        rename_shared(unit, unit->decls[i]);
    for (size_t i = 0; i < unit->nmarks; i++)
        cw_edit_add(unit, &unit->small, unit->marks[i].begin, unit->marks[i].end, "");
    for (size_t i = 0; i < unit->ndecls; i++) {
        edit_decl(unit, unit->decls[i]);
        edit_params(unit, unit->decls[i]);
    }
    for (size_t i = 0; i < unit->nfuncs; i++) {
        cw_func *func = unit->funcs[i];
        if (func->pausable)
            cw_function_edits(unit, func);
        for (size_t j = 0; j < func->ndeclared; j++) {
            const cw_decl *decl = func->declared[j];
            if (decl->kind == CW_D_LABEL || decl->kind == CW_D_FUNCTION)
                continue;
            edit_decl(unit, decl);
            edit_params(unit, decl);
            if (decl->has_linkage)
                rename_shared(unit, func->declared[j]);
            else if (decl->rename != NULL)
                cw_edit_add(unit, &unit->small, decl->name_at,
                            decl->name_at + (uint32_t)strlen(decl->name), decl->rename);
        }
        for (size_t j = 0; !func->pausable && j < func->nparams; j++)
            for (size_t k = 0; k < func->params[j]->nsizes; k++)
                edit_nodes(unit, func, func->params[j]->sizes[k], true);
        edit_nodes(unit, func, func->body, true);
        for (size_t j = 0; j < func->nnamed_locals; j++) {
            uint32_t at = func->named_locals[j].at;
            const cw_decl *decl = func->named_locals[j].decl;
            if (decl->of_task)
                cw_edit_add(unit, &unit->small, at, at + (uint32_t)strlen(decl->name),
                            cw_local_of_task(unit, decl->name));
        }
        if (func->npoints > 0) {
            edit_typeofs(unit, func);
            edit_type_names(unit, func);
            edit_declarators(unit, func->body);
        }
    }
    cw_edit_plain_jumps(unit);
    for (size_t i = 0; i < unit->ninitializers; i++)
        edit_nodes(unit, NULL, unit->initializers[i], true);
    for (size_t i = 0; i < unit->nfuncs; i++)
        edit_special(unit, unit->funcs[i]->body);
    for (size_t i = 0; i < unit->ninitializers; i++)
        edit_special(unit, unit->initializers[i]);
}
