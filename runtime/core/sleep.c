/* sleep.c - tasks sleep. */
#include "core/sleep.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/public.h"
#include "core/caller.h"
#include "core/task.h"
#include "core/timers.h"
#include "core/wait.h"
#include "memory/pool.h"
#include "platform/clock.h"
#include "platform/lock.h"
#include "platform/thread.h"

struct co4__timers *co4__timers_here(void)
{
    struct co4__local *here = co4__local();
    return here->worker ? co4__wait_hooks.timers_of(here->worker) : here->source.timers;
}

int co4_sleep_until__co4(co4_fiber *co4, int64_t deadline)
{
    if (!co4__may_pause(co4))
        return CO4_ESTATE;
    if (deadline == CO4_NEVER)
        return co4__done(co4, CO4_EINVAL);
    if (co4__is_cancelled(co4__task_of(co4)))
        return co4__done(co4, CO4_ECANCELED);
    if (deadline <= co4_now())
        return co4_yield__co4(co4);
    struct co4__timer *n = co4__timer_create(co4__task_of(co4), deadline);
    if (!n)
        return co4__done(co4, CO4_ENOMEM);
    return co4__wait(co4, NULL, CO4__WAIT_TIMER, NULL, n);
}

int co4_sleep_until(int64_t deadline)
{
    if (deadline == CO4_NEVER)
        return CO4_EINVAL;
    if (co4__in_task() && deadline > co4_now())
        return CO4_EDEADLK;
    co4__sleep_block(deadline);
    return CO4_OK;
}

int co4_sleep(int64_t ns)
{
    int64_t deadline = co4_after(ns);
    return co4_sleep_until(deadline < CO4_NEVER ? deadline : CO4_NEVER - 1);
}

int co4_sleep__co4(co4_fiber *co4, int64_t ns)
{
    if (ns <= 0)
        return co4_yield__co4(co4);
    int64_t deadline = co4_after(ns);
    return co4_sleep_until__co4(co4, deadline < CO4_NEVER ? deadline : CO4_NEVER - 1);
}
