/* rescue.c - events of a reactor whose worker does not take them: it is stuck in a long step, or it
 * is outside of the run that its thread is in.
 *
 * Stuck workers: before another worker sleeps it takes the events of reactors that were not looked
 * at for LATE. While a worker is awake, one sleeper wakes after a while (reactor.c). If that worker
 * has not looked since, the sleeper nests its driver in its own, so these events wake it at once.
 * The stuck worker ends the nesting when it looks again. If no worker sleeps, the monitor takes the
 * events.
 *
 * Concurrency: any thread may take events of any reactor, and handles them under the descriptors'
 * locks. A thread that takes events for the owner wakes it again if one of them was a wake. Model:
 * nesting.pml in tests/model. */
#include "io/reactor.h"

#include "base/compiler.h"
#include "platform/clock.h"
#include "sched/run.h"

#define LATE (100 * INT64_C(1000)) /* ns after which events are taken for another worker */

static struct co4__reactor *reactor_of(const struct co4__worker *w)
{
    return (struct co4__reactor *)(void *)co4__poller_of(w);
}

/* Takes events of r on a thread that does not own it. Returns whether there were any. */
static bool take_events(struct co4__reactor *r)
{
    struct co4__io_event events[CO4__EVENTS];
    int n = r->driver->wait(r, events, 0), wakes = 0;
    atomic_store_explicit(&r->looked, co4__clock(), memory_order_relaxed);
    for (int i = 0; i < n; i++)
        wakes += events[i].fd == CO4__WAKE;
    if (wakes > 0)
        r->driver->wake(r); /* it was for the owner, which may be about to sleep */
    if (n > wakes)
        atomic_fetch_add_explicit(&r->taken_for_others, 1, memory_order_relaxed);
    co4__reactor_handle(r, events, n);
    return co4__ring_take(r) || n > wakes;
}

/* The next reactor outside that this run looks after; from = r: the first. NULL: no more. */
static struct co4__reactor *next_outside(const struct co4__reactor *r,
                                         const struct co4__reactor *from)
{
    struct co4__worker *w = from->worker;
    struct co4__reactor *other = NULL;
    while (w && (w = co4__worker_outside(w)) != NULL) {
        other = reactor_of(w);
        if (other && atomic_load_explicit(&other->nested_in, memory_order_relaxed) == r)
            return other;
    }
    return NULL;
}

static void take_for_outside(struct co4__reactor *r)
{
    for (struct co4__reactor *other = r; (other = next_outside(r, other)) != NULL;)
        take_events(other);
}

void co4__reactor_handle(struct co4__reactor *r, const struct co4__io_event *events, int n)
{
    for (int i = 0; i < n; i++) {
        const struct co4__io_event *e = &events[i];
        if (CO4__UNLIKELY(e->fd >= CO4__RING)) /* a wake, or calls of the ring, which follow */
            continue;
        if (CO4__UNLIKELY(e->fd < 0) && r->worker->rt->local)
            take_for_outside(r);
        else if (CO4__UNLIKELY(e->fd < 0))
            take_events(reactor_of(&r->worker->rt->workers[-1 - e->fd]));
        else
            co4__descriptor_event(e->fd, e->generation, e->what);
    }
}

/* The events of this worker's reactor wake another one, for it was stuck. */
void co4__reactor_end_nesting(struct co4__reactor *r)
{
    struct co4__reactor *in = atomic_exchange_explicit(&r->nested_in, NULL, memory_order_acq_rel);
    if (in)
        r->driver->unnest(in, r);
}

bool co4__reactor_rescue(struct co4__reactor *r, int64_t now)
{
    return r->driver->nest && !atomic_load_explicit(&r->sleeps, memory_order_relaxed) &&
           now - atomic_load_explicit(&r->looked, memory_order_relaxed) > LATE && take_events(r);
}

/* Takes events of reactors that have not been looked at lately. *busy: the first reactor whose
 * worker is awake, and that is not nested, or NULL. Returns whether there were events. */
bool co4__reactor_take_for_others(struct co4__reactor *r, int64_t now, struct co4__reactor **busy)
{
    const co4_runtime *rt = r->worker->rt;
    bool any = false;
    *busy = NULL;
    for (unsigned i = 0; i < co4__nworkers(rt); i++) {
        struct co4__reactor *other = reactor_of(&rt->workers[i]);
        if (!other || other == r || atomic_load_explicit(&other->sleeps, memory_order_relaxed))
            continue;
        if (!*busy && !atomic_load_explicit(&other->nested_in, memory_order_relaxed))
            *busy = other;
        any = co4__reactor_rescue(other, now) || any;
    }
    return any;
}

/* `other` has not looked by itself since the watch began. */
void co4__reactor_nest(struct co4__reactor *r, struct co4__reactor *other)
{
    struct co4__reactor *none = NULL;
    if (!r->driver->nest || other->driver != r->driver)
        return;
    if (!atomic_compare_exchange_strong_explicit(&other->nested_in, &none, r, memory_order_acq_rel,
                                                 memory_order_relaxed))
        return;
    if (r->driver->nest(r, other) != 0)
        atomic_store_explicit(&other->nested_in, NULL, memory_order_release);
}

/* ---- runs inside runs ---- */

static bool is_unawaited_here(struct co4__reactor *r, struct co4__descriptor *d)
{
    (void)r;
    return !co4__descriptor_is_awaited(d, co4__local()->worker->rt);
}

/* Whether tasks of this run wait for events that a worker outside would take. */
bool co4__reactor_awaits_outside(const struct co4__reactor *r)
{
    for (struct co4__reactor *other = (struct co4__reactor *)(uintptr_t)r;
         r->worker && r->worker == co4__local()->worker &&
         (other = next_outside(r, other)) != NULL;)
        if (!co4__reactor_each(other, is_unawaited_here))
            return true;
    return false;
}

bool co4__reactor_is_outside(const struct co4__worker *w, const struct co4__worker *other)
{
    while (w && w != other)
        w = co4__worker_outside(w);
    return w != NULL;
}

void co4__reactor_leave_outside(struct co4__reactor *r)
{
    for (struct co4__reactor *other = r; (other = next_outside(r, other)) != NULL;)
        atomic_store_explicit(&other->nested_in, NULL, memory_order_relaxed);
}

/* ---- the end ---- */

/* r is about to end: the drivers that are nested in it are nested no more. The workers of the
 * runtime end one after the other, the last first, and none of them runs. */
void co4__reactor_release_nested(struct co4__reactor *r)
{
    const co4_runtime *rt = r->worker->rt;
    for (unsigned i = 0; i < co4__nworkers(rt); i++) {
        struct co4__reactor *other = reactor_of(&rt->workers[i]), *in = r;
        if (other && other != r)
            atomic_compare_exchange_strong(&other->nested_in, &in, NULL);
    }
    co4__reactor_leave_outside(r);
}
