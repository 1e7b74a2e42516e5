/* task_pool.h - memory of tasks. */
#ifndef CO4_TASK_POOL_INTERNAL_H
#define CO4_TASK_POOL_INTERNAL_H

#include "base/public.h"

/* NULL: there is no memory. */
co4_task *co4__task_take(void);
void co4__task_drop(co4_task *t);
/* Calls `each` for every task there is room for, also for free ones, whose `runtime_id` is 0. */
void co4__task_each(void (*each)(co4_task *t, void *arg), void *arg);

#endif
