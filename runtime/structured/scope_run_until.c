/* scope_run_until.c - co4_scope_run_until(), which owns a prepared call from the start.
 *
 * Purpose: the woven function keeps the call in its frame, whose cleanup drops a call that has not
 * begun. If that frame cannot be allocated, this function drops the call. */
#include "base/compiler.h"
#include "base/public.h"
#include "structured/group.h"

int co4_abi_scope_run_until__co4(co4_fiber *co4, int flags, struct co4_call *body,
                                 int64_t deadline);

int co4_scope_run_until__co4(co4_fiber *co4, int flags, struct co4_call *body, int64_t deadline)
{
    int result = co4_abi_scope_run_until__co4(co4, flags, body, deadline);
    if (CO4__UNLIKELY(co4->pausing == CO4_ABI_FAILED && !co4->last)) /* no frame was saved */
        co4_abi_call_drop(body);
    return result;
}
