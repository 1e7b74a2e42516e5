/* stall.c - a thread that looks whether the workers come along.
 *
 * It looks four times in a limit, so a step is told of within a quarter of the limit after it.
 * Looking is a few loads a worker; the workers themselves only say what they are at, and look at no
 * clock. Each step is told of once.
 *
 * When no step runs, and none has begun since it looked before, it says that it sleeps, looks
 * again, and sleeps: an idle runtime has nobody who looks. Whoever begins a step then finds that
 * said, and wakes it. Each side writes its word before it reads the other's, in the one order of
 * all such accesses: one of them sees the other. (tests/model/stall.pml.)
 *
 * The watched do not wait for the watcher, so what it reads of a step may be of the next: `steps`
 * tells, as in a sequence lock. */
#include "debug/stall.h"

#include <stddef.h>

#include "base/alloc.h"
#include "base/public.h"
#include "core/task.h"
#include "debug/watched.h"
#include "platform/thread.h"
#include "sched/runtime.h"
#include "sched/step_hooks.h"
#include "sched/worker.h"

/* `sleeping` says that the watching thread is about to sleep, or does, until it is woken. */
struct co4__stalls {
    struct co4__parker parker;
    struct co4__thread thread;
    atomic_bool sleeping, ending;
    struct co4__running running[];
};

void co4__stall_step(struct co4__worker *w, co4_task *t, const struct co4__watched *x)
{
    struct co4__running *r = w->running;
    const co4_frame *leaf = t->fiber.leaf;
    atomic_store_explicit(&r->task, x ? x->number : 0, memory_order_relaxed);
    atomic_store_explicit(&r->function, x ? x->function : "", memory_order_relaxed);
    atomic_store_explicit(&r->place, leaf ? leaf->at : NULL, memory_order_relaxed);
    if (!co4__has_threads)
        atomic_store_explicit(&r->since, co4__clock(), memory_order_relaxed);
    /* Release: who sees the odd number sees what it is of. In order with `sleeping`: above. */
    atomic_store(&r->steps, atomic_load_explicit(&r->steps, memory_order_relaxed) + 1);
    struct co4__stalls *s = w->rt->stalls;
    if (atomic_load(&s->sleeping) && atomic_exchange(&s->sleeping, false))
        co4__parker_wake(&s->parker);
}

static void tell(struct co4__worker *w, int64_t ns)
{
    struct co4__running *r = w->running;
    const co4_runtime_options *o = &w->rt->options;
    uint64_t step = atomic_load_explicit(&r->steps, memory_order_acquire);
    co4_stall s = { .runtime = w->rt, .worker = (int)w->index, .ns = ns, .place = "", .file = "" };
    s.task = atomic_load_explicit(&r->task, memory_order_relaxed);
    s.function = atomic_load_explicit(&r->function, memory_order_relaxed);
    const co4_abi_point *at = atomic_load_explicit(&r->place, memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);
    if (atomic_load_explicit(&r->steps, memory_order_relaxed) != step)
        return; /* it has gone on */
    const co4_abi_site *site = co4__site_of(at);
    if (site) {
        s.place = at->func->name;
        s.file = at->func->file;
        s.line = site->line;
    }
    o->on_stall(o->on_stall_data, &s);
}

void co4__stall_stepped(struct co4__worker *w)
{
    struct co4__running *r = w->running;
    if (!co4__has_threads) {
        int64_t ns = co4__clock() - atomic_load_explicit(&r->since, memory_order_relaxed);
        if (ns > w->rt->options.stall_ns)
            tell(w, ns);
    }
    atomic_store_explicit(&r->steps, atomic_load_explicit(&r->steps, memory_order_relaxed) + 1,
                          memory_order_release);
}

/* True: a step runs, or has begun since it was here last. */
static bool look(struct co4__worker *w, int64_t now)
{
    struct co4__running *r = w->running;
    uint64_t steps = atomic_load(&r->steps);
    bool went_on = steps != r->seen;
    if (went_on) {
        r->seen = steps;
        r->seen_at = now;
        r->told = false;
    } else if (steps % 2 != 0 && !r->told && now - r->seen_at > w->rt->options.stall_ns) {
        r->told = true;
        tell(w, now - r->seen_at);
    }
    return went_on || steps % 2 != 0;
}

static bool look_at_all(co4_runtime *rt)
{
    int64_t now = co4__clock();
    bool any = false;
    for (unsigned i = 0; i < rt->nworkers; i++)
        any = look(&rt->workers[i], now) || any;
    return any;
}

static void watch(void *runtime)
{
    co4_runtime *rt = runtime;
    struct co4__stalls *s = rt->stalls;
    while (!atomic_load(&s->ending)) {
        int64_t next = CO4_NEVER;
        if (!look_at_all(rt)) {
            atomic_store(&s->sleeping, true);
            if (look_at_all(rt))
                atomic_store(&s->sleeping, false);
        }
        if (!atomic_load(&s->sleeping))
            next = co4__clock() + rt->options.stall_ns / 4 + 1;
        co4__parker_wait(&s->parker, next);
    }
}

int co4__stall_begin(co4_runtime *rt)
{
    struct co4__stalls *s = co4__alloc(sizeof *s + rt->nworkers * sizeof s->running[0]);
    if (!s)
        return CO4_ENOMEM;
    atomic_init(&s->sleeping, false);
    atomic_init(&s->ending, false);
    rt->stalls = s;
    for (unsigned i = 0; i < rt->nworkers; i++)
        rt->workers[i].running = &s->running[i];
    int err = co4__parker_init(&s->parker);
    if (err == CO4_OK && co4__has_threads &&
        (err = co4__thread_start(&s->thread, watch, rt)) != CO4_OK)
        co4__parker_fini(&s->parker);
    if (err != CO4_OK) {
        co4__free(s);
        rt->stalls = NULL;
        return err;
    }
    atomic_fetch_or_explicit(&rt->watch, CO4__STALLS, memory_order_relaxed);
    return CO4_OK;
}

void co4__stall_end(co4_runtime *rt)
{
    struct co4__stalls *s = rt->stalls;
    if (!s)
        return;
    atomic_fetch_and_explicit(&rt->watch, (uint8_t)~CO4__STALLS, memory_order_relaxed);
    if (co4__has_threads) {
        atomic_store(&s->ending, true);
        co4__parker_wake(&s->parker);
        co4__thread_join(&s->thread);
    }
    co4__parker_fini(&s->parker);
    rt->stalls = NULL;
    co4__free(s);
}
