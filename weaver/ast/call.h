/* call.h - the function that a call names. */
#ifndef CW_AST_CALL_H
#define CW_AST_CALL_H

#include <stdbool.h>

#include "base/types.h"

/* The function that a call names. NULL if the call goes through a pointer, or if the node is not a
 * call. */
const cw_decl *cw_function_called(const cw_node *call);
/* The declaration that describes a function or pointer: its own, the pointer's, or the typedef with
 * the parameters. */
const cw_decl *cw_callee_decl(const cw_node *callee);
/* The type of the function that a call's first kid denotes, or to which it points. */
const cw_type *cw_callee_type(const cw_node *callee);
/* Returns "va_start", "va_copy" or "va_end" if the call is one, else NULL. */
const char *cw_va_function(const cw_node *call);

/* Is this expression the constant CO4_NOW? */
bool cw_is_deadline_now(cw_unit *unit, const cw_node *node);
/* Whether it is a call that never waits: of a `pausable_or_block` function with the deadline
 * CO4_NOW, or of fcntl with such a command, written as a number. */
bool cw_call_never_waits(cw_unit *unit, const cw_node *call);

/* Whether a call is setjmp or longjmp, of their families. */
/* Auto: the value of this call in woven code, which does not make it; NULL: it is made. The calls
 * of glibc's pthread_cleanup_push and pthread_cleanup_pop link the handler into a list of the
 * thread, for pthread_cancel and pthread_exit: nothing that ends a task. */
const char *cw_value_without_call(const cw_unit *unit, const cw_node *call);

typedef enum cw_jump { CW_NO_JUMP, CW_SETJMP, CW_LONGJMP } cw_jump;
cw_jump cw_jump_of(const cw_node *call);
/* The type of the object to which the first argument of such a call points. */
const cw_type *cw_jump_buffer(const cw_node *call);

#endif
