/* decl.h - types and declarations, each once. */
#ifndef CW_CLANG_DECL_H
#define CW_CLANG_DECL_H

#include "base/types.h"
#include "clang/libclang.h"
#include "clang/loader.h"

cw_type *load_type(loader *l, CXType type);
cw_decl *load_decl(loader *l, CXCursor cursor);
/* The type of the declaration at the cursor. */
const cw_type *load_declared_type(loader *l, CXCursor cursor);

#endif
