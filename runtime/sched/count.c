/* count.c - how many tasks a runtime has, and who is told when it has none.
 *
 * How many tasks are there? A counter that all workers share would be the busiest word of a
 * program that spawns. Instead each worker counts what was scheduled on its thread and what
 * stopped there; threads that are no worker share `outside`. The runtime is empty when the sums
 * are equal, provided all `stopped` are read before all `spawned`: neither ever falls, and a task
 * is counted as spawned before it can stop. If the stopped, read up to some moment, equal the
 * spawned, read after it, both were equal at that moment.
 *
 * Who tells the joiners? The worker that runs dry after a task has stopped on it. It takes `lock`,
 * counts, and tells. Of several that run dry at once the last to hold the lock sees the counts of
 * all others; and a joiner counts under the lock, too, before it waits. So no end is missed. To
 * count takes as many steps as there are workers. */
#include "sched/count.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/public.h"
#include "core/task.h"
#include "platform/lock.h"
#include "sched/runtime.h"
#include "sched/worker.h"

uint64_t co4__runtime_alive(co4_runtime *rt)
{
    uint64_t stopped = 0, spawned = 0;
    for (unsigned i = 0; i < rt->nworkers; i++)
        stopped += atomic_load_explicit(&rt->workers[i].stopped, memory_order_acquire);
    for (unsigned i = 0; i < rt->nworkers; i++)
        spawned += atomic_load_explicit(&rt->workers[i].spawned, memory_order_acquire);
    spawned += atomic_load_explicit(&rt->outside, memory_order_acquire);
    return spawned - stopped;
}

void co4__runtime_maybe_empty(co4_runtime *rt)
{
    struct co4__list notified = { NULL, NULL };
    co4__lock_take(&rt->lock);
    if (rt->joiners.head && co4__runtime_alive(rt) == 0) {
        notified = rt->joiners;
        rt->notified++;
        rt->joiners = (struct co4__list){ NULL, NULL };
    }
    co4__lock_give(&rt->lock);
    for (co4_task *j = notified.head, *next; j; j = next) {
        next = j->next;
        co4__task_wake(j);
    }
}
