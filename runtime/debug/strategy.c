/* strategy.c - test mode: which of the tasks that are ready runs next.
 *
 * A choice is made where a task has ended its step, and at a decision: a place before which others
 * may run, as co4weave inserts them for programs of --auto=test. At most of these the task goes on,
 * without a pause.
 *
 * - RANDOM, a random walk: one of those that are ready, each as likely. How many decisions choose
 *   is drawn for the run; so is whether a task does not run for long, and how often time passes
 *   though tasks are ready, up to a second in all. So some runs have few switches, others many.
 * - PCT (Burckhardt and others, ASPLOS 2010): each task has a random priority;
 *   the highest runs. At depth - 1 random choices the running one gets a lower priority than all
 *   others. So does one that yields, since it may wait for another in a loop.
 * - POS (Yuan, Yang, Gu, CAV 2018), the basic form: a task has a random priority for its next
 *   operation, and a new one after it.
 * - SCHEDULE: the task that ran goes on; if it cannot, the one with the next number does. Lines say
 *   at which choices another one runs instead. Each run can be written so, whatever has chosen in
 *   it: `choices` gets the lines.
 *
 * QUEUES, what workers do, is in simulate.c.
 *
 * The cost of a choice is in proportion to the tasks that are ready. */
#include "debug/strategy.h"

#include <stddef.h>

#include "base/random.h"
#include "base/text.h"
#include "co4/time.h"
#include "debug/dump.h"
#include "debug/simulate.h"
#include "debug/task_record.h"
#include "platform/thread.h"
#include "sched/queue.h"

/* Programs may rely on it that a thread is not late by more than this, in all. */
#define LATE     CO4_SEC
#define RARELY   6  /* a random walk chooses at one of 1, 2, 4 … 32 decisions */
#define STARVED  4  /* one run of so many has a task that does not run for long */
#define VICTIMS  16 /* it is one of the first so many */
#define FEW      32 /* so many that are ready are looked at once */
#define PATIENCE 14 /* … and that for up to 2^14 choices */

/* Random numbers of its own: what else is random in a run stays so with another strategy. */
static uint64_t draw(struct co4__simulated *x)
{
    return co4__random(co4__random(co4__random(x->options.seed)) + ++x->strategy.drawn);
}

static unsigned below(struct co4__simulated *x, unsigned n)
{
    return n > 1 ? (unsigned)(draw(x) % n) : 0;
}

/* ---- the tasks that are ready ---- */

struct place {
    struct co4__worker *worker;
    co4_task *task; /* NULL: there is none */
    unsigned at;
};

/* At a decision the running task's worker is busy, and its other tasks are ready. */
static bool has_ready(const struct co4__simulated *x, const struct co4__worker *w)
{
    return co4__simulated_is_ready(x, w) || (w == x->strategy.worker && co4__queue_any(&w->queue));
}

/* Behind this worker; NULL: of all. */
static struct place first_of(struct co4__simulated *x, struct co4__worker *after)
{
    co4_runtime *rt = after ? after->rt : x->runtimes;
    for (unsigned i = after ? after->index + 1 : 0; rt; rt = rt->simulate.next, i = 0)
        for (unsigned n = co4__nworkers(rt); i < n; i++) {
            struct co4__worker *w = &rt->workers[i];
            if (has_ready(x, w)) {
                co4__lanes_join(&w->queue.lanes);
                return (struct place){ w, w->queue.lanes.head, 0 };
            }
        }
    return (struct place){ NULL, NULL, 0 };
}

static struct place next_of(struct co4__simulated *x, struct place p)
{
    return p.task->next ? (struct place){ p.worker, p.task->next, p.at + 1 }
                        : first_of(x, p.worker);
}

#define EACH_READY(x, p)                                                                           \
    struct place p = first_of(x, NULL);                                                            \
    p.task;                                                                                        \
    p = next_of(x, p)

static int64_t *priority_of(struct co4__simulated *x, co4_task *t)
{
    static int64_t none;
    struct co4__task_record *e = co4__record_of(t);
    if (!e)
        return &none;
    if (e->priority == 0)
        e->priority = (int64_t)(draw(x) >> 2) + 1;
    return &e->priority;
}

static bool is_starved(const struct co4__simulated *x, co4_task *t)
{
    const struct co4__strategy *s = &x->strategy;
    return s->victim != 0 && x->result.choices >= s->from && x->result.choices < s->until &&
           co4__record_number(t) == s->victim;
}

/* Those of which a random walk chooses one. */
static bool is_eligible(const struct co4__simulated *x, co4_task *t, bool starves)
{
    const struct co4__strategy *s = &x->strategy;
    return !(s->leaves && co4__record_number(t) == s->last) && !(starves && is_starved(x, t));
}

static struct place choose_random(struct co4__simulated *x)
{
    struct place first[FEW];
    for (int all = 0;; all++) { /* 2: also the one that has just run */
        unsigned n = 0;
        for (EACH_READY(x, p))
            if (all == 2 || is_eligible(x, p.task, all == 0)) {
                first[n < FEW ? n : 0] = p;
                n++;
            }
        if (n == 0)
            continue;
        unsigned k = below(x, n);
        if (n <= FEW)
            return first[k];
        for (EACH_READY(x, p))
            if ((all == 2 || is_eligible(x, p.task, all == 0)) && k-- == 0)
                return p;
    }
}

static struct place choose_highest(struct co4__simulated *x)
{
    struct place best = { NULL, NULL, 0 };
    for (EACH_READY(x, p))
        if (!best.task || *priority_of(x, p.task) > *priority_of(x, best.task))
            best = p;
    return best;
}

/* What runs without a strategy. */
static struct place choose_next(struct co4__simulated *x)
{
    const struct co4__strategy *s = &x->strategy;
    struct place best = { NULL, NULL, 0 };
    uint32_t least = UINT32_MAX;
    for (EACH_READY(x, p)) {
        /* as a distance from the last one, which comes first or last */
        uint32_t distance = co4__record_number(p.task) - s->last - (s->decided ? 0 : 1);
        if (!best.task || distance < least) {
            best = p;
            least = distance;
        }
    }
    return best;
}

static struct place choose_numbered(struct co4__simulated *x, uint32_t number)
{
    for (EACH_READY(x, p))
        if (co4__record_number(p.task) == number)
            return p;
    return (struct place){ NULL, NULL, 0 };
}

/* ---- schedules ---- */

/* Returns the line of the schedule for this choice; NULL: it has none. */
static const co4_test_switch *line_of(struct co4__simulated *x)
{
    struct co4__strategy *s = &x->strategy;
    while (s->scheduled < x->options.nschedule &&
           x->options.schedule[s->scheduled].choice < x->result.choices)
        s->scheduled++;
    return s->scheduled < x->options.nschedule &&
                   x->options.schedule[s->scheduled].choice == x->result.choices
               ? &x->options.schedule[s->scheduled]
               : NULL;
}

/* Writes "CHOICE CHOSEN USUAL READY…", and after a colon where the last one is if another one runs
 * instead of it, where there is something to choose. */
static void put_choice(struct co4__simulated *x, uint32_t chosen, uint32_t usual, bool goes_on)
{
    unsigned n = goes_on;
    co4_task *left = NULL;
    if (!x->options.choices)
        return;
    for (EACH_READY(x, p)) {
        n++;
        left = co4__record_number(p.task) == x->strategy.last ? p.task : left;
    }
    if (n < 2 && chosen != 0)
        return;
    struct co4__text text;
    co4__text_begin(&text, x->options.choices, x->options.choices_data);
    co4__put_number(&text, x->result.choices);
    co4__put(&text, " ");
    co4__put_number(&text, chosen);
    co4__put(&text, " ");
    co4__put_number(&text, usual);
    if (goes_on) {
        co4__put(&text, " ");
        co4__put_number(&text, usual);
    }
    for (EACH_READY(x, p)) {
        co4__put(&text, " ");
        co4__put_number(&text, co4__record_number(p.task));
    }
    if (left && chosen != usual) {
        co4__put(&text, " : ");
        co4__put_place_of(&text, left);
    }
    co4__put(&text, "\n");
    co4__text_end(&text);
}

/* ---- decisions ---- */

/* Is a task ready that has a higher priority than the running one? */
static bool is_outrun(struct co4__simulated *x, int64_t own)
{
    for (EACH_READY(x, p))
        if (*priority_of(x, p.task) > own)
            return true;
    return false;
}

static bool walks(struct co4__simulated *x)
{
    struct co4__strategy *s = &x->strategy;
    unsigned n = 1;
    if (s->jump_every > 0 && below(x, s->jump_every) == 0 && s->due != CO4_NEVER &&
        s->due - x->now <= s->patience) {
        s->patience -= s->due > x->now ? s->due - x->now : 0;
        return s->jumps = true;
    }
    bool starved = is_starved(x, s->running);
    if (!starved && s->every > 1 && below(x, s->every) != 0)
        return false;
    for (EACH_READY(x, p))
        n++;
    if (n == 1 || (!starved && below(x, n) == 0))
        return false;
    return s->leaves = true;
}

static bool is_overtaken(struct co4__simulated *x)
{
    struct co4__strategy *s = &x->strategy;
    int64_t *own = priority_of(x, s->running);
    bool looks = s->woken;
    for (; s->changed < s->nchanges && s->changes[s->changed] <= x->result.choices; looks = true)
        *own = -1 - (int64_t)s->changed++;
    return looks && is_outrun(x, *own);
}

static bool wants_others(struct co4__simulated *x)
{
    const co4_test_switch *line;
    switch (x->options.strategy) {
    case CO4_TEST_RANDOM:
        return walks(x);
    case CO4_TEST_PCT:
        return is_overtaken(x);
    case CO4_TEST_POS:
        *priority_of(x, x->strategy.running) = (int64_t)(draw(x) >> 2) + 1;
        return is_outrun(x, *priority_of(x, x->strategy.running));
    case CO4_TEST_SCHEDULE:
        line = line_of(x);
        x->strategy.jumps = line && line->task == 0;
        return line != NULL;
    case CO4_TEST_QUEUES:
        break;
    }
    return false;
}

/* The first step of a run is the caller's: no choice has begun it. Nothing has a deadline then. */
static void begin_with_caller(struct co4__strategy *s)
{
    s->running = co4__local()->current;
    s->worker = co4__local()->worker;
    s->last = s->running ? co4__record_number(s->running) : 0;
    s->due = CO4_NEVER;
}

bool co4__strategy_decides(struct co4__simulated *x)
{
    struct co4__strategy *s = &x->strategy;
    if (x->options.strategy == CO4_TEST_QUEUES)
        return false;
    if (!s->running)
        begin_with_caller(s);
    if (!s->running)
        return false;
    if (s->woken && s->worker)
        co4__queue_drain(&s->worker->queue);
    x->result.choices++;
    x->now += x->options.step_ns;
    if (wants_others(x) || x->now >= s->due)
        return s->decided = true;
    s->woken = false;
    put_choice(x, s->last, s->last, true);
    return false;
}

/* ---- at the end of a step ---- */

/* A task that has yielded may wait for another one in a loop. */
static void put_behind(struct co4__simulated *x)
{
    struct co4__strategy *s = &x->strategy;
    struct place p = s->decided ? (struct place){ NULL, NULL, 0 } : choose_numbered(x, s->last);
    if (p.task)
        *priority_of(x, p.task) = --s->lowest;
}

static struct place choose_by_line(struct co4__simulated *x, struct place usual)
{
    const co4_test_switch *line = line_of(x);
    struct place p = line ? choose_numbered(x, line->task) : usual;
    return p.task ? p : usual;
}

struct co4__worker *co4__strategy_choose(struct co4__simulated *x, unsigned *place)
{
    struct co4__strategy *s = &x->strategy;
    bool asks = x->options.strategy == CO4_TEST_SCHEDULE || x->options.choices || s->jumps;
    struct place usual = asks ? choose_next(x) : (struct place){ NULL, NULL, 0 }, chosen = usual;
    if (!s->decided)
        x->result.choices++;
    switch (x->options.strategy) {
    case CO4_TEST_RANDOM:
        chosen = s->jumps ? usual : choose_random(x);
        break;
    case CO4_TEST_PCT:
        put_behind(x);
        chosen = choose_highest(x);
        break;
    case CO4_TEST_POS:
        chosen = choose_highest(x);
        break;
    case CO4_TEST_SCHEDULE:
        chosen = choose_by_line(x, usual);
        break;
    case CO4_TEST_QUEUES:
        break;
    }
    uint32_t number = co4__record_number(chosen.task);
    if (asks)
        put_choice(x, s->jumps ? 0 : number, co4__record_number(usual.task), false);
    s->last = number;
    s->decided = s->leaves = s->jumps = s->woken = false;
    s->running = chosen.task;
    *place = chosen.at;
    return s->worker = chosen.worker;
}

void co4__strategy_begin(struct co4__simulated *x)
{
    struct co4__strategy *s = &x->strategy;
    static const unsigned seldom[] = { 0, 1000, 100, 20 };
    s->lowest = -CO4__CHANGES;
    s->every = 1;
    s->patience = LATE;
    if (x->options.strategy == CO4_TEST_RANDOM) {
        s->every = 1u << below(x, RARELY);
        s->jump_every = seldom[below(x, sizeof seldom / sizeof *seldom)];
        if (below(x, STARVED) == 0) {
            s->victim = 2 + below(x, VICTIMS);
            s->from = below(x, 1u << below(x, PATIENCE));
            s->until = s->from + (UINT64_C(1) << below(x, PATIENCE + 1));
        }
    }
    uint64_t length = x->options.length > 0 ? x->options.length : 1000;
    if (x->options.strategy == CO4_TEST_PCT)
        s->nchanges = x->options.depth > CO4__CHANGES ? CO4__CHANGES
                      : x->options.depth > 0          ? x->options.depth - 1
                                                      : 2;
    for (unsigned i = 0; i < s->nchanges; i++) { /* sorted */
        uint64_t change = 1 + draw(x) % length;
        unsigned at = i;
        for (; at > 0 && s->changes[at - 1] > change; at--)
            s->changes[at] = s->changes[at - 1];
        s->changes[at] = change;
    }
}
