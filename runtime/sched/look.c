/* look.c - a busy worker looks at its timers, its poller and the other workers.
 *
 * Purpose: a due timer must not wait for more than 50 µs or one step, whichever is longer. Reading
 * the clock after each step would cost more than a short step. So a worker looks every `every`
 * steps. It measures the steps in between, and sets `every` to the number that takes AIM. `every`
 * at most doubles, and only if there was no long step among the last STEADY. If steps become
 * long all at once, a timer waits for up to `every` of them, once: TIMED with timers or a poller,
 * UNTIMED without. The inbox is looked at after each step: that is one load. Events of descriptors
 * are left where they are while tasks of earlier ones have not run.
 *
 * It also cuts turns (lanes.c) that take too long, except in a co4_run.
 *
 * Rejected: the processor's own counter after each step, 18 ns on this machine, as much as a
 * message; a thread that tells the workers when time has passed, which wakes up 20,000 times a
 * second. */
#include "sched/look.h"

#include "base/compiler.h"
#include "base/count.h"
#include "base/public.h"
#include "core/sleep.h"
#include "core/timers.h"
#include "platform/lock.h"
#include "sched/queue.h"
#include "sched/runtime.h"
#include "sched/sched.h"
#include "sched/step_hooks.h"
#include "sched/worker.h"

#define LOOK_AFTER (50 * INT64_C(1000)) /* ns, if a step does not take longer */
#define LOOK_MOST  CO4_MS               /* the same, for events that could not be served before */
#define AIM        (6 * INT64_C(1000))  /* ns from one look to the next, if steps are short */
#define TIMED      16                   /* the most steps from one look to the next */
#define UNTIMED    64
#define STEADY     16
#define SLOW       (100 * INT64_C(1000)) /* ns of a step: worth waking another worker */
#define SAMPLE     64                    /* steps in a sample of the length of tasks, … */
#define SAMPLED    (2 * CO4_MS)          /* … or fewer, if they take so long */

static bool others_sleep(const struct co4__worker *w)
{
    for (unsigned i = 0, n = co4__nworkers(w->rt); i < n; i++)
        if (i != w->index && !co4__queue_sleeps(&w->rt->workers[i].queue))
            return false;
    return true;
}

/* Sets `every` by the steps since the last look. */
static void measure(struct co4__worker *w, uint64_t steps, int64_t now, bool timed)
{
    uint64_t most = timed ? TIMED : UNTIMED, aim = timed ? AIM : 4 * AIM;
    uint64_t every = w->look.every;
    if (w->look.at != 0) {
        uint64_t took = now > w->look.at ? (uint64_t)(now - w->look.at) : 1;
        uint64_t done = steps - w->look.steps, fit = done * aim / took;
        w->look.slow = took >= done * SLOW;
        if (fit <= every) {
            every = fit > 0 ? fit : 1;
            w->look.fitted = steps;
        } else if (steps - w->look.fitted >= STEADY) {
            every = fit < 2 * every ? fit : 2 * every;
        }
    }
    w->look.every = (uint8_t)(every < most ? every : most);
    w->look.at = now;
    w->look.steps = steps;
}

static void cut_turn(struct co4__worker *w, int64_t now)
{
    struct co4__lanes *l = &w->queue.lanes;
    if (w->look.turn != l->turns) {
        w->look.turn = l->turns;
        w->look.turn_at = now;
    } else if (now - w->look.turn_at >= LOOK_AFTER) {
        co4__lanes_cut(l);
    }
}

static void sample(struct co4__worker *w, uint64_t steps, int64_t now)
{
    w->look.sampled = steps;
    w->look.sampled_at = now;
    if (w->rt->sched.prefers_here)
        co4__several.sample(w, now);
    if (w->outermost && co4__sections_are_free() && others_sleep(w))
        co4__sections_acquire();
    co4__signal_due();
}

/* Tasks that are woken from now on stand behind this one in the first list. */
static co4_task *before_woken(const struct co4__worker *w)
{
    return w->queue.lanes.head ? w->queue.lanes.tail : NULL;
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
    co4_task *last = before_woken(w);
    uint32_t n = w->queue.ninner;
    co4__timers_fire(&w->timers, now);
    co4__lanes_woken(&w->queue.lanes, last, w->queue.ninner - n);
    here->worker = outer;
}

void co4__worker_events(struct co4__worker *w)
{
    struct co4__poller *p = co4__poller_of(w);
    if (CO4__LIKELY(p == NULL))
        return;
    co4_task *last = before_woken(w);
    uint32_t n = w->queue.ninner;
    p->ops->look(p);
    co4__lanes_woken(&w->queue.lanes, last, w->queue.ninner - n);
}

/* While tasks of earlier events have not run, those of new ones would only stand behind them,
 * unless an idle worker takes them. */
static bool has_events_left(const struct co4__worker *w)
{
    return w->queue.lanes.arrived.head &&
           atomic_load_explicit(&w->rt->idle.awake, memory_order_relaxed) >= (int)w->rt->regular;
}

/* Events of descriptors cost a call of the system, the other workers a line of memory each. */
static void look_outside(struct co4__worker *w, int64_t now)
{
    int64_t since = now - w->poller.looked_at;
    if (since < LOOK_AFTER || (since < LOOK_MOST && has_events_left(w)))
        return;
    w->poller.looked_at = now;
    co4__worker_events(w);
    if (w->rt->places > 1)
        co4__several.rescue(w, now);
}

void co4__worker_looks_soon(struct co4__worker *w)
{
    uint64_t next = co4__counted(&w->stats.steps) + 1;
    if (atomic_load_explicit(&w->look.next, memory_order_relaxed) > next)
        atomic_store_explicit(&w->look.next, next, memory_order_relaxed);
}

void co4__worker_look(struct co4__worker *w)
{
    uint64_t steps = co4__counted(&w->stats.steps);
    co4__queue_drain(&w->queue);
    if (steps < atomic_load_explicit(&w->look.next, memory_order_relaxed))
        return;
    const struct co4__lanes *l = &w->queue.lanes;
    bool polled = atomic_load_explicit(&w->rt->polled, memory_order_relaxed);
    bool timers = co4__timers_earliest(&w->timers) != CO4_NEVER;
    bool timed = polled || timers, shared = w->rt->threaded && l->head && l->yielded.head;
    int64_t now = 0;
    if (CO4__UNLIKELY(w->rt->simulate.state != NULL)) {
        w->look.every = UNTIMED;
    } else if (timed || shared || w->rt->sched.prefers_here) {
        now = co4__clock();
        measure(w, steps, now, timed);
        if (w->rt->threaded)
            cut_turn(w, now);
    } else {
        w->look.every = UNTIMED;
    }
    atomic_store_explicit(&w->look.next, steps + w->look.every, memory_order_relaxed);
    co4__sched_near(w);
    co4__queue_look(&w->queue);
    if (timers)
        co4__worker_timers(w);
    if (polled)
        look_outside(w, now);
    if (steps - w->look.sampled >= SAMPLE || now - w->look.sampled_at >= SAMPLED)
        sample(w, steps, now);
    if (CO4__UNLIKELY(atomic_load_explicit(&w->others.asked, memory_order_relaxed) != 0))
        co4__several.answer(w);
}
