/* fork.c - one protocol for all modules when the process forks.
 *
 * Purpose: the child has one thread. Locks that others hold at that moment would stay held, and what others were to do would be
 * waited for in vain.
 * Invariants: each module with locks of the process's, or with threads, stands in the table below, in the order in which its locks may
 * be taken. Before the fork all are taken, so no other thread is in the middle of anything that they guard. After it they are given
 * back in both processes; in the child each module forgets the threads that are gone.
 * What a child may do stands in docs/runtime.md. Runtimes whose threads are gone are told by their `generation`.
 * Concurrency: no user's code runs under any of these locks, so a fork waits for instructions only.
 * Rejected: locks in each object (a mailbox would have to be found first): an object that another thread was in the middle of is lost
 * to the child, as it is with any library. */
#include "internal.h"

#include "fork.h"

/* alone.c the last: to take any other lock may be to end somebody's being alone, which takes its lock. */
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
