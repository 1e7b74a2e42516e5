/* worker.h - a thread with a queue. */
#ifndef CO4_WORKER_INTERNAL_H
#define CO4_WORKER_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "core/task.h"
#include "core/timers.h"
#include "platform/thread.h"
#include "sched/poller.h"
#include "sched/queue.h"

#define CO4__WORKERS_MAX 1024
#define CO4__NOT_NEAR    UINT32_C(0x10000) /* the number of no runtime */

/* A struct in it is of the module with its name. */
struct co4__worker {
    struct co4__queue queue;
    /* Other workers write these fields, and those at the end of the queue. */
    struct {
        /* The steps that another worker has seen, and since when. Hints, of several writers. */
        _Atomic uint64_t seen;
        _Atomic int64_t seen_at;
        _Atomic uint16_t asked; /* 1 + the index of an idle worker that asks for tasks; 0: none */
        /* A hint of the monitor, which has seen it blocked (spares.c), until the owner goes on. */
        atomic_bool blocked;
    } others;
    char apart[64]; /* the owner's own cache lines follow */
    struct co4__timers timers;
    co4_runtime *rt; /* constant, like index */
    unsigned index;
    int budget;     /* operations of a step before the one that yields; constant */
    bool outermost; /* its loop runs inside no step; constant */
    bool guarded;   /* while a step runs, the monitor may take from the queue; constant */
    /* enum co4__guard: who may access the queue. The owner and the monitor change it. */
    _Atomic uint8_t guard;
    bool dirty; /* owner: a task has stopped on it since it last idled */
    struct {
        /* Only the owner accesses these. A task that it wakes stays here if it has this number of a
         * runtime and is not pinned: that of `rt`, or NOT_NEAR if tasks are placed one by one or
         * `rt` has hooks. */
        uint32_t runtime_id;
        bool keeps; /* tasks that it makes ready stay here, unless pinned */
    } near;
    struct {
        bool idling;    /* owner: it has cleared `notified` and not taken the wake yet */
        unsigned tries; /* owner: attempts to idle, without success */
    } idle;
    struct {
        /* Only the owner accesses these: the next window of the policy; whether the last sample
         * says that tasks are small; the time of that sample (0: none since it slept); what all
         * steps have left of their budgets; steps and operations at that time. */
        unsigned rotor;
        bool were_small;
        int64_t sampled_at;
        uint64_t unused, done_then;
        /* Likewise: the worker in whose inbox it has found pinned tasks, and the steps of that
         * one. */
        const struct co4__worker *pinned_on;
        uint64_t pinned_at;
        int64_t rescued_at;      /* likewise: when it last looked at the other workers */
        atomic_bool small_tasks; /* it keeps its tasks, as they are small; others read it */
    } sched;
    struct {
        /* The number of the step after which the owner looks again. A worker that asks for tasks
         * sets it to 0; if the owner overwrites that, the answer comes with the look after. */
        _Atomic uint64_t next;
        /* Only the owner accesses these: the steps from one look to the next; the steps and the
         * time at the last look (0: it has slept since); the same of the last sample; the steps
         * when `every` was last not too small; the turn that the last look found, and the time;
         * whether steps are long. */
        uint64_t steps, sampled, fitted;
        int64_t at, sampled_at, turn_at;
        uint32_t turn;
        uint8_t every;
        bool slow;
    } look;
    struct {
        bool busy;              /* a step of it runs, further out on the C stack */
        uint64_t stalled_until; /* it is stalled until this step */
    } simulate;
    struct {
        /* The step that runs now: when it began (-1: not recorded), what its task has waited for,
         * and how often it was woken. */
        int64_t began;
        const char *waited;
        uint32_t wakes;
    } trace;
    /* The results of the monitor's last check. Only the monitor accesses them. */
    struct {
        bool inbox;     /* the inbox was not empty … */
        bool blocked;   /* … nor at the check before, and no step began in between */
        bool stands;    /* no step began since the check before */
        int64_t used;   /* spares.c: the processor time of its thread at that check … */
        int64_t since;  /* … and at the last one at which it did not stand */
        uint64_t steps; /* `stats.steps` at that time */
    } monitor;
    /* Only the owner writes them. Threads that count the tasks read them. */
    struct {
        _Atomic uint64_t spawned, stopped;
    } count;
    /* Likewise. `given`: ready tasks that have left, for another worker that asked. */
    struct {
        _Atomic uint64_t steps, pauses, yields, given, sent, pool_calls, ring_calls;
    } stats;
    struct co4__parker parker;
    struct {
        /* Where it waits when idle; NULL: on its parker. The owner sets it. */
        _Atomic(struct co4__poller *) made;
        int64_t looked_at; /* owner: when it last looked for events */
    } poller;
    struct co4__thread thread;
    _Atomic int clock; /* spares.c: of the processor time of its thread; the thread sets it */
};

/* OWNED: the owner, between steps. OPEN: nobody; a step runs. TAKEN: the monitor. */
enum co4__guard { CO4__OWNED, CO4__OPEN, CO4__TAKEN };

/* Acquire: pairs with the release of the thread that has made the poller. */
static inline struct co4__poller *co4__poller_of(const struct co4__worker *w)
{
    return atomic_load_explicit(&((struct co4__worker *)(uintptr_t)w)->poller.made,
                                memory_order_acquire);
}

/* Called by the owner of a guarded queue: a step begins, and the monitor may take from it. Release:
 * pairs with the monitor's take. */
static inline void co4__queue_open(struct co4__worker *w)
{
    atomic_store_explicit(&w->guard, CO4__OPEN, memory_order_release);
}

static inline bool co4__queue_is_owned(const struct co4__worker *w) /* asked by the owner */
{
    return atomic_load_explicit(&((struct co4__worker *)(uintptr_t)w)->guard,
                                memory_order_relaxed) == CO4__OWNED;
}

/* Of the thread's own worker: the tasks in its queue. With spare workers, only about. */
static inline uint32_t co4__own_load(const struct co4__worker *w)
{
    return CO4__UNLIKELY(w->guarded) ? co4__queue_load(&w->queue) : w->queue.ninner;
}

struct co4__timers *co4__worker_timers_of(struct co4__worker *w); /* for co4__wait_hooks */
int co4__worker_init(struct co4__worker *w, co4_runtime *rt, unsigned index);
void co4__worker_fini(struct co4__worker *w);
void co4__worker_main(void *worker);              /* the function of its thread */
unsigned co4__worker_turn(struct co4__worker *w); /* a step for each ready task; how many */
CO4__PRIVATE void co4__worker_step(struct co4__worker *w, co4_task *t);
void co4__worker_finish_step(struct co4__worker *w, co4_task *t, int why);
/* The call of a co4_run has ended. */
void co4__main_end(co4_runtime *rt, int error);
/* `value`: the result of its function; NULL: there is none. */
void co4__task_end(struct co4__worker *w, co4_task *t, int error, const void *value);

#endif
