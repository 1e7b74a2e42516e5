/* task_pool.h - the memory of tasks. */
#ifndef CO4_TASK_POOL_INTERNAL_H
#define CO4_TASK_POOL_INTERNAL_H

#include "base/public.h"

/* NULL: allocation failed. */
co4_task *co4__task_take(void);
void co4__task_drop(co4_task *t);
/* Calls `each` for the memory of every task. That of a free task has the `runtime_id` 0. */
void co4__task_each(void (*each)(co4_task *t, void *arg), void *arg);

#endif
