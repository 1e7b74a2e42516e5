/* sched.h - a task that has become ready goes to a worker. */
#ifndef CO4_SCHED_INTERNAL_H
#define CO4_SCHED_INTERNAL_H

#include "core/task.h"
#include "sched/worker.h"

void co4__sched_place(co4_runtime *rt, co4_task *t);   /* ready: to the least loaded */
void co4__sched_deliver(co4_runtime *rt, co4_task *t); /* the same, whatever step hooks say */
void co4__sched_place_other(co4_runtime *rt,
                            co4_task *t); /* ready: to the next worker, for forced pauses */
void co4__sched_again(struct co4__worker *w, co4_task *t); /* ready: stays, unless it is pinned */
void co4__sched_push_remote(struct co4__worker *w, co4_task *t); /* ready: to this worker's inbox */
void co4__sched_look(
    struct co4__worker *w); /* the owner, now and then: how much do its tasks do? */
void co4__sched_ask(
    struct co4__worker *w); /* the owner has nothing to do: asks another for tasks */
void co4__sched_answer(struct co4__worker *w); /* the owner, between steps: another has asked */

#endif
