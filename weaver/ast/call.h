/* call.h - the function behind a call. */
#ifndef CW_AST_CALL_H
#define CW_AST_CALL_H

#include "base/types.h"

/* The function that a call names; NULL: it goes through a pointer, or is no call. */
const cw_decl *cw_function_called(const cw_node *call);
/* The declaration that a function or pointer came from: its own, the pointer's, or the typedef with
 * the parameters. */
const cw_decl *cw_callee_decl(const cw_node *callee);
/* "va_start", "va_copy", "va_end", when the call is one; else NULL. */
const char *cw_va_function(const cw_node *call);

#endif
