/* vla.c - types of computed size: variable-length arrays, pointers to them, typedefs of them.
 *
 * In:  the checked tree.
 * Out: for each declaration of such a type whose scope contains a point: a hidden local per length,
 *      pinned, with the expression that gives its value. The array types refer to these locals
 *      (cw_type.length), so that cw_type_write can write the type anywhere.
 *
 * No jump may lead into the scope of such a declaration, and a resume is a jump. So woven code
 * contains no such declaration. It computes the lengths at the declaration, and keeps them in the
 * frame. A use casts, which opens no scope:
 *
 *     int a[n], (*p)[n];      co4_f->co4_n1 = n;
 *                             co4_f->a = co4_abi_block_take(co4, sizeof(int[co4_f->co4_n1]), 16); …
 *     a[1] = (*p)[2];         (*(int (*)[co4_f->co4_n1])co4_f->a)[1] =
 *                                 (*(*(int (**)[co4_f->co4_n2])&co4_f->p))[2];
 *
 * An array is a memory block of its own, released at the exits of its scope (cleanup.c).
 *
 * Rejected: keeping the declaration, and restoring the type after each resume. The jump would still
 * lead into its scope. */
#include "ast/decl.h"
#include "ast/node.h"
#include "ast/type.h"
#include "passes/passes.h"
#include "text/diag.h"
#include "text/unit.h"

/* Parameters with such types have no names yet before the body. (check.c ensures that sizes there
 * have no other effects.) */
static bool names_another(const cw_node *node)
{
    if (node->kind == CW_REF && node->decl != NULL && cw_type_is_vm(node->decl->type))
        return true;
    for (size_t i = 0; i < node->nkids; i++)
        if (names_another(node->kids[i]))
            return true;
    return false;
}

static void refuse(cw_unit *unit, const cw_decl *decl)
{
    cw_diag(unit, CW_ERROR, decl->name_at,
            "write its lengths in brackets after the name, as plain expressions",
            "the lengths in the type of '%s', which lives across a suspension point, are not "
            "understood",
            decl->name);
}

static cw_local *new_length(cw_func *func, const cw_decl *decl)
{
    cw_unit *unit = func->unit;
    cw_local *length = cw_local_new(func, cw_format(&unit->arena, "co4_n%zu", ++func->nlengths),
                                    cw_type_builtin(unit, "co4_abi_size", unit->head_bytes / 2));
    length->is_temp = true;
    length->pinned = true;
    length->why_pinned = cw_format(&unit->arena, "a length in the type of %s", decl->name);
    return length;
}

/* Pairs the array types of a declarator, outermost first, with the expressions in its brackets,
 * which have that order. */
static void pair(cw_func *func, cw_decl *decl, cw_node **sizes, size_t nsizes)
{
    cw_unit *unit = func->unit;
    size_t next = 0;
    decl->kept_lengths = true;
    for (cw_type *type = (cw_type *)(uintptr_t)decl->type;
         type != NULL && type->kind != CW_T_TYPEDEF && next < nsizes; type = type->inner) {
        if (type->kind != CW_T_ARRAY && type->kind != CW_T_VLA)
            continue;
        cw_node *size = sizes[next++];
        if (type->kind == CW_T_ARRAY || type->array->length != NULL)
            continue;
        type->array->length = new_length(func, decl);
        cw_length length = { type->array->length, size };
        CW_PUSH(&unit->arena, decl->lengths, decl->nlengths, length);
        if (decl->kind == CW_D_PARAM && names_another(size))
            next = nsizes + 1;
    }
    if (next != nsizes || !cw_type_is_known(decl->type))
        refuse(unit, decl);
}

static size_t array_levels(const cw_type *type)
{
    size_t count = 0;
    for (; type != NULL && type->kind != CW_T_TYPEDEF; type = type->inner)
        count += type->kind == CW_T_ARRAY || type->kind == CW_T_VLA;
    return count;
}

/* The operand of a typeof is evaluated if its type is variably modified, and woven code does not
 * write it again. */
static bool is_typeof_with_effects(const cw_unit *unit, const cw_decl *decl, size_t own_levels)
{
    if (array_levels(decl->type) == own_levels)
        return false;
    for (uint32_t at, end = decl->begin; cw_next_word(unit, &at, &end, decl->name_at);)
        if (cw_is_typeof(unit->text + at, end - at)) {
            at = cw_skip_blank(unit, end);
            end = cw_skip_group(unit, at);
            if (cw_does_something(unit, at + 1, end))
                return true;
        }
    return false;
}

static void read_declaration(cw_func *func, const cw_node *node)
{
    cw_decl *decl = node->decl;
    if (decl == NULL || decl->kind == CW_D_FUNCTION || !cw_type_is_vm(decl->type) ||
        !cw_holds_point(func, decl->scope_begin, decl->scope_end))
        return;
    if (node->kind == CW_VAR && !cw_is_automatic(decl)) {
        refuse(func->unit, decl);
        return;
    }
    cw_node **sizes = NULL;
    size_t count = 0;
    for (size_t i = node->kind == CW_VAR; i < node->nkids; i++)
        if (node->kids[i]->begin > decl->name_at && node->kids[i]->kind != CW_OTHER_DECL)
            CW_PUSH(&func->unit->arena, sizes, count, node->kids[i]);
    pair(func, decl, sizes, count);
    if (is_typeof_with_effects(func->unit, decl, count))
        cw_diag(func->unit, CW_ERROR, decl->name_at, "do it in a statement before",
                "the typeof of '%s', which lives across a suspension point, has side effects",
                decl->name);
    if (node->kind == CW_VAR && cw_type_bare(decl->type)->kind == CW_T_VLA && node->kids[0] != NULL)
        refuse(func->unit, decl);
}

static void walk(cw_func *func, const cw_node *node)
{
    if (node == NULL)
        return;
    if (node->kind == CW_VAR || node->kind == CW_OTHER_DECL)
        read_declaration(func, node);
    for (size_t i = 0; i < node->nkids; i++)
        walk(func, node->kids[i]);
}

void cw_find_lengths(cw_func *func)
{
    for (size_t i = 0; i < func->nparams; i++) {
        cw_decl *param = func->params[i];
        if (!cw_type_is_vm(param->type))
            continue;
        /* in the type as it is; `int a[n][m]` has one bracket more */
        size_t count = array_levels(param->type);
        size_t more = param->nsizes > count ? param->nsizes - count : 0;
        pair(func, param, param->sizes + more, param->nsizes - more);
    }
    walk(func, func->body);
}
