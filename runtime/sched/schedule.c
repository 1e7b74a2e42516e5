/* schedule.c - scheduling a task: the choice of its runtime, and its count. */
#include "sched/schedule.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/public.h"
#include "core/caller.h"
#include "core/runtime_id.h"
#include "core/task.h"
#include "core/task_extension.h"
#include "platform/thread.h"
#include "sched/run.h"
#include "sched/runtime.h"
#include "sched/sched.h"
#include "sched/step_hooks.h"
#include "sched/worker.h"

static inline void count_spawn(co4_runtime *rt)
{
    struct co4__worker *w = co4__local()->worker;
    if (w && w->rt == rt)
        atomic_store_explicit(&w->count.spawned,
                              atomic_load_explicit(&w->count.spawned, memory_order_relaxed) + 1,
                              memory_order_relaxed); /* the release of its stop comes later */
    else
        atomic_fetch_add_explicit(&rt->count.outside, 1, memory_order_relaxed);
}

bool co4__runtime_may_enter(const co4_runtime *rt)
{
    return !co4__runtime_is_lost(rt);
}

/* A function of its own, so that the usual case saves no registers. */
static CO4__COLD CO4__NOINLINE void enters_hooked(co4_runtime *rt, co4_task *t)
{
    if (co4__task_hooks.as_thread)
        co4__task_hooks.as_thread(t, CO4__BEGINS);
    if (co4__hook_bits_of(rt) != 0)
        co4__step_hooks.task_enters(rt, t, co4_abi_func_of(t->fiber.leaf->at)->name);
}

#ifdef __EMSCRIPTEN__
void co4__runtime_calls(co4_runtime *rt, co4_task *t, const char *name)
{
    co4__set_runtime_id(t, rt->runtime_id);
    count_spawn(rt);
    if (CO4__UNLIKELY(co4__steps_are_hooked(rt)) && co4__task_hooks.as_thread)
        co4__task_hooks.as_thread(t, CO4__BEGINS);
    if (CO4__UNLIKELY(co4__hook_bits_of(rt) != 0))
        co4__step_hooks.task_enters(rt, t, name);
}
#endif

void co4__runtime_enter(co4_runtime *rt, co4_task *t)
{
    co4__set_runtime_id(t, rt->runtime_id);
    count_spawn(rt);
    if (rt->local && CO4__LIKELY(rt->run.nenrolled < rt->run.room))
        rt->run.enrolled[rt->run.nenrolled++] = t;
    else if (rt->local)
        co4__run_enrolls(rt, t);
    if (CO4__UNLIKELY(co4__steps_are_hooked(rt)))
        enters_hooked(rt, t);
    co4__sched_place(rt, t);
}

/* For a thread outside tasks. NULL: there is none. */
static CO4__NOINLINE co4_runtime *newest(void)
{
    static atomic_bool none_reported, several_reported;
    bool several = false;
    co4_runtime *rt = co4__wait_hooks.newest ? co4__wait_hooks.newest(&several) : NULL;
    if (!rt)
        co4__advise(&none_reported,
                    "a thread outside tasks starts a task, and no runtime is started: "
                    "the task is refused. Call co4_runtime_start(), or co4_run()");
    else if (several)
        co4__advise(&several_reported,
                    "several runtimes are started, and a thread outside tasks starts a "
                    "task: the newest gets it. co4_runtime_spawn() names one");
    return rt;
}

/* Perhaps a longjmp has left the apparent current task. */
static CO4__NOINLINE co4_runtime *here_after_jump(const char *called_at)
{
    co4__runs_look(called_at);
    const co4_task *t = co4__local()->current;
    return t ? co4__runtime_of(t) : newest();
}

/* Each spawn calls this. Rare cases are tail calls. A task that runs is a step of this worker. */
co4_runtime *co4__runtime_here(void)
{
    struct co4__local *here = co4__local();
    if (CO4__UNLIKELY((uintptr_t)CO4__CALLED_AT > here->run.at))
        return here_after_jump(CO4__CALLED_AT);
    return CO4__LIKELY(here->current != NULL) ? here->worker->rt : newest();
}

int co4_runtime_schedule(co4_runtime *rt, co4_task *task)
{
    if (!task)
        return CO4_EINVAL;
    if (!rt && !(rt = co4__runtime_here()))
        return CO4_ESTATE;
    if (co4__runtime_is_lost(rt))
        return CO4_ESTATE;
    if (!co4__kind_is_task(task->fiber.kind))
        return CO4_ESTATE;
    if (co4__pinned_to(task) >= (int)rt->regular)
        return CO4_EINVAL;
    if (co4__task_event(task, CO4__SCHEDULE) != CO4__NEW)
        return CO4_ESTATE;
    co4_task_retain(task); /* the runtime's reference */
    struct co4__task_extension *x = co4__extension_of(task);
    if (x && x->future)
        co4__task_hooks.keeps_future(x->future); /* the task's reference, until it is done */
    co4__runtime_enter(rt, task);
    return CO4_OK;
}
