/* on_step.c - the step hooks: functions called around steps, for observers, test mode, traces and
 * ages.
 *
 * Purpose: the `hook_bits` of a runtime say which of them are in use. A step reads them once, and a
 * task that becomes ready reads them once. If they are 0, that is all. Otherwise the code here
 * runs, away from the hot path. Bits are set by functions of this file, so a program that can set
 * none does not have it. The functions of those who set them are in co4__step_users, so a program
 * has only those that it uses. */
#include "debug/on_step.h"

#include <stdatomic.h>
#include <stddef.h>

#include "base/public.h"
#include "core/wait.h"
#include "debug/registry.h"
#include "debug/task_record.h"
#include "platform/lock.h"
#include "platform/thread.h"
#include "sched/runtime.h"
#include "sched/sched.h"

static void set_bit(_Atomic uint8_t *bits, unsigned bit, bool on)
{
    if (on)
        atomic_fetch_or_explicit(bits, (uint8_t)bit, memory_order_relaxed);
    else
        atomic_fetch_and_explicit(bits, (uint8_t)~bit, memory_order_relaxed);
}

/* Yields the lock after each CO4__BATCH runtimes. If two threads do this at once, the later one
 * decides: both copy the bit that `co4__hook_bits` has then. */
void co4__hook_bits_set(unsigned bit, bool on)
{
    struct co4__cursor c;
    co4__lock_take(&co4__runtimes_lock);
    set_bit(&co4__hook_bits, bit, on);
    co4__cursor_begin(&c);
    for (unsigned n = 1; c.at; n++) {
        on = (atomic_load_explicit(&co4__hook_bits, memory_order_relaxed) & bit) != 0;
        set_bit(&c.at->hook_bits, bit, on);
        c.at = c.at->registry.next;
        if (n % CO4__BATCH == 0)
            co4__lock_yield(&co4__runtimes_lock);
    }
    co4__cursor_end(&c);
    co4__lock_give(&co4__runtimes_lock);
    struct co4__worker *w = co4__local()->worker;
    if (w) /* the step that runs is observed from here on */
        co4__sched_near(w);
}

void co4_watch(int on)
{
    co4__hook_bits_set(CO4__AGED, on != 0);
}

void co4__hook_steps(co4_runtime *rt, enum co4__hook_bit bit)
{
    set_bit(&rt->hook_bits, bit, true);
}

/* ---- the hooks ---- */

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
        co4__step_users.trace_entered(rt, t, x);
}

bool co4__on_task_is_ready(co4_runtime *rt, co4_task *t)
{
    struct co4__task_record *x = co4__record_of(t);
    if (x && x->reason) { /* otherwise it has only yielded */
        x->wakes++;
        if (co4__hook_bits_of(rt) & CO4__TRACED)
            co4__step_users.trace_woken(rt, x);
    }
    return rt->simulate.state && rt->simulate.state->ops->delays(rt, t);
}

static void notify(struct co4__worker *w, co4_task *t, co4_task_state state)
{
    const co4_runtime_options *o = &w->rt->options;
    if (o->observer)
        o->observer(o->observer_data, t, state);
    if (w->rt->simulate.state)
        w->rt->simulate.state->ops->task_is(w, t, state);
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
        co4__step_users.stall_step(w, t, x);
    if (!x)
        return;
    const char *waited = x->reason;
    x->reason = NULL;
    if (bits & (CO4__AGED | CO4__TRACED))
        x->since = co4__record_clock(w->rt);
    if (bits & CO4__TRACED)
        co4__step_users.trace_step(w, x, waited);
}

/* Notes the end of a step. When the step is finished, another thread may wake the task and run its
 * next step. So this comes before. */
static void note_step_end(struct co4__worker *w, co4_task *t, int why)
{
    unsigned bits = co4__hook_bits_of(w->rt);
    struct co4__task_record *x = co4__record_of(t);
    if (bits & CO4__STALLS)
        co4__step_users.stall_stepped(w);
    if (!x)
        return;
    if (bits & CO4__TRACED)
        co4__step_users.trace_stepped(w, x, t, why);
    if (bits & (CO4__AGED | CO4__TRACED))
        x->since = co4__record_clock(w->rt);
    if (why == CO4_ABI_WAITING)
        x->reason = co4__record_reason(t);
}

void co4__on_step_ends(struct co4__worker *w, co4_task *t, int why)
{
    note_step_end(w, t, why);
    if (why == CO4_ABI_WAITING)
        notify(w, t, CO4_TASK_PAUSED);
    else if (why == CO4_ABI_READY)
        notify(w, t, CO4_TASK_READY);
}

void co4__on_task_ends(struct co4__worker *w, co4_task *t)
{
    notify(w, t, CO4_TASK_STOPPED);
}
