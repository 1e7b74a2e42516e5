/* sched.c - makes tasks ready: on the worker where they are near, or the only one. Of several
 * workers the choice is several.c's. */
#include "sched/sched.h"

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"
#include "base/public.h"
#include "core/blocker.h"
#include "core/runtime_id.h"
#include "core/task_extension.h"
#include "platform/thread.h"
#include "sched/push.h"
#include "sched/queue.h"
#include "sched/runtime.h"
#include "sched/step_hooks.h"

CO4__NOINLINE void co4__sched_call_monitor(co4_runtime *rt)
{
    struct co4__monitor *m = &rt->monitor;
    co4__parker_wake(&m->parker);
    /* Pairs with co4__monitor_stop. */
    atomic_fetch_add_explicit(&m->calls, 1, memory_order_release);
}

void co4__sched_push_remote(struct co4__worker *w, co4_task *t)
{
    co4__pushed(w, co4__queue_push_rx(&w->queue, t));
}

void co4__sched_near(struct co4__worker *w)
{
    bool near = w->near.keeps && co4__hook_bits_of(w->rt) == 0 && !w->guarded;
    w->near.runtime_id = near ? w->rt->runtime_id : CO4__NOT_NEAR;
}

/* Returns whether w, the worker of this thread, is the place of t without further questions, unless
 * its runtime has hooks. */
static inline bool stays(const struct co4__worker *w, co4_task *t)
{
    return w->near.runtime_id == co4__runtime_id_of(t) &&
           (co4__pinned_to(t) < 0 || w->rt->places == 1);
}

/* Returns whether t has been placed. */
static inline bool placed_here(co4_task *t)
{
    struct co4__worker *w = co4__local()->worker;
    if (CO4__UNLIKELY(!w || !stays(w, t) || co4__hook_bits_of(w->rt) != 0))
        return false;
    co4__queue_push(&w->queue, t);
    return true;
}

/* Separate functions, so that the usual case saves no registers. */
static CO4__NOINLINE void place_slowly(co4_runtime *rt, co4_task *t)
{
    if (CO4__UNLIKELY(co4__hook_bits_of(rt) != 0) && co4__step_hooks.task_is_ready(rt, t))
        return;
    co4__sched_deliver(rt, t);
}

void co4__sched_place(co4_runtime *rt, co4_task *t)
{
    if (CO4__UNLIKELY(!placed_here(t)))
        place_slowly(rt, t);
}

void co4__sched_again(struct co4__worker *w, co4_task *t)
{
    int pinned = w->rt->places == 1 ? -1 : co4__pinned_to(t);
    co4__push_to(CO4__LIKELY(pinned < 0) ? w : &w->rt->workers[pinned], w, t);
}

/* ---- wakes ---- */

/* The task still unwinds, or has just paused. A separate function, called last, so that the usual
 * wake saves no registers. */
static CO4__NOINLINE void wake_early(co4_task *t)
{
    if (co4__task_event(t, CO4__WAKE) == CO4__PAUSED)
        co4__sched_place(co4__runtime_of(t), t);
}

void co4__wake(struct co4__waiter *w)
{
    co4_task *t = co4__task_of_waiter(w);
    if (CO4__UNLIKELY(w->kind != CO4__WAITER_TASK))
        co4__wake_other(w);
    else if (CO4__UNLIKELY(!co4__task_was_paused(t)))
        wake_early(t);
    else if (CO4__UNLIKELY(!placed_here(t)))
        place_slowly(co4__runtime_of(t), t);
}

static CO4__NOINLINE int wake_done_slowly(co4_fiber *co4, co4_task *t)
{
    co4__wake(&t->waiter);
    return co4__done(co4, CO4_OK);
}

/* The step that runs has begun without hooks if a task is near. */
int co4__task_wake_done(co4_fiber *co4, co4_task *t)
{
    struct co4__worker *w = co4__local()->worker;
    if (CO4__UNLIKELY(!stays(w, t) || !co4__task_was_paused(t)))
        return wake_done_slowly(co4, t);
    co4__queue_push_unpublished(&w->queue, t);
    return co4__done(co4, CO4_OK);
}
