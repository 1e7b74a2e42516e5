/* forked.h - the child of a fork inside a task: see forked.c. */
#ifndef CO4_FORKED_H
#define CO4_FORKED_H

#include <stdbool.h>

#include "core/task.h"
#include "platform/fork.h"
#include "sched/worker.h"

/* For the fork handlers of modules, during the fork and in the child. */
bool co4__forked_in_task(void);
/* Returns whether the task goes on in the child. It does if it has forked, or has begun a run
 * around the task that has. If no task has forked, the tasks of this thread's runs go on, and those
 * of a runtime that a host drives. True for NULL. */
bool co4__task_goes_on(const co4_task *t);
/* Returns whether a worker goes on in the child. */
bool co4__worker_goes_on(const struct co4__worker *w);

co4__fork_handler co4__forked_fork, co4__timers_fork;

#endif
