/* spares.c - workers that stand in for blocked ones.
 *
 * Purpose: a step may block its thread, in a call that co4 does not know or for a page of a file,
 * or compute for long. Other tasks then need other threads, as threads would have them. The monitor
 * sees such a worker: no step began between two checks, and its thread has used less than half of a
 * processor meanwhile and does not wait for one, or it has computed for SLICE. Until it begins
 * another step, its tasks and events go to workers that are free. If fewer are free than the
 * program has asked for, a spare one begins. It stays, and sleeps while no worker is blocked.
 *
 * Only the owner accesses the private queue of a worker. Where there may be spare workers it opens
 * the queue while a step runs, so that the monitor may take from it. `guard` is a lock which the
 * owner holds, except in steps. It takes the lock at the end of a step, and for each task that the
 * step makes ready. That is one update of its own cache line for each, in such runtimes alone.
 *
 * Concurrency: only the monitor begins spare workers. It counts a worker in `nworkers` when its
 * fields are there. Model: tests/model/guard.pml.
 *
 * Rejected: another thread that goes on with the blocked worker (its own thread still wakes tasks,
 * and finds out only then that the worker is not its own any more); a signal to the blocked thread,
 * which moves the tasks away itself (the call that blocks would fail with EINTR); starting the
 * spare ones together with the others (each idle worker looks at the load of all). */
#include "sched/spares.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/count.h"
#include "platform/lock.h"
#include "platform/thread.h"
#include "sched/idle.h"
#include "sched/made.h"
#include "sched/monitor.h"
#include "sched/poller.h"
#include "sched/push.h"
#include "sched/queue.h"
#include "sched/runtime.h"
#include "sched/sched.h"
#include "sched/worker.h"

#define SLICE (10 * CO4_MS)  /* a step that computes so long lets others run beside it */
#define LATER (100 * CO4_MS) /* after this a thread may begin again, if one could not */
#define SOON  (5 * CO4_MS)   /* so soon after each other, workers are blocked in a row */
#define SHARE 16             /* tasks that the monitor takes from a queue at once */
#define BURST 16             /* the most workers that begin at one check */

int co4__runtime_make_spared(co4_runtime **out, const co4_runtime_options *options, unsigned spares)
{
    unsigned workers = options->workers > 0 ? (unsigned)options->workers : 0;
    unsigned room = workers < CO4__WORKERS_MAX / 2 ? CO4__WORKERS_MAX / 2
                                                   : CO4__WORKERS_MAX - workers;
    int err = co4__runtime_make(out, options, spares < room ? spares : room);
    co4_runtime *rt = *out;
    if (err != CO4_OK || rt->places == rt->regular)
        return err;
    rt->around |= CO4__GUARDED;
    for (unsigned i = 0; i < rt->regular; i++) {
        rt->workers[i].guarded = true;
        co4__sched_near(&rt->workers[i]);
    }
    return CO4_OK;
}

/* ---- the owner ---- */

void co4__spares_push(struct co4__worker *w, co4_task *t)
{
    uint8_t guard = CO4__OPEN;
    if (co4__queue_is_owned(w)) {
        co4__queue_push(&w->queue, t);
    } else if (atomic_compare_exchange_strong_explicit(
                   &w->guard, &guard, CO4__OWNED, memory_order_acquire, memory_order_relaxed)) {
        co4__queue_push(&w->queue, t);
        atomic_store_explicit(&w->guard, CO4__OPEN, memory_order_release);
    } else {
        co4__sched_push_remote(w, t); /* the monitor has it */
    }
}

void co4__spares_take_back(struct co4__worker *w)
{
    unsigned tries = 0;
    for (uint8_t guard = CO4__OPEN; !atomic_compare_exchange_strong_explicit(
             &w->guard, &guard, CO4__OWNED, memory_order_acquire, memory_order_relaxed);
         guard = CO4__OPEN)
        co4__back_off(tries++);
    if (CO4__LIKELY(!atomic_load_explicit(&w->others.blocked, memory_order_relaxed)))
        return;
    /* It was blocked, and may be again soon: the monitor looks more often from now on. */
    atomic_store_explicit(&w->others.blocked, false, memory_order_relaxed);
    if (!atomic_load_explicit(&w->rt->monitor.watches, memory_order_relaxed))
        co4__monitor_watch(&w->rt->monitor);
}

/* The monitor counts a spare worker when its thread is there. What is to know of its tasks, is
 * known of workers that are counted: count.c. */
void co4__spares_begin(struct co4__worker *w)
{
    for (unsigned tries = 0; co4__nworkers(w->rt) <= w->index; tries++)
        co4__back_off(tries);
    atomic_store_explicit(&w->clock, co4__thread_clock(), memory_order_relaxed);
}

/* Whether a free worker has a poller: it sees the events of those that are blocked. */
static bool takes_events(co4_runtime *rt)
{
    for (unsigned i = 0; i < co4__nworkers(rt); i++) {
        struct co4__worker *w = &rt->workers[i];
        if (!atomic_load_explicit(&w->others.blocked, memory_order_relaxed) && co4__poller_of(w))
            return true;
    }
    return false;
}

static bool lacks_poller(co4_runtime *rt)
{
    return atomic_load_explicit(&rt->spares.blocked, memory_order_relaxed) != 0 &&
           atomic_load_explicit(&rt->polled, memory_order_relaxed) && !takes_events(rt);
}

void co4__spares_idle(struct co4__worker *w)
{
    if (!co4__poller_of(w) && lacks_poller(w->rt))
        co4__poller_hooks.prepare();
}

/* ---- the monitor ---- */

/* Called with each check, since the last of which no step has begun, or one has. The clock is not
 * asked about workers that sleep, nor about those that stay blocked: there may be hundreds. */
static bool is_blocked(struct co4__worker *w, int64_t passed)
{
    if (co4__queue_sleeps(&w->queue)) {
        w->monitor.since = -1;
        return false;
    }
    if (w->monitor.stands && atomic_load_explicit(&w->others.blocked, memory_order_relaxed))
        return true;
    int clock = atomic_load_explicit(&w->clock, memory_order_relaxed); /* 0: it has not begun */
    int64_t used = co4__thread_used(clock);
    int64_t computed = used - w->monitor.used;
    w->monitor.used = used;
    if (used < 0)
        return w->monitor.stands && clock != 0;
    if (!w->monitor.stands || clock == 0 || w->monitor.since < 0) {
        w->monitor.since = used;
        return false;
    }
    if (used - w->monitor.since >= SLICE)
        return true;
    return computed < passed / 2 && !co4__thread_is_ready(clock);
}

static bool begin_one(co4_runtime *rt)
{
    unsigned n = co4__nworkers(rt);
    struct co4__worker *w = &rt->workers[n];
    if (n == rt->places || atomic_load(&rt->stopping) || co4__worker_init(w, rt, n) != CO4_OK)
        return false;
    w->budget = rt->workers[0].budget;
    w->guarded = true;
    co4__sched_near(w);
    co4__queue_unmonitor(&w->queue); /* as co4__monitor_start() does */
    atomic_fetch_add(&rt->idle.awake, 1);
    if (co4__thread_start(&w->thread, co4__worker_main, w) != CO4_OK) {
        atomic_fetch_sub(&rt->idle.awake, 1);
        co4__worker_fini(w);
        return false;
    }
    /* Release: pairs with co4__nworkers(). */
    atomic_store_explicit(&rt->nworkers, n + 1, memory_order_release);
    return true;
}

/* Where one worker after the other is blocked, twice as many begin each time. */
static unsigned begin_some(co4_runtime *rt, unsigned missing, int64_t now)
{
    if (now < rt->spares.begin_at)
        return 0;
    bool again = now - rt->spares.began_at < SOON;
    rt->spares.burst = !again ? 0 : rt->spares.burst < BURST / 2 ? 2 * rt->spares.burst + 1 : BURST;
    rt->spares.began_at = now;
    unsigned n = 0;
    while (n < missing + rt->spares.burst && begin_one(rt))
        n++;
    if (n == 0)
        rt->spares.begin_at = now + LATER;
    return n;
}

/* The private tasks of a worker whose step goes on: those that are not bound to it. */
static void take_open(struct co4__worker *w)
{
    for (uint32_t n = SHARE; n == SHARE;) {
        co4_task *newest, *oldest;
        uint8_t guard = CO4__OPEN;
        /* Acquire: pairs with the owner's release, for the queue. */
        if (!atomic_compare_exchange_strong_explicit(&w->guard, &guard, CO4__TAKEN,
                                                     memory_order_acquire, memory_order_relaxed))
            return;
        n = co4__lanes_part(&w->queue.lanes, SHARE, &newest, &oldest);
        if (n > 0)
            co4__queue_gone(&w->queue, n);
        atomic_store_explicit(&w->guard, CO4__OPEN, memory_order_release);
        if (n == 0)
            return;
        struct co4__worker *to = co4__least_loaded(w->rt);
        co4__pushed(to, co4__queue_push_several(&to->queue, newest, oldest, n));
    }
}

void co4__spares_look(co4_runtime *rt, int64_t now)
{
    int64_t passed = now - rt->spares.looked_at;
    unsigned n = co4__nworkers(rt), blocked = 0;
    rt->spares.looked_at = now;
    for (unsigned i = 0; i < n; i++) {
        struct co4__worker *w = &rt->workers[i];
        w->monitor.blocked = is_blocked(w, passed);
        atomic_store_explicit(&w->others.blocked, w->monitor.blocked, memory_order_relaxed);
        blocked += w->monitor.blocked;
    }
    if (n - blocked < rt->regular)
        n += begin_some(rt, rt->regular - (n - blocked), now);
    atomic_store_explicit(&rt->spares.blocked, blocked, memory_order_relaxed);
    if (lacks_poller(rt)) { /* one that wakes makes it, before it sleeps again */
        struct co4__worker *one = co4__least_loaded(rt);
        if (one && co4__queue_interrupt(&one->queue))
            co4__worker_wake(one);
    }
    for (unsigned i = 0; n > blocked && i < n; i++)
        if (rt->workers[i].monitor.blocked)
            take_open(&rt->workers[i]);
}
