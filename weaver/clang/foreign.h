/* foreign.h - types that only the compiler knows. */
#ifndef CW_CLANG_FOREIGN_H
#define CW_CLANG_FOREIGN_H

#include <stdbool.h>

#include "base/types.h"
#include "clang/libclang.h"
#include "clang/loader.h"

cw_type *load_foreign_type(loader *l);
bool load_is_foreign(const cw_type *type);
/* Does it call a gcc builtin that clang does not know? */
bool load_is_foreign_builtin(CXCursor call);
/* Does the node have such a type? Its kids have been read. */
bool load_is_foreign_value(const cw_node *node, CXCursor cursor);
/* Does the node, or one of its kids, have such a type? */
bool load_holds_foreign(const cw_node *node);

#endif
