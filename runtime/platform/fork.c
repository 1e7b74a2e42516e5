/* fork.c - one protocol for all modules when the process forks.
 *
 * Purpose: the child has one thread. Locks that other threads hold at the fork would stay held, and
 * the child would wait for work of threads that it does not have.
 *
 * Invariants: each module with process-wide locks or with threads has a row in co4__forks, in lock
 * order. The parent takes all these locks before the fork, so no other thread is inside a section
 * that they guard. Both processes release them after it. In the child each module forgets the
 * threads of the parent. docs/workers.md describes what a child may do. A runtime learns from its
 * `generation` that its threads do not exist.
 *
 * Concurrency: no user code runs under these locks, so a fork waits for a few instructions only.
 *
 * No handler of signals runs while these locks are held: a jump of it would leave them so. Those
 * that came meanwhile are the parent's.
 *
 * A module whose locks come before those of all rows is a member instead (fork_members.c).
 *
 * Rejected: handlers for the locks in each object (the protocol would have to find every mailbox
 * first). An object that another thread was changing is lost to the child, as with any library. */
#include "platform/fork.h"

#include <stddef.h>

#include "base/inside.h"

unsigned co4__generation;

#if (defined(__unix__) || defined(__APPLE__)) && !defined(__wasi__) && !defined(__EMSCRIPTEN__)
#include <pthread.h>

static void fork_prepare(void)
{
    co4__inside_begin();
    for (size_t i = 0; i < co4__nforks; i++)
        if (co4__forks[i])
            co4__forks[i](CO4__FORK_PREPARE);
}

static void all_backwards(enum co4__fork how)
{
    for (size_t n = co4__nforks; n-- > 0;)
        if (co4__forks[n])
            co4__forks[n](how);
}

static void fork_in_parent(void)
{
    all_backwards(CO4__FORK_PARENT);
    co4__inside_end();
}

static void fork_in_child(void)
{
    co4__generation++;
    all_backwards(CO4__FORK_CHILD);
    co4__inside_end();
}

/* Runs before the program registers handlers of its own. So a handler for the time before a fork
 * runs before this library takes its locks, and a handler for the time after it runs when the locks
 * are released. Both may call the library. */
__attribute__((constructor(101))) static void register_for_forks(void)
{
    pthread_atfork(fork_prepare, fork_in_parent, fork_in_child);
}
#endif
