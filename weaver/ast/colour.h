/* colour.h - is a declaration or an expression pausable? */
#ifndef CW_AST_COLOUR_H
#define CW_AST_COLOUR_H

#include <stdbool.h>

#include "base/types.h"

/* Does this expression denote a pausable function or a pointer to one? */
bool cw_is_coloured(const cw_node *node);
bool cw_decl_is_coloured(const cw_decl *decl);
/* The same of a CW_REF: a mixed function has the colour of its use. */
bool cw_ref_is_coloured(const cw_node *ref);
/* Through pointers and arrays, is this a function? */
bool cw_is_function_like(const cw_type *type);
/* Is this a place where the function may pause? */
bool cw_is_point(const cw_node *node);
/* How pausable code calls a pausable function. */
const char *cw_woven_name(cw_unit *unit, const cw_decl *function);
/* A mixed function takes the colour of the place that its name flows to. */
void cw_colour_mixed(cw_node *node, bool coloured);

#endif
