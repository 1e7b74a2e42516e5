/* stmt.h - statements, and the declarations among them. */
#ifndef CW_CLANG_STMT_H
#define CW_CLANG_STMT_H

#include "base/types.h"
#include "clang/libclang.h"
#include "clang/loader.h"

cw_node *load_stmt(loader *l, CXCursor cursor, cw_node *parent);
cw_node *load_var(loader *l, CXCursor cursor, cw_node *parent);
void load_tag_members(loader *l, CXCursor cursor);

#endif
