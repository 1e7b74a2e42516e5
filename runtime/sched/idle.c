/* idle.c - a worker without ready tasks sleeps, and others wake it.
 *
 * Concurrency: such a worker clears the `notified` bit of its queue (idle_begin) and sleeps on its
 * parker, or in its poller (poller.h). It wakes when a marker finds the bit clear, or at its
 * earliest deadline. At the deadline the worker sets the bit itself (idle_end). If a marker was
 * first, the worker waits for the wake, which is about to come. So each cleared bit is followed by
 * exactly one wake or one unsleep, the parker's flag is never left set, and no thread touches a
 * parker after its owner has continued. */
#include "sched/idle.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/public.h"
#include "core/timers.h"
#include "memory/trim.h"
#include "platform/fd.h"
#include "platform/thread.h"
#include "sched/monitor.h"
#include "sched/poller.h"
#include "sched/queue.h"
#include "sched/runtime.h"
#include "sched/step_hooks.h"

bool co4__worker_idle_begin(struct co4__worker *w)
{
    if (w->idle.idling)
        return true;
    w->idle.idling = co4__queue_sleep(&w->queue);
    if (w->idle.idling)
        atomic_fetch_sub_explicit(&w->rt->idle.awake, 1, memory_order_relaxed);
    return w->idle.idling;
}

/* Returns where the worker sleeps, if that is not its parker. */
static struct co4__poller *poller_of(const struct co4__worker *w)
{
    return co4__has_threads ? co4__poller_of(w) : NULL;
}

/* A wake is about to come, or has come. */
static void take_wake(struct co4__worker *w)
{
    struct co4__poller *p = poller_of(w);
    if (CO4__UNLIKELY(p != NULL))
        p->ops->take_wake(p);
    else
        co4__parker_wait(&w->parker, CO4_NEVER);
}

void co4__worker_idle_end(struct co4__worker *w)
{
    if (w->idle.idling && !co4__queue_unsleep(&w->queue))
        take_wake(w); /* the marker counts it */
    else if (w->idle.idling)
        atomic_fetch_add_explicit(&w->rt->idle.awake, 1, memory_order_relaxed);
    w->idle.idling = false;
}

static int worker_sleep_until(struct co4__worker *w, int64_t until)
{
    struct co4__poller *p = poller_of(w);
    if (CO4__UNLIKELY(p != NULL))
        return p->ops->wait(p, until, !w->rt->threaded);
    return w->rt->threaded ? co4__parker_wait(&w->parker, until)
                           : co4__parker_look(&w->parker, until);
}

int co4__worker_idle(struct co4__worker *w, int64_t until)
{
    co4__signal_due();
    int64_t trim = co4__trim_idle();
    if (trim < until)
        until = trim;
    if (!co4__worker_idle_begin(w)) {
        if (!co4__queue_has_rx(&w->queue) && !co4__queue_any(&w->queue))
            co4__back_off(w->idle.tries++); /* a push is half done */
        return CO4_OK;
    }
    w->idle.tries = 0;
    /* The stopping thread stores `stopping`, then marks; the worker cleared the bit, then reads
     * `stopping`. So one of them sees the other. The same holds for a thread that makes a timer of
     * this heap earlier. */
    if (atomic_load(&w->rt->stopping))
        until = 0;
    w->look.at = 0;
    if (co4__timers_earliest(&w->timers) < until)
        until = co4__timers_earliest(&w->timers);
    int err = worker_sleep_until(w, until);
    if (err == CO4_OK)
        w->idle.idling = false; /* a marker set the bit, and this was its wake */
    else
        co4__worker_idle_end(w);
    struct co4__poller *p = poller_of(w);
    if (CO4__UNLIKELY(p != NULL))
        p->ops->handle(p);
    /* While any worker is awake, the monitor looks at all. The load is a shortcut. It comes after
     * the change of the queue's word, and so sees the clear of a monitor that has not seen this
     * worker awake. */
    if (!atomic_load(&w->rt->monitor.watches))
        co4__monitor_watch(&w->rt->monitor);
    return err == CO4_EDEADLK ? err : CO4_OK;
}

void co4__worker_wake(struct co4__worker *w)
{
    const co4_runtime_options *o = &w->rt->options;
    atomic_fetch_add_explicit(&w->rt->idle.awake, 1, memory_order_relaxed);
    if (CO4__UNLIKELY(o->on_ready != NULL) && !w->rt->threaded)
        o->on_ready(o->on_ready_data);
    const struct co4__self_pipe *wake_pipe = atomic_load_explicit(&w->rt->idle.pipe,
                                                                  memory_order_acquire);
    if (CO4__UNLIKELY(wake_pipe != NULL))
        co4__self_pipe_write(wake_pipe);
    struct co4__poller *p = poller_of(w);
    if (CO4__UNLIKELY(p != NULL))
        p->ops->wake(p);
    else
        co4__parker_wake(&w->parker);
}
