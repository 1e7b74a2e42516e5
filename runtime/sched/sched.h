/* sched.h - placing ready tasks on workers. */
#ifndef CO4_SCHED_INTERNAL_H
#define CO4_SCHED_INTERNAL_H

#include "core/task.h"
#include "sched/worker.h"

/* Each of these takes a ready task. */
void co4__sched_place(co4_runtime *rt, co4_task *t);   /* to the worker of the policy */
void co4__sched_deliver(co4_runtime *rt, co4_task *t); /* the same, without step hooks */
/* To the next worker, for forced pauses. */
void co4__sched_place_other(co4_runtime *rt, co4_task *t);
void co4__sched_again(struct co4__worker *w, co4_task *t); /* stays, unless it is pinned */
/* The task has yielded; of several workers. */
void co4__sched_yield(struct co4__worker *w, co4_task *t);
void co4__sched_push_remote(struct co4__worker *w, co4_task *t); /* to this worker's inbox */

/* Called by the owner, regularly: samples whether its tasks are small. */
/* Owner: whether tasks are near may have changed. */
void co4__sched_near(struct co4__worker *w);
void co4__sched_sample(struct co4__worker *w, int64_t now);
/* Called by the owner without ready tasks: asks another worker for some. */
void co4__sched_ask(struct co4__worker *w);
/* Called by the owner between steps, regularly: serves workers whose steps last. */
void co4__sched_rescue(struct co4__worker *w, int64_t now);
/* Called by the owner between steps, when another worker has asked. */
void co4__sched_answer(struct co4__worker *w);

#endif
