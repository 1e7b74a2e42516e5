/* type.c - C types: what the passes ask about them. */
#include "ast/type.h"

#include <string.h>

#include "ast/decl.h"
#include "ast/node.h"
#include "co4/abi.h"
#include "text/unit.h"

const cw_type *cw_type_bare(const cw_type *type)
{
    while (type->kind == CW_T_TYPEDEF)
        type = type->inner;
    return type;
}

cw_type *cw_type_builtin(cw_unit *unit, const char *name, int64_t size)
{
    cw_type *type = cw_alloc(&unit->arena, sizeof *type);
    *type = (cw_type){ .kind = CW_T_BUILTIN, .name = name, .size = size, .align = size };
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
        element->is_const |= cw_type_is_const(type); /* const of an array applies to its elements */
        return cw_type_pointer_to(unit, element);
    }
    case CW_T_FUNCTION:
        return cw_type_pointer_to(unit, type);
    default:
        return type;
    }
}

static bool is_list_typedef(const cw_type *type)
{
    return type->kind == CW_T_TYPEDEF && type->decl != NULL &&
           (strcmp(type->decl->name, "__builtin_va_list") == 0 ||
            strcmp(type->decl->name, "va_list") == 0 ||
            strcmp(type->decl->name, "__gnuc_va_list") == 0);
}

static bool is_tag(const cw_type *type, const char *name)
{
    return type->tag != NULL && type->tag->name != NULL && strcmp(type->tag->name, name) == 0;
}

bool cw_type_is_va_list(const cw_type *type)
{
    for (; type != NULL; type = type->inner) {
        if (is_list_typedef(type))
            return true;
        if (type->tag != NULL)
            return is_tag(type, "__va_list_tag") || is_tag(type, "__va_list");
    }
    return false;
}

bool cw_type_is_list_itself(const cw_type *type)
{
    for (; type->kind == CW_T_TYPEDEF; type = type->inner)
        if (is_list_typedef(type))
            return true;
    return is_tag(type, "__va_list") ||
           (type->kind == CW_T_ARRAY && is_tag(type->inner, "__va_list_tag"));
}

bool cw_type_is_void(const cw_type *type)
{
    const cw_type *bare = cw_type_bare(type);
    return bare->kind == CW_T_BUILTIN && strcmp(bare->name, "void") == 0;
}

bool cw_type_is_code(const cw_type *type)
{
    const cw_type *bare = cw_type_bare(type);
    return bare->kind == CW_T_BUILTIN &&
           (strcmp(bare->name, "int") == 0 || strcmp(bare->name, "long") == 0 ||
            strcmp(bare->name, "long long") == 0);
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

bool cw_type_is_pausable(const cw_type *type)
{
    for (; type != NULL; type = type->inner) {
        if (type->kind == CW_T_TYPEDEF && type->decl != NULL && type->decl->marked)
            return true;
        if (type->kind == CW_T_FUNCTION || type->tag != NULL)
            return false;
    }
    return false;
}

/* Is a member const, or one of its members? The tag keeps the answer. */
static bool has_const_member(cw_tag *tag)
{
    for (size_t i = 0; !tag->const_known && i < tag->nfields; i++) {
        const cw_type *type = tag->fields[i]->type;
        while (cw_type_bare(type)->kind == CW_T_ARRAY && !cw_type_is_const(type))
            type = cw_type_bare(type)->inner;
        const cw_type *bare = cw_type_bare(type);
        tag->const_member |= cw_type_is_const(type) ||
                             (bare->kind == CW_T_RECORD && has_const_member(bare->tag));
    }
    tag->const_known = true;
    return tag->const_member;
}

bool cw_type_is_assignable(const cw_type *type)
{
    const cw_type *bare = cw_type_bare(type);
    return !(bare->kind == CW_T_RECORD && has_const_member(bare->tag));
}

const cw_type *cw_type_promoted(cw_unit *unit, const cw_type *type)
{
    static const char *const narrow[] = { "_Bool", "char",           "signed char", "unsigned char",
                                          "short", "unsigned short", NULL };
    const cw_type *bare = cw_type_bare(type);
    if (bare->kind != CW_T_BUILTIN)
        return cw_type_value(unit, type);
    for (size_t i = 0; narrow[i] != NULL; i++)
        if (strcmp(bare->name, narrow[i]) == 0)
            return cw_type_builtin(unit, "int", 4);
    return strcmp(bare->name, "float") == 0 ? cw_type_builtin(unit, "double", 8) : type;
}

const cw_type *cw_type_of_call(cw_unit *unit, const cw_type *function, const cw_node *call)
{
    cw_type *type = cw_alloc(&unit->arena, sizeof *type);
    *type = *function;
    type->prototyped = true;
    for (size_t i = 1; i < call->nkids; i++) {
        const cw_type *param = cw_type_promoted(unit, call->kids[i]->type);
        const cw_type *bare = cw_type_bare(param);
        /* a pointer to an object, whatever that is: its type may be known to one function only */
        if (bare->kind == CW_T_POINTER && cw_type_bare(bare->inner)->kind != CW_T_FUNCTION) {
            cw_type *to = cw_type_builtin(unit, "void", -1);
            to->is_const = to->is_volatile = true;
            param = cw_type_pointer_to(unit, to);
        } else {
            param = cw_type_unqualified(unit, param);
        }
        CW_PUSH(&unit->arena, type->params, type->nparams, (cw_type *)(uintptr_t)param);
    }
    return type;
}

static bool has_marked_params(const cw_decl *decl)
{
    for (size_t i = 0; i < decl->nparams; i++)
        if (decl->params[i]->marked || has_marked_params(decl->params[i]))
            return true;
    return false;
}

static cw_type *with_marks(cw_unit *unit, cw_type *type, const cw_decl *decl, bool pausable)
{
    bool leads = type->kind == CW_T_POINTER || type->kind == CW_T_ARRAY ||
                 type->kind == CW_T_OPEN_ARRAY;
    cw_type *inner = leads ? with_marks(unit, type->inner, decl, pausable) : NULL;
    if (leads ? inner == type->inner
              : type->kind != CW_T_FUNCTION || !(pausable || has_marked_params(decl)))
        return type;
    cw_type *copy = cw_alloc(&unit->arena, sizeof *copy);
    *copy = *type;
    if (leads) {
        copy->inner = inner;
        return copy;
    }
    copy->pausable = pausable;
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

bool cw_type_is_vm(const cw_type *type)
{
    for (; type != NULL; type = type->inner)
        if (type->kind == CW_T_VLA)
            return true;
    return false;
}

bool cw_type_is_known(const cw_type *type)
{
    for (; type != NULL; type = type->inner)
        if (type->kind == CW_T_VLA && type->array->length == NULL)
            return false;
    return true;
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

bool cw_type_is_usable(const cw_type *function)
{
    bool usable = cw_can_be_written(function);
    for (size_t i = 0; usable && i < function->nparams; i++)
        usable = !cw_type_is_local(function->params[i]) && !cw_type_is_vm(function->params[i]);
    return usable;
}
