/* worker_main.c - the loop of a worker's thread, and a turn of a worker that a host drives. Only a
 * program that makes runtimes has this file. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"
#include "memory/pool.h"
#include "platform/lock.h"
#include "platform/thread.h"
#include "sched/count.h"
#include "sched/idle.h"
#include "sched/look.h"
#include "sched/queue.h"
#include "sched/runtime.h"
#include "sched/sched.h"
#include "sched/worker.h"
#include "sched/worker_step.h"

unsigned co4__worker_turn(struct co4__worker *w)
{
    unsigned n = 0;
    co4__worker_timers(w);
    co4__worker_events(w);
    co4__queue_drain(&w->queue);
    co4__lanes_join(&w->queue.lanes); /* what is woken in this turn runs in the next one */
    for (unsigned ready = w->queue.ninner; n < ready; n++) {
        co4_task *t = co4__queue_fetch(&w->queue);
        if (!t)
            break;
        co4__worker_step(w, t);
    }
    return n;
}

/* Wakes the joiners of a runtime that has no task left: count.c. */
static void notify_if_empty(co4_runtime *rt)
{
    struct co4__wait_queue *q = &rt->count.joiners;
    struct co4__list woken = { NULL, NULL };
    unsigned taken = 0;
    co4__lock_take(&q->lock);
    struct co4__waiter *w = co4__runtime_alive(rt) == 0 ? q->waiters.head : NULL;
    for (struct co4__waiter *next; w; w = next) {
        next = w->next;
        if (!co4__take(q, w))
            continue;
        w->result.i = CO4_OK;
        co4__list_push(&woken, w);
        if (co4__wait_queue_may_yield(q, &taken))
            next = q->waiters.head;
    }
    co4__lock_give(&q->lock);
    co4__list_wake(&woken);
}

void co4__worker_main(void *worker)
{
    struct co4__worker *w = worker;
    struct co4__local *here = co4__local();
    here->worker = w;
    w->outermost = true;
    co4__pool_thread_begin();
    if (w->guarded)
        co4__several.begins(w);
    for (;;) {
        co4_task *t = co4__queue_fetch(&w->queue);
        if (CO4__LIKELY(t != NULL)) {
            co4__step(w, here, t);
            continue;
        }
        co4__worker_timers(w);
        if (co4__queue_any(&w->queue))
            continue;
        if (w->rt->sched.prefers_here) {
            co4__several_ask(w);
            if (co4__queue_any(&w->queue) || co4__queue_has_rx(&w->queue))
                continue;
        }
        if (w->dirty) {
            w->dirty = false;
            notify_if_empty(w->rt);
            co4__runtime_was_left(w->rt);
        }
        if (atomic_load(&w->rt->stopping))
            break;
        if (w->guarded)
            co4__several.idles(w);
        co4__worker_idle(w, co4__timers_earliest(&w->timers));
    }
    co4__worker_idle_end(w);
    co4__sections_release();
    here->worker = NULL;
}
