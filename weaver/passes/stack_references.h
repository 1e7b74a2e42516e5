/* stack_references.h - objects on the C stack, which a pause releases. */
#ifndef CW_PASSES_STACK_REFERENCES_H
#define CW_PASSES_STACK_REFERENCES_H

#include <stdbool.h>

#include "base/types.h"

bool cw_stack_references(cw_unit *unit);

/* Does the call return a second time, as setjmp and vfork do? */
bool cw_is_setjmp(cw_unit *unit, const cw_node *call);

#endif
