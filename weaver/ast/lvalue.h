/* lvalue.h - the declarations that an assignment may write. */
#ifndef CW_AST_LVALUE_H
#define CW_AST_LVALUE_H

#include "base/types.h"

void cw_each_written(const cw_node *target, void (*found)(void *data, cw_decl *decl), void *data);

#endif
