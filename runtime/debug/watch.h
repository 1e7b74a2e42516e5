/* watch.h - what is done around steps for those who look on. */
#ifndef CO4_WATCH_INTERNAL_H
#define CO4_WATCH_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "core/task.h"
#include "sched/step_hooks.h"
#include "sched/worker.h"

void co4__watch_begins(co4_runtime *rt); /* the runtime exists from here on */
void co4__watch_entered(co4_runtime *rt, co4_task *t, const char *function);
bool co4__watch_placed(co4_runtime *rt, co4_task *t); /* true: it is kept back for now */
void co4__watch_step(struct co4__worker *w, co4_task *t);
void co4__watch_stepped(struct co4__worker *w, co4_task *t,
                        int why); /* its frames are saved, not yet settled */
void co4__watch_ended(struct co4__worker *w, co4_task *t);

#endif
