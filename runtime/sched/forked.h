/* forked.h - the child of a fork inside a task: see forked.c. */
#ifndef CO4_FORKED_H
#define CO4_FORKED_H

#include <stdbool.h>

#include "core/task.h"
#include "sched/worker.h"

/* Of the child, and during the fork, for the handlers of modules. */
bool co4__forked_in_task(void);
/* Returns whether the task goes on in the child: it is that of the fork, or has begun a run around
 * it; or, if no task has forked, a task of this thread's runs. The same is true for one of a runtime
 * that a host drives. True for NULL. */
bool co4__task_goes_on(const co4_task *t);
/* The same for what comes to a worker. */
bool co4__worker_goes_on(const struct co4__worker *w);

/* In the child, once: all other tasks are lost. */
void co4__forked_alone(void);

/* No task of the runtime lives any more. If it belongs to such a child, and its call is lost, the
 * process ends, as one whose last thread has ended. */
void co4__forked_idle(co4_runtime *rt);

#endif
