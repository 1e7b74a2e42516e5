/* step_hooks.h - functions of debug/ that are called around steps, and when runtimes begin and
 * end. */
#ifndef CO4_STEP_HOOKS_H
#define CO4_STEP_HOOKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "core/task.h"
#include "platform/thread.h"
#include "sched/runtime.h"

/* The users of step hooks, in `hook_bits` of a runtime. If they are 0, a step costs one branch for
 * them. */
enum co4__hook_bit {
    CO4__OBSERVED = 1,
    CO4__SIMULATED = 2,
    CO4__AGED = 4,
    CO4__TRACED = 8,
    CO4__STALLS = 16
};

/* The `hook_bits` of later runtimes. NOT_ASKED: the environment has not been read yet. */
#define CO4__NOT_ASKED 0x80
/* … and none of a runtime: each co4_run is in the list of runtimes before its call begins. */
#define CO4__BEGINS_AT_ONCE 0x40
extern CO4__OWN _Atomic uint8_t co4__hook_bits;

/* Does in later runtimes what co4__fiber_resume() and co4__fiber_failed() do; or NULL. co4prof
 * sets it before the first. */
extern CO4__PRIVATE int (*co4__step_profiler)(co4_fiber *co4);

/* modules.c fills the tables. */
struct co4__step_hooks {
    /* A runtime exists. Called for a co4_run only if it pauses, leaves tasks, or begins with
     * hooks. */
    void (*runtime_begins)(co4_runtime *rt);
    /* Called when a runtime is about to be destroyed. It may never have begun. */
    void (*runtime_ends)(co4_runtime *rt);
    /* The functions below are called only while `hook_bits` are not 0. Otherwise the program may
     * lack them.
     *
     * A task has been scheduled. */
    void (*task_enters)(co4_runtime *rt, co4_task *t, const char *function);
    /* A task is ready. True: the hook places it later. */
    bool (*task_is_ready)(co4_runtime *rt, co4_task *t);
    void (*step_begins)(struct co4__worker *w, co4_task *t);
    /* The task's frames are saved, but its step is not finished. */
    void (*step_ends)(struct co4__worker *w, co4_task *t, int why);
    void (*task_ends)(struct co4__worker *w, co4_task *t);
    /* Without threads: writes a dump if a signal has asked for one. NULL: the program asks for no
     * such dump. */
    void (*signal)(void);
};

/* Functions that options of co4_runtime_create() ask for. Only a program that makes runtimes has
 * them. */
struct co4__made_hooks {
    /* Sets this bit of `hook_bits`. */
    void (*hooks)(co4_runtime *rt, enum co4__hook_bit bit);
    /* Called when a runtime with the option `report` is about to be destroyed. */
    void (*report)(co4_runtime *rt);
    /* Changes the number of such runtimes. While there are any, new mailboxes are accounted for. */
    void (*reports)(int by);
    /* Steps that take too long are reported from now on. Returns CO4_OK or CO4_ENOMEM. */
    int (*stalls_begin)(co4_runtime *rt);
    /* The monitor looks for long steps. Returns when to check again; CO4_NEVER: after its next
     * wake. */
    int64_t (*stalls_look)(co4_runtime *rt);
    void (*stalls_end)(co4_runtime *rt);
};

extern const struct co4__made_hooks co4__made_hooks;
extern const struct co4__step_hooks co4__step_hooks;

/* Called now and then, and before a wait. */
static inline void co4__signal_due(void)
{
    if (!co4__has_threads && co4__step_hooks.signal)
        co4__step_hooks.signal();
}

/* Around each step; only while co4__steps_are_hooked(). */
void co4__step_begins(struct co4__worker *w, co4_task *t);
void co4__step_ends(struct co4__worker *w, co4_task *t, int why);

/* Adds a run to the list of all runtimes, if it is not there yet. Most runs never pause, and do
 * without the lock of that list. */
static inline void co4__run_begins_once(co4_runtime *rt)
{
    if (rt->registry.number == 0) /* not `link`, which other threads write, too */
        co4__step_hooks.runtime_begins(rt);
}

#endif
