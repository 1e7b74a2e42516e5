/* stats.c - counters of runtimes, workers and memory. */
#include <stdatomic.h>

#include "base/count.h"
#include "base/public.h"
#include "memory/pool.h"
#include "sched/poller.h"
#include "sched/runtime.h"
#include "sched/worker.h"

static void add_worker(co4_stats *out, const struct co4__worker *w)
{
    out->steps += co4__counted(&w->stats.steps);
    out->pauses += co4__counted(&w->stats.pauses);
    out->yields += co4__counted(&w->stats.yields);
    /* A task that has run here came from elsewhere or was made ready here. */
    uint64_t received = co4__counted(&w->queue.received);
    uint64_t left = co4__counted(&w->stats.steps) + co4__counted(&w->stats.given);
    out->kept += left > received ? left - received : 0;
    out->sent += co4__counted(&w->stats.sent);
    out->pool_calls += co4__counted(&w->stats.pool_calls);
    out->ring_calls += co4__counted(&w->stats.ring_calls);
    out->received += received;
    out->timers += co4__counted(&w->timers.count);
    out->stopped += co4__counted(&w->count.stopped);
    out->spawned += co4__counted(&w->count.spawned);
    struct co4__poller *p = co4__poller_of(w);
    if (p)
        p->ops->count(p, w, out);
}

int co4_stats_of(co4_runtime *rt, co4_stats *out)
{
    if (!rt || !out)
        return CO4_EINVAL;
    *out = (co4_stats){ 0 };
    for (unsigned i = 0; i < co4__nworkers(rt); i++)
        add_worker(out, &rt->workers[i]);
    out->spawned += atomic_load_explicit(&rt->count.outside, memory_order_relaxed);
    return CO4_OK;
}

int co4_stats_of_worker(co4_runtime *rt, int worker, co4_stats *out)
{
    if (!rt || !out || worker < 0 || (unsigned)worker >= co4__nworkers(rt))
        return CO4_EINVAL;
    *out = (co4_stats){ 0 };
    add_worker(out, &rt->workers[worker]);
    return CO4_OK;
}

int co4_memory_of_process(co4_memory *out)
{
    if (!out)
        return CO4_EINVAL;
    struct co4__pool_use use;
    co4__pool_use(&use);
    *out = (co4_memory){ use.tasks, use.task_bytes, use.blocks, use.block_bytes, use.reserved };
    return CO4_OK;
}
