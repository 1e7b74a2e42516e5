/* decl.h - declarations, one for all redeclarations of a thing. */
#ifndef CW_CLANG_DECL_H
#define CW_CLANG_DECL_H

#include "base/types.h"
#include "clang/libclang.h"
#include "clang/loader.h"

cw_decl *load_decl(loader *l, CXCursor cursor);

#endif
