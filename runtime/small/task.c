/* task.c - tasks of the small library: one queue, ordered timers, the loop of co4_run.
 *
 * Invariants: a co4_run is the only kind of runtime; `run` of a task points to it. A task is in the
 * queue of ready tasks, or it waits: in the list of a mailbox, in that of the joiners, or in none.
 * It may also be in the list of timers, which is ordered by deadline, as there are few tasks. A
 * wake removes the task from both.
 *
 * When the call of a run has ended, its tasks continue while one is ready or a timer is set. Tasks
 * that then still wait are closed. Runs nest; the outer one pauses meanwhile. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/public.h"
#include "core/fiber.h"
#include "core/result.h"
#include "core/task.h"
#include "core/task_pool.h"
#include "core/wait.h"
#include "memory/pool.h"
#include "platform/thread.h"
#include "sched/schedule.h"
#include "small/small.h"

struct run {
    struct co4__small_task main; /* first: a cast finds the run of a fiber */
    const co4_frame *root;       /* the frame of a wide result, on the caller's stack; or NULL */
    struct co4__list ready;
    struct co4__small_task *timers; /* earliest first */
    unsigned alive;                 /* the number of tasks that have not ended */
    struct run *outer;              /* the run and the task around this run */
    co4_task *outer_task;
    int *check; /* co4_run_checked(): where the code is stored */
    bool ended;
    int error;
};

_Static_assert(sizeof(struct run) <= CO4_MEMORY_RUN, "as the header says");

struct co4__local co4__here;

static struct {
    struct co4__list joiners;
    struct run *run; /* the innermost run */
} the;

static struct co4__small_task *small(co4_task *t)
{
    return (struct co4__small_task *)(void *)t;
}

/* Runs replace runtimes: no code here or in the shared files reads a field of a co4_runtime. */
static co4_runtime *as_runtime(struct run *r)
{
    return (co4_runtime *)(void *)r;
}

static struct run *run_of(const co4_task *t)
{
    return ((const struct co4__small_task *)(const void *)t)->run;
}

int64_t co4_now(void)
{
    return co4_port_now();
}

int64_t co4_after(int64_t ns)
{
    int64_t now = co4_now();
    return ns < CO4_NEVER - now ? now + ns : CO4_NEVER;
}

co4_task *co4_self(void)
{
    return co4__here.current;
}

int co4_run_error(void)
{
    return co4__here.run.error;
}

static uint8_t task_state_of(const co4_task *t)
{
    return atomic_load_explicit(&((co4_task *)(uintptr_t)t)->state, memory_order_relaxed);
}

static void become(co4_task *t, uint8_t state)
{
    atomic_store_explicit(&t->state, state, memory_order_relaxed);
}

static void make_ready(co4_task *t)
{
    become(t, CO4__READY);
    co4__list_push(&run_of(t)->ready, &t->waiter);
}

/* ---- waiting ---- */

/* Removes the task from its list and from the timers. */
static void task_leave(co4_task *t)
{
    struct co4__list *list = t->waiter.result.wait.where;
    if (list)
        co4__list_remove(list, &t->waiter);
    if (small(t)->deadline == CO4_NEVER)
        return;
    struct co4__small_task **at = &run_of(t)->timers;
    while (*at != small(t))
        at = &(*at)->later;
    *at = small(t)->later;
    small(t)->deadline = CO4_NEVER;
}

int co4__small_may_wait(co4_fiber *co4)
{
    if (!co4__may_pause(co4))
        return CO4_ESTATE;
    return co4__is_cancelled(co4__task_of(co4)) ? CO4_ECANCELED : CO4_OK;
}

int co4__small_wait(co4_fiber *co4, struct co4__list *list, void *buffer, int64_t deadline)
{
    co4_task *t = co4__task_of(co4);
    t->waiter.result.wait = (co4_abi_wait){ buffer, list };
    if (list)
        co4__list_push(list, &t->waiter);
    small(t)->deadline = deadline;
    if (deadline != CO4_NEVER) {
        struct co4__small_task **at = &run_of(t)->timers;
        while (*at && (*at)->deadline <= deadline)
            at = &(*at)->later;
        small(t)->later = *at;
        *at = small(t);
    }
    become(t, CO4__PAUSED);
    co4_abi_pause(co4, CO4_ABI_WAITING);
    return CO4_OK;
}

void co4__small_wake(co4_task *t, int code)
{
    task_leave(t);
    t->fiber.result.i = code;
    make_ready(t);
}

int co4_yield__co4(co4_fiber *co4)
{
    int err = co4__small_may_wait(co4);
    if (err == CO4_ESTATE)
        return err;
    co4->result.i = err;
    co4_abi_pause(co4, CO4_ABI_READY);
    return err;
}

int co4_sleep_until__co4(co4_fiber *co4, int64_t deadline)
{
    int err = deadline == CO4_NEVER ? CO4_EINVAL : co4__small_may_wait(co4);
    return err != CO4_OK ? co4__done(co4, err) : co4__small_wait(co4, NULL, NULL, deadline);
}

int co4_sleep__co4(co4_fiber *co4, int64_t ns)
{
    if (ns <= 0)
        return co4_yield__co4(co4);
    int64_t now = co4_now();
    return co4_sleep_until__co4(co4, ns < CO4_NEVER - now ? now + ns : CO4_NEVER - 1);
}

/* ---- tasks ---- */

co4_task *co4__task_create(co4_frame *call, uint32_t refs)
{
    co4_task *t = co4__task_take();
    if (!t)
        return NULL;
    memset(t, 0, sizeof(struct co4__small_task));
    t->fiber.kind = co4__kind_of(call);
    t->fiber.leaf = call;
    call->caller = NULL;
    atomic_store_explicit(&t->refs, refs, memory_order_relaxed);
    small(t)->deadline = CO4_NEVER;
    return t;
}

co4_runtime *co4__runtime_here(void)
{
    return as_runtime(the.run);
}

bool co4__runtime_may_enter(const co4_runtime *rt)
{
    (void)rt;
    return true;
}

void co4__runtime_enter(co4_runtime *rt, co4_task *t)
{
    small(t)->run = (struct run *)(void *)rt;
    run_of(t)->alive++;
    make_ready(t);
}

int co4_runtime_schedule(co4_runtime *rt, co4_task *task)
{
    if (!task)
        return CO4_EINVAL;
    if (rt || !the.run || task_state_of(task) != CO4__NEW)
        return CO4_ESTATE;
    co4_task_retain(task);
    co4__runtime_enter(as_runtime(the.run), task);
    return CO4_OK;
}

co4_task_state co4_task_state_of(const co4_task *task)
{
    switch (task ? task_state_of(task) : CO4__STOPPED) {
    case CO4__NEW:
    case CO4__READY:
        return CO4_TASK_READY;
    case CO4__RUNNING:
        return CO4_TASK_RUNNING;
    case CO4__PAUSED:
        return CO4_TASK_PAUSED;
    default:
        return CO4_TASK_STOPPED;
    }
}

int co4_task_error(const co4_task *task)
{
    if (!task)
        return CO4_EINVAL;
    return task_state_of(task) == CO4__STOPPED ? co4__task_error(task) : CO4_EBUSY;
}

static uint32_t add_references(co4_task *t, uint32_t n)
{
    uint32_t refs = atomic_load_explicit(&t->refs, memory_order_relaxed) + n;
    atomic_store_explicit(&t->refs, refs, memory_order_relaxed);
    return refs;
}

co4_task *co4_task_retain(co4_task *task)
{
    if (task)
        add_references(task, 1);
    return task;
}

void co4_task_release(co4_task *task)
{
    if (!task || task->fiber.kind == CO4__KIND_RUN || add_references(task, UINT32_MAX) > 0)
        return;
    co4__fiber_drop_chain(&task->fiber); /* the task was perhaps never scheduled */
    co4__task_drop(task);
}

int co4_task_cancel(co4_task *task, int reason)
{
    bool kept = co4__code_pack(reason) != CO4__CODE_ELSEWHERE;
    if (!task)
        return CO4_EINVAL;
    if (task_state_of(task) == CO4__STOPPED)
        return CO4_ESTATE;
    if (!co4_task_cancelled(task))
        atomic_store_explicit(&task->cancel,
                              co4__code_pack(reason && kept ? reason : CO4_ECANCELED),
                              memory_order_relaxed);
    if (task_state_of(task) == CO4__PAUSED && task->fiber.shields == 0)
        co4__small_wake(task, CO4_ECANCELED);
    return kept ? CO4_OK : CO4_EINVAL;
}

int co4_task_cancelled(const co4_task *task)
{
    return task ? co4__code_unpack(atomic_load_explicit(&((co4_task *)(uintptr_t)task)->cancel,
                                                        memory_order_relaxed))
                : 0;
}

int co4_task_join_until__co4(co4_fiber *co4, co4_task *task, int64_t deadline)
{
    int err = !task ? CO4_EINVAL : co4__small_may_wait(co4);
    if (err == CO4_OK && task == co4__task_of(co4))
        err = CO4_EDEADLK;
    if (err != CO4_OK)
        return co4__done(co4, err);
    if (task_state_of(task) == CO4__STOPPED)
        return co4__done(co4, co4__task_error(task));
    if (deadline <= co4_now())
        return co4__done(co4, CO4_ETIMEDOUT);
    return co4__small_wait(co4, &the.joiners, task, deadline);
}

int co4_task_join__co4(co4_fiber *co4, co4_task *task)
{
    return co4_task_join_until__co4(co4, task, CO4_NEVER);
}

static void ended(co4_task *t, int error)
{
    const void *value;
    bool run = t->fiber.kind == CO4__KIND_RUN;
    if (error != CO4_OK)
        co4__task_has_failed(t, error);
    else if (!run)
        error = co4__task_returned(t, &value);
    co4__task_set_error(t, error);
    become(t, CO4__STOPPED);
    for (struct co4__waiter *w = the.joiners.head, *next; w; w = next) {
        next = w->next;
        if (w->result.wait.buffer == t)
            co4__small_wake(co4__task_of_waiter(w), error);
    }
    if (run) {
        run_of(t)->ended = true;
        run_of(t)->error = error;
        return;
    }
    run_of(t)->alive--;
    co4_task_release(t);
}

/* ---- steps ---- */

static void finish_step(co4_task *t, int why)
{
    switch (why) {
    case CO4_ABI_WAITING:
        break;
    case CO4_ABI_READY:
        make_ready(t);
        break;
    case 0:
        ended(t, CO4_OK);
        break;
    case CO4_ABI_FAILED_WAITING:
        task_leave(t);
        co4__fiber_drop_chain(&t->fiber);
        ended(t, CO4_ENOMEM);
        break;
    default:
        co4__fiber_drop_chain(&t->fiber);
        ended(t, why == CO4_ABI_YIELDED ? CO4_ESTATE : CO4_ENOMEM);
    }
}

/* Runs a step, or idles. False: no task will ever be ready. */
static bool go_on(struct run *r)
{
    for (int64_t now = r->timers ? co4_now() : 0; r->timers && r->timers->deadline <= now;) {
        co4_task *due = &r->timers->task;
        bool sleeps = !due->waiter.result.wait.where;
        co4__small_wake(due, sleeps ? CO4_OK : CO4_ETIMEDOUT);
    }
    struct co4__waiter *w = r->ready.head;
    if (!w)
        return co4_port_idle(r->timers ? r->timers->deadline : CO4_NEVER) == 0 || r->timers;
    co4__list_remove(&r->ready, w);
    co4_task *t = co4__task_of_waiter(w);
    co4__here.current = t;
    co4__here.budget = CO4_STEP_BUDGET;
    become(t, CO4__RUNNING);
    int why = co4__fiber_resume(&t->fiber);
    co4__here.current = NULL;
    finish_step(t, why);
    return true;
}

/* ---- co4_run ---- */

int co4_abi_run_code(void)
{
    return co4__here.run.error;
}

void co4_run_check(int *code)
{
    co4__here.run.check = code;
}

/* The small library has no output for a message. */
void co4_abi_run_lost(const co4_fiber *co4, const char *name)
{
    (void)name;
    if (co4 ? ((const struct run *)(const void *)co4)->check == NULL : !co4__here.run.checked)
        __builtin_trap();
}

co4_fiber *co4_abi_run_begin(void)
{
    int *check = co4__here.run.check;
    co4__here.run.check = NULL;
    struct run *r = co4__pool_take(sizeof *r);
    if (!r) {
        co4__here.run.error = CO4_ENOMEM;
        co4__here.run.checked = check != NULL;
        if (check)
            *check = CO4_ENOMEM;
        return NULL;
    }
    memset(r, 0, sizeof *r);
    r->check = check;
    r->outer = the.run;
    r->outer_task = co4__here.current;
    the.run = r;
    co4_task *t = &r->main.task;
    t->fiber.kind = CO4__KIND_RUN;
    small(t)->run = r;
    become(t, CO4__RUNNING);
    r->main.deadline = CO4_NEVER;
    co4__here.current = t;
    co4__here.budget = CO4_STEP_BUDGET;
    return &t->fiber;
}

static const co4_frame *run_root(const co4_fiber *main)
{
    return ((const struct run *)(const void *)main)->root;
}

/* The other hooks are for files that the small library does not have. */
const struct co4__wait_hooks co4__wait_hooks = {
    .run_root = run_root,
};

static void give_up(co4_task *t, int error)
{
    task_leave(t);
    co4__fiber_drop_chain(&t->fiber);
    ended(t, error);
}

int co4_abi_run_drive(co4_fiber *co4)
{
    struct run *r = the.run;
    co4__here.current = NULL;
    if (co4->last && co4__is_wide(co4->last)) /* only a call site saves such a root frame */
        r->root = co4->last;
    finish_step(&r->main.task, co4__fiber_finish_step(co4, NULL));
    while (!r->ended)
        if (!go_on(r) && !r->ready.head)
            give_up(&r->main.task, CO4_EDEADLK);
    co4__here.current = &r->main.task;
    co4__here.run.error = r->error;
    return r->error;
}

static void close_one(co4_task *t, void *run)
{
    if (run_of(t) == run && task_state_of(t) == CO4__PAUSED)
        give_up(t, CO4_ECANCELED);
}

void co4_abi_run_end(co4_fiber *co4)
{
    struct run *r = the.run;
    if (!r->ended) /* the call never paused */
        ended(co4__task_of(co4), CO4_OK);
    co4__here.current = NULL;
    while (r->alive > 0)
        if (r->ready.head || r->timers)
            go_on(r);
        else
            co4__task_each(close_one, r);
    the.run = r->outer;
    co4__here.current = r->outer_task;
    co4__here.run.error = r->error;
    if (r->check)
        *r->check = r->error;
    co4__pool_drop(r, sizeof *r);
}
