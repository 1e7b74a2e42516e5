/* local.h - task-local values of any task, and their end. */
#ifndef CO4_LOCAL_INTERNAL_H
#define CO4_LOCAL_INTERNAL_H

#include "core/task_extension.h"

#include "co4/local.h"

/* What co4_task_local_get() and co4_task_local_set() do in the task, which the caller runs, or
 * ends. */
void *co4__task_local_of(co4_task *t, const co4_task_local *key);
int co4__task_local_give(co4_task *t, const co4_task_local *key, void *value);

void co4__task_local_end(struct co4__task_extension *x);

#endif
