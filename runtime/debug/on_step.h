/* on_step.h - the step hooks: functions called around steps. */
#ifndef CO4_ON_STEP_INTERNAL_H
#define CO4_ON_STEP_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "core/task.h"
#include "sched/step_hooks.h"
#include "sched/worker.h"

void co4__on_runtime_begins(co4_runtime *rt); /* the runtime exists from now on */
void co4__on_task_enters(co4_runtime *rt, co4_task *t, const char *function);
/* True: the task will be placed later. */
bool co4__on_task_is_ready(co4_runtime *rt, co4_task *t);
void co4__on_step_begins(struct co4__worker *w, co4_task *t);
/* The frames of the task are saved, but its step is not finished. */
void co4__on_step_ends(struct co4__worker *w, co4_task *t, int why);
void co4__on_task_ends(struct co4__worker *w, co4_task *t);

#endif
