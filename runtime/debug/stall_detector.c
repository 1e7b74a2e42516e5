/* stall_detector.c - reports steps that take longer than `stall_ns`.
 *
 * Purpose: the monitor thread (sched/monitor.c) checks all workers four times in `stall_ns`. So it
 * reports a long step within a quarter of that time after the limit. A check costs a few loads for
 * each worker. The workers only publish which step they run, and do not read the clock. Each step
 * is reported once. Without threads, the step itself is timed when it ends.
 *
 * Concurrency: if no step runs, and none has begun since the last check, the monitor sets
 * `step_wakes`, checks again, and sleeps. A worker that begins a step publishes it, then reads
 * `step_wakes`, and wakes the monitor if it is set. Each side writes before it reads, and all four
 * accesses are sequentially consistent, so at least one side sees the other. Model:
 * tests/model/monitor.pml.
 *
 * The monitor reads the fields of a step while its worker may continue with the next step. It reads
 * `steps` before and after, as in a sequence lock. */
#include "debug/stall_detector.h"

#include <stddef.h>

#include "base/alloc.h"
#include "base/public.h"
#include "base/text.h"
#include "core/fiber.h"
#include "core/task.h"
#include "debug/on_step.h"
#include "debug/task_record.h"
#include "platform/thread.h"
#include "sched/runtime.h"
#include "sched/step_hooks.h"
#include "sched/worker.h"

void co4__stall_step(struct co4__worker *w, co4_task *t, const struct co4__task_record *x)
{
    struct co4__running *r = &w->rt->stall_detector.running[w->index];
    const co4_frame *leaf = t->fiber.leaf;
    atomic_store_explicit(&r->task, x ? x->number : 0, memory_order_relaxed);
    atomic_store_explicit(&r->function, x ? x->function : "", memory_order_relaxed);
    atomic_store_explicit(&r->place, leaf ? leaf->at : NULL, memory_order_relaxed);
    if (!co4__has_threads)
        atomic_store_explicit(&r->since, co4__clock(), memory_order_relaxed);
    /* Sequentially consistent with `step_wakes`. It also releases the fields of the step, which the
     * odd number begins. */
    atomic_store(&r->steps, atomic_load_explicit(&r->steps, memory_order_relaxed) + 1);
    struct co4__monitor *m = &w->rt->monitor;
    if (atomic_load(&m->step_wakes) && atomic_exchange(&m->step_wakes, false))
        co4__parker_wake(&m->parker);
}

/* Copies what is known of the step that has run for so long. False: it has ended. */
static bool describe(struct co4__worker *w, int64_t ns, co4_stall *s)
{
    struct co4__running *r = &w->rt->stall_detector.running[w->index];
    uint64_t step = atomic_load_explicit(&r->steps, memory_order_acquire);
    *s = (co4_stall){
        .runtime = w->rt, .worker = (int)w->index, .ns = ns, .place = "", .file = ""
    };
    s->task = atomic_load_explicit(&r->task, memory_order_relaxed);
    s->function = atomic_load_explicit(&r->function, memory_order_relaxed);
    const co4_abi_point *at = atomic_load_explicit(&r->place, memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);
    if (atomic_load_explicit(&r->steps, memory_order_relaxed) != step)
        return false;
    const co4_abi_site *site = co4__site_of(at);
    if (site) {
        s->place = co4_abi_func_of(at)->name;
        s->file = co4_abi_func_of(at)->info->file;
        s->line = site->line;
    }
    return true;
}

static void report(const struct co4__worker *w, const co4_stall *s)
{
    w->rt->options.on_stall(w->rt->options.on_stall_data, s);
}

void co4__stall_say(void *unused, const co4_stall *s)
{
    struct co4__text x;
    (void)unused;
    co4__text_begin(&x, co4_write_fd, (void *)2);
    co4__put(&x, "co4: a step of ");
    co4__put(&x, s->function);
    co4__put(&x, s->function[0] ? "() has run for " : "a task has run for ");
    co4__put_time(&x, s->ns);
    co4__put(&x, " on worker ");
    co4__put_number(&x, (uint64_t)(unsigned)s->worker);
    if (s->place[0]) {
        co4__put(&x, ", resumed in ");
        co4__put(&x, s->place);
        co4__put(&x, "() at ");
        co4__put(&x, s->file);
        co4__put(&x, ":");
        co4__put_number(&x, s->line);
    }
    co4__put(&x, ": other tasks wait\n");
    co4__text_end(&x);
}

void co4__stall_stepped(struct co4__worker *w)
{
    struct co4__running *r = &w->rt->stall_detector.running[w->index];
    if (!co4__has_threads) {
        int64_t ns = co4__clock() - atomic_load_explicit(&r->since, memory_order_relaxed);
        co4_stall s;
        if (ns > w->rt->options.stall_ns && describe(w, ns, &s))
            report(w, &s);
    }
    atomic_store_explicit(&r->steps, atomic_load_explicit(&r->steps, memory_order_relaxed) + 1,
                          memory_order_release);
}

bool co4__stall_look(struct co4__worker *w, int64_t now, co4_stall *stall)
{
    struct co4__running *r = &w->rt->stall_detector.running[w->index];
    uint64_t steps = atomic_load(&r->steps);
    if (steps != r->seen) {
        r->seen = steps;
        r->seen_at = now;
        r->reported = false;
    } else if (steps % 2 != 0 && !r->reported && now - r->seen_at > w->rt->options.stall_ns) {
        r->reported = true;
        return describe(w, now - r->seen_at, stall);
    }
    return false;
}

/* Returns whether a step runs, or has begun since the last check. */
static bool worker_is_busy(struct co4__worker *w, int64_t now)
{
    struct co4__running *r = &w->rt->stall_detector.running[w->index];
    uint64_t before = r->seen;
    co4_stall stall;
    if (co4__stall_look(w, now, &stall))
        report(w, &stall);
    return r->seen != before || r->seen % 2 != 0;
}

static bool look_at_all(co4_runtime *rt)
{
    int64_t now = co4__clock();
    bool any = false;
    for (unsigned i = 0; i < co4__nworkers(rt); i++)
        any = worker_is_busy(&rt->workers[i], now) || any;
    return any;
}

int64_t co4__stalls_look(co4_runtime *rt)
{
    struct co4__monitor *m = &rt->monitor;
    if (!rt->stall_detector.running)
        return CO4_NEVER;
    if (!look_at_all(rt)) {
        atomic_store(&m->step_wakes, true);
        if (!look_at_all(rt))
            return CO4_NEVER;
    }
    atomic_store(&m->step_wakes, false);
    return co4__clock() + rt->options.stall_ns / 4 + 1;
}

int co4__stalls_begin(co4_runtime *rt)
{
    rt->stall_detector.running = co4__alloc(rt->places * sizeof *rt->stall_detector.running);
    if (!rt->stall_detector.running)
        return CO4_ENOMEM;
    co4__hook_steps(rt, CO4__STALLS);
    return CO4_OK;
}

void co4__stalls_end(co4_runtime *rt)
{
    atomic_fetch_and_explicit(&rt->hook_bits, (uint8_t)~CO4__STALLS, memory_order_relaxed);
    co4__free(rt->stall_detector.running);
    rt->stall_detector.running = NULL;
}
