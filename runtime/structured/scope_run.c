/* scope_run.c - co4_scope_run(), which owns a prepared call from the start.
 *
 * Purpose: the woven function keeps the call in its frame, whose cleanup drops a call that has not
 * begun. If that frame cannot be allocated, this function drops the call. */
#include "base/compiler.h"
#include "base/public.h"
#include "structured/group.h"

int co4_scope_run__co4(co4_fiber *co4, int flags, struct co4_call *body)
{
    int result = co4_abi_scope_run__co4(co4, flags, body, NULL);
    if (CO4__UNLIKELY(co4->pausing == CO4_ABI_FAILED && !co4->last)) /* no frame was saved */
        co4_abi_call_drop(body);
    return result;
}
