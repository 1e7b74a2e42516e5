/* worker_step.h - a step of a task, inline: the loops of a thread and of a co4_run have it. */
#ifndef CO4_WORKER_STEP_H
#define CO4_WORKER_STEP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/count.h"
#include "base/public.h"
#include "core/fiber.h"
#include "core/task.h"
#include "platform/before_wait.h"
#include "platform/thread.h"
#include "sched/look.h"
#include "sched/runtime.h"
#include "sched/sched.h"
#include "sched/step_hooks.h"
#include "sched/worker.h"

/* Ends a step in every way but a wait or a yield, which are as a rule handled inline. */
void co4__worker_finish(struct co4__worker *w, co4_task *t, int why);

/* Includes co4__queue_done(). */
static CO4__ALWAYS_INLINE void co4__yields(struct co4__worker *w, struct co4__local *here,
                                           co4_task *t)
{
    bool forced = here->fiber.forced;
    co4__count(&w->stats.yields, 1);
    co4__task_yields(t);
    if (CO4__UNLIKELY(forced)) {
        here->fiber.forced = false;
        if (w->rt->places > 1) {
            co4__several.place_other(w->rt, t);
            co4__queue_done(&w->queue);
            return;
        }
    }
    if (CO4__LIKELY(w->rt->places == 1)) {
        co4__lanes_yield(&w->queue.lanes, t); /* as much is ready as before */
        return;
    }
    co4__several.yield(w, t);
    co4__queue_done(&w->queue);
}

static CO4__ALWAYS_INLINE void co4__finish_step(struct co4__worker *w, struct co4__local *here,
                                                co4_task *t, int why)
{
    if (CO4__LIKELY(why == CO4_ABI_WAITING)) {
        co4__count(&w->stats.pauses, 1);
        if (CO4__LIKELY(co4__task_waits_plainly(here, t))) {
            co4__queue_done(&w->queue);
            return;
        }
    } else if (CO4__LIKELY(why == CO4_ABI_READY)) {
        co4__yields(w, here, t);
        return;
    }
    co4__worker_finish(w, t, why);
}

/* Inline in the loop, so that a step saves no registers. */
static CO4__ALWAYS_INLINE void co4__step(struct co4__worker *w, struct co4__local *here,
                                         co4_task *t)
{
    here->current = t;
    here->worker = w; /* a longjmp may have left a co4_run */
    here->budget = w->budget;
    co4__count(&w->stats.steps, 1);
    co4__task_steps(t);
    bool hooked = co4__steps_are_hooked(w->rt);
    int why;
    if (CO4__UNLIKELY(hooked)) {
        co4__step_begins(w, t);
        if (w->rt->around & CO4__PROFILED) {
            why = co4__step_profiler(&t->fiber);
            goto ran;
        }
    }
    why = CO4__LIKELY(t->fiber.error == CO4_OK) ? co4__fiber_resume(&t->fiber)
                                                : co4__fiber_failed(&t->fiber);
ran:
    co4__before_wait(here);
    w->sched.unused += (uint64_t)(int64_t)here->budget;
    here->current = NULL; /* observers and wakes run outside the task */
    if (CO4__UNLIKELY(hooked))
        co4__step_ends(w, t, why);
    co4__finish_step(w, here, t, why);
    if (CO4__UNLIKELY(co4__counted(&w->stats.steps) >=
                          atomic_load_explicit(&w->look.next, memory_order_relaxed) ||
                      co4__queue_has_rx(&w->queue)))
        co4__worker_look(w);
}

#endif
