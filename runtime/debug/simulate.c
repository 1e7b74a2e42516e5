/* simulate.c - test mode: a whole program on one thread, in an order that a seed decides, by a
 * clock of its own.
 *
 * A world is one such simulation: one or more runtimes, whose workers are queues only. To go on is
 * to choose a worker that has something ready and is not standing still, and one of its ready
 * tasks, and give that one step. When nothing is ready the clock jumps to the next deadline. So
 * nothing depends on time that passes, on other threads, or on where things lie in memory: all
 * chance is one row of numbers that the seed begins, and the same seed makes the same run.
 *
 * Faults. A wake may be kept back for some steps: the task has been claimed and has its result, and
 * does not run. That is what a preempted waker does, and what code that counts on a prompt wake
 * trips over. A worker may stand still for some steps: neither its tasks nor its timers come to
 * anything, as when its thread is not scheduled. Failing allocations are alloc.c's.
 *
 * A step may lead back here: plain code in a task calls co4_run, or a thread of the world blocks.
 * The worker whose step that is is busy; the others go on. With nobody left to go on, whoever waits
 * is told CO4_EDEADLK: in test mode no other thread will come.
 *
 * Who is chosen: any of the first CHOICE ready tasks, so that a choice costs the same however many
 * there are. With seed 0 there is no chance in it: workers in turn, tasks in the order in which
 * they became ready.
 *
 * Rejected: one queue for all workers (placement, inboxes and windows are to be tested, too);
 * picking any ready task (quadratic); threads that pass a baton (as loom does for atomics: this is
 * for programs of tasks, and must be fast). */
#include "debug/simulate.h"

#include "base/text.h"
#include "core/home.h"
#include "debug/deadlock.h"
#include "debug/insight.h"

#define CHOICE 32

/* ---- chance ---- */

static uint64_t draw(struct co4__world *x)
{
    return co4__toss(x->options.seed + ++x->chance);
}

/* 0 … n - 1 */
static unsigned below(struct co4__world *x, unsigned n)
{
    return n > 1 ? (unsigned)(draw(x) % n) : 0;
}

/* Once in n times; 0: never. */
static bool happens(struct co4__world *x, unsigned n)
{
    return n > 0 && below(x, n) == 0;
}

unsigned co4__lot(void)
{
    struct co4__local *here = co4__local();
    if (CO4__UNLIKELY(here->world != NULL) && here->world->options.seed != 0)
        return (unsigned)draw(here->world);
    return here->lots++;
}

/* ---- the clock ---- */

int64_t co4_now(void)
{
    const struct co4__world *x = co4__local()->world;
    return CO4__UNLIKELY(x != NULL) ? x->now : co4__clock();
}

void co4__sleep_block(int64_t deadline)
{
    struct co4__world *x = co4__local()->world;
    if (!x)
        co4__sleep_thread(deadline);
    else if (deadline > x->now)
        x->now = deadline;
}

/* ---- what is told ---- */

/* Fowler, Noll and Vo's hash. */
static void fold(struct co4__world *x, uint64_t n)
{
    for (int i = 0; i < 8; i++, n >>= 8)
        x->result.digest = (x->result.digest ^ (n & 0xff)) * 0x100000001b3u;
}

static void put_task(struct co4__text *text, co4_task *t)
{
    char name[CO4_TASK_NAME_BYTES];
    const struct co4__watched *e = co4__watched_of(t);
    co4__put(text, " task ");
    co4__put_number(text, co4__watch_number(t));
    co4__put(text, " ");
    co4__put(text, co4_task_name(t, name, sizeof name) > 0 ? name : e ? e->function : "?");
}

/* A line: step, clock, what has happened to whom. `what` is counted, and so are the numbers. */
static void note(struct co4__world *x, const struct co4__worker *w, co4_task *t, const char *what,
                 const char *how, uint64_t n)
{
    fold(x, (uint64_t)what[0]);
    fold(x, (uint64_t)x->now);
    fold(x, w ? w->index : 0);
    fold(x, t ? co4__watch_number(t) : 0);
    fold(x, n);
    if (!x->options.trace)
        return;
    struct co4__text text;
    co4__text_begin(&text, x->options.trace, x->options.trace_data);
    co4__put_number(&text, x->result.steps);
    co4__put(&text, " ");
    co4__put_signed(&text, x->now);
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

void co4__world_note(struct co4__worker *w, co4_task *t, co4_task_state state)
{
    note(w->rt->world, w, t, co4_task_state_name(state),
         state == CO4_TASK_PAUSED ? co4__watch_reason(t) : "", 0);
}

/* ---- worlds ---- */

int co4__world_make(struct co4__world **out, const co4_test_options *options)
{
    struct co4__world *x = co4__local()->world;
    if (!options) {
        x->users++;
        *out = x;
        return CO4_OK;
    }
    *out = NULL;
    if (options->start < 0 || options->step_ns < 0)
        return CO4_EINVAL;
    if (!(x = co4__alloc(sizeof *x)))
        return CO4_ENOMEM;
    x->users = 1;
    x->options = *options;
    x->now = options->start;
    x->result.digest = 0xcbf29ce484222325u;
    *out = x;
    return CO4_OK;
}

void co4__world_unref(struct co4__world *x)
{
    if (x && --x->users == 0)
        co4__free(x);
}

void co4__world_enter(struct co4__world *x, co4_runtime *rt)
{
    rt->world = x;
    rt->world_next = x->runtimes;
    x->runtimes = rt;
    atomic_fetch_or_explicit(&rt->watch, CO4__SIMULATED, memory_order_relaxed);
}

void co4__world_leave(co4_runtime *rt)
{
    struct co4__world *x = rt->world;
    for (co4_runtime **at = &x->runtimes; *at; at = &(*at)->world_next)
        if (*at == rt) {
            *at = rt->world_next;
            break;
        }
    rt->world = NULL;
    co4__world_unref(x);
}

int co4_test_begin(const co4_test_options *options)
{
    static const co4_test_options defaults = { 0 };
    struct co4__local *here = co4__local();
    struct co4__world *x;
    if (here->world || here->worker)
        return CO4_ESTATE;
    int err = co4__world_make(&x, options ? options : &defaults);
    if (err == CO4_OK)
        here->world = x;
    return err;
}

int co4_test_end(co4_test_result *out)
{
    struct co4__local *here = co4__local();
    if (!here->world || here->worker)
        return CO4_ESTATE;
    if (here->world->runtimes)
        return CO4_EBUSY;
    if (out)
        *out = here->world->result;
    co4__world_unref(here->world);
    here->world = NULL;
    return CO4_OK;
}

int co4_test_result_of(const co4_runtime *rt, co4_test_result *out)
{
    const struct co4__world *x = rt ? rt->world : co4__local()->world;
    if (!out)
        return CO4_EINVAL;
    if (!x)
        return CO4_ESTATE;
    *out = x->result;
    return CO4_OK;
}

/* ---- faults ---- */

bool co4__world_keeps(co4_runtime *rt, co4_task *t)
{
    struct co4__world *x = rt->world;
    if (x->nlate == CO4__LATE || !happens(x, x->options.late))
        return false;
    uint64_t steps = 1 + below(x, x->options.late_steps);
    x->late[x->nlate++] = (struct co4__late){ t, x->result.steps + steps };
    x->result.late++;
    note(x, NULL, t, "late", "", steps);
    return true;
}

static void deliver_late(struct co4__world *x)
{
    struct co4__late due[CO4__LATE];
    unsigned n = 0, left = 0;
    for (unsigned i = 0; i < x->nlate; i++)
        if (x->late[i].due <= x->result.steps)
            due[n++] = x->late[i];
        else
            x->late[left++] = x->late[i];
    x->nlate = left;
    for (unsigned i = 0; i < n; i++)
        co4__sched_deliver(co4__runtime_of(due[i].task), due[i].task);
}

static bool stands_still(const struct co4__world *x, const struct co4__worker *w)
{
    return w->busy || w->still > x->result.steps;
}

static struct co4__worker *worker_at(struct co4__world *x, unsigned k)
{
    for (co4_runtime *rt = x->runtimes; rt; k -= rt->nworkers, rt = rt->world_next)
        if (k < rt->nworkers)
            return &rt->workers[k];
    return NULL;
}

static unsigned count_workers(const struct co4__world *x)
{
    unsigned n = 0;
    for (const co4_runtime *rt = x->runtimes; rt; rt = rt->world_next)
        n += rt->nworkers;
    return n;
}

static void maybe_stall(struct co4__world *x)
{
    if (!happens(x, x->options.stall))
        return;
    struct co4__worker *w = worker_at(x, below(x, count_workers(x)));
    uint64_t steps = 1 + below(x, x->options.stall_steps);
    w->still = x->result.steps + steps;
    x->result.stalls++;
    note(x, w, NULL, "stands still", "", steps);
}

/* ---- going on ---- */

static bool is_ready(const struct co4__world *x, const struct co4__worker *w)
{
    return !stands_still(x, w) && w->queue.head != NULL;
}

/* Timers that are due, inboxes; how many workers could give a step. */
static unsigned look_around(struct co4__world *x)
{
    unsigned n = 0;
    for (co4_runtime *rt = x->runtimes; rt; rt = rt->world_next)
        for (unsigned i = 0; i < rt->nworkers; i++) {
            struct co4__worker *w = &rt->workers[i];
            if (stands_still(x, w))
                continue;
            co4__worker_timers(w);
            co4__queue_drain(&w->queue);
        }
    for (co4_runtime *rt = x->runtimes; rt; rt = rt->world_next)
        for (unsigned i = 0; i < rt->nworkers; i++)
            n += is_ready(x, &rt->workers[i]);
    return n;
}

/* The k-th of those that could. */
static struct co4__worker *ready_at(struct co4__world *x, unsigned k)
{
    for (co4_runtime *rt = x->runtimes; rt; rt = rt->world_next)
        for (unsigned i = 0; i < rt->nworkers; i++)
            if (is_ready(x, &rt->workers[i]) && k-- == 0)
                return &rt->workers[i];
    return NULL;
}

static void step(struct co4__world *x, unsigned nready)
{
    bool by_chance = x->options.seed != 0;
    struct co4__worker *w = ready_at(x, by_chance ? below(x, nready)
                                                  : (unsigned)(x->result.steps % nready));
    unsigned n = 0;
    for (co4_task *t = w->queue.head; t && n < CHOICE; t = t->next)
        n++;
    if (by_chance)
        co4__queue_prefer(&w->queue, below(x, n));
    w->busy = true;
    co4__worker_step(w, co4__queue_fetch(&w->queue));
    w->busy = false;
    x->now += x->options.step_ns;
}

/* Nothing is ready: to the step at which a kept back wake is due or a worker moves again. False:
 * there is none. */
static bool skip_steps(struct co4__world *x)
{
    uint64_t next = UINT64_MAX;
    for (unsigned i = 0; i < x->nlate; i++)
        if (x->late[i].due < next)
            next = x->late[i].due;
    for (co4_runtime *rt = x->runtimes; rt; rt = rt->world_next)
        for (unsigned i = 0; i < rt->nworkers; i++)
            if (!rt->workers[i].busy && rt->workers[i].still > x->result.steps &&
                rt->workers[i].still < next)
                next = rt->workers[i].still;
    if (next == UINT64_MAX)
        return false;
    x->result.steps = next;
    return true;
}

/* … to the next deadline. */
static bool skip_time(struct co4__world *x, int64_t limit)
{
    int64_t next = CO4_NEVER;
    for (co4_runtime *rt = x->runtimes; rt; rt = rt->world_next)
        for (unsigned i = 0; i < rt->nworkers; i++) {
            int64_t earliest = co4__timers_earliest(&rt->workers[i].timers);
            if (!rt->workers[i].busy && earliest < next)
                next = earliest;
        }
    if (next == CO4_NEVER || next > limit)
        return false;
    x->now = next;
    x->result.jumps++;
    note(x, NULL, NULL, "time", "", 0);
    return true;
}

int co4__world_go(struct co4__world *x, int64_t limit)
{
    struct co4__local *here = co4__local();
    struct co4__world *outer = here->world;
    int made = 0;
    here->world = x;
    do {
        deliver_late(x);
        unsigned nready = look_around(x);
        if (nready == 0)
            continue;
        x->result.steps++;
        maybe_stall(x);
        nready = look_around(x);
        if (nready == 0)
            continue;
        step(x, nready);
        made = 1;
    } while (!made && (skip_steps(x) || skip_time(x, limit)));
    here->world = outer;
    return made;
}

bool co4__world_idle(co4_runtime *rt)
{
    const struct co4__world *x = rt->world;
    for (unsigned i = 0; i < x->nlate; i++)
        if (co4__home_of(x->late[i].task) == rt->home)
            return false;
    for (unsigned i = 0; i < rt->nworkers; i++) {
        struct co4__worker *w = &rt->workers[i];
        co4__queue_drain(&w->queue);
        if (w->queue.head || co4__timers_earliest(&w->timers) != CO4_NEVER)
            return false;
    }
    return true;
}

int co4__park_thread(struct co4__parker *p, int64_t deadline)
{
    struct co4__world *x = co4__local()->world;
    if (CO4__LIKELY(!x)) {
        int err = co4__parker_look(p, deadline);
        if (err == CO4_EDEADLK)
            co4__deadlock_tell("a thread", NULL);
        return err;
    }
    if (co4__parker_wait(p, 0) == CO4_OK)
        return CO4_OK;
    if (x->now < deadline && co4__world_go(x, deadline) == 0) {
        if (deadline == CO4_NEVER)
            return CO4_EDEADLK;
        x->now = deadline;
    }
    return CO4_ETIMEDOUT; /* maybe early */
}
