/* count.c - counts the tasks of a runtime, and wakes its joiners when it has none.
 *
 * Purpose: a counter that all workers update would be the busiest word of a program that spawns.
 * Instead each worker counts the tasks scheduled on its thread and those that stopped there.
 * Threads that are no worker of the runtime update `outside`.
 *
 * Invariants: the runtime is empty if the sums are equal, provided that all `stopped` are read
 * before all `spawned`. Neither count decreases, and a task is counted as spawned before it can
 * stop. If the stopped, read up to some moment, equal the spawned, read after it, both were equal
 * at that moment.
 *
 * Concurrency: a worker that runs out of tasks after a task has stopped on it wakes the joiners. It
 * takes `lock`, counts, and wakes. If several do so at once, the last one to hold the lock sees the
 * counts of all others. A joiner also counts under the lock before it waits. So no end is missed.
 * Counting takes one step per worker. */
#include "sched/count.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/public.h"
#include "core/task.h"
#include "platform/lock.h"
#include "sched/runtime.h"
#include "sched/worker.h"

uint64_t co4__runtime_alive(co4_runtime *rt)
{
    uint64_t stopped = 0, spawned = 0;
    for (unsigned i = 0; i < co4__nworkers(rt); i++)
        stopped += atomic_load_explicit(&rt->workers[i].count.stopped, memory_order_acquire);
    for (unsigned i = 0; i < co4__nworkers(rt); i++)
        spawned += atomic_load_explicit(&rt->workers[i].count.spawned, memory_order_acquire);
    spawned += atomic_load_explicit(&rt->count.outside, memory_order_acquire);
    return spawned - stopped;
}

void co4__runtime_was_left(co4_runtime *rt)
{
    if (CO4__UNLIKELY(rt->run.is_lost) && co4__runtime_alive(rt) == 0)
        exit(EXIT_SUCCESS);
}
