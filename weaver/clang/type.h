/* type.h - types, each once. */
#ifndef CW_CLANG_TYPE_H
#define CW_CLANG_TYPE_H

#include "base/types.h"
#include "clang/libclang.h"
#include "clang/loader.h"

cw_type *load_type(loader *l, CXType type);
/* Around what reads a type or a declaration: the fields of the tags that it has met are read when
 * the outermost one is done. Types and declarations lead in circles through fields only, and so
 * nothing is met before it has its type. */
void load_enter(loader *l);
void load_leave(loader *l);

/* NULL: no type has been read that it declares. */
cw_tag *load_known_tag(loader *l, CXCursor canonical);

#endif
