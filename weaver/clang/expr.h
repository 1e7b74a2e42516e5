/* expr.h - expressions. */
#ifndef CW_CLANG_EXPR_H
#define CW_CLANG_EXPR_H

#include "base/types.h"
#include "clang/cursor.h"
#include "clang/libclang.h"
#include "clang/loader.h"

/* Records the typedefs of variable length that are named among the parts of a cursor. */
void load_type_names(loader *l, const load_cursors *parts);

cw_node *load_expr(loader *l, CXCursor cursor, cw_node *parent);
/* Loads a declaration whose expressions are not evaluated: a size in a struct, an enumerator, a
 * static assertion. */
cw_node *load_constants(loader *l, CXCursor cursor, cw_node *parent);

#endif
