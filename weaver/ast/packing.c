/* packing.c - how a target passes a variable argument.
 *
 * The rules are those of the psABI documents; co4/varargs.h has their numbers. */
#include <string.h>

#include "ast/decl.h"
#include "ast/type.h"
#include "text/unit.h"

static bool is_complex(const cw_type *bare)
{
    return bare->kind == CW_T_BUILTIN && strstr(bare->name, "_Complex") != NULL;
}

/* Counts the members of a floating type, through structs and arrays. Returns false if there are
 * others, or of two types. */
static bool counts_floats(const cw_type *type, const char **of, size_t *count)
{
    const cw_type *bare = cw_type_bare(type);
    if (bare->kind == CW_T_ARRAY && bare->count >= 0 && bare->count <= 4) {
        for (int64_t i = 0; i < bare->count; i++)
            if (!counts_floats(bare->inner, of, count))
                return false;
        return true;
    }
    if (bare->kind == CW_T_RECORD && *bare->tag->keyword == 's') {
        for (size_t i = 0; i < bare->tag->nfields; i++)
            if (!counts_floats(bare->tag->fields[i]->type, of, count))
                return false;
        return true;
    }
    if (bare->kind != CW_T_BUILTIN ||
        (strstr(bare->name, "float") == NULL && strstr(bare->name, "double") == NULL) ||
        (*of != NULL && strcmp(*of, bare->name) != 0))
        return false;
    *of = bare->name;
    ++*count;
    return true;
}

static bool is_homogeneous(const cw_type *bare)
{
    const char *of = NULL;
    size_t count = 0;
    return is_complex(bare) || (counts_floats(bare, &of, &count) && count > 0 && count <= 4);
}

static bool is_single(const cw_type *bare)
{
    if (bare->kind != CW_T_RECORD || *bare->tag->keyword != 's' || bare->tag->nfields != 1)
        return false;
    const cw_type *member = cw_type_bare(bare->tag->fields[0]->type);
    return (member->kind == CW_T_BUILTIN || member->kind == CW_T_POINTER ||
            member->kind == CW_T_ENUM) &&
           !is_complex(member) && member->size == bare->size;
}

static bool is_by_pointer(const cw_unit *unit, const cw_type *bare)
{
    if (bare->kind != CW_T_RECORD && !is_complex(bare))
        return bare->size > unit->args_size;
    if (unit->args_homogeneous && is_homogeneous(bare))
        return false;
    if (unit->args_single)
        return !is_single(bare);
    bool odd = is_complex(bare) || (bare->size & (bare->size - 1)) != 0;
    return bare->size > unit->args_struct || (unit->args_right && odd);
}

cw_packing cw_packing_of(cw_unit *unit, const cw_type *type, const char **why)
{
    enum { COPY_ALIGN = 16 }; /* runtime/core/varargs.c */
    const cw_type *bare = cw_type_bare(cw_type_value(unit, type));
    if (bare->kind == CW_T_POINTER && cw_type_is_vm(bare))
        return CW_PACKED_VALUE;
    *why = "woven code cannot write it";
    if (!cw_can_be_written(bare) || (bare->kind == CW_T_BUILTIN && strchr(bare->name, '(') != NULL))
        return CW_PACKED_NOT;
    *why = "it has no size";
    if (bare->size <= 0)
        return CW_PACKED_NOT;
    bool by_pointer = is_by_pointer(unit, bare);
    *why = "it is aligned more than the stack";
    if (bare->align > (by_pointer ? COPY_ALIGN : unit->args_align))
        return CW_PACKED_NOT;
    return by_pointer ? CW_PACKED_POINTER : CW_PACKED_VALUE;
}
