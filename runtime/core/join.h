/* join.h - waking the tasks and threads that wait for the end of a task. */
#ifndef CO4_JOIN_INTERNAL_H
#define CO4_JOIN_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "core/task.h"
#include "platform/fork.h"

/* Returns whether t has stopped. If not, co4__task_notify() will find the joiner that the caller
 * queues now, under a lock that co4__task_notify() takes. */
bool co4__task_has_stopped(co4_task *t);
/* Wakes the joiners of a task that has stopped. */
void co4__task_notify(co4_task *t, int error);

/* Called after a join of `task` has returned err. Copies the result if the task has stopped.
 * Returns the code of co4_join(). */
int co4__join_result(const co4_task *task, int err, void *out, size_t size);
static inline void co4__task_released(co4_task **task)
{
    co4_task_release(*task);
}

co4__fork_handler co4__join_fork;

/* Called by a thread that is about to block until a task ends. */
void co4__report_undriven(void);

#endif
