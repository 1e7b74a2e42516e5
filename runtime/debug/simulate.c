/* simulate.c - test mode: a whole program on one thread, with a simulated clock, in an order that a
 * seed decides.
 *
 * Purpose: the same seed makes the same run. A simulation has one or more runtimes, whose workers
 * are only queues. A step chooses a worker that has a ready task and is not stalled, and resumes
 * one of its ready tasks. When no task is ready the clock jumps to the next deadline. So nothing
 * depends on real time, other threads, or addresses: all random numbers come from the seed.
 *
 * A program has test mode if its source includes co4/test.h, which names co4_test_begin. The file
 * registers when the program or its library is loaded, before constructors of users run.
 *
 * Faults: a wake may be delayed for some steps. The task has been claimed and has its result, but
 * does not run, as if its waker were preempted. This finds code that relies on a prompt wake. A
 * worker may be stalled for some steps: it runs no task and fires no timer, like a thread that the
 * system does not schedule. alloc.c makes allocations fail.
 *
 * Invariants: a step may call this file again: plain code in a task calls co4_run, or the simulated
 * thread blocks. That step's worker is busy; the others continue. If no worker is left, the caller
 * gets CO4_EDEADLK, as test mode has no other thread. The choice is among the first CHOICE ready
 * tasks, so its cost does not grow with their number. With seed 0 nothing is random: workers take
 * turns, tasks run in the order in which they became ready.
 *
 * Rejected: one queue for all workers (placement and inboxes have to be tested, too); a choice
 * among all ready tasks (quadratic); threads that pass a token (slow). */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include "debug/simulate.h"

#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

#include "base/alloc.h"
#include "base/random.h"
#include "base/text.h"
#include "core/timers.h"
#include "debug/on_step.h"
#include "debug/task_record.h"
#include "io/ops.h"
#include "platform/fork.h"
#include "platform/thread.h"
#include "sched/look.h"
#include "sched/made.h"
#include "sched/nested_steps.h"
#include "sched/push.h"
#include "sched/queue.h"
#include "sched/sched.h"
#include "sched/step_hooks.h"

#define CHOICE  32
#define OUTSIDE 1000 /* ms that a simulation in which nothing happens waits for the system */
#define SELDOM  8    /* … and looks at that, as long as something does: a look is a call */

/* ---- random numbers ---- */

/* True once in n times; never if n is 0. */
static bool happens(struct co4__simulated *x, unsigned n)
{
    return n > 0 && co4__simulated_below(x, n) == 0;
}

static bool draw_if_seeded(struct co4__simulation *s, unsigned *number)
{
    struct co4__simulated *x = co4__simulated_of(s);
    if (x->options.seed == 0)
        return false;
    *number = (unsigned)co4__simulated_draw(x);
    return true;
}

/* Without a seed choices take turns, as in a real run, but each run begins alike. */
static unsigned choose(struct co4__simulation *s)
{
    unsigned number;
    return draw_if_seeded(s, &number) ? number : (unsigned)co4__simulated_of(s)->chance++;
}

/* ---- the clock ---- */

static int64_t now_of(const struct co4__simulation *s)
{
    return ((const struct co4__simulated *)(const void *)s)->now;
}

static void simulate_sleep(struct co4__simulation *s, int64_t deadline)
{
    struct co4__simulated *x = co4__simulated_of(s);
    if (deadline > x->now)
        x->now = deadline;
}

/* ---- the trace ---- */

static void fold(struct co4__simulated *x, uint64_t n)
{
    uint64_t digest = (x->result.digest ^ n) * 0xbf58476d1ce4e5b9u;
    x->result.digest = digest ^ (digest >> 29);
}

static void put_task(struct co4__text *text, co4_task *t)
{
    char name[CO4_TASK_NAME_BYTES];
    const struct co4__task_record *e = co4__record_of(t);
    co4__put(text, " task ");
    co4__put_number(text, co4__record_number(t));
    co4__put(text, " ");
    co4__put(text, co4_task_name(t, name, sizeof name) > 0 ? name : e ? e->function : "?");
}

/* A line of the trace begins with the step and the clock. */
static void begin_line(struct co4__text *text, const struct co4__simulated *x)
{
    co4__text_begin(text, x->options.trace, x->options.trace_data);
    co4__put_number(text, x->result.steps);
    co4__put(text, " ");
    co4__put_signed(text, x->now);
}

/* Writes a line: the step, the clock, the event, its worker and task. The digest includes them. */
static void note_choice(struct co4__simulated *x, const struct co4__worker *w, co4_task *t,
                        const char *what, const char *how, uint64_t n)
{
    fold(x, (uint64_t)what[0]);
    fold(x, (uint64_t)x->now);
    fold(x, w ? w->index : 0);
    fold(x, t ? co4__record_number(t) : 0);
    fold(x, n);
    if (!x->options.trace)
        return;
    struct co4__text text;
    begin_line(&text, x);
    if (w) {
        co4__put(&text, " worker ");
        co4__put_number(&text, w->index);
    }
    if (t)
        put_task(&text, t);
    co4__put(&text, " ");
    co4__put(&text, what);
    if (how[0]) {
        co4__put(&text, " ");
        co4__put(&text, how);
    }
    if (n) {
        co4__put(&text, " ");
        co4__put_number(&text, n);
    }
    co4__put(&text, "\n");
    co4__text_end(&text);
}

static void note_state(struct co4__worker *w, co4_task *t, co4_task_state state)
{
    struct co4__simulated *x = co4__simulated_of(w->rt->simulate.state);
    bool has_reason = x->options.trace && state == CO4_TASK_PAUSED;
    note_choice(x, w, t, co4_task_state_name(state), has_reason ? co4__record_reason(t) : "", 0);
}

/* ---- simulations ---- */

static void retain(struct co4__simulation *s)
{
    co4__simulated_of(s)->users++;
}

static void simulation_release(struct co4__simulation *s)
{
    if (--co4__simulated_of(s)->users > 0)
        return;
    if (s->world)
        s->world->ops->end(s->world);
    co4__free(s);
}

static void simulation_enter(struct co4__simulation *s, co4_runtime *rt)
{
    struct co4__simulated *x = co4__simulated_of(s);
    rt->simulate.state = s;
    rt->simulate.next = x->runtimes;
    x->runtimes = rt;
    co4__hook_steps(rt, CO4__SIMULATED);
}

static void simulation_leave(co4_runtime *rt)
{
    struct co4__simulation *s = rt->simulate.state;
    for (co4_runtime **at = &co4__simulated_of(s)->runtimes; *at; at = &(*at)->simulate.next)
        if (*at == rt) {
            *at = rt->simulate.next;
            break;
        }
    rt->simulate.state = NULL;
    simulation_release(s);
}

/* ---- faults ---- */

static bool delays(co4_runtime *rt, co4_task *t)
{
    struct co4__simulated *x = co4__simulated_of(rt->simulate.state);
    x->strategy.woken = true;
    if (x->ndelayed == CO4__DELAYED || !happens(x, x->options.late))
        return false;
    uint64_t steps = 1 + co4__simulated_below(x, x->options.late_steps);
    x->delayed[x->ndelayed++] = (struct co4__delayed){ rt, t, x->result.steps + steps };
    x->result.late++;
    note_choice(x, NULL, t, "delayed", "", steps);
    return true;
}

static void deliver_delayed(struct co4__simulated *x)
{
    struct co4__delayed due[CO4__DELAYED];
    unsigned n = 0, left = 0;
    for (unsigned i = 0; i < x->ndelayed; i++)
        if (x->delayed[i].due <= x->result.steps)
            due[n++] = x->delayed[i];
        else
            x->delayed[left++] = x->delayed[i];
    x->ndelayed = left;
    for (unsigned i = 0; i < n; i++)
        co4__sched_deliver(due[i].rt, due[i].task);
}

/* Returns whether a worker stalls from now on. */
static bool maybe_stall(struct co4__simulated *x)
{
    if (!happens(x, x->options.stall))
        return false;
    unsigned count = 0;
    for (CO4__EACH_WORKER(x, w))
        count++;
    unsigned k = co4__simulated_below(x, count);
    struct co4__worker *chosen = x->runtimes->workers;
    for (CO4__EACH_WORKER(x, w))
        chosen = k-- == 0 ? w : chosen;
    uint64_t steps = 1 + co4__simulated_below(x, x->options.stall_steps);
    chosen->simulate.stalled_until = x->result.steps + steps;
    x->result.stalls++;
    note_choice(x, chosen, NULL, "stalled", "", steps);
    return true;
}

/* ---- the world outside the tasks ---- */

static void note_world(struct co4__simulation *s, const char *name, uint64_t which,
                       const char *what, uint64_t n)
{
    struct co4__simulated *x = co4__simulated_of(s);
    fold(x, (uint64_t)what[0]);
    fold(x, (uint64_t)x->now);
    fold(x, which);
    fold(x, n);
    if (!x->options.trace)
        return;
    struct co4__text text;
    begin_line(&text, x);
    co4__put(&text, " ");
    co4__put(&text, name);
    co4__put(&text, " ");
    co4__put_number(&text, which);
    co4__put(&text, " ");
    co4__put(&text, what);
    co4__put(&text, " ");
    co4__put_number(&text, n);
    co4__put(&text, "\n");
    co4__text_end(&text);
}

static int64_t next_of_world(const struct co4__simulated *x)
{
    const struct co4__simulated_world *w = x->base.world;
    return w ? w->ops->next(w) : CO4_NEVER;
}

/* ---- steps ---- */

struct around {
    unsigned nready;   /* workers that could run a step */
    bool has_arrivals; /* one of them has a timer that is due, or an inbox */
};

/* Notes the earliest timer, too. */
static struct around look_at_workers(struct co4__simulated *x)
{
    struct around found = { 0, false };
    x->earliest = CO4_NEVER;
    for (CO4__EACH_WORKER(x, w)) {
        if (w->simulate.busy)
            continue;
        int64_t earliest = co4__timers_earliest(&w->timers);
        if (earliest < x->earliest)
            x->earliest = earliest;
        if (w->simulate.stalled_until > x->result.steps)
            continue;
        found.nready += co4__queue_any(&w->queue);
        if (earliest <= x->now || co4__queue_has_rx(&w->queue))
            found.has_arrivals = true;
    }
    return found;
}

/* Fires timers that are due, and drains inboxes. Returns how many workers could run a step. */
static unsigned look_around(struct co4__simulated *x)
{
    struct around found = look_at_workers(x);
    if (!found.has_arrivals)
        return found.nready;
    for (CO4__EACH_WORKER(x, w))
        if (!co4__simulated_is_stalled(x, w)) {
            co4__worker_timers(w);
            co4__queue_drain(&w->queue);
        }
    return look_at_workers(x).nready;
}

/* What workers do: the lanes of the one returned are joined, and the place is that of the task. */
static struct co4__worker *choose_queue(struct co4__simulated *x, unsigned nready, unsigned *place)
{
    bool by_chance = x->options.seed != 0;
    unsigned n = 0,
             k = by_chance ? co4__simulated_below(x, nready) : (unsigned)(x->result.steps % nready);
    struct co4__worker *chosen = x->runtimes->workers;
    for (CO4__EACH_WORKER(x, w))
        if (co4__simulated_is_ready(x, w) && k-- == 0)
            chosen = w;
    co4__lanes_join(&chosen->queue.lanes);
    for (co4_task *t = chosen->queue.lanes.head; t && n < CHOICE; t = t->next)
        n++;
    *place = by_chance ? co4__simulated_below(x, n) : 0;
    if (x->options.preempt > 0)
        chosen->budget = (int)co4__simulated_below(x, x->options.preempt);
    return chosen;
}

/* Of the workers it is known from the last look. */
static int64_t next_event(const struct co4__simulated *x)
{
    int64_t next = next_of_world(x);
    return x->earliest < next ? x->earliest : next;
}

static void step(struct co4__simulated *x, unsigned nready)
{
    bool by_queues = x->options.strategy == CO4_TEST_QUEUES;
    unsigned place;
    co4_task *outer = x->strategy.running;
    struct co4__worker *outer_worker = x->strategy.worker;
    x->strategy.worker = NULL;
    struct co4__worker *w = by_queues ? choose_queue(x, nready, &place)
                                      : co4__strategy_choose(x, &place);
    if (!by_queues)
        x->strategy.due = next_event(x);
    co4__queue_prefer(&w->queue, place);
    w->simulate.busy = true;
    co4__worker_step(w, co4__queue_fetch(&w->queue));
    w->simulate.busy = false;
    x->strategy.running = outer;
    x->strategy.worker = outer_worker;
    x->now += x->options.step_ns;
}

/* Called when no task is ready. Skips to the step at which a delayed wake comes, or a stalled
 * worker continues. False: there is none. */
static bool skip_steps(struct co4__simulated *x)
{
    uint64_t next = UINT64_MAX;
    for (unsigned i = 0; i < x->ndelayed; i++)
        if (x->delayed[i].due < next)
            next = x->delayed[i].due;
    for (CO4__EACH_WORKER(x, w))
        if (!w->simulate.busy && w->simulate.stalled_until > x->result.steps &&
            w->simulate.stalled_until < next)
            next = w->simulate.stalled_until;
    if (next == UINT64_MAX)
        return false;
    x->result.steps = next;
    return true;
}

/* Advances the clock to the next deadline, up to `limit`. False: there is none. */
static bool skip_time(struct co4__simulated *x, int64_t limit)
{
    struct co4__simulated_world *w = x->base.world;
    look_at_workers(x);
    int64_t next = next_event(x), wanted = next < limit ? next : limit;
    int64_t reached = w ? w->ops->until(w, wanted) : wanted;
    if (reached < wanted)
        next = reached;
    if (next == CO4_NEVER || next > limit)
        return false;
    if (next > x->now)
        x->now = next;
    x->result.jumps++;
    note_choice(x, NULL, NULL, "time", "", 0);
    return true;
}

/* ---- what is not simulated ---- */

/* Takes the events of descriptors of the system. Returns whether a task waits for some. */
static bool look_outside(struct co4__simulated *x)
{
    bool awaited = false;
    for (CO4__EACH_WORKER(x, w)) {
        struct co4__poller *p = co4__poller_of(w);
        if (!p)
            continue;
        p->ops->look(p);
        awaited = awaited || p->ops->awaits(p);
    }
    return (x->base.look && x->base.look()) || awaited;
}

/* Nothing happens any more. Perhaps another process ends the wait of a task: a child, or the reader
 * of its output. */
static bool wait_outside(struct co4__simulated *x)
{
    static const struct timespec moment = { 0, 1000000 };
    for (int i = 0; i < OUTSIDE && look_outside(x); i++) {
        if (x->base.between)
            x->base.between();
        if (look_around(x) > 0)
            return true;
        nanosleep(&moment, NULL);
    }
    return look_around(x) > 0;
}

static int go_on(struct co4__simulation *s, int64_t limit)
{
    struct co4__simulated *x = co4__simulated_of(s);
    struct co4__local *here = co4__local();
    struct co4__simulation *outer = here->simulate.state;
    int made = 0;
    here->simulate.state = s;
    do {
        if (s->world)
            x->now = s->world->ops->turn(s->world, x->now, limit);
        if (x->strategy.jumps) /* not beyond what was due when that was decided */
            skip_time(x, x->strategy.due < limit ? x->strategy.due : limit);
        if (s->between && s->between())
            look_outside(x);
        deliver_delayed(x);
        unsigned nready = look_around(x);
        if (nready == 0 && ++x->idle % SELDOM == 0 && look_outside(x))
            nready = look_around(x);
        if (nready == 0)
            continue;
        if (CO4__UNLIKELY(++x->result.steps == x->base.stops_at))
            x->base.stops();
        if (maybe_stall(x))
            nready = look_around(x);
        if (nready == 0)
            continue;
        step(x, nready);
        made = 1;
    } while (!made &&
             (skip_steps(x) || skip_time(x, limit) || (limit == CO4_NEVER && wait_outside(x))));
    if (!made && limit == CO4_NEVER && s->deadlock && !co4__innermost_step().task)
        s->deadlock();
    here->simulate.state = outer;
    return made;
}

static bool is_idle(co4_runtime *rt)
{
    const struct co4__simulated *x = co4__simulated_of(rt->simulate.state);
    if (next_of_world(x) != CO4_NEVER)
        return false;
    for (unsigned i = 0; i < x->ndelayed; i++)
        if (x->delayed[i].rt == rt)
            return false;
    for (unsigned i = 0; i < co4__nworkers(rt); i++) {
        struct co4__worker *w = &rt->workers[i];
        co4__queue_drain(&w->queue);
        if (co4__queue_any(&w->queue) || co4__timers_earliest(&w->timers) != CO4_NEVER)
            return false;
    }
    return true;
}

static int park(struct co4__simulation *s, struct co4__parker *p, int64_t deadline)
{
    struct co4__simulated *x = co4__simulated_of(s);
    if (co4__parker_wait(p, 0) == CO4_OK)
        return CO4_OK;
    if (x->now < deadline && go_on(s, deadline) == 0) {
        if (deadline == CO4_NEVER)
            return CO4_EDEADLK;
        x->now = deadline;
    }
    return CO4_ETIMEDOUT; /* perhaps early */
}

static bool decides(struct co4__simulation *s)
{
    if (co4__simulated_of(s)->strategy.woken)
        look_around(co4__simulated_of(s)); /* the running task has made it ready, or made it */
    return co4__strategy_decides(co4__simulated_of(s));
}

/* Returns whether the task on its C stack has forked, or has begun the run of that. */
static bool has_forked(const struct co4__worker *w, const co4_task *t)
{
    for (struct co4__nested_step p = co4__innermost_step(); p.task; p = co4__outer_step(p))
        if (p.worker == w || p.task == t)
            return true;
    return false;
}

/* The child of a fork has one task: no worker of others makes a step there, no late task comes. */
static void simulate_child(enum co4__fork how)
{
    struct co4__simulation *s = co4__local()->simulate.state;
    if (how != CO4__FORK_CHILD || !s || !co4__innermost_step().task)
        return;
    struct co4__simulated *x = co4__simulated_of(s);
    for (CO4__EACH_WORKER(x, w))
        w->simulate.busy = w->simulate.busy || !has_forked(w, NULL);
    unsigned late = x->ndelayed;
    x->ndelayed = 0;
    for (unsigned i = 0; i < late; i++)
        if (has_forked(NULL, x->delayed[i].task))
            x->delayed[x->ndelayed++] = x->delayed[i];
}

static struct co4__fork_member fork_member = { .handler = simulate_child };

int co4__simulate(struct co4__simulation **out, const co4_test_options *options)
{
    static const struct co4__simulation_ops ops = {
        .now = now_of,
        .random = draw_if_seeded,
        .choice = choose,
        .sleep = simulate_sleep,
        .park = park,
        .retain = retain,
        .release = simulation_release,
        .enter = simulation_enter,
        .leave = simulation_leave,
        .step = go_on,
        .is_idle = is_idle,
        .task_is = note_state,
        .delays = delays,
        .decides = decides,
        .note = note_world,
    };
    *out = NULL;
    if (options->start < 0 || options->step_ns < 0 ||
        (unsigned)options->strategy > CO4_TEST_SCHEDULE || options->depth > CO4__CHANGES)
        return CO4_EINVAL;
    struct co4__simulated *x = co4__alloc(sizeof *x);
    if (!x)
        return CO4_ENOMEM;
    x->base.ops = &ops;
    x->base.io = co4__simulated_io;
    x->base.step_ns = options->step_ns;
    x->users = 1;
    x->options = *options;
    x->now = options->start;
    x->result.digest = 0xcbf29ce484222325u;
    co4__strategy_begin(x);
    *out = &x->base;
    co4__fork_join(&fork_member);
    return CO4_OK;
}

__attribute__((constructor(101))) static void register_test_mode(void)
{
    co4__test_mode = co4__simulate;
}
