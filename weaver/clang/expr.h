/* expr.h - expressions. */
#ifndef CW_CLANG_EXPR_H
#define CW_CLANG_EXPR_H

#include <stdbool.h>

#include "ast/node.h"
#include "base/types.h"
#include "clang/libclang.h"
#include "clang/loader.h"

cw_node *load_node(loader *l, cw_kind kind, CXCursor cursor, cw_node *parent);
void load_add_kid(loader *l, cw_node *node, cw_node *kid);
void load_sort_kids(cw_node *node); /* by their places; none is NULL */
bool load_is_expr(CXCursor cursor);
bool load_is_stmt(CXCursor cursor);

/* Notes the names of typedefs of variable length among the parts of a cursor. */
void load_type_names(loader *l, const load_cursors *parts);

cw_node *load_expr(loader *l, CXCursor cursor, cw_node *parent);

#endif
