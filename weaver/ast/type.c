/* type.c - C types: the questions the passes ask of them, and how to write them.
 *
 * Temporaries and frame fields need declarations. A type is written the way the user spelled it
 * where that spelling is visible: typedef names stay. Inside the function every name is; at file
 * scope, where the frame struct stands, names that belong to the function are not: a local typedef
 * is looked through, and for a local struct the frame keeps raw bytes (frame.c). An anonymous
 * struct without a typedef is given a tag, by an edit of its definition. */
#include "ast/type.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "ast/decl.h"
#include "ast/func.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/bug.h"
#include "co4/abi.h"
#include "emit/render.h"
#include "passes/vla.h"
#include "text/edit.h"
#include "text/unit.h"

const cw_type *cw_type_bare(const cw_type *type)
{
    while (type->kind == CW_T_TYPEDEF)
        type = type->inner;
    return type;
}

const cw_type *cw_type_pointer_to(cw_unit *unit, const cw_type *inner)
{
    cw_type *type = cw_alloc(&unit->arena, sizeof *type);
    type->kind = CW_T_POINTER;
    type->inner = (cw_type *)(uintptr_t)inner;
    type->size = type->align = unit->head_bytes / 2;
    return type;
}

bool cw_type_is_const(const cw_type *type)
{
    for (; type->kind == CW_T_TYPEDEF; type = type->inner)
        if (type->is_const)
            return true;
    return type->is_const;
}

const cw_type *cw_type_unqualified(cw_unit *unit, const cw_type *type)
{
    if (!cw_type_is_const(type))
        return type;
    while (type->kind == CW_T_TYPEDEF && cw_type_is_const(type->inner))
        type = type->inner;
    cw_type *copy = cw_alloc(&unit->arena, sizeof *copy);
    *copy = *type;
    copy->is_const = false;
    return copy;
}

const cw_type *cw_type_value(cw_unit *unit, const cw_type *type)
{
    const cw_type *bare = cw_type_bare(type);
    switch (bare->kind) {
    case CW_T_ARRAY:
    case CW_T_OPEN_ARRAY:
    case CW_T_VLA: {
        cw_type *element = cw_alloc(&unit->arena, sizeof *element);
        *element = *bare->inner;
        element->is_const |= cw_type_is_const(type); /* of an array is of its elements */
        return cw_type_pointer_to(unit, element);
    }
    case CW_T_FUNCTION:
        return cw_type_pointer_to(unit, type);
    default:
        return type;
    }
}

bool cw_type_is_va_list(const cw_type *type)
{
    for (; type != NULL; type = type->inner) {
        if (type->kind == CW_T_TYPEDEF && type->decl != NULL &&
            (strcmp(type->decl->name, "__builtin_va_list") == 0 ||
             strcmp(type->decl->name, "va_list") == 0 ||
             strcmp(type->decl->name, "__gnuc_va_list") == 0))
            return true;
        if (type->tag != NULL)
            return type->tag->name != NULL && strcmp(type->tag->name, "__va_list_tag") == 0;
    }
    return false;
}

bool cw_type_is_void(const cw_type *type)
{
    const cw_type *bare = cw_type_bare(type);
    return bare->kind == CW_T_BUILTIN && strcmp(bare->name, "void") == 0;
}

bool cw_type_is_wide(const cw_type *type)
{
    const cw_type *bare = cw_type_bare(type);
    return !cw_type_is_void(type) && (bare->size > CO4_ABI_RESULT_BYTES || bare->align > 8);
}

bool cw_type_is_local(const cw_type *type)
{
    for (; type != NULL; type = type->inner) {
        if (type->tag != NULL)
            return type->tag->local && type->kind != CW_T_ENUM;
        if (type->kind == CW_T_FUNCTION)
            for (size_t i = 0; i < type->nparams; i++)
                if (cw_type_is_local(type->params[i]))
                    return true;
    }
    return false;
}

bool cw_type_is_coloured(const cw_type *type)
{
    for (; type != NULL; type = type->inner) {
        if (type->kind == CW_T_TYPEDEF && type->decl != NULL && type->decl->marked)
            return true;
        if (type->kind == CW_T_FUNCTION || type->tag != NULL)
            return false;
    }
    return false;
}

bool cw_type_is_assignable(const cw_type *type)
{
    const cw_type *bare = cw_type_bare(type);
    return !(bare->kind == CW_T_RECORD && bare->tag->const_member);
}

static bool has_marked_params(const cw_decl *decl)
{
    for (size_t i = 0; i < decl->nparams; i++)
        if (decl->params[i]->marked || has_marked_params(decl->params[i]))
            return true;
    return false;
}

static cw_type *with_marks(cw_unit *unit, cw_type *type, const cw_decl *decl, bool coloured)
{
    bool leads = type->kind == CW_T_POINTER || type->kind == CW_T_ARRAY ||
                 type->kind == CW_T_OPEN_ARRAY;
    cw_type *inner = leads ? with_marks(unit, type->inner, decl, coloured) : NULL;
    if (leads ? inner == type->inner
              : type->kind != CW_T_FUNCTION || !(coloured || has_marked_params(decl)))
        return type;
    cw_type *copy = cw_alloc(&unit->arena, sizeof *copy);
    *copy = *type;
    if (leads) {
        copy->inner = inner;
        return copy;
    }
    copy->coloured = coloured;
    copy->params = NULL;
    copy->nparams = 0;
    for (size_t i = 0; i < type->nparams; i++) {
        const cw_decl *param = i < decl->nparams ? decl->params[i] : NULL;
        CW_PUSH(&unit->arena, copy->params, copy->nparams,
                param != NULL ? with_marks(unit, type->params[i], param, param->marked)
                              : type->params[i]);
    }
    return copy;
}

const cw_type *cw_type_with_marks(cw_unit *unit, const cw_type *type, const cw_decl *decl)
{
    if (!has_marked_params(decl))
        return type;
    cw_type copy = *type;
    const cw_type *marked = with_marks(unit, &copy, decl, false);
    return marked == &copy ? type : marked;
}

bool cw_type_has(const cw_type *type, cw_type_kind kind)
{
    for (; type != NULL; type = type->inner) {
        if (type->kind == kind)
            return true;
        if (type->kind == CW_T_POINTER || type->kind == CW_T_FUNCTION)
            return false;
    }
    return false;
}

static bool has_unknown_size(const cw_type *type)
{
    type = cw_type_bare(type);
    if (type->kind == CW_T_ARRAY)
        return has_unknown_size(type->inner);
    for (size_t i = 0; type->kind == CW_T_RECORD && i < type->tag->nfields; i++)
        if (has_unknown_size(type->tag->fields[i]->type))
            return true;
    return type->kind == CW_T_OTHER && type->size < 0;
}

bool cw_can_be_written(const cw_type *type)
{
    if (cw_type_bare(type)->kind == CW_T_RECORD && cw_type_is_local(type) && has_unknown_size(type))
        return false;
    for (; type != NULL; type = type->inner) {
        if (type->kind == CW_T_OTHER)
            return false;
        for (size_t i = 0; i < type->nparams; i++)
            if (!cw_can_be_written(type->params[i]))
                return false;
    }
    return true;
}

/* ---- writing ---- */

static const char *quals(cw_unit *unit, const cw_type *type, bool drop)
{
    return cw_format(&unit->arena, "%s%s%s", type->is_const && !drop ? "const " : "",
                     type->is_volatile ? "volatile " : "", type->is_restrict ? "restrict " : "");
}

static const char *tag_name(cw_unit *unit, cw_tag *tag)
{
    if (tag->name == NULL) {
        tag->name = cw_format(&unit->arena, "co4_tag_%zu", unit->next_order);
        uint32_t brace = tag->begin;
        while (brace < tag->end && unit->text[brace] != '{')
            brace++;
        cw_edit_add(unit, &unit->small, brace, brace + 1,
                    cw_format(&unit->arena, " %s {", tag->name));
    }
    return tag->name;
}

static const char *params_text(cw_unit *unit, const cw_type *type, unsigned how, bool coloured)
{
    cw_buf buf = { 0 };
    const char *separator = "";
    if (coloured) {
        cw_puts(&buf, "co4_fiber *");
        separator = ", ";
    }
    for (size_t i = 0; i < type->nparams; i++) {
        cw_printf(&buf, "%s%s", separator,
                  cw_type_write(unit, type->params[i], "",
                                (how & CW_WRITE_FILE_SCOPE) | CW_WRITE_PARAMETER));
        separator = ", ";
    }
    if (type->variadic)
        cw_printf(&buf, "%s...", separator);
    else if (buf.length == 0 && type->prototyped)
        cw_puts(&buf, "void");
    const char *text = cw_strdup(&unit->arena, buf.data != NULL ? buf.data : "");
    cw_buf_free(&buf);
    return text;
}

/* Does the function whose body we write for give the name of this typedef another meaning? */
static bool hides(const cw_unit *unit, unsigned how, const cw_decl *decl)
{
    const cw_func *func = (how & CW_WRITE_FILE_SCOPE) != 0 ? NULL : unit->writing;
    for (size_t i = 0; func != NULL && i < func->ndeclared; i++)
        if (func->declared[i] != decl && func->declared[i]->kind != CW_D_LABEL &&
            strcmp(func->declared[i]->name, decl->name) == 0)
            return true;
    return false;
}

size_t cw_first_tag(const cw_func *func, const char *name, size_t length)
{
    size_t i;
    CW_SEARCH(i, func->ntags, strncmp(func->tags[i]->said, name, length) >= 0);
    if (i < func->ntags && strncmp(func->tags[i]->said, name, length) == 0 &&
        func->tags[i]->said[length] == '\0')
        return i;
    return func->ntags;
}

static bool hides_tag(const cw_unit *unit, unsigned how, const cw_tag *tag)
{
    const cw_func *func = (how & CW_WRITE_FILE_SCOPE) != 0 ? NULL : unit->writing;
    if (func == NULL || tag->name == NULL)
        return false;
    for (size_t i = cw_first_tag(func, tag->name, strlen(tag->name)); i < func->ntags; i++) {
        const cw_tag *other = func->tags[i];
        if (strcmp(other->said, tag->name) != 0)
            return false;
        if (other != tag && other->name == other->said)
            return true;
    }
    return false;
}

/* Is this typedef's name of no use, so that what it stands for is written? */
static bool looks_through(const cw_unit *unit, const cw_type *type, unsigned how)
{
    const cw_decl *decl = type->decl;
    return decl == NULL || decl->kept_lengths ||
           ((how & CW_WRITE_FILE_SCOPE) != 0 && decl->local) ||
           (decl->local && hides(unit, how, decl)) ||
           ((how & CW_WRITE_UNQUALIFIED) != 0 &&
            cw_type_is_const(type->inner)) || /* const is in it */
           ((how & CW_WRITE_COLOURED) != 0 && !cw_type_is_coloured(type));
}

/* Another name for a type at file scope, declared in front of the function that hides its own. */
static const char *alias(cw_unit *unit, const char *keyword, const char *name)
{
    cw_func *func = unit->writing;
    const char *text = cw_format(&unit->arena, "typedef %s%s co4_as_%s;", keyword, name, name);
    bool known = false;
    for (size_t i = 0; i < func->naliases; i++)
        known |= strcmp(func->aliases[i], text) == 0;
    if (!known)
        CW_PUSH(&unit->arena, func->aliases, func->naliases, text);
    return cw_format(&unit->arena, "co4_as_%s", name);
}

/* What is said of an array is said of its elements. */
static const cw_type *element_of(cw_unit *unit, const cw_type *array)
{
    if (!array->is_const && !array->is_volatile)
        return array->inner;
    cw_type *element = cw_alloc(&unit->arena, sizeof *element);
    *element = *array->inner;
    element->is_const |= array->is_const;
    element->is_volatile |= array->is_volatile;
    return element;
}

const char *cw_type_write(cw_unit *unit, const cw_type *type, const char *name, unsigned how)
{
    cw_arena *arena = &unit->arena;
    const char *gap = *name != '\0' && *name != '[' && *name != '(' ? " " : *name == '(' ? " " : "";
    bool drop = (how & CW_WRITE_UNQUALIFIED) != 0;
    switch (type->kind) {
    case CW_T_POINTER: {
        const cw_type *to = type->inner, *seen = to;
        if ((how & CW_WRITE_FILE_SCOPE) != 0 && (how & CW_WRITE_PARAMETER) == 0 &&
            cw_type_is_vm(to)) /* nothing there has a value */
            return cw_format(arena, "void *%s%s", quals(unit, type, drop), name);
        while (seen->kind == CW_T_TYPEDEF &&
               looks_through(unit, seen, how & ~(unsigned)CW_WRITE_UNQUALIFIED))
            seen = seen->inner;
        const char *text = cw_format(arena, "*%s%s", quals(unit, type, drop), name);
        if (seen->kind == CW_T_FUNCTION || seen->kind == CW_T_ARRAY ||
            seen->kind == CW_T_OPEN_ARRAY || seen->kind == CW_T_VLA)
            text = cw_format(arena, "(%s)", text);
        return cw_type_write(unit, to, text, how & ~(unsigned)CW_WRITE_UNQUALIFIED);
    }
    case CW_T_ARRAY:
        return cw_type_write(unit, type->inner,
                             cw_format(arena, "%s[%lld]", name, (long long)type->count), how);
    case CW_T_OPEN_ARRAY:
        return cw_type_write(unit, type->inner, cw_format(arena, "%s[]", name), how);
    case CW_T_FUNCTION:
        return cw_type_write(
            unit, type->inner,
            cw_format(
                arena, "%s(%s)", name,
                params_text(unit, type, how, type->coloured || (how & CW_WRITE_COLOURED) != 0)),
            how & (CW_WRITE_FILE_SCOPE | CW_WRITE_PARAMETER));
    case CW_T_TYPEDEF: {
        bool through = looks_through(unit, type, how);
        if (!through)
            return cw_format(arena, "%s%s%s%s", quals(unit, type, drop),
                             hides(unit, how, type->decl) ? alias(unit, "", type->decl->name)
                                                          : type->decl->name,
                             gap, name);
        if (type->decl != NULL && type->decl->marked)
            how |= CW_WRITE_COLOURED;
        cw_type inner = *type->inner;
        inner.is_const |= type->is_const;
        inner.is_volatile |= type->is_volatile;
        return cw_type_write(unit, &inner, name, how);
    }
    case CW_T_RECORD:
    case CW_T_ENUM:
        if (type->kind == CW_T_ENUM && type->tag->local &&
            ((how & CW_WRITE_FILE_SCOPE) != 0 || hides_tag(unit, how, type->tag))) {
            cw_type integer = *type->inner; /* as good, and it has a name everywhere */
            integer.is_const = type->is_const;
            integer.is_volatile = type->is_volatile;
            return cw_type_write(unit, &integer, name, how);
        }
        if (!type->tag->local && hides_tag(unit, how, type->tag))
            return cw_format(
                arena, "%s%s%s%s", quals(unit, type, drop),
                alias(unit, cw_format(arena, "%s ", type->tag->keyword), type->tag->name), gap,
                name);
        return cw_format(arena, "%s%s %s%s%s", quals(unit, type, drop), type->tag->keyword,
                         tag_name(unit, type->tag), gap, name);
    case CW_T_ATOMIC:
        return cw_format(arena, "%s_Atomic(%s)%s%s", quals(unit, type, drop),
                         cw_type_write(unit, type->inner, "", how), gap, name);
    case CW_T_BUILTIN:
        return cw_format(arena, "%s%s%s%s", quals(unit, type, drop), type->name, gap, name);
    case CW_T_VLA: /* without a length: in a prototype */
        return cw_type_write(
            unit, element_of(unit, type),
            cw_format(arena, "%s[%s]", name,
                      type->array->length != NULL ? cw_local_ref(unit, type->array->length) : "*"),
            how);
    case CW_T_OTHER:
        break;
    }
    cw_bug("type", "a type that cannot be written ('%s')", type->name != NULL ? type->name : name);
}
