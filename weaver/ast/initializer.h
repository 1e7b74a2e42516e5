/* initializer.h - the values of an initializer. */
#ifndef CW_AST_INITIALIZER_H
#define CW_AST_INITIALIZER_H

#include "base/types.h"

/* Calls `found` with each value of an initializer, with its destination and the type there. The
 * destination is a member, or `decl` itself or one of its elements. */
void cw_each_initialized(
    const cw_unit *unit, cw_node *initializer, cw_decl *decl, const cw_type *type,
    void (*found)(void *data, cw_node *value, cw_decl *decl, const cw_type *type), void *data);

#endif
