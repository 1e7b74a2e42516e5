/* node.h - creates nodes, and adds kids to them. */
#ifndef CW_CLANG_NODE_H
#define CW_CLANG_NODE_H

#include "ast/node.h"
#include "base/types.h"
#include "clang/libclang.h"
#include "clang/loader.h"

cw_node *load_node(loader *l, cw_kind kind, CXCursor cursor, cw_node *parent);
void load_add_kid(loader *l, cw_node *node, cw_node *kid);
void load_sort_kids(cw_node *node); /* by position; none is NULL */

#endif
