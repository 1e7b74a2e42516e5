/* pausability.h - whether a declaration or an expression is pausable. */
#ifndef CW_AST_PAUSABILITY_H
#define CW_AST_PAUSABILITY_H

#include <stdbool.h>

#include "base/types.h"

/* Does this expression denote a pausable function or a pointer to one? */
bool cw_is_pausable(const cw_node *node);
bool cw_decl_is_pausable(const cw_decl *decl);
/* The same for a CW_REF: a dual function is pausable where `woven` is set on its use. */
bool cw_ref_is_pausable(const cw_node *ref);
/* Through pointers and arrays, is this a function? */
bool cw_is_function_like(const cw_type *type);
/* Is this a point where the function may pause? */
bool cw_is_point(const cw_node *node);
/* The name by which pausable code calls a pausable function. */
const char *cw_woven_name(cw_unit *unit, const cw_decl *function);
/* `woven` of a node whose use is not known: a pausable_or_block function is used in its pausable
 * form, unless a call says otherwise. */
bool cw_is_woven_by_default(const cw_node *node);
/* Sets `woven` on each dual function that an expression yields. `pausable` says to which form of
 * function the value flows. */
void cw_resolve_dual(cw_node *node, bool pausable);

#endif
