/* escape.c - finds the locals that need one address for life.
 *
 * In:  the checked tree.
 * Out: func->locals, one per parameter and automatic variable of a pausable function; `pinned`,
 *      with its reason, on those that live in the frame from the start; storage for compound
 *      literals to which pointers lead.
 *
 * A local may be copied to the frame and back only if no pointer can hold its address across a
 * suspension point. The weaver does not track where addresses go: any use of the address, in a
 * scope that contains a point, pins the local. The scope is the whole block, not only the part
 * after the declaration: a jump back to a point above it does not end its life.
 *
 * Arrays are pinned because every use of one takes its address. Volatile and atomic objects are
 * pinned because copying is an access that the user did not write. Large structs are pinned because
 * copying them at each pause costs more than a frame. */
#include <string.h>

#include "ast/decl.h"
#include "ast/node.h"
#include "ast/type.h"
#include "passes/passes.h"
#include "text/unit.h"

enum { LARGE = 64 }; /* bytes */

/* Applies to the expression without members and brackets. */
static bool is_lvalue(const cw_node *node)
{
    return node->kind == CW_REF || node->kind == CW_MEMBER || node->kind == CW_INDEX ||
           node->kind == CW_STRING || node->kind == CW_COMPOUND_LITERAL ||
           (node->kind == CW_UNARY && *node->op == '*');
}

static void take_address(cw_func *func, cw_node *lvalue, uint32_t at)
{
    cw_node *node = lvalue;
    while (node->kind == CW_PAREN || (node->kind == CW_MEMBER && !node->arrow) ||
           (node->kind == CW_UNARY && *node->op != '*') || node->kind == CW_IMPLICIT) {
        if (node->kind == CW_IMPLICIT && cw_type_bare(node->type)->kind == CW_T_POINTER)
            return; /* a value: the object it points to is not examined here */
        node = node->kids[0];
    }
    if (node->kind == CW_REF && node->decl != NULL && node->decl->local &&
        !node->decl->address_taken) {
        node->decl->address_taken = true;
        node->decl->address_at = at;
    }
    if (node->kind == CW_GENERIC) { /* the chosen expression may be a local */
        for (size_t i = 1; i < node->nkids; i++)
            if (node->chosen == 0 || i == node->chosen)
                take_address(func, node->kids[i], at);
    } else if (!is_lvalue(node)) {
        node->addressed = true;
    }
    if (node->kind == CW_COMPOUND_LITERAL && node->storage == NULL) {
        const cw_node *block = node;
        while (block->kind != CW_BLOCK)
            block = block->parent;
        if (!cw_holds_point(func, block->begin, block->end))
            return;
        cw_local *local = cw_local_new(func, "literal", node->type);
        local->pinned = true;
        local->why_pinned = "a compound literal that is pointed to";
        local->why_at = node->begin;
        local->is_temp = true;
        node->storage = local;
    }
}

/* A list that is an array goes to a callee as a pointer, and a callee that pauses may read it
 * afterwards. The library's own functions do not. */
static void give_lists(cw_func *func, const cw_node *call)
{
    const cw_decl *callee = cw_function_called(call);
    if (callee != NULL && (cw_decl_is_ours(callee) || callee->instead != NULL))
        return;
    for (size_t i = 1; i < call->nkids; i++) {
        cw_node *list = cw_strip(call->kids[i]);
        if (list->kind == CW_REF && list->decl != NULL && list->decl->local &&
            cw_type_is_list_itself(list->type) && cw_type_bare(list->type)->kind == CW_T_ARRAY)
            take_address(func, list, list->begin);
    }
}

static void find_addresses(cw_func *func, cw_node *node)
{
    if (node == NULL)
        return;
    if (node->kind == CW_CALL && node->is_point)
        give_lists(func, node);
    if (node->kind == CW_UNARY && strcmp(node->op, "&") == 0)
        take_address(func, node->kids[0], node->begin);
    if (node->kind == CW_IMPLICIT) {
        const cw_type *from = cw_type_bare(node->kids[0]->type);
        if ((from->kind == CW_T_ARRAY || from->kind == CW_T_OPEN_ARRAY) &&
            cw_type_bare(node->type)->kind == CW_T_POINTER &&
            !(node->kids[0]->kind == CW_REF && cw_type_is_list_itself(node->kids[0]->type)))
            take_address(func, node->kids[0], node->begin);
    }
    for (size_t i = 0; i < node->nkids; i++)
        if (cw_evaluates(node, i))
            find_addresses(func, node->kids[i]);
}

static const char *reason_to_pin(const cw_decl *decl)
{
    const cw_type *bare = cw_type_bare(decl->type);
    if (cw_type_is_list_itself(decl->type) && !decl->address_taken)
        return NULL; /* pinned only if it is live across a point: stack_references.c */
    if (bare->kind == CW_T_ARRAY)
        return "it is an array";
    if (decl->address_taken)
        return "its address is taken";
    if (decl->type->is_volatile || bare->is_volatile)
        return "it is volatile";
    if (bare->kind == CW_T_ATOMIC)
        return "it is atomic";
    if (bare->kind == CW_T_RECORD && bare->size > LARGE)
        return "it is a large struct";
    if (!cw_type_is_assignable(decl->type))
        return "it has const members";
    return NULL;
}

static void pin_function(cw_unit *unit, cw_func *func)
{
    find_addresses(func, func->body);

    for (size_t i = 0; i < func->ndeclared; i++) {
        cw_decl *decl = func->declared[i];
        bool own_param = false;
        for (size_t j = 0; j < func->nparams; j++)
            own_param |= func->params[j] == decl;
        if (!own_param && (decl->kind != CW_D_VARIABLE || decl->is_static))
            continue;
        cw_local *local = cw_local_new(func, decl->name, decl->type);
        local->decl = decl;
        local->is_param = own_param;
        local->pausable = decl->marked;
        decl->as_local = local;
        const char *reason = reason_to_pin(decl);
        if (cw_has_cleanup(func, decl) || decl->kept_lengths) {
            local->pinned = true;
            local->why_pinned = decl->cleanup != NULL ? "it has a cleanup"
                                                      : "the size of its type is computed";
            if (decl->kept_lengths) {
                /* uses are cast to the type: the field of an array is a pointer to its block */
                local->seen = cw_type_unqualified(unit, local->type);
                if (cw_type_bare(local->type)->kind == CW_T_VLA)
                    local->type = cw_type_pointer_to(unit, cw_type_builtin(unit, "void", -1));
            }
            continue;
        }
        if (reason != NULL && cw_holds_point(func, decl->scope_begin, decl->scope_end)) {
            local->pinned = true;
            local->why_pinned = reason;
            local->why_at = decl->address_taken ? decl->address_at : 0;
        }
    }
}

bool cw_escape(cw_unit *unit)
{
    for (size_t i = 0; i < unit->nfuncs; i++)
        if (unit->funcs[i]->pausable && unit->funcs[i]->body->has_points)
            pin_function(unit, unit->funcs[i]);
    return true;
}
