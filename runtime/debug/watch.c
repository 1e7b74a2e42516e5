/* watch.c - what is done around steps for those who look on.
 *
 * A runtime's `watch` says who that is: its observer, test mode, a trace, those who want to know
 * for how long. It is read once a step and once when a task becomes ready, and with nobody there
 * that is all; the rest stands here, out of the way of what runs fast.
 *
 * Stalls. While a step runs its worker shows which and since when (struct co4__running); a thread
 * that comes by now and then finds the same step as before, and longer than the limit. Without
 * threads the worker itself looks, when the step is over. */
#include "debug/watch.h"

#include <stdatomic.h>
#include <stddef.h>

#include "base/public.h"
#include "debug/registry.h"
#include "debug/simulate.h"
#include "debug/stall_detector.h"
#include "debug/trace.h"
#include "debug/watched.h"
#include "platform/thread.h"
#include "sched/runtime.h"

void co4__watch_begins(co4_runtime *rt)
{
    if (atomic_fetch_and(&co4__watch_bits, (uint8_t)~CO4__NOT_ASKED) & CO4__NOT_ASKED)
        co4__trace_env();
    co4__registry_enroll(rt);
}

void co4__watch_entered(co4_runtime *rt, co4_task *t, const char *function)
{
    struct co4__watched *x = co4__watch_of(rt) != CO4__OBSERVED ? co4__watched_make(t, function)
                                                                : NULL;
    if (!x)
        return;
    x->reason = ""; /* it waits to be begun */
    if (co4__watch_of(rt) & (CO4__AGED | CO4__TRACED))
        x->since = co4__watch_clock(rt);
    if (co4__watch_of(rt) & CO4__TRACED)
        co4__trace_entered(rt, t, x);
}

bool co4__watch_placed(co4_runtime *rt, co4_task *t)
{
    struct co4__watched *x = co4__watched_of(t);
    if (x && x->reason) { /* else it has only given way */
        x->wakes++;
        if (co4__watch_of(rt) & CO4__TRACED)
            co4__trace_woken(rt, x);
    }
    return rt->simulation && co4__simulated_delays(rt, t);
}

static void tell(struct co4__worker *w, co4_task *t, co4_task_state state)
{
    const co4_runtime_options *o = &w->rt->options;
    if (o->observer)
        o->observer(o->observer_data, t, state);
    if (w->rt->simulation)
        co4__simulated_note(w, t, state);
}

void co4__watch_step(struct co4__worker *w, co4_task *t)
{
    unsigned watch = co4__watch_of(w->rt);
    struct co4__watched *x = co4__watched_of(t);
    if (!x && watch !=
                  /* scheduled before anybody watched; as far as it is known, its deepest call */
                  CO4__OBSERVED) {
        const co4_frame *f = t->fiber.leaf;
        while (f && f->caller)
            f = f->caller;
        x = co4__watched_make(t, f ? f->at->func->name : "");
    }
    tell(w, t, CO4_TASK_RUNNING);
    if (watch & CO4__STALLS)
        co4__stall_step(w, t, x);
    if (!x)
        return;
    const char *waited = x->reason;
    x->reason = NULL;
    if (watch & (CO4__AGED | CO4__TRACED))
        x->since = co4__watch_clock(w->rt);
    if (watch & CO4__TRACED)
        co4__trace_step(w, x, waited);
}

/* The step is over. While its task is settled it may be woken and stepped elsewhere, so all is
 * noted before that. */
static void note(struct co4__worker *w, co4_task *t, int why)
{
    unsigned watch = co4__watch_of(w->rt);
    struct co4__watched *x = co4__watched_of(t);
    if (watch & CO4__STALLS)
        co4__stall_stepped(w);
    if (!x)
        return;
    if (watch & CO4__TRACED)
        co4__trace_stepped(w, x, t, why);
    if (watch & (CO4__AGED | CO4__TRACED))
        x->since = co4__watch_clock(w->rt);
    if (why == CO4_ABI_WAITING)
        x->reason = co4__watch_reason(t);
}

void co4__watch_stepped(struct co4__worker *w, co4_task *t, int why)
{
    note(w, t, why);
    if (why == CO4_ABI_WAITING)
        tell(w, t, CO4_TASK_PAUSED);
    else if (why == CO4_ABI_READY)
        tell(w, t, CO4_TASK_READY);
}

void co4__watch_ended(struct co4__worker *w, co4_task *t)
{
    tell(w, t, CO4_TASK_STOPPED);
}
