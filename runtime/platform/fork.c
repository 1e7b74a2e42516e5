/* fork.c - one protocol for all modules when the process forks.
 *
 * Purpose: the child has one thread. Locks that other threads hold at the fork would stay held, and
 * the child would wait for work of threads that it does not have.
 *
 * Invariants: each module with process-wide locks or with threads has a row in the table below, in
 * lock order. The parent takes all these locks before the fork, so no other thread is inside a
 * section that they guard. Both processes release them after it. In the child each module forgets
 * the threads that are gone. docs/runtime.md says what a child may do. A runtime notices by its
 * `generation` that its threads are gone.
 *
 * Concurrency: no user code runs under these locks, so a fork waits for a few instructions only.
 *
 * Rejected: locks in each object (the protocol would have to find every mailbox first). An object
 * that another thread was changing is lost to the child, as with any library. */
#include "platform/fork.h"

#include <stddef.h>

#include "base/public.h"
#include "sched/runtime.h"

/* alone.c is last: taking any other lock may revoke the lone thread, and that takes alone.c's
 * lock. */
static void (*const modules[])(enum co4__fork how) = {
    co4__signal_fork,  co4__insight_fork,  co4__group_fork, co4__task_fork,
    co4__runtime_fork, co4__blocking_fork, co4__trace_fork, co4__home_fork,
    co4__pool_fork,    co4__deadlock_fork, co4__alone_fork,
};
#define MODULES (sizeof modules / sizeof modules[0])

unsigned co4__generation;

static void prepare(void)
{
    for (size_t i = 0; i < MODULES; i++)
        modules[i](CO4__FORK_PREPARE);
}

static void in_parent(void)
{
    for (size_t i = MODULES; i-- > 0;)
        modules[i](CO4__FORK_PARENT);
}

static void in_child(void)
{
    co4__generation++;
    for (size_t i = MODULES; i-- > 0;)
        modules[i](CO4__FORK_CHILD);
}

void co4__fork_watch(void)
{
    co4__fork_handlers(prepare, in_parent, in_child);
}
