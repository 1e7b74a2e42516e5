/* stmt.h - statements, and the declarations among them. */
#ifndef CW_CLANG_STMT_H
#define CW_CLANG_STMT_H

#include "base/types.h"
#include "clang/libclang.h"
#include "clang/loader.h"

cw_node *load_stmt(loader *l, CXCursor cursor, cw_node *parent);
cw_node *load_var(loader *l, CXCursor cursor, cw_node *parent);
void load_tag_members(loader *l, CXCursor cursor);
/* A declaration in which expressions are only looked at: a size in a struct, an enumerator, a
 * static assertion. */
cw_node *load_constants(loader *l, CXCursor cursor, cw_node *parent);

/* A goto or &&: the label that it names. */
cw_decl *load_label(loader *l, CXCursor jump);

#endif
