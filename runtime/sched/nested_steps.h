/* nested_steps.h - the steps on a thread: a plain call of one may have begun the run of another. */
#ifndef CO4_NESTED_STEPS_H
#define CO4_NESTED_STEPS_H

#include <stddef.h>

#include "core/task.h"
#include "platform/thread.h"
#include "sched/run.h"
#include "sched/worker.h"

/* A step on this thread. */
struct co4__nested_step {
    struct co4__worker *worker;
    co4_task *task; /* NULL: none, and no step is further out */
};

static inline struct co4__nested_step co4__innermost_step(void)
{
    const struct co4__local *here = co4__local();
    return (struct co4__nested_step){ here->worker, here->worker ? here->current : NULL };
}

static inline struct co4__nested_step co4__outer_step(struct co4__nested_step p)
{
    struct co4__worker *w = co4__worker_outside(p.worker);
    return (struct co4__nested_step){ w, w ? co4__task_outside(p.worker) : NULL };
}

#endif
