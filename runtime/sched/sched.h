/* sched.h - placing ready tasks on workers. */
#ifndef CO4_SCHED_INTERNAL_H
#define CO4_SCHED_INTERNAL_H

#include <stdint.h>

#include "base/compiler.h"
#include "core/task.h"
#include "sched/worker.h"

/* Each of these takes a ready task. */
void co4__sched_place(co4_runtime *rt, co4_task *t);       /* to the worker of the policy */
void co4__sched_again(struct co4__worker *w, co4_task *t); /* stays, unless it is pinned */
CO4__PRIVATE void co4__sched_push_remote(struct co4__worker *w,
                                         co4_task *t); /* to this worker's inbox */

/* The worker with the fewest tasks of those that are not stuck; NULL: all are. Any thread. */
struct co4__worker *co4__least_loaded(co4_runtime *rt);

/* Called by the owner when tasks may have become near, or no longer are. */
void co4__sched_near(struct co4__worker *w);

/* Functions of several.c, for runtimes with several workers. A program that makes no runtime lacks
 * them, and has no such runtime. modules.c fills the table. */
struct co4__several {
    void (*place)(co4_runtime *rt, co4_task *t); /* to the worker of the policy */
    /* Places the task on the next worker: forced pauses move tasks around. */
    void (*place_other)(co4_runtime *rt, co4_task *t);
    void (*yield)(struct co4__worker *w, co4_task *t); /* the task has yielded */
    /* Called by the owner, regularly, if workers keep small tasks: measures whether its own tasks
     * are small. */
    void (*sample)(struct co4__worker *w, int64_t now);
    /* Called by the owner between steps, regularly: serves workers whose steps last. */
    void (*rescue)(struct co4__worker *w, int64_t now);
    /* Called by the owner between steps, when another worker has asked. */
    void (*answer)(struct co4__worker *w);
    /* The rest is for runtimes with spare workers: spares.c. The owner, perhaps in a step, makes a
     * task ready. */
    void (*push_guarded)(struct co4__worker *w, co4_task *t);
    void (*takes_back)(struct co4__worker *w);  /* its step has ended */
    void (*begins)(struct co4__worker *w);      /* called on its thread */
    void (*idles)(struct co4__worker *w);       /* the same: it is about to sleep */
    void (*look)(co4_runtime *rt, int64_t now); /* the monitor looks for blocked workers */
};

extern CO4__PRIVATE const struct co4__several co4__several;

void co4__several_place(co4_runtime *rt, co4_task *t);
void co4__several_place_other(co4_runtime *rt, co4_task *t);
void co4__several_yield(struct co4__worker *w, co4_task *t);
void co4__several_sample(struct co4__worker *w, int64_t now);
void co4__several_rescue(struct co4__worker *w, int64_t now);
void co4__several_answer(struct co4__worker *w);
/* Called by the owner without ready tasks: asks another worker for some. */
void co4__several_ask(struct co4__worker *w);

#endif
