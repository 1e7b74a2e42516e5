/* schedule.h - scheduling a task. */
#ifndef CO4_SCHEDULE_INTERNAL_H
#define CO4_SCHEDULE_INTERNAL_H

#include <stdbool.h>

#include "base/public.h"

bool co4__runtime_may_enter(const co4_runtime *rt); /* false: its threads are a parent's */
/* t has just become READY, and the runtime has a reference to it. */
void co4__runtime_enter(co4_runtime *rt, co4_task *t);
/* … and its first step is about to begin, in no queue, as a call of the function `name`. */
void co4__runtime_calls(co4_runtime *rt, co4_task *t, const char *name);
co4_runtime *co4__runtime_here(void); /* the runtime for co4_spawn; or NULL */

#endif
