/* on_step.c - the step hooks: functions called around steps, for observers, test mode, traces and
 * ages.
 *
 * Purpose: the `hook_bits` of a runtime say which of them are in use. A step reads them once, and a
 * task that becomes ready reads them once. If they are 0, that is all. Otherwise the code here
 * runs, away from the hot path. stall_detector.c reports steps that take too long. */
#include "debug/on_step.h"

#include <stdatomic.h>
#include <stddef.h>

#include "base/public.h"
#include "debug/registry.h"
#include "debug/simulate.h"
#include "debug/stall_detector.h"
#include "debug/task_record.h"
#include "debug/trace.h"
#include "platform/thread.h"
#include "sched/runtime.h"

void co4__on_runtime_begins(co4_runtime *rt)
{
    if (atomic_fetch_and(&co4__hook_bits, (uint8_t)~CO4__NOT_ASKED) & CO4__NOT_ASKED)
        co4__trace_env();
    co4__registry_enroll(rt);
}

void co4__on_task_enters(co4_runtime *rt, co4_task *t, const char *function)
{
    struct co4__task_record *x = co4__hook_bits_of(rt) != CO4__OBSERVED
                                     ? co4__record_make(t, function)
                                     : NULL;
    if (!x)
        return;
    x->reason = ""; /* it waits for its first step */
    if (co4__hook_bits_of(rt) & (CO4__AGED | CO4__TRACED))
        x->since = co4__record_clock(rt);
    if (co4__hook_bits_of(rt) & CO4__TRACED)
        co4__trace_entered(rt, t, x);
}

bool co4__on_task_is_ready(co4_runtime *rt, co4_task *t)
{
    struct co4__task_record *x = co4__record_of(t);
    if (x && x->reason) { /* otherwise it has only yielded */
        x->wakes++;
        if (co4__hook_bits_of(rt) & CO4__TRACED)
            co4__trace_woken(rt, x);
    }
    return rt->simulate.state && co4__simulated_delays(rt, t);
}

static void notify(struct co4__worker *w, co4_task *t, co4_task_state state)
{
    const co4_runtime_options *o = &w->rt->options;
    if (o->observer)
        o->observer(o->observer_data, t, state);
    if (w->rt->simulate.state)
        co4__simulated_note(w, t, state);
}

void co4__on_step_begins(struct co4__worker *w, co4_task *t)
{
    unsigned bits = co4__hook_bits_of(w->rt);
    struct co4__task_record *x = co4__record_of(t);
    if (!x && bits != CO4__OBSERVED) {
        /* Scheduled before the hooks were set: its function is that of its outermost frame. */
        const co4_frame *f = t->fiber.leaf;
        while (f && f->caller)
            f = f->caller;
        x = co4__record_make(t, f ? co4_abi_func_of(f->at)->name : "");
    }
    notify(w, t, CO4_TASK_RUNNING);
    if (bits & CO4__STALLS)
        co4__stall_step(w, t, x);
    if (!x)
        return;
    const char *waited = x->reason;
    x->reason = NULL;
    if (bits & (CO4__AGED | CO4__TRACED))
        x->since = co4__record_clock(w->rt);
    if (bits & CO4__TRACED)
        co4__trace_step(w, x, waited);
}

/* Notes the end of a step. When the step is finished, another thread may wake the task and run its
 * next step. So this comes before. */
static void note(struct co4__worker *w, co4_task *t, int why)
{
    unsigned bits = co4__hook_bits_of(w->rt);
    struct co4__task_record *x = co4__record_of(t);
    if (bits & CO4__STALLS)
        co4__stall_stepped(w);
    if (!x)
        return;
    if (bits & CO4__TRACED)
        co4__trace_stepped(w, x, t, why);
    if (bits & (CO4__AGED | CO4__TRACED))
        x->since = co4__record_clock(w->rt);
    if (why == CO4_ABI_WAITING)
        x->reason = co4__record_reason(t);
}

void co4__on_step_ends(struct co4__worker *w, co4_task *t, int why)
{
    note(w, t, why);
    if (why == CO4_ABI_WAITING)
        notify(w, t, CO4_TASK_PAUSED);
    else if (why == CO4_ABI_READY)
        notify(w, t, CO4_TASK_READY);
}

void co4__on_task_ends(struct co4__worker *w, co4_task *t)
{
    notify(w, t, CO4_TASK_STOPPED);
}
