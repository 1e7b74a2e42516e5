/* call.c - prepared calls (call.h).
 *
 * The resume entry of a call frame reads the arguments, drops the frame, and calls the function as
 * any caller does. So a function of the library can begin the call in the fiber that it runs in. If
 * the function pauses, its frames come before those of the library's function, and its result
 * arrives in fiber.result, where that function expects the result of a callee. */
#include "core/call.h"

#include <stddef.h>

#include "base/public.h"

int co4__call_run__co4(co4_fiber *co4, struct co4_call *call)
{
    co4_frame *f = (co4_frame *)(void *)call;
    f->at->resume(co4, f);
    return co4_abi_pausing(co4) ? 0 : co4->result.i;
}

void co4__call_drop(co4_frame *call)
{
    if (!call)
        return;
    if (co4_abi_func_of(call->at)->unwind)
        co4_abi_func_of(call->at)->unwind(call);
    co4_abi_frame_drop(NULL, call);
}

void co4_abi_call_drop(struct co4_call *call)
{
    co4__call_drop((co4_frame *)(void *)call);
}
