/* runtime.h - the fields of a runtime. */
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

/* Bits of `around`. */
enum { CO4__PROFILED = 1, CO4__AS_THREADS = 2, CO4__GUARDED = 4 };

/* A struct in it is of the module with its name. */
struct co4_runtime {
    struct co4__worker *workers; /* constant, like the fields after `nworkers` */
    _Atomic unsigned nworkers;   /* only a monitor changes it (spares.c): co4__nworkers() */
    unsigned batch;
    unsigned regular;    /* workers that the policy chooses from: the first ones */
    unsigned places;     /* all that there may be, with the spare ones: spares.c */
    uint16_t runtime_id; /* runtime_id.c: its number */
    unsigned generation; /* fork.c: of the process that made it; constant */
    bool threaded;       /* once started, its threads drive it */
    bool local;          /* of a co4_run: its owner drives it */
    atomic_bool started, stopping;
    union { /* each step reads both */
        struct {
            _Atomic uint8_t hook_bits; /* enum co4__hook_bit */
            /* Constant once begun: co4__step_profiler runs the steps, as_thread knows of them, or
             * they open the queue (spares.c) */
            _Atomic uint8_t around;
        };
        _Atomic uint16_t steps;
    };
    atomic_bool polled; /* a worker has a poller, or has had one */
    co4_runtime_options options;
    co4_runtime *older, **newer; /* registry of started runtimes, newest first; under its lock */
    struct {
        bool prefers_here;   /* workers keep small tasks, and share if asked; constant */
        unsigned processors; /* processors that the process may use; constant */
    } sched;
    char apart[64]; /* each step reads what is above; what is below changes now and then */
    struct {
        atomic_bool watched; /* a sleeping worker watches a busy one */
    } reactor;
    struct {
        atomic_uint rotor; /* the next window for threads that are no worker here */
    } outside;
    struct {
        atomic_int awake; /* workers that are awake, or have been woken */
        int host_fd;      /* what the host polls; 0: not asked for yet */
        /* The self-pipe that a host polls. Set once, by the host's thread, before it idles. */
        _Atomic(struct co4__self_pipe *) pipe;
    } idle;
    struct {
        _Atomic uint64_t outside; /* tasks that were scheduled by threads which are not a worker */
        struct co4__wait_queue joiners; /* threads in co4_runtime_join */
    } count;
    struct {
        co4_task *main;  /* of a co4_run; constant */
        bool main_ended; /* its call has ended, with main_error; for the driver */
        int main_error;
        bool is_lost; /* in the child of a fork: the task that has forked lives, and not the call */
        /* The tasks scheduled in a co4_run, also ended ones. A pointer may occur twice, if a later
         * task reuses the memory. */
        co4_task **enrolled;
        size_t nenrolled, room;
        /* The only thread that drives it; NULL: not known, or several. */
        _Atomic(struct co4__local *) driver;
    } run;
    struct co4__monitor monitor;
    struct {
        struct co4__simulation *state; /* NULL: none; constant */
        co4_runtime *next;
    } simulate;
    struct {
        co4_runtime *next, **link; /* under its lock, like `number` */
        unsigned number;
    } registry;
    struct {
        struct co4__running *running; /* one for each worker; NULL: it is off */
    } stall_detector;
    struct {
        atomic_uint blocked; /* workers that the monitor has seen blocked; a hint */
        /* The monitor's: its last check, when spare workers last began, when they may again, and
         * how many then begin beside those that are missing. */
        int64_t looked_at, began_at, begin_at;
        unsigned burst;
        atomic_bool making_poller; /* a spare worker looks for a poller, or makes one (io/) */
    } spares;
};

/* Its workers, with the spare ones that have begun. Acquire: pairs with the monitor's release, for
 * their fields. */
static inline unsigned co4__nworkers(const co4_runtime *rt)
{
    return atomic_load_explicit(&((co4_runtime *)(uintptr_t)rt)->nworkers, memory_order_acquire);
}

/* Returns whether its threads belong to the parent of this forked process. */
static inline bool co4__runtime_is_lost(const co4_runtime *rt)
{
    return rt->threaded && CO4__UNLIKELY(rt->generation != co4__generation);
}

static inline unsigned co4__hook_bits_of(const co4_runtime *rt)
{
    return atomic_load_explicit(&((co4_runtime *)(uintptr_t)rt)->hook_bits, memory_order_relaxed);
}

/* Is anything done around its steps? */
static inline bool co4__steps_are_hooked(const co4_runtime *rt)
{
    return atomic_load_explicit(&((co4_runtime *)(uintptr_t)rt)->steps, memory_order_relaxed) != 0;
}

int co4__runtime_init(co4_runtime *rt, struct co4__worker *workers, unsigned nworkers,
                      unsigned batch);
void co4__runtime_fini(co4_runtime *rt);

#endif
