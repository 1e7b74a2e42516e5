/* worker.c - one thread, one queue: it runs one step of a task, and finishes the step.
 *
 * Purpose: a step ends in one of three ways. The task waits: once its frames are saved, the event
 * WAIT makes it PAUSED, or finds that the wake has come already and queues it again. The task
 * yields, and goes to the tasks that have yielded. The task has ended.
 *
 * The step itself is in worker_step.h, the loop of a thread in worker_main.c. Fairness: lanes.c
 * says which task is next, look.c when a worker looks at timers and events. */
#include "sched/worker.h"

#include <string.h>

#include "base/compiler.h"
#include "base/count.h"
#include "base/public.h"
#include "core/cancel.h"
#include "core/fiber.h"
#include "core/join.h"
#include "core/result.h"
#include "core/sleep.h"
#include "core/task_extension.h"
#include "core/wait.h"
#include "memory/pool.h"
#include "platform/before_wait.h"
#include "platform/fd.h"
#include "platform/lock.h"
#include "sched/count.h"
#include "sched/idle.h"
#include "sched/look.h"
#include "sched/runtime.h"
#include "sched/sched.h"
#include "sched/step_hooks.h"
#include "sched/worker_step.h"

int (*co4__step_profiler)(co4_fiber *co4);

struct co4__timers *co4__worker_timers_of(struct co4__worker *w)
{
    return &w->timers;
}

/* The earliest deadline has become earlier. */
static void interrupt(struct co4__timers *h)
{
    struct co4__worker *w = h->owner;
    if (co4__local()->worker == w)
        co4__worker_looks_soon(w);
    if (co4__queue_interrupt(&w->queue))
        co4__worker_wake(w);
}

int co4__worker_init(struct co4__worker *w, co4_runtime *rt, unsigned index)
{
    memset(w, 0, sizeof *w);
    co4__queue_init(&w->queue);
    co4__timers_init(&w->timers, interrupt, w);
    w->rt = rt;
    w->index = index;
    w->sched.rotor = index;
    w->budget = CO4_STEP_BUDGET - 1;
    w->look.every = 1;
    w->trace.began = -1;
    return co4__parker_init(&w->parker);
}

void co4__worker_fini(struct co4__worker *w)
{
    co4__worker_idle_end(w);
    for (unsigned tries = 0; !co4__queue_pushes_done(&w->queue); tries++)
        co4__back_off(tries); /* a pusher is between its push and its mark */
    struct co4__poller *p = co4__poller_of(w);
    if (p)
        p->ops->end(p);
    co4__parker_fini(&w->parker);
}

/* ---- steps ---- */

void co4__main_end(co4_runtime *rt, int error)
{
    co4_task *main = rt->run.main;
    if (co4__extension_of(main))
        co4__extension_ended(main, error, NULL);
    rt->run.main_ended = true;
    rt->run.main_error = error;
    co4__task_set_error(main, error);
    co4__task_event(main, CO4__END);
    if (atomic_load(&main->refs) & CO4__JOINED)
        co4__task_hooks.wakes_joiners(main, error);
}

static void ended(struct co4__worker *w, co4_task *t, int why)
{
    int error = why == 0 ? CO4_OK : t->fiber.error != CO4_OK ? co4__task_error(t) : CO4_ENOMEM;
    /* Woven code does not yield here, because it checks the kind. The runtime survives a yield
     * anyway. */
    if (why == CO4_ABI_YIELDED) {
        co4__fiber_drop_chain(&t->fiber);
        error = CO4_ESTATE;
    }
    if (t->fiber.kind == CO4__KIND_RUN) {
        co4__main_end(w->rt, error);
        return;
    }
    const void *value = NULL;
    if (CO4__LIKELY(error == CO4_OK))
        error = co4__task_returned(t, &value);
    else
        co4__task_has_failed(t, error);
    co4__task_end(w, t, error, value);
}

/* The task has failed after it was queued. Returns the resulting reason. */
static int fail_waiting(co4_task *t)
{
    if (co4__leave(&t->waiter, NULL))
        return co4__fiber_failed(&t->fiber);
    /* Another thread has claimed the task: it fails when that wake has come. */
    co4__task_set_error(t, CO4_ENOMEM);
    return CO4_ABI_WAITING;
}

/* The task's frames are saved, and it waits. This is the uncommon case: it has been woken or
 * cancelled already, or another thread may be about to do so. */
static void waits(struct co4__worker *w, co4_task *t)
{
    enum co4__state was = co4__task_waits(t, t->fiber.shields != 0);
    if (CO4__UNLIKELY(was == CO4__READY)) {
        if (co4__cancel_wait(t)) {
            co4__task_event(t, CO4__YIELD);
            co4__sched_again(w, t);
            return;
        }
        was = co4__task_waits(t, true); /* the thread that claimed it wakes it */
    }
    if (was == CO4__WOKEN)
        co4__sched_again(w, t); /* otherwise this thread does not own it any more */
}

CO4__COLD void co4__step_begins(struct co4__worker *w, co4_task *t)
{
    if (co4__hook_bits_of(w->rt) != 0) {
        w->near.runtime_id = CO4__NOT_NEAR;
        co4__step_hooks.step_begins(w, t);
    }
    if (w->guarded) /* a handler that runs with what comes may block, as the step */
        co4__queue_open(w);
    if (co4__task_hooks.as_thread)
        co4__task_hooks.as_thread(t, CO4__COMES);
}

CO4__COLD void co4__step_ends(struct co4__worker *w, co4_task *t, int why)
{
    if (co4__task_hooks.as_thread)
        co4__task_hooks.as_thread(t, why == CO4_ABI_WAITING ? CO4__GOES_TO_WAIT : CO4__GOES);
    if (w->guarded)
        co4__several.takes_back(w);
    if (co4__hook_bits_of(w->rt) != 0)
        co4__step_hooks.step_ends(w, t, why);
}

/* A function of its own, so that waits and yields, which are handled inline, save no registers for
 * it. */
CO4__NOINLINE void co4__worker_finish(struct co4__worker *w, co4_task *t, int why)
{
    if (why == CO4_ABI_FAILED_WAITING)
        why = fail_waiting(t);
    if (why == CO4_ABI_WAITING)
        waits(w, t);
    else
        ended(w, t, why);
    co4__queue_done(&w->queue); /* last: the task counts as load until here */
}

void co4__worker_finish_step(struct co4__worker *w, co4_task *t, int why)
{
    co4__finish_step(w, co4__local(), t, why);
}

void co4__task_end(struct co4__worker *w, co4_task *t, int error, const void *value)
{
    if (CO4__UNLIKELY(error != CO4_OK)) /* it has been CO4_OK since the creation */
        co4__task_fails(t, error, (co4__hook_bits_of(w->rt) & CO4__OBSERVED) != 0);
    if (CO4__UNLIKELY(co4__extension_of(t) != NULL))
        co4__extension_ended(t, error, value);
    if (CO4__UNLIKELY(co4__hook_bits_of(w->rt) != 0))
        co4__step_hooks.task_ends(w, t);
    w->dirty = true;
    atomic_store_explicit(&t->state, CO4__ENDED, memory_order_release);
    /* Counted between the two states, for threads that read both: see task.c. */
    atomic_store_explicit(&w->count.stopped,
                          atomic_load_explicit(&w->count.stopped, memory_order_relaxed) + 1,
                          memory_order_release);
    struct co4__local *here = co4__local();
    co4__task_stops(t, co4__section_begin(here));
    uint32_t refs = atomic_load(&t->refs);
    co4__section_end(here);
#ifdef __EMSCRIPTEN__
    if (refs & CO4__FROM_HOST)
        co4__task_hooks.host_call_ends(t, error);
#endif
    if (CO4__UNLIKELY((refs & CO4__JOINED) != 0)) {
        struct co4__task_extension *x = co4__extension_of(t);
        if (x)
            co4__extension_stopped(x, error);
        co4__task_hooks.wakes_joiners(t, error);
    }
    co4__task_unref(t);
}

void co4__worker_step(struct co4__worker *w, co4_task *t)
{
    struct co4__local *here = co4__local();
    co4_task *outer_task = here->current;
    struct co4__worker *outer_worker = here->worker;
    co4__step(w, here, t);
    here->current = outer_task;
    here->worker = outer_worker;
}
