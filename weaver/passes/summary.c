/* summary.c - --auto: what a unit contributes to the program's graph of calls.
 *
 * In:  the loaded tree; unmarked.c has found the functions that have to stay plain.
 * Out: unit->out: lines of a letter and keys.
 *     D KEY FILE:LINE     a function is defined here
 *     W KEY FILE:LINE     … and is weak
 *     P KEY REASON        … and has to stay plain
 *     N KEY REASON        … the same, and nothing is known of what it calls
 *     V KEY REASON        calls here vary: it has to stay plain wherever it is defined
 *     M KEY               a function has a mark
 *     A, B KEY            … or atomic operations; or accesses of memory that others may see
 *     S KEY               … or a loop that waits for another thread, without a call
 *     E KEY               an entry point takes a call of it
 *     C KEY KEY           the first function calls the second
 *     G KEY SLOT          a function calls through a pointer from this slot
 *     F KEY SLOT          the address of a function, or what a slot holds, flows to a slot
 *     T, L KEY FILE:LINE  a thread-local is defined here, or is used
 *
 * A slot is a place of pointers to functions, for all structs of a type and all elements of an
 * array. Keys are names in the whole program, or in the unit (the second letter): f: s: a function,
 * v: w: a variable (w: also locals), p: q: a parameter, m: a member, t: any pointer of a type, as
 * far as nothing better is known; l: k: a thread-local.
 *
 * A function whose address is used comes to the slot of its own type. So a cast to a type that it
 * cannot be called as is no flow. A pointer to a slot may write it: a flow in both directions. */
#include <string.h>

#include "ast/decl.h"
#include "ast/node.h"
#include "ast/type.h"
#include "passes/passes.h"
#include "text/unit.h"

/* ---- keys ------------------------------------------------------------------------------------ */

/* The same text for types that are compatible, in all units: without typedefs and qualifiers. */
static void put_type(const cw_type *type, unsigned depth, cw_buf *out)
{
    type = cw_type_bare(type);
    switch (depth < 8 ? type->kind : CW_T_OTHER) {
    case CW_T_POINTER:
    case CW_T_ARRAY:
    case CW_T_OPEN_ARRAY:
    case CW_T_VLA:
        put_type(type->inner, depth + 1, out);
        cw_puts(out, "*");
        break;
    case CW_T_FUNCTION:
        put_type(type->inner, depth + 1, out);
        cw_puts(out, "(");
        for (size_t i = 0; i < type->nparams; i++) {
            put_type(type->params[i], depth + 1, out);
            cw_puts(out, ",");
        }
        cw_puts(out, type->variadic ? "...)" : type->prototyped ? ")" : "?)");
        break;
    case CW_T_RECORD:
        cw_puts(out, type->tag->said != NULL ? type->tag->said : "{}");
        break;
    case CW_T_ENUM:
        cw_puts(out, "int");
        break;
    case CW_T_BUILTIN:
        for (const char *c = type->name; *c != '\0'; c++)
            cw_put(out, *c == ' ' ? "_" : c, 1);
        break;
    default:
        cw_puts(out, "?");
    }
}

static const char *type_key(cw_unit *unit, const cw_type *type)
{
    cw_buf text = { 0 };
    cw_puts(&text, "t:");
    type = cw_type_bare(type);
    while (type->kind == CW_T_POINTER || type->kind == CW_T_ARRAY || type->kind == CW_T_OPEN_ARRAY)
        type = cw_type_bare(type->inner);
    put_type(type, 0, &text);
    return cw_take(&unit->arena, &text);
}

static void name_params(cw_unit *unit, const cw_decl *function, cw_decl **params, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (cw_is_function_like(params[i]->type))
            params[i]->slot = cw_format(&unit->arena, "%s:%s:%zu", function->is_static ? "q" : "p",
                                        function->name, i);
}

static void name_members(cw_unit *unit, const cw_tag *tag)
{
    cw_place place = cw_place_of(unit, tag->begin);
    const char *name = tag->said != NULL && !tag->local
                           ? tag->said
                           : cw_format(&unit->arena, "%s:%u", place.file, place.line);
    for (size_t i = 0; i < tag->nfields; i++)
        if (cw_is_function_like(tag->fields[i]->type))
            tag->fields[i]->slot = cw_format(&unit->arena, "m:%s.%s", name, tag->fields[i]->name);
}

static void name_slots(cw_unit *unit)
{
    for (size_t i = 0; i < unit->ndecls; i++) {
        cw_decl *decl = unit->decls[i];
        if (decl->kind != CW_D_FUNCTION)
            continue;
        name_params(unit, decl, decl->params, decl->nparams);
        for (size_t k = 0; k < decl->nredecls; k++)
            name_params(unit, decl, decl->redecls[k].params, decl->redecls[k].nparams);
    }
    for (size_t i = 0; i < unit->nfuncs; i++)
        name_params(unit, unit->funcs[i]->decl, unit->funcs[i]->params, unit->funcs[i]->nparams);
    for (size_t i = 0; i < unit->ntags; i++)
        name_members(unit, unit->tags[i]);
}

static const char *key_of(cw_unit *unit, cw_decl *decl)
{
    if (decl->slot != NULL)
        return decl->slot;
    if (decl->kind == CW_D_FUNCTION)
        decl->slot = cw_format(&unit->arena, "%s:%s", decl->is_static ? "s" : "f", decl->name);
    else if (decl->kind !=
             CW_D_VARIABLE) /* of the type of a function, or of a struct that is unknown */
        decl->slot = type_key(unit, decl->type);
    else if (decl->has_linkage)
        decl->slot = cw_format(&unit->arena, "v:%s", decl->name);
    else
        decl->slot = cw_format(&unit->arena, "w:%s@%u", decl->name, decl->name_at);
    return decl->slot;
}

/* ---- flows ----------------------------------------------------------------------------------- */

static void put(cw_unit *unit, char what, const char *one, const char *other)
{
    if (what == 'C' || strcmp(one, other) != 0) /* a call of itself: frames without a bound */
        cw_printf(&unit->out, "%c %s %s\n", what, one, other);
}

static const cw_type *function_of(const cw_type *type)
{
    type = cw_type_bare(type);
    while (type->kind != CW_T_FUNCTION && type->inner != NULL)
        type = cw_type_bare(type->inner);
    return type;
}

/* Is a function of one type called by a pointer of the other? That is undefined, but for compatible
 * types; programs do it where only what pointers point to differs. */
static bool may_be_called_as(const cw_type *one, const cw_type *other)
{
    one = function_of(one);
    other = function_of(other);
    if (one->kind != CW_T_FUNCTION || other->kind != CW_T_FUNCTION)
        return true;
    if (!one->prototyped || !other->prototyped || one->variadic || other->variadic)
        return true;
    if (one->nparams != other->nparams)
        return false;
    for (size_t i = 0; i < one->nparams; i++)
        if (cw_type_bare(one->params[i])->size != cw_type_bare(other->params[i])->size)
            return false;
    return true;
}

/* Does the type have more than one level of pointers or arrays over its function? */
static bool leads_to_slot(const cw_type *type)
{
    unsigned levels = 0;
    type = cw_type_bare(type);
    for (; type->kind != CW_T_FUNCTION; type = cw_type_bare(type->inner))
        levels++;
    return levels > 1;
}

/* The expression whose value another one has, by a cast that changes no more than what pointers
 * point to. */
static const cw_node *without_casts(const cw_node *node)
{
    for (node = cw_strip(node); node->kind == CW_CAST && node->nkids > 0;) {
        const cw_node *inner = cw_strip(node->kids[node->nkids - 1]);
        if (!cw_is_function_like(inner->type) || !may_be_called_as(inner->type, node->type))
            break;
        node = inner;
    }
    return node;
}

static const char *source_key(cw_unit *unit, const cw_node *source)
{
    cw_decl *decl = cw_flow_source(source);
    return decl != NULL ? key_of(unit, decl) : type_key(unit, cw_strip(source)->type);
}

static bool is_function_key(const char *key)
{
    return key[0] == 'f' || key[0] == 's';
}

static void put_flow_of(cw_unit *unit, const cw_node *source, cw_decl *decl, const cw_type *type)
{
    const cw_node *value = without_casts(source);
    if (value->kind == CW_COND && value->nkids == 3) {
        put_flow_of(unit, value->kids[1], decl, type);
        put_flow_of(unit, value->kids[2], decl, type);
        return;
    }
    const char *to = decl != NULL ? key_of(unit, decl) : type_key(unit, type);
    if (!cw_may_be_function(value) || is_function_key(to))
        return; /* a null pointer or a number; or the other branch of a condition */
    const char *from = source_key(unit, value);
    /* Each function whose address is used comes to the slot of its own type (put_addresses), so
     * what a slot holds need not come to that of a type it cannot be called as. */
    if (may_be_called_as(value->type, type))
        put(unit, 'F', is_function_key(from) ? from : type_key(unit, value->type),
            type_key(unit, type));
    if (to[0] != 't')
        put(unit, 'F', from, to);
    if (!is_function_key(from) && leads_to_slot(value->type))
        put(unit, 'F', to, from);
}

static void put_flow(void *data, const cw_func *func, const cw_node *source, cw_decl *decl,
                     const cw_type *type)
{
    if (func == NULL || !cw_decl_is_ours(func->decl))
        put_flow_of(data, source, decl, type);
}

static void put_called_of(cw_unit *unit, const char *caller, const cw_node *callee)
{
    const cw_node *value = without_casts(callee);
    while (value->kind == CW_UNARY)
        value = without_casts(value->kids[0]);
    if (value->kind == CW_COND && value->nkids == 3) {
        put_called_of(unit, caller, value->kids[1]);
        put_called_of(unit, caller, value->kids[2]);
        return;
    }
    const char *called = source_key(unit, value);
    put(unit, is_function_key(called) ? 'C' : 'G', caller, called);
}

static void put_leaving_of(cw_unit *unit, const cw_node *source, const char *parameter)
{
    const cw_node *value = cw_strip(source);
    if (value->kind == CW_COND && value->nkids == 3) {
        put_leaving_of(unit, value->kids[1], parameter);
        put_leaving_of(unit, value->kids[2], parameter);
    } else if (cw_may_be_function(value)) {
        put(unit, 'F', source_key(unit, value), parameter);
    }
}

/* The parameter of a function of a library, by the name that its own source would give it. */
static void put_leaving(void *data, const cw_func *func, const cw_node *source,
                        const cw_decl *callee, size_t index)
{
    cw_unit *unit = data;
    if (func == NULL || !cw_decl_is_ours(func->decl))
        put_leaving_of(unit, source,
                       cw_format(&unit->arena, "%s:%s:%zu", callee->is_static ? "q" : "p",
                                 callee->name, index));
}

static void put_called(void *data, const cw_func *func, const cw_node *callee)
{
    cw_unit *unit = data;
    if (func != NULL && callee != NULL && !cw_decl_is_ours(func->decl))
        put_called_of(unit, key_of(unit, func->decl), callee);
}

/* An entry needs the pausing form, if there is one. */
static void put_entered(void *data, const cw_node *callee)
{
    cw_unit *unit = data;
    cw_printf(&unit->out, "E %s\n", source_key(unit, callee));
}

static void put_thread_local(cw_unit *unit, char letter, const cw_decl *decl, uint32_t at)
{
    cw_place place = cw_place_of(unit, at);
    cw_printf(&unit->out, "%c %s:%s %s:%u\n", letter, decl->has_linkage ? "l" : "k",
              decl->has_linkage ? decl->symbol : decl->name, place.file, place.line);
}

/* A function's name in any other place than that of a callee: its address may come to whatever has
 * pointers of its type. And names of thread-locals. */
static void put_addresses(cw_unit *unit, const cw_node *node, const cw_node *callee)
{
    if (node == NULL)
        return;
    if (node->kind == CW_REF && node != callee && node->decl != NULL &&
        node->decl->kind == CW_D_FUNCTION)
        put(unit, 'F', key_of(unit, node->decl), type_key(unit, node->decl->type));
    if (node->kind == CW_REF && node->decl != NULL && node->decl->thread_local_)
        put_thread_local(unit, 'L', node->decl, node->begin);
    for (size_t i = 0; i < node->nkids; i++) {
        if (node->kind == CW_CALL)
            callee = i == 0 ? cw_strip(node->kids[0]) : NULL;
        put_addresses(unit, node->kids[i], callee);
    }
}

/* A local of pthread_cleanup_push(), by one of glibc's types. */
static bool has_thread_cleanup(cw_unit *unit, const cw_node *node)
{
    if (node == NULL)
        return false;
    if (node->kind == CW_VAR) {
        const char *type = cw_type_write(unit, node->decl->type, "", CW_WRITE_FILE_SCOPE);
        if (strstr(type, "__pthread_cleanup_frame") || strstr(type, "__pthread_unwind_buf_t"))
            return true;
    }
    for (size_t i = 0; i < node->nkids; i++)
        if (has_thread_cleanup(unit, node->kids[i]))
            return true;
    return false;
}

/* Functions of other units that a handler names. */
static void put_in_handlers(cw_unit *unit)
{
    for (size_t i = 0; i < unit->ndecls; i++) {
        cw_decl *decl = unit->decls[i];
        if (decl->in_handler && decl->func == NULL && !cw_decl_is_ours(decl))
            cw_printf(&unit->out, "H %s\n", key_of(unit, decl));
    }
}

bool cw_summarize(cw_unit *unit)
{
    if (!unit->options->summary)
        return true;
    put_in_handlers(unit);
    static const cw_flow_visitor visitor = { put_flow, put_called, put_entered, put_leaving, true };
    name_slots(unit);
    for (size_t i = 0; i < unit->nfuncs; i++) {
        const cw_func *func = unit->funcs[i];
        const char *key = key_of(unit, func->decl);
        if (cw_decl_is_ours(func->decl))
            continue;
        cw_place place = cw_place_of(unit, func->begin);
        cw_printf(&unit->out, "%c %s %s:%u\n", cw_unmarked_is_weak(func) ? 'W' : 'D', key,
                  place.file, place.line);
        const char *once = cw_unmarked_why_once(func);
        if (func->in_handler)
            cw_printf(&unit->out, "H %s%s\n", key, cw_unmarked_is_handler(func) ? " given" : "");
        if (once != NULL)
            cw_printf(&unit->out, "O %s %s\n", key, once);
        if (func->left_plain != NULL)
            cw_printf(&unit->out, "%c %s %s\n", func->unread ? 'N' : 'P', key, func->left_plain);
        if (has_thread_cleanup(unit, func->body))
            put(unit, 'C', key, "f:pthread_cleanup_push"); /* a macro: graph.c */
        if (cw_spins(unit, func->body))
            cw_printf(&unit->out, "S %s\n", key);
        unsigned decisions = cw_needs_decisions(unit, func->body);
        if ((decisions & CW_DECIDES_ATOMIC) != 0)
            cw_printf(&unit->out, "A %s\n", key);
        if ((decisions & CW_DECIDES_ACCESS) != 0)
            cw_printf(&unit->out, "B %s\n", key);
        put_addresses(unit, func->body, NULL);
        for (size_t k = 0; k < func->nnamed_locals; k++)
            put_thread_local(unit, 'L', func->named_locals[k].decl, func->named_locals[k].at);
    }
    for (size_t i = 0; i < unit->ninitializers; i++)
        put_addresses(unit, unit->initializers[i], NULL);
    for (size_t i = 0; i < unit->ndecls; i++) {
        cw_decl *decl = unit->decls[i];
        if (decl->kind == CW_D_FUNCTION && !cw_decl_is_ours(decl) && cw_decl_is_pausable(decl))
            cw_printf(&unit->out, "M %s\n", key_of(unit, decl));
        if (decl->thread_local_ && decl->is_defined)
            put_thread_local(unit, 'T', decl, decl->name_at);
        if (decl->calls_differ)
            cw_printf(&unit->out,
                      "V %s it is called with different arguments, and declared "
                      "without them\n",
                      key_of(unit, decl));
    }
    cw_flows(unit, &visitor, unit);
    cw_puts(&unit->out, "");
    return true;
}
