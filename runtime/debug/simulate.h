/* simulate.h - test mode: the state of a simulation. */
#ifndef CO4_SIMULATE_H
#define CO4_SIMULATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/public.h"
#include "base/simulation.h"
#include "core/task.h"
#include "debug/strategy.h"
#include "sched/look.h"
#include "sched/queue.h"
#include "sched/runtime.h"
#include "sched/worker.h"

#define CO4__DELAYED 64

/* A simulation: its runtimes, their clock, their random choices. One thread at a time uses it. */
struct co4__simulated {
    struct co4__simulation base;
    unsigned users; /* its references: from runtimes, and the thread that began it */
    co4_test_options options;
    struct co4__strategy strategy;
    uint64_t chance; /* the number of random numbers so far */
    int64_t now;
    co4_test_result result;
    co4_runtime *runtimes; /* newest first */
    /* Ready tasks that are not placed yet, oldest first. */
    struct co4__delayed {
        co4_runtime *rt;
        co4_task *task;
        uint64_t due; /* the step at which it is placed */
    } delayed[CO4__DELAYED];
    unsigned ndelayed;
    int64_t earliest; /* the first timer of the workers, at the last look */
    unsigned idle;    /* looks that have found no ready task */
};

/* For a simulation of a thread or of a runtime, or NULL. */
static inline struct co4__simulated *co4__simulated_of(struct co4__simulation *s)
{
    return (struct co4__simulated *)(void *)s;
}

/* choice.c: a random number; one from 0 to n - 1. */
uint64_t co4__simulated_draw(struct co4__simulated *x);
unsigned co4__simulated_below(struct co4__simulated *x, unsigned n);
/* for (CO4__EACH_WORKER(x, w)): the workers of all runtimes. Two loops: no `break` in it. */
#define CO4__EACH_WORKER(x, w)                                                                     \
    co4_runtime *w##_rt = (x)->runtimes;                                                           \
    w##_rt;                                                                                        \
    w##_rt = w##_rt->simulate.next)                                                                \
    for (struct co4__worker *w = w##_rt->workers, *w##_end = w + co4__nworkers(w##_rt);            \
         w < w##_end; w++

/* It is in a step, or stopped. */
static inline bool co4__simulated_is_stalled(const struct co4__simulated *x,
                                             const struct co4__worker *w)
{
    return w->simulate.busy || w->simulate.stalled_until > x->result.steps;
}

/* Whether the worker can run a step. */
static inline bool co4__simulated_is_ready(const struct co4__simulated *x,
                                           const struct co4__worker *w)
{
    return !co4__simulated_is_stalled(x, w) && co4__queue_any(&w->queue);
}

/* Makes a simulation with one reference. Returns CO4_OK, CO4_EINVAL or CO4_ENOMEM. */
int co4__simulate(struct co4__simulation **out, const co4_test_options *options);

#endif
