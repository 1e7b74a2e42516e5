/* rescue.c - tasks in the inbox of a worker that is stuck.
 *
 * A worker whose step does not end (a call that blocks, a long computation) would keep the tasks in
 * its inbox for as long. A thread of the runtime, the guard, looks after that: it finds tasks in an
 * inbox at two looks, `rescue_after` apart, and that no step has begun in between, and gives them
 * to the least loaded of the other workers. What the worker has in its private queue is out of
 * reach: nobody else may touch that.
 *
 * The guard sleeps while there is nothing to look after. A bit in each queue's word says whether
 * that inbox is guarded. Who pushes, finds the owner awake and the bit clear, sets it in the update
 * that marks the push, and calls the guard, which from then on looks every `rescue_after`, until it
 * has found the inbox empty and has cleared the bit. It looks once more after that: a push that was
 * marked before is seen then; one that is marked later finds the bit clear. So no task is left
 * alone, and a busy runtime pays one call for each worker in each `rescue_after` at most. Model:
 * tests/model/rescue.pml.
 *
 * A call touches the runtime after the push, when the task may have ended and the runtime is about
 * to go. So each call is counted once it is over; how many there must have been the guard knows
 * from the bits that it has cleared, and its end waits for them.
 *
 * Rejected: an idle worker as the guard (it has to hand its duty on whenever it gets work, which
 * costs wakes, and may get stuck as well); workers that tell when their steps begin (a look at the
 * clock for each). */
#include "sched/rescue.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/count.h"
#include "core/extra.h"
#include "core/task.h"
#include "platform/thread.h"
#include "sched/queue.h"
#include "sched/runtime.h"
#include "sched/sched.h"
#include "sched/worker.h"

static struct co4__worker *least_loaded(co4_runtime *rt)
{
    struct co4__worker *best = NULL;
    uint32_t least = UINT32_MAX;
    for (unsigned i = 0; i < rt->nworkers; i++) {
        struct co4__worker *w = &rt->workers[i];
        uint32_t load = co4__queue_load(&w->queue);
        if (!w->waits && load < least) {
            least = load;
            best = w;
        }
    }
    return best;
}

static void rescue(struct co4__worker *stuck)
{
    struct co4__worker *to = least_loaded(stuck->rt);
    if (!to)
        return; /* the others are no better off */
    for (co4_task *t = co4__queue_take_rx(&stuck->queue), *next; t; t = next) {
        next = t->next;
        co4__sched_hand(co4__pinned_to(t) >= 0 ? stuck : to, t);
        to = least_loaded(stuck->rt);
    }
}

/* True: there is something to look after. */
static bool look(co4_runtime *rt)
{
    bool any = false;
    for (unsigned i = 0; i < rt->nworkers; i++) {
        struct co4__worker *w = &rt->workers[i];
        uint64_t steps = co4__counted(&w->steps);
        if (!co4__queue_has_rx(&w->queue) && co4__queue_unguard(&w->queue))
            rt->answered++;
        bool waits = co4__queue_has_rx(&w->queue);
        w->stuck = waits && w->waits && w->seen == steps;
        w->waits = waits;
        w->seen = steps;
        any = any || waits;
    }
    for (unsigned i = 0; i < rt->nworkers; i++)
        if (rt->workers[i].stuck)
            rescue(&rt->workers[i]);
    return any;
}

static void guard_main(void *runtime)
{
    co4_runtime *rt = runtime;
    while (!atomic_load(&rt->stopping)) {
        co4__parker_wait(&rt->guarding, CO4_NEVER);
        do {
            int64_t next = co4_now() + rt->options.rescue_after;
            while (!atomic_load(&rt->stopping) && co4_now() < next)
                co4__parker_wait(&rt->guarding, next); /* also returns for calls */
        } while (!atomic_load(&rt->stopping) && look(rt));
    }
}

static void end(co4_runtime *rt)
{
    for (unsigned i = 0; i < rt->nworkers; i++)
        if (co4__queue_guard(&rt->workers[i].queue))
            rt->answered++;
    for (unsigned tries = 0; atomic_load_explicit(&rt->calls, memory_order_acquire) != rt->answered;
         tries++)
        co4__back_off(tries); /* somebody is about to call */
    co4__parker_fini(&rt->guarding);
}

int co4__guard_start(co4_runtime *rt)
{
    if (rt->nworkers < 2 || rt->options.rescue_after < 0)
        return CO4_OK;
    int err = co4__parker_init(&rt->guarding);
    if (err != CO4_OK)
        return err;
    for (unsigned i = 0; i < rt->nworkers; i++)
        co4__queue_unguard(&rt->workers[i].queue);
    err = co4__thread_start(&rt->guard, guard_main, rt);
    if (err != CO4_OK)
        end(rt);
    rt->guarded = err == CO4_OK;
    return err;
}

void co4__guard_stop(co4_runtime *rt)
{
    if (!rt->guarded)
        return;
    co4__parker_wake(&rt->guarding);
    co4__thread_join(&rt->guard);
    end(rt);
    rt->guarded = false;
}
