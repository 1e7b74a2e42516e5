/* made.c - runtimes that a program makes: creating, starting, joining and destroying one; and
 * driving one by hand. A program that only calls co4_run() does not have this file.
 *
 * A runtime that has no threads (it is embedded, or the build has none) is driven by
 * co4_runtime_run_once(), or by co4_runtime_join() on the caller's thread.
 *
 * Started runtimes are in a registry, newest first. co4_spawn on a plain thread uses the newest. A
 * build without threads finds there the runtimes that can make progress while a call waits. */
#include "sched/made.h"

#include "base/alloc.h"
#include "base/hooks.h"
#include "base/public.h"
#include "core/blocker.h"
#include "core/caller.h"
#include "core/runtime_id.h"
#include "core/timers.h"
#include "core/wait.h"
#include "platform/fd.h"
#include "platform/fork.h"
#include "platform/lock.h"
#include "platform/system.h"
#include "platform/thread.h"
#include "sched/count.h"
#include "sched/idle.h"
#include "sched/monitor.h"
#include "sched/policy.h"
#include "sched/poller.h"
#include "sched/queue.h"
#include "sched/runtime.h"
#include "sched/sched.h"
#include "sched/step_hooks.h"

static co4__lock registry_lock;
static co4_runtime *registry;

/* ---- started runtimes ---- */

co4_runtime *co4__runtime_newest(bool *several)
{
    co4__lock_take(&registry_lock);
    co4_runtime *rt = registry;
    *several = rt && rt->older;
    co4__lock_give(&registry_lock);
    return rt;
}

static void enroll(co4_runtime *rt)
{
    co4__lock_take(&registry_lock);
    rt->older = registry;
    rt->newer = &registry;
    if (rt->older)
        rt->older->newer = &rt->older;
    registry = rt;
    co4__lock_give(&registry_lock);
}

/* Called under the lock. */
static void unlink_started(co4_runtime *rt)
{
    *rt->newer = rt->older;
    if (rt->older)
        rt->older->newer = rt->newer;
}

co4_runtime *co4_runtime_create(const co4_runtime_options *options)
{
    co4_runtime *rt;
    co4__runtime_make(&rt, options, 0);
    return rt;
}

int (*co4__test_mode)(struct co4__simulation **out, const co4_test_options *options);

/* Returns the simulation for the options, or else that of the thread; or NULL. The caller gets a
 * reference. */
static int use_simulation(struct co4__simulation **out, const co4_test_options *options)
{
    *out = co4__local()->simulate.state;
    if (options && !co4__test_mode) {
        static atomic_bool reported;
        co4__advise(&reported, "this program has no test mode: include co4/test.h, or link "
                               "co4_test");
        return CO4_EINVAL;
    }
    if (options)
        return co4__test_mode(out, options);
    if (*out)
        (*out)->ops->retain(*out);
    return CO4_OK;
}

int co4__runtime_make(co4_runtime **out, const co4_runtime_options *options, unsigned spares)
{
    static const co4_runtime_options defaults = CO4_RUNTIME_DEFAULTS;
    co4_runtime_options o = options ? *options : defaults;
    *out = NULL;
    if (o.workers > CO4__WORKERS_MAX || o.workers < CO4_RUNTIME_EMBEDDED || o.batch < 0 ||
        !o.on_stall != !o.stall_ns || o.stall_ns < 0 || o.step_budget < 0 ||
        (o.policy && !o.policy->choose))
        return CO4_EINVAL;
    if (!o.policy)
        o.policy = &co4_policy_windows;
    if (o.step_budget == 0)
        o.step_budget = CO4_STEP_BUDGET;
    if (o.rescue_after == 0)
        o.rescue_after = CO4_RESCUE_AFTER;
    if (o.rescue_after >= CO4_NEVER / 2)
        o.rescue_after = -1; /* never */
    struct co4__simulation *simulation;
    int err = use_simulation(&simulation, o.test);
    if (err != CO4_OK)
        return err;
    if (o.workers == CO4_RUNTIME_EMBEDDED)
        o.workers = 0; /* from here on */
    else if (o.workers == CO4_RUNTIME_WORKERS && simulation)
        o.workers = CO4_TEST_WORKERS;
    else if (o.workers == CO4_RUNTIME_WORKERS)
        o.workers = co4__processors() < CO4__WORKERS_MAX ? co4__processors() : CO4__WORKERS_MAX;
    if (o.batch == 0)
        o.batch = CO4_RUNTIME_BATCH;
    unsigned n = o.workers ? (unsigned)o.workers : 1;

    co4_runtime *rt = co4__alloc(sizeof *rt);
    struct co4__worker *workers = rt ? co4__alloc((n + spares) * sizeof *workers) : NULL;
    err = workers ? co4__runtime_init(rt, workers, n, (unsigned)o.batch) : CO4_ENOMEM;
    if (err != CO4_OK) {
        if (simulation)
            simulation->ops->release(simulation);
        co4__free(workers);
        co4__free(rt);
        return err;
    }
    co4__sections_prepare();
    co4__thread_at_exit(); /* and fork handlers: a thread may idle before it has a cache */
    rt->options = o;
    rt->threaded = o.workers > 0 && co4__has_threads && !simulation;
    rt->places = rt->threaded ? n + spares : n;
    for (unsigned i = 0; i < n; i++)
        workers[i].budget = o.step_budget - 1;
    if (rt->threaded && co4__policy_prefers_here(o.policy))
        rt->sched.processors = (unsigned)co4__processors();
    rt->sched.prefers_here = rt->places > 1 && rt->threaded && co4__policy_prefers_here(o.policy);
    if (o.observer)
        co4__made_hooks.hooks(rt, CO4__OBSERVED);
    if (simulation)
        simulation->ops->enter(simulation, rt);
    co4__step_hooks.runtime_begins(rt);
    if (o.report)
        co4__made_hooks.reports(1);
    *out = rt;
    return CO4_OK;
}

/* Those from `first` on, before `end`. */
static void stop_workers(co4_runtime *rt, unsigned first, unsigned end)
{
    for (unsigned i = first; i < end; i++)
        if (co4__queue_interrupt(&rt->workers[i].queue))
            co4__worker_wake(&rt->workers[i]);
    for (unsigned i = first; i < end; i++)
        co4__thread_join(&rt->workers[i].thread);
}

/* The first n workers have threads, and spare ones that the monitor begins meanwhile. */
static void stop_threads(co4_runtime *rt, unsigned n)
{
    atomic_store(&rt->stopping, true); /* before the marks: see idle.c */
    stop_workers(rt, 0, n);
    co4__monitor_stop(rt);
    stop_workers(rt, n > rt->regular ? n : rt->regular, co4__nworkers(rt));
    atomic_store(&rt->stopping, false);
}

int co4_runtime_start(co4_runtime *rt)
{
    if (!rt)
        return CO4_EINVAL;
    if (co4__runtime_is_lost(rt) || atomic_exchange(&rt->started, true))
        return CO4_ESTATE;
    if (rt->options.on_stall && !rt->simulate.state && !rt->stall_detector.running) {
        int err = co4__made_hooks.stalls_begin(rt);
        if (err != CO4_OK) {
            atomic_store(&rt->started, false);
            return err;
        }
    }
    int err = co4__monitor_start(rt);
    unsigned running = 0;
    while (err == CO4_OK && rt->threaded && running < rt->regular) {
        struct co4__worker *w = &rt->workers[running];
        err = co4__thread_start(&w->thread, co4__worker_main, w);
        running += err == CO4_OK;
    }
    if (err != CO4_OK) {
        stop_threads(rt, running);
        atomic_store(&rt->started, false);
        return err;
    }
    enroll(rt);
    return CO4_OK;
}

unsigned long long co4_runtime_tasks(co4_runtime *rt)
{
    return rt ? co4__runtime_alive(rt) : 0;
}

int co4_runtime_workers(const co4_runtime *rt)
{
    return rt ? (int)rt->regular : 0;
}

/* ---- driving by hand ---- */

bool co4__runtime_is_undriven(const co4_task *t)
{
    const co4_runtime *rt = co4__runtime_of(t);
    if (!co4__has_threads || !rt || rt->threaded || rt->local || rt->simulate.state)
        return false;
    const struct co4__local *driver = atomic_load_explicit(
        &((co4_runtime *)(uintptr_t)rt)->run.driver, memory_order_relaxed);
    return !driver || driver == co4__local();
}

static unsigned turn(co4_runtime *rt)
{
    unsigned n = 0;
    struct co4__local *here = co4__local();
    struct co4__simulation *simulation = here->simulate.state;
    here->simulate.state = NULL;
    atomic_store_explicit(&rt->run.driver, here, memory_order_relaxed);
    for (unsigned i = 0; i < co4__nworkers(rt); i++)
        n += co4__worker_turn(&rt->workers[i]);
    here->simulate.state = simulation;
    co4__signal_due();
    return n;
}

static int64_t next_deadline(co4_runtime *rt)
{
    int64_t next = CO4_NEVER;
    for (unsigned i = 0; i < co4__nworkers(rt); i++) {
        struct co4__worker *w = &rt->workers[i];
        co4__queue_drain(&w->queue);
        if (co4__queue_any(&w->queue))
            return 0;
        int64_t earliest = co4__timers_earliest(&w->timers);
        if (earliest < next)
            next = earliest;
    }
    return next;
}

/* After this a push to an idle worker calls on_ready and writes to the pipe. If there are tasks
 * already, this function writes to the pipe itself. */
static void begin_idle(co4_runtime *rt)
{
    const struct co4__self_pipe *wake_pipe = atomic_load_explicit(&rt->idle.pipe,
                                                                  memory_order_relaxed);
    bool idle = true;
    if (!co4__has_threads || co4__nworkers(rt) == 1)
        idle = co4__worker_idle_begin(&rt->workers[0]);
    if (wake_pipe && (!idle || next_deadline(rt) == 0))
        co4__self_pipe_write(wake_pipe);
}

int co4_runtime_run_once(co4_runtime *rt)
{
    if (!rt)
        return CO4_EINVAL;
    if (rt->threaded)
        return CO4_ESTATE;
    if (rt->simulate.state)
        return rt->simulate.state->ops->step(rt->simulate.state, CO4_NEVER);
    const struct co4__self_pipe *wake_pipe = atomic_load_explicit(&rt->idle.pipe,
                                                                  memory_order_relaxed);
    co4__worker_idle_end(&rt->workers[0]);
    if (wake_pipe)
        co4__self_pipe_drain(wake_pipe);
    unsigned n = turn(rt);
    begin_idle(rt);
    return n > INT32_MAX ? INT32_MAX : (int)n;
}

int co4_runtime_wake_fd(co4_runtime *rt)
{
    if (!rt)
        return CO4_EINVAL;
    if (rt->options.workers != 0 || rt->simulate.state)
        return CO4_ESTATE;
    struct co4__self_pipe *wake_pipe = atomic_load_explicit(&rt->idle.pipe, memory_order_relaxed);
    if (!wake_pipe) {
        if (!(wake_pipe = co4__alloc(sizeof *wake_pipe)))
            return CO4_ENOMEM;
        int err = co4__self_pipe_open(wake_pipe);
        if (err != CO4_OK) {
            co4__free(wake_pipe);
            return err;
        }
        atomic_store_explicit(&rt->idle.pipe, wake_pipe, memory_order_release);
        co4__worker_idle_end(&rt->workers[0]); /* earlier pushes had no pipe to write to */
        begin_idle(rt);
        int fd = co4__poller_hooks.host_fd ? co4__poller_hooks.host_fd(rt, wake_pipe->out) : -1;
        rt->idle.host_fd = fd >= 0 ? fd : wake_pipe->out;
    }
    return rt->idle.host_fd;
}

int64_t co4_runtime_next_deadline(co4_runtime *rt)
{
    if (!rt || rt->threaded)
        return CO4_NEVER;
    return rt->simulate.state && !rt->simulate.state->ops->is_idle(rt) ? 0 : next_deadline(rt);
}

unsigned co4__runtime_turn_all(int64_t *next)
{
    unsigned n = 0;
    *next = CO4_NEVER;
    for (co4_runtime *rt = registry; rt; rt = rt->older)
        n += rt->simulate.state ? 0 : turn(rt);
    for (co4_runtime *rt = registry; rt; rt = rt->older) {
        int64_t at = rt->simulate.state ? CO4_NEVER : next_deadline(rt);
        if (at < *next)
            *next = at;
    }
    return n;
}

static int join_here(co4_runtime *rt)
{
    if (rt->simulate.state) {
        while (co4__runtime_alive(rt) > 0)
            if (rt->simulate.state->ops->step(rt->simulate.state, CO4_NEVER) == 0)
                return CO4_EDEADLK;
        return CO4_OK;
    }
    struct co4__worker *w = &rt->workers[0];
    co4__worker_idle_end(w);
    while (co4__runtime_alive(rt) > 0) {
        if (turn(rt) > 0 || next_deadline(rt) == 0)
            continue;
        int err = co4__worker_idle(w, next_deadline(rt));
        if (err == CO4_EDEADLK)
            co4__hooks.deadlock("co4_runtime_join", NULL);
        if (err != CO4_OK)
            return err;
    }
    return CO4_OK;
}

int co4_runtime_join(co4_runtime *rt)
{
    if (!rt)
        return CO4_EINVAL;
    if (co4__in_task())
        return CO4_EDEADLK;
    if (co4__runtime_is_lost(rt))
        return CO4_ESTATE;
    if (!atomic_load(&rt->started))
        return co4__runtime_alive(rt) == 0 ? CO4_OK : CO4_ESTATE;
    if (!rt->threaded)
        return join_here(rt);
    struct co4__blocker b;
    int err = co4__blocker_init(&b);
    if (err != CO4_OK)
        return err;
    co4__lock_take(&rt->count.joiners.lock);
    if (co4__runtime_alive(rt) > 0) {
        co4__blocker_queue(&b, &rt->count.joiners, CO4__WAIT_NONE, NULL);
        err = co4__blocker_wait(&b, CO4_NEVER, NULL);
    } else {
        co4__lock_give(&rt->count.joiners.lock);
    }
    co4__blocker_fini(&b);
    return err;
}

int co4_runtime_destroy(co4_runtime *rt)
{
    if (!rt)
        return CO4_OK;
    struct co4__worker *here = co4__local()->worker;
    if (here && here->rt == rt)
        return CO4_EDEADLK;
    if (co4__runtime_is_lost(rt))
        return CO4_ESTATE;
    if (rt->options.report)
        co4__made_hooks.report(rt);
    if (co4__runtime_alive(rt) > 0)
        return CO4_EBUSY;
    co4__step_hooks.runtime_ends(rt);
    if (rt->options.report)
        co4__made_hooks.reports(-1);
    if (atomic_load(&rt->started)) {
        co4__lock_take(&registry_lock);
        unlink_started(rt);
        co4__lock_give(&registry_lock);
        stop_threads(rt, rt->threaded ? co4__nworkers(rt) : 0);
    }
    co4__made_hooks.stalls_end(rt);
    struct co4__self_pipe *wake_pipe = atomic_load_explicit(&rt->idle.pipe, memory_order_relaxed);
    if (wake_pipe)
        co4__self_pipe_close(wake_pipe);
    co4__free(wake_pipe);
    if (rt->simulate.state)
        rt->simulate.state->ops->leave(rt);
    co4__lock_take(&rt->count.joiners.lock);
    co4__wait_queue_clear(&rt->count.joiners);
    co4__lock_give(&rt->count.joiners.lock);
    co4__runtime_fini(rt);
    co4__free(rt->workers);
    co4__free(rt);
    return CO4_OK;
}

/* ---- forks ---- */

void co4__runtime_fork(enum co4__fork how)
{
    if (how == CO4__FORK_PREPARE)
        co4__lock_take(&registry_lock);
    for (co4_runtime *rt = how == CO4__FORK_CHILD ? registry : NULL; rt; rt = rt->older)
        if (co4__runtime_is_lost(rt))
            unlink_started(rt);
        else
            co4__monitor_fork_child(rt);
    if (how != CO4__FORK_PREPARE)
        co4__lock_give(&registry_lock);
}
