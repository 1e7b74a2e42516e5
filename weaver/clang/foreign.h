/* foreign.h - types that only the compiler knows. */
#ifndef CW_CLANG_FOREIGN_H
#define CW_CLANG_FOREIGN_H

#include <stdbool.h>

#include "base/types.h"
#include "clang/libclang.h"
#include "clang/loader.h"

cw_type *load_foreign_type(loader *l);
bool load_is_foreign(const cw_type *type);
/* Does it call a builtin of gcc's that clang does not know? */
bool load_is_foreign_builtin(CXCursor call);
/* Has the node such a type? Its kids are read. */
bool load_is_foreign_value(const cw_node *node, CXCursor cursor);
/* Or something below it? */
bool load_holds_foreign(const cw_node *node);

#endif
