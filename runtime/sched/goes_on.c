/* goes_on.c - which tasks go on: of those in the child of a fork (forked.c), and of those around a
 * run. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/runtime_id.h"
#include "platform/thread.h"
#include "sched/forked.h"
#include "sched/nested_steps.h"
#include "sched/run.h"
#include "sched/runtime.h"

bool co4__forked_in_task(void)
{
    return co4__innermost_step().task != NULL;
}

/* Whether it is of this thread, or of no thread. */
static bool is_driven_here(const co4_runtime *rt)
{
    if (rt->local)
        return atomic_load_explicit(&((co4_runtime *)(uintptr_t)rt)->run.driver,
                                    memory_order_relaxed) == co4__local();
    return !co4__runtime_is_lost(rt);
}

bool co4__task_goes_on(const co4_task *t)
{
    const co4_runtime *rt = t ? co4__runtime_of(t) : NULL;
    bool mine = false;
    if (!t || !rt)
        return !t;
    for (struct co4__nested_step p = co4__innermost_step(); p.task; p = co4__outer_step(p)) {
        if (p.task == t)
            return true;
        mine = mine || p.worker->rt == rt;
    }
    return !mine && is_driven_here(rt);
}

bool co4__worker_goes_on(const struct co4__worker *w)
{
    for (struct co4__nested_step p = co4__innermost_step(); p.task; p = co4__outer_step(p))
        if (p.worker == w)
            return true;
    return is_driven_here(w->rt);
}

bool co4__task_is_outside(const co4_task *t)
{
    const struct co4__worker *w = co4__local()->worker;
    const co4_runtime *rt = co4__runtime_of(t);
    do
        w = w ? co4__worker_outside(w) : NULL;
    while (w && w->rt != rt);
    return w != NULL;
}
