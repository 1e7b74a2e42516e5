/* worker.c - one thread, one queue: it fetches a task, runs one step of it, and finishes the step.
 *
 * Purpose: a step ends in one of three ways. The task waits: once its frames are saved, the event
 * WAIT makes it PAUSED, or finds that the wake has come already and queues it again. The task
 * yields, and goes to the end of the queue. The task has ended.
 *
 * Fairness: every HOUSEKEEPING steps the worker drains the inbox and reads the clock. So neither
 * tasks of other threads nor timers wait for a queue that never becomes empty. Every PLACE_AGAIN
 * steps a yielding task is placed anew, so that tasks that never wait also spread over the
 * workers. */
#include "sched/worker.h"

#include <string.h>

#include "base/compiler.h"
#include "base/count.h"
#include "base/public.h"
#include "core/cancel.h"
#include "core/defer.h"
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
#include "sched/runtime.h"
#include "sched/sched.h"
#include "sched/step_hooks.h"

#define HOUSEKEEPING 64
#define PLACE_AGAIN  32
#define LOOK_STEPS   4                    /* with a poller: the worker reads the clock … */
#define LOOK_AFTER   (50 * INT64_C(1000)) /* … and looks if that many ns have passed */

struct co4__timers *co4__worker_timers_of(struct co4__worker *w)
{
    return &w->timers;
}

/* The earliest deadline has become earlier. */
static void interrupt(struct co4__timers *h)
{
    struct co4__worker *w = h->owner;
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
        co4__task_notify(main, error);
}

static void ended(struct co4__worker *w, co4_task *t, int why)
{
    int error = why == 0 ? CO4_OK : t->error != CO4_OK ? co4__task_error(t) : CO4_ENOMEM;
    /* Woven code does not yield here: its yield checks the kind. The runtime survives it anyway. */
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
    if (co4__leave(t))
        return co4__fiber_failed(&t->fiber);
    /* Another thread has claimed the task: it fails when that wake has come. */
    co4__task_set_error(t, CO4_ENOMEM);
    return CO4_ABI_WAITING;
}

void co4__worker_finish_step(struct co4__worker *w, co4_task *t, int why)
{
    switch (why) {
    case CO4_ABI_FAILED_WAITING:
        if (fail_waiting(t) == CO4_ABI_FAILED) {
            ended(w, t, CO4_ABI_FAILED);
            break;
        }
        /* fallthrough */
    case CO4_ABI_WAITING: {
        co4__count(&w->stats.pauses, 1);
        if (CO4__LIKELY(co4__task_waits_plainly(co4__local(), t)))
            break;
        enum co4__state was = co4__task_waits(t, t->fiber.shields != 0);
        if (CO4__UNLIKELY(was == CO4__READY)) {
            if (co4__cancel_wait(t)) {
                co4__task_event(t, CO4__YIELD);
                co4__sched_again(w, t);
                break;
            }
            was = co4__task_waits(t, true); /* the thread that claimed it wakes it */
        }
        if (was == CO4__WOKEN)
            co4__sched_again(w, t);
        break; /* otherwise this thread does not own it any more */
    }
    case CO4_ABI_READY: {
        co4__count(&w->stats.yields, 1);
        struct co4__local *here = co4__local();
        bool forced = here->fiber.forced;
        here->fiber.forced = false;
        co4__task_event(t, CO4__YIELD);
        if (CO4__UNLIKELY(forced) && w->rt->nworkers > 1)
            co4__sched_place_other(w->rt, t);
        else if (w->rt->nworkers > 1 && co4__counted(&w->stats.steps) % PLACE_AGAIN == 0)
            co4__sched_place(w->rt, t);
        else
            co4__sched_again(w, t);
        break;
    }
    default:
        ended(w, t, why);
    }
    co4__queue_done(&w->queue); /* last: the task counts as load until here */
}

void co4__task_end(struct co4__worker *w, co4_task *t, int error, const void *value)
{
    if (CO4__UNLIKELY(co4__extension_of(t) != NULL))
        co4__extension_ended(t, error, value);
    if (CO4__UNLIKELY(co4__hook_bits_of(w->rt) != 0))
        co4__step_hooks.task_ends(w, t);
    if (CO4__UNLIKELY(error != CO4_OK)) /* it has been CO4_OK since the creation */
        co4__task_set_error(t, error);
    w->dirty = true;
    atomic_store_explicit(&t->state, CO4__ENDED, memory_order_release);
    /* Counted between the two states, for threads that read both: see task.c. */
    atomic_store_explicit(&w->count.stopped,
                          atomic_load_explicit(&w->count.stopped, memory_order_relaxed) + 1,
                          memory_order_release);
    struct co4__local *here = co4__local();
    co4__task_stops(t, co4__section_begin(here));
    bool joined = (atomic_load(&t->refs) & CO4__JOINED) != 0;
    co4__section_end(here);
    if (CO4__UNLIKELY(joined)) {
        struct co4__task_extension *x = co4__extension_of(t);
        if (x)
            co4__task_hooks.has_stopped(x, t, error);
        co4__task_notify(t, error);
    }
    co4__task_unref(t);
}

static bool others_sleep(const struct co4__worker *w)
{
    for (unsigned i = 0; i < w->rt->nworkers; i++)
        if (i != w->index && !co4__queue_sleeps(&w->rt->workers[i].queue))
            return false;
    return true;
}

static void look_at_others(const struct co4__worker *w)
{
    if (co4__sections_are_free() && others_sleep(w))
        co4__sections_acquire();
}

/* While a worker has a poller all look by time, too, since steps may be long. */
static void look_by_time(struct co4__worker *w)
{
    if (co4__counted(&w->stats.steps) % LOOK_STEPS != 0)
        return;
    int64_t now = co4__clock();
    if (now - w->poller.looked_at < LOOK_AFTER)
        return;
    w->poller.looked_at = now;
    co4__queue_drain(&w->queue);
    co4__worker_timers(w);
    co4__worker_events(w);
    co4__sched_rescue(w, now);
}

/* Separate functions, so that a step without hooks saves no registers for them. */
static CO4__NOINLINE void hooks_begin(struct co4__worker *w, co4_task *t, unsigned hook_bits)
{
    if (hook_bits & ~(unsigned)CO4__POLLED)
        co4__step_hooks.step_begins(w, t);
}

static CO4__NOINLINE void hooks_end(struct co4__worker *w, co4_task *t, int why, unsigned hook_bits)
{
    if (hook_bits & ~(unsigned)CO4__POLLED)
        co4__step_hooks.step_ends(w, t, why);
    if (hook_bits & CO4__POLLED)
        look_by_time(w);
}

void co4__worker_step(struct co4__worker *w, co4_task *t)
{
    struct co4__local *here = co4__local();
    co4_task *outer_task = here->current;
    struct co4__worker *outer_worker = here->worker;
    here->current = t;
    here->worker = w;
    here->budget = w->rt->options.step_budget;
    co4__count(&w->stats.steps, 1);
    co4__task_steps(t);
    unsigned hook_bits = co4__all_hook_bits_of(w->rt);
    if (CO4__UNLIKELY(hook_bits != 0))
        hooks_begin(w, t, hook_bits);
    int why = CO4__LIKELY(t->error == CO4_OK) ? co4__fiber_resume(&t->fiber)
                                              : co4__fiber_failed(&t->fiber);
    co4__before_wait(here);
    w->sched.operations += (uint64_t)(int64_t)(w->rt->options.step_budget - here->budget);
    here->current = NULL; /* observers and wakes run outside the task */
    if (CO4__UNLIKELY(hook_bits != 0))
        hooks_end(w, t, why, hook_bits);
    co4__worker_finish_step(w, t, why);
    here->current = outer_task;
    here->worker = outer_worker;
    if (CO4__UNLIKELY(co4__counted(&w->stats.steps) % HOUSEKEEPING == 0)) {
        co4__queue_drain(&w->queue);
        co4__worker_timers(w);
        co4__worker_events(w);
        co4__sched_sample(w);
        if (w->outermost)
            look_at_others(w);
        if (!co4__has_threads)
            co4__step_hooks.signal();
    }
}

void co4__worker_timers(struct co4__worker *w)
{
    int64_t earliest = co4__timers_earliest(&w->timers);
    if (CO4__LIKELY(earliest == CO4_NEVER))
        return;
    int64_t now = co4_now();
    if (now < earliest)
        return;
    struct co4__local *here = co4__local();
    struct co4__worker *outer = here->worker;
    here->worker = w; /* the woken tasks may stay here */
    co4__timers_fire(&w->timers, now);
    here->worker = outer;
}

void co4__worker_events(struct co4__worker *w)
{
    struct co4__poller *p = co4__poller_of(w);
    if (CO4__UNLIKELY(p != NULL))
        p->ops->look(p);
}

unsigned co4__worker_turn(struct co4__worker *w)
{
    unsigned n = 0;
    co4__worker_timers(w);
    co4__worker_events(w);
    co4__queue_drain(&w->queue);
    for (unsigned ready = w->queue.ninner; n < ready; n++) {
        co4_task *t = co4__queue_fetch(&w->queue);
        if (!t)
            break;
        co4__worker_step(w, t);
    }
    return n;
}

/* ---- the thread of a worker ---- */

void co4__worker_main(void *worker)
{
    struct co4__worker *w = worker;
    co4__local()->worker = w;
    w->outermost = true;
    co4__pool_thread_begin();
    for (;;) {
        co4_task *t = co4__queue_fetch(&w->queue);
        if (CO4__LIKELY(t != NULL)) {
            co4__worker_step(w, t);
            if (CO4__UNLIKELY(atomic_load_explicit(&w->sched.asked, memory_order_relaxed) != 0))
                co4__sched_answer(w);
            continue;
        }
        co4__worker_timers(w);
        if (w->queue.head)
            continue;
        if (w->rt->sched.prefers_here) {
            co4__sched_ask(w);
            if (w->queue.head || co4__queue_has_rx(&w->queue))
                continue;
        }
        if (w->dirty) {
            w->dirty = false;
            co4__runtime_maybe_empty(w->rt);
        }
        if (atomic_load(&w->rt->stopping))
            break;
        co4__worker_idle(w, co4__timers_earliest(&w->timers));
    }
    co4__worker_idle_end(w);
    co4__sections_release();
    co4__local()->worker = NULL;
}
