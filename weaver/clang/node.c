/* node.c - creates nodes, and adds kids to them. */
#include "clang/node.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "ast/node.h"
#include "base/arena.h"
#include "text/unit.h"
#include "clang/cursor.h"
#include "clang/libclang.h"
#include "clang/loader.h"

cw_node *load_node(loader *l, cw_kind kind, CXCursor cursor, cw_node *parent)
{
    cw_node *node = cw_alloc(&l->unit->arena, sizeof *node);
    node->kind = kind;
    node->parent = parent;
    load_extent(cursor, &node->begin, &node->end);
    return node;
}

void load_add_kid(loader *l, cw_node *node, cw_node *kid)
{
    bool in_order = kid != NULL && kid->begin > node->last_kid_at;
    if (in_order)
        node->last_kid_at = kid->begin;
    for (size_t i = 0; kid != NULL && !in_order && i < node->nkids; i++) /* visited twice: sizes */
        if (node->kids[i] != NULL && node->kids[i]->begin == kid->begin &&
            node->kids[i]->end == kid->end && node->kids[i]->kind == kid->kind)
            return;
    CW_PUSH(&l->unit->arena, node->kids, node->nkids, kid);
}

static int by_position(const void *left, const void *right)
{
    const cw_node *const *a = left, *const *b = right;
    return (*a)->begin < (*b)->begin ? -1 : (*a)->begin > (*b)->begin;
}

void load_sort_kids(cw_node *node)
{
    if (node->nkids > 1)
        qsort(node->kids, node->nkids, sizeof(cw_node *), by_position);
}
