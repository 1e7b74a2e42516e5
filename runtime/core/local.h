/* local.h - the end of task-local values. */
#ifndef CO4_LOCAL_INTERNAL_H
#define CO4_LOCAL_INTERNAL_H

#include "core/task_extension.h"

void co4__task_local_end(struct co4__task_extension *x);

#endif
