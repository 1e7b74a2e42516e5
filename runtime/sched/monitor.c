/* monitor.c - one thread for each runtime that supervises its workers.
 *
 * Purpose: it rescues tasks from the inbox of a worker whose step does not end (a call that blocks,
 * a long computation), if no worker has taken them (sched.c). It takes the worker's events, and
 * fires its timers. It also runs the stall detector, which reports such steps
 * (debug/stall_detector.c). It starts only if the options ask for one of them.
 *
 * Blocked workers: the monitor checks all inboxes every `rescue_after`. If an inbox had tasks at
 * two checks, and its worker began no step in between, the least loaded of the other workers gets
 * these tasks. Only with spare workers does it take from a private queue: spares.c.
 *
 * Concurrency: the monitor sleeps while no inbox has tasks and no worker is awake. A bit in each
 * queue's word says whether the monitor checks this inbox. A push that finds the owner awake and
 * the bit clear sets it in the same update, and calls the monitor. The monitor clears the bit when
 * it finds the inbox empty, and checks once more. So no task is forgotten, and a worker costs at
 * most one call per `rescue_after`. While a worker is awake, the monitor looks at all: one may set
 * a timer, and then compute. The thread that claims a task has its timer (timers.c), so any thread
 * may fire. Models: tests/model/monitor.pml, pollers.pml.
 *
 * A call accesses the runtime after the push, when its task may have ended and the runtime is about
 * to be destroyed. So each caller counts its call as its last access. The number of bits that the
 * monitor has cleared is the number of calls, and co4__monitor_stop waits for all of them.
 *
 * Rejected: an idle worker as the monitor (it must pass the duty on whenever it gets work, and can
 * be blocked itself); workers that note when a step begins (reading the clock for each). */
#include "sched/monitor.h"

#include <stddef.h>

#include "base/count.h"
#include "core/sleep.h"
#include "core/task.h"
#include "core/task_extension.h"
#include "core/timers.h"
#include "sched/queue.h"
#include "sched/runtime.h"
#include "sched/sched.h"
#include "sched/step_hooks.h"
#include "sched/worker.h"

/* Its tasks may run soon, as far as the last check has shown. */
static bool is_free(struct co4__worker *w)
{
    return w->guarded ? !atomic_load_explicit(&w->others.blocked, memory_order_relaxed)
                      : !w->monitor.inbox;
}

struct co4__worker *co4__least_loaded(co4_runtime *rt)
{
    struct co4__worker *best = NULL;
    uint32_t least = UINT32_MAX;
    for (unsigned i = 0; i < co4__nworkers(rt); i++) {
        struct co4__worker *w = &rt->workers[i];
        uint32_t load = co4__queue_load(&w->queue);
        if (is_free(w) && load < least) {
            least = load;
            best = w;
        }
    }
    return best;
}

/* The most from one look to the next, while those that are awake are blocked. */
#define SLOWEST (8 * CO4_MS)

enum { SHARE = 64 }; /* tasks that go to one worker before another is chosen */

static void free_inbox(struct co4__worker *blocked)
{
    unsigned moved = 0;
    if (!co4__queue_has_rx(&blocked->queue))
        return;
    struct co4__worker *to = co4__least_loaded(blocked->rt);
    if (!to)
        return; /* the others are blocked, too */
    for (co4_task *t = co4__queue_take_rx(&blocked->queue), *next; t; t = next) {
        next = t->next;
        co4__sched_push_remote(co4__pinned_to(t) >= 0 ? blocked : to, t);
        if (++moved % SHARE == 0)
            to = co4__least_loaded(blocked->rt);
    }
}

/* Returns whether an inbox has tasks, so that the monitor must check it again. */
static bool look_at_inboxes(co4_runtime *rt)
{
    bool any = false;
    for (unsigned i = 0; i < co4__nworkers(rt); i++) {
        struct co4__worker *w = &rt->workers[i];
        uint64_t steps = co4__counted(&w->stats.steps);
        if (!co4__queue_has_rx(&w->queue) && co4__queue_unmonitor(&w->queue))
            rt->monitor.answered++;
        bool inbox = co4__queue_has_rx(&w->queue);
        w->monitor.stands = w->monitor.steps == steps;
        w->monitor.blocked = inbox && w->monitor.inbox && w->monitor.stands;
        w->monitor.inbox = inbox;
        w->monitor.steps = steps;
        any = any || inbox;
    }
    if (rt->places > rt->regular)
        co4__several.look(rt, co4__clock());
    for (unsigned i = 0; i < co4__nworkers(rt); i++)
        if (rt->workers[i].monitor.blocked)
            free_inbox(&rt->workers[i]);
    return any;
}

/* Takes the events of workers that have not looked for any lately, and fires the timers of workers
 * whose step takes long. Returns whether a worker is awake. *busy: one of these is not blocked.
 * *due: the earliest timer of theirs. */
static bool look_at_workers(co4_runtime *rt, bool *busy, int64_t *due)
{
    int64_t now = co4__clock();
    bool awake = false;
    *busy = false;
    *due = CO4_NEVER;
    for (unsigned i = 0; i < co4__nworkers(rt); i++) {
        struct co4__worker *w = &rt->workers[i];
        if (co4__queue_sleeps(&w->queue))
            continue;
        struct co4__poller *p = co4__poller_of(w);
        awake = true;
        *busy = *busy || !w->monitor.blocked;
        if (p)
            p->ops->rescue(p, now);
        if (w->monitor.stands && co4__timers_earliest(&w->timers) <= now)
            co4__timers_fire(&w->timers, now);
        int64_t earliest = co4__timers_earliest(&w->timers);
        if (earliest < *due)
            *due = earliest;
    }
    return awake;
}

static void monitor_main(void *runtime)
{
    co4_runtime *rt = runtime;
    struct co4__monitor *m = &rt->monitor;
    int64_t rescue_at = m->rescues ? co4__clock() : CO4_NEVER; /* the workers begin awake */
    int64_t pace = rt->options.rescue_after;
    bool awake = false;
    while (!atomic_load(&m->ending)) {
        int64_t next = rt->stall_detector.running ? co4__made_hooks.stalls_look(rt) : CO4_NEVER;
        if (rescue_at <= co4__clock()) {
            bool inboxes = look_at_inboxes(rt), busy = false;
            int64_t due = CO4_NEVER;
            /* The flag first, then the workers: one that wakes in between finds the flag clear, or
             * is seen. While all that are awake are blocked, with nothing to hand on, the flag
             * stays clear, and the looks become fewer: only a wake changes that, the return of a
             * blocked one, or a timer of theirs. */
            bool looks = atomic_exchange(&m->watches, false) || awake;
            awake = looks && look_at_workers(rt, &busy, &due);
            bool slow = awake && !busy && !inboxes;
            if (awake && !slow)
                atomic_store(&m->watches, true);
            pace = !slow ? rt->options.rescue_after : pace < SLOWEST ? 2 * pace : pace;
            rescue_at = inboxes || awake ? co4__clock() + pace : CO4_NEVER;
            if (slow && due < rescue_at)
                rescue_at = due;
        }
        if (rescue_at < next)
            next = rescue_at;
        if (co4__parker_wait(&m->parker, next) != CO4_OK || !m->rescues)
            continue;
        int64_t soon = co4__clock() + (pace = rt->options.rescue_after);
        if (soon < rescue_at)
            rescue_at = soon;
    }
}

static void monitor_finish(co4_runtime *rt)
{
    struct co4__monitor *m = &rt->monitor;
    for (unsigned i = 0; m->rescues && i < co4__nworkers(rt); i++)
        if (co4__queue_monitor(&rt->workers[i].queue))
            m->answered++;
    for (unsigned tries = 0; atomic_load_explicit(&m->calls, memory_order_acquire) != m->answered;
         tries++)
        co4__back_off(tries); /* a pusher is about to call */
    co4__parker_fini(&m->parker);
}

int co4__monitor_start(co4_runtime *rt)
{
    struct co4__monitor *m = &rt->monitor;
    m->rescues = rt->threaded && rt->places > 1 && rt->options.rescue_after >= 0;
    if (!co4__has_threads || (!m->rescues && !rt->stall_detector.running))
        return CO4_OK;
    int err = co4__parker_init(&m->parker);
    if (err != CO4_OK)
        return err;
    atomic_store(&m->ending, false);
    atomic_store(&m->watches, m->rescues);
    for (unsigned i = 0; m->rescues && i < co4__nworkers(rt); i++)
        co4__queue_unmonitor(&rt->workers[i].queue);
    err = co4__thread_start(&m->thread, monitor_main, rt);
    if (err != CO4_OK)
        monitor_finish(rt);
    m->runs = err == CO4_OK;
    return err;
}

void co4__monitor_fork_child(co4_runtime *rt)
{
    rt->monitor.runs = false; /* its parker may be locked for ever */
    atomic_store(&rt->monitor.step_wakes, false);
}

void co4__monitor_stop(co4_runtime *rt)
{
    struct co4__monitor *m = &rt->monitor;
    if (!m->runs)
        return;
    atomic_store(&m->ending, true);
    co4__parker_wake(&m->parker);
    co4__thread_join(&m->thread);
    monitor_finish(rt);
    m->runs = false;
}
