/* call.h - prepared calls: a call frame that a function of the library begins. */
#ifndef CO4_CALL_INTERNAL_H
#define CO4_CALL_INTERNAL_H

#include "core/fiber.h"

/* Makes the call, whose result is an int, in the running fiber, and thus ends the prepared one. */
#ifdef __CO4WEAVE__
pausable int co4__call_run(struct co4_call *call);
#else
int co4__call_run__co4(co4_fiber *co4, struct co4_call *call);
#endif

/* Drops a call frame that has not begun, with the prepared calls among its arguments. NULL does
 * nothing. */
void co4__call_drop(co4_frame *call);
static inline void co4__prepared_drop(struct co4_call **call)
{
    co4__call_drop((co4_frame *)(void *)*call);
}

#endif
