/* write.c - types, and the names of locals, as woven code writes them.
 *
 * Purpose: temporaries and frame fields need declarations. A type is written as in the source
 * wherever that spelling is visible: typedef names stay. Inside the function all names are visible.
 * At file scope, where the frame struct is, names that belong to the function are not: a local
 * typedef is replaced by its type, and a local struct by raw bytes (frame.c). An anonymous struct
 * without a typedef gets a tag, by an edit of its definition.
 *
 * Invariants: a type of computed length names the local that holds its length, and a use of such a
 * local casts to its type. So this file writes both. */
#include <string.h>

#include "ast/decl.h"
#include "ast/func.h"
#include "ast/type.h"
#include "base/bug.h"
#include "text/unit.h"

/* With -ansi compilers know `restrict` only in this spelling. */
static const char *quals(cw_unit *unit, const cw_type *type, bool drop)
{
    return cw_format(&unit->arena, "%s%s%s", type->is_const && !drop ? "const " : "",
                     type->is_volatile ? "volatile " : "", type->is_restrict ? "__restrict " : "");
}

/* Compilers know the struct of a va_list, or of its element, only by typedefs. */
static const char *list_name(const cw_tag *tag)
{
    if (tag->name == NULL || strncmp(tag->name, "__va_list", 9) != 0)
        return NULL;
    return strcmp(tag->name, "__va_list") == 0       ? "__builtin_va_list"
           : strcmp(tag->name, "__va_list_tag") == 0 ? "co4_abi_list_element"
                                                     : NULL;
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

static const char *params_text(cw_unit *unit, const cw_type *type, unsigned how, bool pausable)
{
    cw_buf buf = { 0 };
    const char *separator = "";
    if (pausable) {
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
        cw_printf(&buf, "%s%s", separator, pausable ? "co4_abi_args *" : "...");
    else if (buf.length == 0 && type->prototyped)
        cw_puts(&buf, "void");
    return cw_take(&unit->arena, &buf);
}

/* Does the function being written give the name of this typedef another meaning? */
static bool hides(const cw_unit *unit, unsigned how, const cw_decl *decl)
{
    const cw_func *func = (how & CW_WRITE_FILE_SCOPE) != 0 ? NULL : unit->writing;
    for (size_t i = 0; func != NULL && i < func->ndeclared; i++)
        if (func->declared[i] != decl && func->declared[i]->kind != CW_D_LABEL &&
            strcmp(func->declared[i]->name, decl->name) == 0)
            return true;
    return false;
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

/* Must this typedef be replaced by its type, because its name cannot be used? */
static bool looks_through(const cw_unit *unit, const cw_type *type, unsigned how)
{
    const cw_decl *decl = type->decl;
    return decl == NULL || decl->kept_lengths ||
           ((how & CW_WRITE_FILE_SCOPE) != 0 && decl->local) ||
           (decl->local && hides(unit, how, decl)) ||
           ((how & CW_WRITE_UNQUALIFIED) != 0 &&
            cw_type_is_const(type->inner)) || /* it contains const */
           ((how & CW_WRITE_PAUSABLE) != 0 && !cw_type_is_pausable(type));
}

/* Another name for a type at file scope, declared before the function that hides the type's own
 * name. */
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

/* Qualifiers of an array apply to its elements. */
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
    const char *gap = *name != '\0' && *name != '[' ? " " : "", *head = NULL;
    const char *qualifiers = quals(unit, type, (how & CW_WRITE_UNQUALIFIED) != 0);
    switch (type->kind) {
    case CW_T_POINTER: {
        const cw_type *to = type->inner, *seen = to;
        if ((how & CW_WRITE_FILE_SCOPE) != 0 && (how & CW_WRITE_PARAMETER) == 0 &&
            cw_type_is_vm(to)) /* no length there has a value */
            return cw_format(arena, "void *%s%s", qualifiers, name);
        while (seen->kind == CW_T_TYPEDEF &&
               looks_through(unit, seen, how & ~(unsigned)CW_WRITE_UNQUALIFIED))
            seen = seen->inner;
        const char *text = cw_format(arena, "*%s%s", qualifiers, name);
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
                params_text(unit, type, how, type->pausable || (how & CW_WRITE_PAUSABLE) != 0)),
            how & (CW_WRITE_FILE_SCOPE | CW_WRITE_PARAMETER));
    case CW_T_TYPEDEF: {
        if (!looks_through(unit, type, how)) {
            head = hides(unit, how, type->decl) ? alias(unit, "", type->decl->name)
                                                : type->decl->name;
            break;
        }
        if (type->decl != NULL && type->decl->marked)
            how |= CW_WRITE_PAUSABLE;
        cw_type inner = *type->inner;
        inner.is_const |= type->is_const;
        inner.is_volatile |= type->is_volatile;
        return cw_type_write(unit, &inner, name, how);
    }
    case CW_T_RECORD:
    case CW_T_ENUM:
        if (type->kind == CW_T_ENUM && type->tag->local &&
            ((how & CW_WRITE_FILE_SCOPE) != 0 || hides_tag(unit, how, type->tag))) {
            /* an equivalent type whose name is visible everywhere */
            cw_type integer = *type->inner;
            integer.is_const = type->is_const;
            integer.is_volatile = type->is_volatile;
            return cw_type_write(unit, &integer, name, how);
        }
        head = cw_format(arena, "%s ", type->tag->keyword);
        if (list_name(type->tag) != NULL)
            head = list_name(type->tag);
        else if (!type->tag->local && hides_tag(unit, how, type->tag))
            head = alias(unit, head, type->tag->name);
        else
            head = cw_format(arena, "%s%s", head, tag_name(unit, type->tag));
        break;
    case CW_T_ATOMIC:
        head = cw_format(arena, "_Atomic(%s)", cw_type_write(unit, type->inner, "", how));
        break;
    case CW_T_BUILTIN:
        head = type->name;
        break;
    case CW_T_VLA: /* without a length: in a prototype */
        return cw_type_write(
            unit, element_of(unit, type),
            cw_format(arena, "%s[%s]", name,
                      type->array->length != NULL ? cw_local_ref(unit, type->array->length) : "*"),
            how);
    case CW_T_OTHER:
        cw_bug("type", "a type that cannot be written ('%s')",
               type->name != NULL ? type->name : name);
    }
    return cw_format(arena, "%s%s%s%s", qualifiers, head, gap, name);
}

const char *cw_field_ref(cw_unit *unit, const cw_local *local)
{
    if (local->seen != NULL) {
        bool block = cw_type_bare(local->seen)->kind == CW_T_VLA;
        const cw_type *pointer = cw_type_pointer_to(unit, local->seen);
        return cw_format(&unit->arena, "(*(%s)%sco4_f->%s)", cw_type_write(unit, pointer, "", 0),
                         block || local->bytes ? "" : "(void *)&", local->field);
    }
    if (!local->bytes)
        return cw_format(&unit->arena, "co4_f->%s", local->field);
    return cw_format(&unit->arena, "(*(%s)(void *)co4_f->%s)",
                     cw_type_write(unit, local->type, "(*)", CW_WRITE_UNQUALIFIED), local->field);
}

const char *cw_local_ref(cw_unit *unit, const cw_local *local)
{
    return local->pinned ? cw_field_ref(unit, local) : local->name;
}
