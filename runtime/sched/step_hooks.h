/* step_hooks.h - what is called around steps, and when runtimes come and go: for debug/. */
#ifndef CO4_STEP_HOOKS_H
#define CO4_STEP_HOOKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "core/task.h"
#include "sched/runtime.h"

/* In `watch` of a runtime: who looks. With 0 a step costs one branch. */
enum co4__watch {
    CO4__OBSERVED = 1,
    CO4__SIMULATED = 2,
    CO4__AGED = 4,
    CO4__TRACED = 8,
    CO4__STALLS = 16
};

/* What `watch` of later runtimes is; NOT_ASKED: the environment has not been read yet. */
#define CO4__NOT_ASKED 0x80
extern CO4__OWN _Atomic uint8_t co4__watch_bits;

/* modules.c fills the table. */
struct co4__step_hooks {
    /* A runtime exists from here on; a co4_run only when it may be watched. */
    void (*runtime_begins)(co4_runtime *rt);
    /* It has `report` and goes. */
    void (*report)(co4_runtime *rt);
    /* It is about to go; it may never have begun. */
    void (*runtime_ends)(co4_runtime *rt);
    /* Steps that take too long are reported from now on. CO4_OK, CO4_ENOMEM. */
    int (*stalls_begin)(co4_runtime *rt);
    /* The monitor looks for them. When it shall look again; CO4_NEVER: once it is woken. */
    int64_t (*stalls_look)(co4_runtime *rt);
    void (*stalls_end)(co4_runtime *rt);
    /* The rest only while `watch` is not 0. A task has been scheduled. */
    void (*task_enters)(co4_runtime *rt, co4_task *t, const char *function);
    /* It is ready. True: it will be placed later. */
    bool (*task_is_ready)(co4_runtime *rt, co4_task *t);
    void (*step_begins)(struct co4__worker *w, co4_task *t);
    /* Its frames are saved, and it is not yet settled. */
    void (*step_ends)(struct co4__worker *w, co4_task *t, int why);
    void (*task_ends)(struct co4__worker *w, co4_task *t);
    /* Without threads: has a signal asked for a dump? At any time. */
    void (*signal)(void);
};

extern const struct co4__step_hooks co4__step_hooks;

/* Most runs never pause, and the list of all runtimes has one lock. */
static inline void co4__run_may_be_watched(co4_runtime *rt)
{
    if (rt->number == 0) /* `link` is written by its neighbours, too */
        co4__step_hooks.runtime_begins(rt);
}

#endif
