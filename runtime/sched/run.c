/* run.c - co4_run: pausable code called from plain code, on the caller's own thread.
 *
 * Purpose: a co4_run is a runtime of one worker that only the calling thread drives, until the call
 * has ended. The call begins as a direct call on the thread's stack; the loop begins when it
 * pauses. Tasks spawned inside run on the same loop, so a small program has one thread and one
 * order. Other threads wake these tasks through the inbox, as those of any worker. Runs nest: a
 * plain function called by a task may call co4_run, and the outer loop pauses meanwhile.
 *
 * Invariants: when the call has ended, its tasks continue while one is ready, a timer is set, or
 * something waits for a descriptor.
 * Tasks that then still wait are closed: removed from their wait queue, their frames freed, their
 * result CO4_ECANCELED. Their code does not run again. A task whose scope has children is closed
 * after these. A run keeps the addresses of its tasks in an array. When it is full, ended tasks
 * leave it, and it doubles if more than half remain. So a spawn costs a store, and the end is
 * linear in the tasks of the run. If allocation fails, the end visits all tasks of the process.
 *
 * Concurrency: a thread that wakes a task while the run closes it competes for the claim (wait.c).
 * If the run loses, the wake is about to come, and the run steps the task once more. A longjmp may
 * leave runs without an end. Each run stores its position on the stack. If a thread begins a run at
 * a position that is not deeper, or ends an outer run, it has left the inner ones: their tasks are
 * closed. The frames of the function that jumped cannot be found, nor those of its callers; they
 * remain. Two positions are only compared if both are on the thread's own stack.
 *
 * Rejected: links in the task (16 bytes in each of a million); a set (more expensive than the
 * spawn). */
#include "sched/run.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hooks.h"
#include "base/simulation.h"
#include "base/text.h"
#include "core/caller.h"
#include "core/fiber.h"
#include "core/runtime_id.h"
#include "core/task.h"
#include "core/task_extension.h"
#include "core/task_pool.h"
#include "core/timers.h"
#include "core/wait.h"
#include "memory/pool.h"
#include "platform/before_wait.h"
#include "platform/lock.h"
#include "sched/count.h"
#include "sched/idle.h"
#include "sched/look.h"
#include "sched/queue.h"
#include "sched/runtime.h"
#include "sched/step_hooks.h"
#include "sched/worker.h"

#define FEW 16

struct co4__run {
    co4_task main; /* first: a cast finds the run of a fiber */
    co4_runtime rt;
    struct co4__worker worker;
    const co4_frame *root; /* the frame of a wide result, on the caller's stack; or NULL */
    struct co4__run *outer;
    co4_task *outer_task; /* the task around this run; or NULL */
    struct co4__worker *outer_worker;
    const char *at;                  /* the end of the stack of the call that began it … */
    const void *from;                /* … and its address in the code */
    int *check;                      /* where its code is stored; or NULL */
    struct co4__run *later;          /* the run that a longjmp skipped before this one */
    co4_task *closed, **closed_last; /* removed from their wait queues, about to be ended */
    bool lost;                       /* a task is not in the array, as an allocation failed */
    co4_task *few[FEW];
};

static struct co4__run *run_of(co4_fiber *co4)
{
    return (struct co4__run *)(void *)co4;
}

const co4_frame *co4__run_root(const co4_fiber *main)
{
    return ((const struct co4__run *)(const void *)main)->root;
}

struct co4__worker *co4__worker_outside(const struct co4__worker *w)
{
    const size_t at = offsetof(struct co4__run, worker);
    return w->rt->local
               ? ((const struct co4__run *)(const void *)((const char *)w - at))->outer_worker
               : NULL;
}

co4_task *co4__task_outside(const struct co4__worker *w)
{
    const size_t at = offsetof(struct co4__run, worker);
    return w->rt->local
               ? ((const struct co4__run *)(const void *)((const char *)w - at))->outer_task
               : NULL;
}

int co4_run_error(void)
{
    return co4__local()->run.error;
}

int co4_abi_run_code(void)
{
    return co4__local()->run.error;
}

void co4_run_check(int *code)
{
    co4__local()->run.check = code;
}

void (*co4__run_given_up)(void);

CO4__COLD void co4_abi_run_lost(const co4_fiber *co4, const char *name)
{
    struct co4__local *here = co4__local();
    const struct co4__run *r = (const struct co4__run *)(const void *)co4;
    int code = r ? r->rt.run.main_error : here->run.error;
    if (r ? r->check != NULL : here->run.checked)
        return;
    if (co4__run_given_up)
        co4__run_given_up();
    struct co4__text text;
    co4__text_begin(&text, co4_write_fd, (void *)2);
    co4__put(&text, "co4: co4_run of ");
    co4__put(&text, name);
    co4__put(&text, "() failed: ");
    co4__put(&text, co4_strerror(code));
    co4__put(&text, ". It has no code to return; see co4_run_checked().\n");
    co4__text_end(&text);
    abort();
}

/* ---- longjmp ---- */

/* Returns whether a longjmp has left this run. The stack of the current call ends at `at`. Two runs
 * that begin at the same `at` may still be nested, as the compiler may inline the functions between
 * them. But if the same place in the code (`from`) begins a run again, its earlier run has ended,
 * and so have the runs inside that. */
static bool is_left(const struct co4__run *r, const char *at, const void *from)
{
    if (!r->at || !at || at < r->at || !co4__on_this_stack(r->at) || !co4__on_this_stack(at))
        return false;
    const struct co4__run *same = at > r->at ? r : NULL;
    for (; r && r->at == at && !same; r = r->outer)
        same = r->from == from ? r : NULL;
    return same != NULL;
}

static void set_run(struct co4__local *here, struct co4__run *r)
{
    here->run.innermost = r;
    here->run.at = r ? (uintptr_t)r->at : UINTPTR_MAX;
}

static CO4__COLD void forget(struct co4__local *here, struct co4__run *r)
{
    set_run(here, r->outer);
    if (r->worker.outermost)
        co4__sections_release();
    if (here->worker == &r->worker) { /* otherwise an outer step has ended since */
        here->current = r->outer_task;
        here->worker = r->outer_worker;
    }
    struct co4__poller *p = co4__poller_of(&r->worker);
    if (p)
        p->ops->leave(p);
    if (co4__task_hooks.as_thread)
        co4__task_hooks.as_thread(NULL, CO4__RUN_LEFT);
    r->outer_worker = NULL;
    r->later = here->run.jumped;
    here->run.jumped = r;
}

static void forget_left(struct co4__local *here, const char *at, const void *from)
{
    while (here->run.innermost && CO4__UNLIKELY(is_left(here->run.innermost, at, from)))
        forget(here, here->run.innermost);
}

void co4__runs_look(const char *called_at)
{
    struct co4__local *here = co4__local();
    forget_left(here, called_at, NULL);
    set_run(here, here->run.innermost); /* also the first time */
}

/* The caller is in task t, so it has left the runs that its step has begun. */
void co4__runs_left_by(const co4_task *t)
{
    struct co4__local *here = co4__local();
    const struct co4__run *r = here->run.innermost;
    while (r && r->outer_task != t)
        r = r->outer;
    while (r && here->run.innermost && here->current != t)
        forget(here, here->run.innermost);
}

/* The caller is in run r, so it has left the runs inside r. */
static void forget_inner(struct co4__local *here, const struct co4__run *r)
{
    while (CO4__UNLIKELY(here->run.innermost != r) && here->run.innermost)
        forget(here, here->run.innermost);
}

bool co4__run_steps_here(const co4_task *t)
{
    const struct co4__local *here = co4__local();
    bool is = t == here->current;
    for (const struct co4__run *r = here->run.innermost; r && !is; r = r->outer)
        is = t == &r->main || t == r->outer_task;
    return is;
}

static CO4__COLD void give_back(struct co4__run *r);

static CO4__COLD void give_back_jumped(struct co4__local *here)
{
    for (struct co4__run *r; (r = here->run.jumped) != NULL;) {
        here->run.jumped = r->later;
        give_back(r);
    }
}

CO4__COLD void co4__runs_thread_exit(void)
{
    struct co4__local *here = co4__local();
    forget_inner(here, NULL);
    give_back_jumped(here);
}

/* ---- the beginning ---- */

static CO4__COLD co4_fiber *cannot_begin(struct co4__local *here, int *check, int err)
{
    here->run.error = err;
    here->run.checked = check != NULL;
    if (check)
        *check = err;
    return NULL;
}

CO4__NOINLINE co4_fiber *co4_abi_run_begin(void)
{
    struct co4__local *here = co4__local();
    int *check = here->run.check;
    const char *at = CO4__CALLED_AT;
    const void *from = CO4__CALLED_FROM;
    here->run.check = NULL;
    forget_left(here, at, from);
    if (CO4__UNLIKELY(here->run.jumped != NULL))
        give_back_jumped(here);
    struct co4__run *r = co4__alloc(sizeof *r);
    if (!r)
        return cannot_begin(here, check, CO4_ENOMEM);
    int err = co4__runtime_init(&r->rt, &r->worker, 1, 1);
    if (err != CO4_OK) {
        co4__free(r);
        return cannot_begin(here, check, err);
    }
    r->at = at;
    r->from = from;
    r->check = check;
    r->outer = here->run.innermost;
    set_run(here, r);
    r->rt.local = true;
    r->rt.run.enrolled = r->few;
    r->rt.run.room = FEW;
    r->main.fiber.kind = CO4__KIND_RUN;
    co4__set_runtime_id(&r->main, r->rt.runtime_id);
    atomic_store_explicit(&r->main.state, CO4__RUNNING, memory_order_relaxed);
    atomic_store_explicit(&r->main.refs, 1, memory_order_relaxed); /* the call's */
    r->worker.queue.ninner = 1;                                    /* the call, which runs */
    r->outer_task = here->current;
    r->outer_worker = here->worker;
    here->current = &r->main;
    here->worker = &r->worker;
    here->budget = r->worker.budget;
    struct co4__simulation *simulation = here->simulate.state;
    if (CO4__UNLIKELY(simulation != NULL)) {
        simulation->ops->retain(simulation);
        simulation->ops->enter(simulation, &r->rt);
    }
    r->worker.simulate.busy = true;
    r->worker.outermost = !r->outer_task && !r->outer_worker && !simulation;
    r->rt.run.main = &r->main;
    atomic_store_explicit(&r->rt.run.driver, here, memory_order_relaxed);
    if (CO4__UNLIKELY(atomic_load_explicit(&co4__hook_bits, memory_order_relaxed) != 0))
        co4__step_hooks.runtime_begins(&r->rt);
    if (CO4__UNLIKELY(co4__steps_are_hooked(&r->rt))) {
        if (co4__hook_bits_of(&r->rt) != 0)
            co4__step_hooks.task_enters(&r->rt, &r->main, "co4_run");
        co4__step_begins(&r->worker, &r->main);
    }
    return &r->main.fiber;
}

static int step_simulated(struct co4__run *r)
{
    return r->rt.simulate.state->ops->step(r->rt.simulate.state, CO4_NEVER);
}

/* Runs a step, or waits for one. CO4_EDEADLK: no step will be possible. */
static int go_on(struct co4__run *r)
{
    struct co4__worker *w = &r->worker;
    if (CO4__UNLIKELY(r->rt.simulate.state != NULL))
        return step_simulated(r) > 0 ? CO4_OK : CO4_EDEADLK;
    co4_task *t = co4__queue_fetch(&w->queue);
    if (t) {
        co4__worker_step(w, t);
        return CO4_OK;
    }
    co4__runtime_was_left(&r->rt);
    co4__worker_timers(w);
    return co4__queue_any(&w->queue) ? CO4_OK
                                     : co4__worker_idle(w, co4__timers_earliest(&w->timers));
}

/* ---- the tasks of a run ---- */

/* Returns whether t is a task of this run that has not ended. No other thread schedules tasks in
 * this run or ends them, so the answer holds until this thread ends t. If t had ended and another
 * thread reuses its memory meanwhile, the second read of its runtime_id finds another one. */
static bool is_alive(const struct co4__run *r, const co4_task *t)
{
    if (co4__runtime_id_of(t) != r->rt.runtime_id)
        return false;
    uint8_t state = atomic_load_explicit(&((co4_task *)(uintptr_t)t)->state, memory_order_acquire);
    return state != CO4__STOPPED && co4__runtime_id_of(t) == r->rt.runtime_id;
}

/* Removes ended tasks and duplicates from the array. */
static CO4__COLD void compact(struct co4__run *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->rt.run.nenrolled; i++) {
        co4_task *t = r->rt.run.enrolled[i];
        if (!is_alive(r, t) ||
            (atomic_fetch_or_explicit(&t->refs, CO4__SEEN, memory_order_relaxed) & CO4__SEEN))
            continue;
        r->rt.run.enrolled[n++] = t;
    }
    for (size_t i = 0; i < n; i++)
        atomic_fetch_and_explicit(&r->rt.run.enrolled[i]->refs, ~CO4__SEEN, memory_order_relaxed);
    r->rt.run.nenrolled = n;
}

static CO4__COLD CO4__NOINLINE void make_room(struct co4__run *r)
{
    compact(r);
    if (r->rt.run.nenrolled <= r->rt.run.room / 2)
        return;
    co4_task **more = co4__alloc(2 * r->rt.run.room * sizeof *more);
    if (!more) {
        r->lost = r->lost || r->rt.run.nenrolled == r->rt.run.room;
        return;
    }
    memcpy(more, r->rt.run.enrolled, r->rt.run.nenrolled * sizeof *more);
    if (r->rt.run.enrolled != r->few)
        co4__free(r->rt.run.enrolled);
    r->rt.run.enrolled = more;
    r->rt.run.room *= 2;
}

void co4__run_enrolls(co4_runtime *rt, co4_task *t)
{
    struct co4__run *r = (struct co4__run *)(void *)((char *)rt - offsetof(struct co4__run, rt));
    make_room(r);
    if (rt->run.nenrolled < rt->run.room)
        rt->run.enrolled[rt->run.nenrolled++] = t;
}

static CO4__COLD void close_waiting(struct co4__run *r);

/* Reports nothing if the call waits for a co4_blocking call: it continues when that returns. */
static CO4__COLD void report_deadlock(const struct co4__run *r)
{
    const co4_frame *call = r->main.fiber.leaf;
    if (atomic_load_explicit(&((struct co4__run *)(uintptr_t)r)->main.waiter.claim,
                             memory_order_relaxed) == CO4__WAIT_NONE)
        return;
    while (call && call->caller)
        call = call->caller;
    co4__hooks.deadlock("co4_run", call ? co4_abi_func_of(call->at)->name : NULL);
}

/* The call waits for an event that cannot happen. */
static CO4__COLD void abandon_main(struct co4__run *r, int error)
{
    if (r->main.fiber.error != CO4_OK && co4__runtime_alive(&r->rt) > 0) {
        /* The call was abandoned before. It waits for its children, which cannot end either. */
        close_waiting(r);
        return;
    }
    if (!r->rt.simulate.state)
        report_deadlock(r);
    if (r->rt.run.is_lost)
        _Exit(EXIT_FAILURE); /* a lost call cannot go on */
    if (!co4__leave(&r->main.waiter, NULL))
        return;
    co4__task_set_error(&r->main, error);
    if (co4__fiber_failed(&r->main.fiber) == CO4_ABI_FAILED)
        co4__main_end(&r->rt, error);
}

int co4_abi_run_drive(co4_fiber *co4)
{
    struct co4__run *r = run_of(co4);
    forget_inner(co4__local(), r);
    co4__before_wait(co4__local());
    co4__local()->current = NULL;
    if (co4->last && co4__is_wide(co4->last)) /* only a call site saves such a frame as the root */
        r->root = co4->last;
    int why = co4__fiber_finish_step(co4, NULL);
    co4__run_begins_once(&r->rt);
    if (CO4__UNLIKELY(co4__steps_are_hooked(&r->rt)))
        co4__step_ends(&r->worker, &r->main, why);
    co4__worker_finish_step(&r->worker, &r->main, why);
    r->worker.simulate.busy = false;
    while (!r->rt.run.main_ended) {
        int err = go_on(r);
        if (err != CO4_OK)
            abandon_main(r, err);
    }
    co4__local()->current = &r->main;
    co4__local()->run.error = r->rt.run.main_error;
    return r->rt.run.main_error;
}

/* ---- the end ---- */

static void close_one(co4_task *t, void *arg)
{
    struct co4__run *r = arg;
    /* Only this thread makes the task wait or run. At most another thread is about to wake it. */
    if (!is_alive(r, t) || !co4__leave(&t->waiter, NULL))
        return;
    t->next = NULL;
    *r->closed_last = t;
    r->closed_last = &t->next;
}

static void each_task(struct co4__run *r, void (*each)(co4_task *t, void *arg))
{
    if (r->lost)
        co4__task_each(each, r);
    for (size_t i = 0; !r->lost && i < r->rt.run.nenrolled; i++)
        each(r->rt.run.enrolled[i], r);
}

static void close_waiting(struct co4__run *r)
{
    r->closed_last = &r->closed;
    each_task(r, close_one);
    while (r->closed) {
        co4_task *t = r->closed;
        r->closed = t->next;
        co4__task_set_error(t, CO4_ECANCELED);
        if (co4__fiber_failed(&t->fiber) == CO4_ABI_FAILED)
            co4__task_end(&r->worker, t, CO4_ECANCELED, NULL);
    }
}

static void finish_tasks(struct co4__run *r)
{
    struct co4__worker *w = &r->worker;
    while (co4__runtime_alive(&r->rt) > 0) {
        if (CO4__UNLIKELY(r->rt.simulate.state != NULL)) {
            if (!r->rt.simulate.state->ops->is_idle(&r->rt) && step_simulated(r) > 0)
                continue;
        } else {
            co4_task *t = co4__queue_fetch(&w->queue);
            if (t) {
                co4__worker_step(w, t);
                continue;
            }
            co4__worker_timers(w);
            if (co4__queue_any(&w->queue))
                continue;
            struct co4__poller *p = co4__poller_of(w);
            if (co4__timers_earliest(&w->timers) != CO4_NEVER || (p && p->ops->awaits(p))) {
                co4__worker_idle(w, co4__timers_earliest(&w->timers));
                continue;
            }
        }
        close_waiting(r);
        if (co4__runtime_alive(&r->rt) > 0)
            co4__worker_idle(w, co4_now() + CO4_MS); /* a wake is about to come, perhaps late */
    }
    co4__runtime_was_left(&r->rt);
}

static void destroy(struct co4__run *r)
{
    co4__step_hooks.runtime_ends(&r->rt);
    if (CO4__UNLIKELY(r->rt.simulate.state != NULL))
        r->rt.simulate.state->ops->leave(&r->rt);
    co4__runtime_fini(&r->rt);
    co4__extension_free(&r->main);
    if (r->rt.run.enrolled != r->few)
        co4__free(r->rt.run.enrolled);
    co4__free(r);
}

void co4_abi_run_end(co4_fiber *co4)
{
    struct co4__run *r = run_of(co4);
    struct co4__local *here = co4__local();
    forget_inner(here, r);
    if (!r->rt.run.main_ended) { /* the call never paused */
        if (CO4__UNLIKELY(co4__steps_are_hooked(&r->rt)))
            co4__step_ends(&r->worker, &r->main, 0);
        co4__main_end(&r->rt, CO4_OK);
        co4__queue_done(&r->worker.queue);
    }
    co4__before_wait(here);
    here->current = NULL;
    r->worker.simulate.busy = false;
    if (co4__runtime_alive(&r->rt) > 0) {
        co4__run_begins_once(&r->rt);
        finish_tasks(r);
    }
    if (r->worker.outermost)
        co4__sections_release();
    here->run.error = r->rt.run.main_error;
    if (r->check)
        *r->check = r->rt.run.main_error;
    set_run(here, r->outer);
    here->current = r->outer_task;
    here->worker = r->outer_worker;
    destroy(r);
}

/* ---- the end of a run that a longjmp skipped ---- */

static CO4__COLD void fail_one(co4_task *t, void *arg)
{
    if (is_alive(arg, t) && t->fiber.error == CO4_OK)
        co4__task_set_error(t, CO4_ECANCELED); /* its next step ends it */
}

/* Ends the task that ran when the thread jumped. Its frames are lost. */
static CO4__COLD void end_running(co4_task *t, void *arg)
{
    struct co4__run *r = arg;
    bool ended = t == &r->main ? r->rt.run.main_ended : !is_alive(r, t);
    uint8_t state = atomic_load_explicit(&t->state, memory_order_relaxed);
    if (ended || (state != CO4__RUNNING && state != CO4__WOKEN))
        return;
    t->fiber.leaf = t->fiber.last = NULL;
    t->fiber.pausing = CO4_ABI_RUNNING;
    if (co4__task_hooks.frames_are_lost)
        co4__task_hooks.frames_are_lost(t);
    if (t == &r->main)
        co4__main_end(&r->rt, CO4_ECANCELED);
    else
        co4__task_end(&r->worker, t, CO4_ECANCELED, NULL);
}

static CO4__COLD void end_main(struct co4__run *r)
{
    if (r->rt.run.main_ended || !co4__leave(&r->main.waiter, NULL))
        return;
    if (co4__fiber_failed(&r->main.fiber) == CO4_ABI_FAILED)
        co4__main_end(&r->rt, CO4_ECANCELED);
}

static void give_back(struct co4__run *r)
{
    struct co4__local *here = co4__local();
    struct co4__worker *w = &r->worker, *outer_worker = here->worker;
    co4_task *outer_task = here->current;
    struct co4__run *outer = here->run.innermost;
    here->current = NULL;
    here->worker = w;
    set_run(here, r);
    w->simulate.busy = false;
    each_task(r, fail_one);
    if (r->main.fiber.error == CO4_OK)
        co4__task_set_error(&r->main, CO4_ECANCELED);
    end_running(&r->main, r);
    each_task(r, end_running);
    while (!r->rt.run.main_ended || co4__runtime_alive(&r->rt) > 0) {
        co4_task *t = co4__queue_fetch(&w->queue);
        if (t) {
            co4__worker_step(w, t);
            continue;
        }
        close_waiting(r);
        end_main(r);
        if (!co4__queue_any(&w->queue) &&
            (!r->rt.run.main_ended || co4__runtime_alive(&r->rt) > 0)) {
            if (r->rt.simulate.state)
                step_simulated(r);
            else
                co4__worker_idle(w, co4_now() + CO4_MS); /* a wake is about to come */
        }
    }
    set_run(here, outer);
    here->current = outer_task;
    here->worker = outer_worker;
    destroy(r);
}
