/* schedule.h - a task begins. */
#ifndef CO4_SCHEDULE_INTERNAL_H
#define CO4_SCHEDULE_INTERNAL_H

#include <stdbool.h>

#include "base/public.h"

bool co4__runtime_may_enter(const co4_runtime *rt); /* not when its threads are the parent's */
/* t has just become READY, and the runtime owns a share of it. */
void co4__runtime_enter(co4_runtime *rt, co4_task *t);
co4_runtime *co4__runtime_here(void); /* where co4_spawn goes; NULL: nowhere */

#endif
