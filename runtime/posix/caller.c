/* caller.c - which task is the thread of the calling code. */
#include "posix/self.h"

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "core/caller.h"
#include "posix/decides.h"
#include "sched/nested_steps.h"
#include "sched/runtime.h"

static bool is_first(struct co4__nested_step step)
{
    return step.task && step.worker->rt->run.main == step.task;
}

/* After a longjmp over a run `current` is of that run, until the library looks (core/caller.h). It
 * must not look here: it asks for the thread itself when it does. */
static CO4__ALWAYS_INLINE struct co4__nested_step step_of_caller(void)
{
    const struct co4__local *here = co4__local();
    struct co4__nested_step step = co4__innermost_step(), outer = step;
    if (here->run.at != 0 && (uintptr_t)CO4__CALLED_AT > here->run.at)
        return (struct co4__nested_step){ NULL, NULL };
    for (; outer.task; outer = co4__outer_step(outer))
        if (step = outer, !is_first(step))
            break;
    return step;
}

co4_task *co4__posix_self(void)
{
    const struct co4__local *here = co4__local();
    struct co4__nested_step step = step_of_caller();
    if (!step.task && here->jump.handler && here->run.innermost)
        return co4__posix_first; /* a handler between two steps of a simulation is main's */
    /* In a simulation, where all tasks have one thread, that of main is a task like the others. */
    return is_first(step) && !co4__posix_decides ? NULL : step.task;
}

co4_task *co4__posix_caller(void)
{
    return step_of_caller().task;
}
