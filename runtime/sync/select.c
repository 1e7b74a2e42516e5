/* select.c - the look of a select.
 *
 * Purpose: most selects find a case ready. Such a select takes it, and never adds a listener, nor
 * needs a frame. Only if no case is ready the task waits (woven/select.c).
 *
 * Concurrency: a message may come between the look and the wait. The add of each listener looks
 * again, under the source's lock. */
#include "base/compiler.h"
#include "base/public.h"
#include "core/task.h"
#include "core/wait.h"
#include "sync/source.h"

int co4__select_wait__co4(co4_fiber *co4, co4_case *cases, int count, int flags, int64_t deadline);

/* Like co4__may_wait(), the call counts as an operation. If the budget is spent, the task yields
 * after the look, and has its result then. */
int co4_select_until__co4(co4_fiber *co4, co4_case *cases, int count, int flags, int64_t deadline)
{
    int result = CO4_OK;
    if (CO4__UNLIKELY(!co4__may_pause(co4)))
        result = CO4_ESTATE;
    else if (co4__is_cancelled(co4__task_of(co4)))
        result = CO4_ECANCELED;
    if (CO4__UNLIKELY(result != CO4_OK))
        co4__selecting_refuse(cases, count);
    else if ((result = co4__select_now(cases, count, flags)) == CO4_EEMPTY && deadline != CO4_NOW)
        return co4__select_wait__co4(co4, cases, count, flags, deadline);
    return co4__done(co4, result);
}

int co4_select__co4(co4_fiber *co4, co4_case *cases, int count)
{
    return co4_select_until__co4(co4, cases, count, 0, CO4_NEVER);
}
