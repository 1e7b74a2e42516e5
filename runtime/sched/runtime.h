/* runtime.h - the parts of a runtime. */
#ifndef CO4_RUNTIME_INTERNAL_H
#define CO4_RUNTIME_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/simulation.h"
#include "core/task.h"
#include "platform/fork.h"
#include "platform/lock.h"
#include "sched/monitor.h"
#include "sched/worker.h"

struct co4_runtime {
    struct co4__worker *workers; /* constant, as the next three */
    unsigned nworkers, batch;
    uint16_t runtime_id; /* runtime_id.c: its number */
    unsigned generation; /* fork.c: which process has made it; constant */
    bool threaded;       /* threads drive it, once started */
    bool local;          /* a co4_run's: its owner drives it */
    bool main_ended;     /* of a co4_run, with this code; the driver's */
    int main_error;
    bool prefers_here;     /* sched.c: workers keep short tasks, and give when asked; constant */
    _Atomic uint8_t watch; /* enum co4__watch */
    co4_runtime_options options;
    unsigned processors;      /* sched.c: that the process may use; constant */
    atomic_int awake;         /* workers that do not sleep, or have been woken */
    atomic_uint rotor;        /* windows for threads that are no worker of this runtime */
    _Atomic uint64_t outside; /* tasks scheduled by such threads */
    atomic_bool started, stopping;
    co4__lock lock;              /* guards joiners */
    struct co4__list joiners;    /* threads in co4_runtime_join */
    co4_runtime *older, **newer; /* registry of started runtimes, newest first; its lock */
    struct co4__monitor monitor;
    struct co4__simulation *simulation; /* NULL: it is real; constant */
    co4_runtime *simulated_next;
    /* registry.c; under its lock */
    co4_runtime *next, **link;
    unsigned number;
    unsigned notified; /* how often all joiners have been taken out, to be woken; under `lock` */
    co4_task *main;    /* of a co4_run; constant */
    /* run.c: tasks scheduled in a co4_run, also such as have ended since; one may stand there
     * twice, whose memory was used again */
    co4_task **enrolled;
    size_t nenrolled, room;
    struct co4__running *stalls; /* stall_detector.c: one for each worker; NULL: it is off */
    /* What a host that drives it by hand may poll; set once, by its thread, before it idles. */
    _Atomic(struct co4__self_pipe *) wake_pipe;
    _Atomic(struct co4__local *)
        driver; /* the thread that drives it, when that is one; NULL: not known */
};

/* Did its threads stay behind when the process forked? */
static inline bool co4__runtime_is_lost(const co4_runtime *rt)
{
    return rt->threaded && CO4__UNLIKELY(rt->generation != co4__generation);
}

static inline unsigned co4__watch_of(const co4_runtime *rt)
{
    return atomic_load_explicit(&((co4_runtime *)(uintptr_t)rt)->watch, memory_order_relaxed);
}

int co4__runtime_init(co4_runtime *rt, struct co4__worker *workers, unsigned nworkers,
                      unsigned batch);
void co4__runtime_fini(co4_runtime *rt);
co4_runtime *co4__runtime_newest(void); /* of those that were started; NULL: there is none */
/* Without threads: a turn of every started runtime. Steps made; *next: when there is more to do. */
unsigned co4__runtime_turn_all(int64_t *next);

co4__fork_handler co4__runtime_fork;

#endif
