/* count.h - the number of tasks of a runtime. */
#ifndef CO4_TASK_COUNT_INTERNAL_H
#define CO4_TASK_COUNT_INTERNAL_H

#include <stdint.h>

#include "base/public.h"

uint64_t co4__runtime_alive(co4_runtime *rt);
/* Called in the child of a fork inside a task. If no task is left and the call of the run is lost,
 * the process ends, as a process does whose last thread has ended. */
void co4__runtime_was_left(co4_runtime *rt);

#endif
