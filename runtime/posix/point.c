/* point.c - cancellation points of POSIX, in tasks that are threads: cancels.c explains them. */
#include "posix/point.h"

#include "core/task.h"

void co4__posix_point__co4(co4_fiber *co4)
{
    if (&co4__cancels_now && co4__may_pause(co4) && co4__cancels_now(co4__task_of(co4)))
        co4_abi_pause(co4, CO4_ABI_FAILED);
}

bool co4__posix_notified__co4(co4_fiber *co4, bool notified)
{
    return &co4__cancels_notify && co4__may_pause(co4) &&
           co4__cancels_notify(co4__task_of(co4), notified);
}

bool co4__posix_ends_at_once__co4(co4_fiber *co4)
{
    return &co4__cancels_at_once && co4__may_pause(co4) && co4__cancels_at_once(co4__task_of(co4));
}
