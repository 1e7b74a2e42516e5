/* worker.h - a thread with a queue. */
#ifndef CO4_WORKER_INTERNAL_H
#define CO4_WORKER_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/task.h"
#include "core/timers.h"
#include "platform/thread.h"
#include "sched/queue.h"

#define CO4__WORKERS_MAX 1024

struct co4__worker {
    struct co4__queue queue;
    struct co4__timers timers;
    co4_runtime *rt; /* constant, like index */
    unsigned index;
    unsigned rotor; /* owner: the window to choose from next */
    unsigned tries; /* owner: to idle, in vain */
    bool idling;    /* owner: `notified` was cleared and the wake not yet taken */
    bool dirty;     /* owner: a task has stopped since it was idle */
    bool outermost; /* its loop stands in nobody's step; constant */
    /* sched.c, the owner's: tasks do little between two operations; when it looked at the clock, 0:
     * not since it has slept; the operations of all steps; steps and operations then. */
    bool small_tasks,
        were_small; /* were at the last look itself, which may have been a disturbed one */
    int64_t sampled_at;
    uint64_t operations, done_then;
    _Atomic uint16_t asked; /* 1 + the index of an idle worker that asks for tasks; 0: none */
    bool busy;              /* simulate.c: a step of it is under way, further out on the C stack */
    uint64_t still;         /* simulate.c: it stands still before this step */
    /* trace.c, of the step that runs: when it began, -1: not told; what its task waited in, and how
     * often it was woken */
    int64_t began;
    const char *waited;
    uint32_t wakes;
    /* monitor.c, written and read by the monitor: what it saw at its last look. */
    struct {
        bool inbox;     /* it was not empty … */
        bool blocked;   /* … at the look before either, and no step has begun in between */
        uint64_t steps; /* `steps` */
    } seen;
    /* Written by the owner alone, read by threads that ask whether all have stopped: runtime.c. */
    _Atomic uint64_t spawned, stopped;
    /* Likewise, read by stats.c. */
    _Atomic uint64_t steps, pauses, yields, kept, sent;
    struct co4__parker parker;
    struct co4__thread thread;
};

struct co4__timers *co4__worker_timers_of(struct co4__worker *w); /* for co4__wait_hooks */
int co4__worker_init(struct co4__worker *w, co4_runtime *rt, unsigned index);
void co4__worker_fini(struct co4__worker *w);
void co4__worker_main(void *worker);              /* a thread's life */
unsigned co4__worker_turn(struct co4__worker *w); /* a step for each task that is ready; how many */
void co4__worker_step(struct co4__worker *w, co4_task *t);
void co4__worker_finish_step(struct co4__worker *w, co4_task *t, int why);
void co4__worker_timers(struct co4__worker *w); /* fires what is due */
/* The call of a co4_run has ended. */
void co4__main_end(co4_runtime *rt, int error);
/* `value`: what its function has returned; NULL: it has not. */
void co4__task_end(struct co4__worker *w, co4_task *t, int error, const void *value);

#endif
