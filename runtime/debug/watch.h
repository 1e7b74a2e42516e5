/* watch.h - what is done around steps for those who look on. */
#ifndef CO4_WATCH_INTERNAL_H
#define CO4_WATCH_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "core/task.h"
#include "sched/step_hooks.h"
#include "sched/worker.h"

void co4__watch_entered(co4_runtime *rt, co4_task *t, const char *function);
bool co4__watch_placed(co4_runtime *rt, co4_task *t); /* true: it is kept back for now */
void co4__watch_step(struct co4__worker *w, co4_task *t);
void co4__watch_stepped(struct co4__worker *w, co4_task *t,
                        int why); /* its frames are saved, not yet settled */
void co4__watch_ended(struct co4__worker *w, co4_task *t);
uint32_t co4__watch_number(co4_task *t); /* 0: nobody has watched when it was scheduled */
/* What a paused task waits in, for people: the call in the user's deepest function. Before it is
 * settled, or held. */
const char *co4__watch_reason(const co4_task *t);
/* What has been noted of a task that is freed. */
void co4__watch_free(struct co4__extra *x);

#endif
