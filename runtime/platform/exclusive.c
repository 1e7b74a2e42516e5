/* exclusive.c - one thread works without atomic updates: a biased owner, revoked on demand.
 *
 * Purpose: a message takes four atomic updates: two locks, the claim of its receiver, the
 * receiver's pause. Tasks that talk to each other come to one worker (sched.c) while all other
 * threads sleep. A worker that sees all others asleep becomes the *exclusive owner*. Its sections
 * lock a mailbox, claim a task or end one by plain loads and stores. A section takes no lock and
 * never waits.
 *
 * Invariants: a thread that has taken a lock revokes another owner before it goes on. In a section,
 * locked objects and tasks with timers are left to the atomic path. A thread becomes the owner only
 * between two steps, never in a nested loop. It gives up the ownership before its co4_run returns
 * or its runtime's thread ends, so no revoker waits for a thread that has ended.
 *
 * Concurrency: below. Model: tests/model/exclusive.pml. Without membarrier(2) there is never an
 * owner; without threads the only thread always is.
 *
 * Rejected: an owner for each mailbox (the first use by two workers would cost a revocation each);
 * plain operations while the process has one thread (a runtime's worker is the second); a fence in
 * each section (as expensive as an update); sections that take locks (the revoker may hold
 * them). */
#include "platform/exclusive.h"

#include "base/compiler.h"
#include "base/public.h"
#include "platform/fork.h"
#include "platform/lock.h"

/* Revocation. The revoker clears `is_owner`, makes every thread pass a fence by membarrier(), and
 * waits until the section has ended. Later sections find `is_owner` cleared. The owner executes no
 * fence. Only the compiler must keep two accesses in order: the store that marks a section, and the
 * load of `is_owner`.
 *
 * A thread may have taken a lock before another thread became the owner, and still hold it. So a
 * section reads the lock's word. "Update the lock, read co4__exclusive_owner" and "write
 * co4__exclusive_owner, fence, read the locks" are a Dekker pair: at least one of them sees the
 * other's write.
 *
 * Some threads claim tasks without the lock of a wait queue: a canceller, a thread that gives up, a
 * dump. They count as *external*, and so does a joiner that sets its mark. While the count is not 0
 * there is no owner. Timers need no count, since the heap's lock guards their claims. A user's
 * source claims selects under a lock of its own; source.c revokes before the wake.
 *
 * The system has to prepare a process for membarrier(). That takes less than 1 us while there is
 * one thread, and up to 20 ms afterwards. So it is done when a runtime is created, before its
 * threads.
 *
 * A revocation costs 15 us if the owner runs, and less than 1 us if it sleeps. For a hundred times
 * that long no thread becomes the owner. So threads that communicate lose at most a hundredth. */

#ifndef CO4__NO_THREADS

#define LONGEST                                                                                    \
    (5 * CO4_MS) /* the longest pause until the next owner: a revoker may be preempted */

/* Each thread that takes a lock reads the first; each join and cancellation writes the second. So
 * they are in two cache lines. */
_Alignas(64) _Atomic(struct co4__local *) co4__exclusive_owner;
#if defined(__GNUC__) && !defined(__APPLE__)
extern CO4__PRIVATE _Atomic(struct co4__local *) co4__exclusive_owner_outside
    __attribute__((alias("co4__exclusive_owner")));
#endif
_Alignas(64) atomic_uint co4__externals;
int64_t co4__exclusive_patience = 100;

/* `changes` guards the changes of co4__exclusive_owner. Its holder revokes no owner. `asked` is set
 * by the thread that prepares the process, and `able` afterwards; a revoker may clear it. */
static co4__lock changes;
static atomic_bool asked, able;
static _Atomic int64_t not_before;

void co4__exclusive_revoke_owner(void)
{
    struct co4__local *owner;
    unsigned waited = 0;
    while ((owner = atomic_load(&co4__exclusive_owner)) != NULL && owner != co4__local()) {
        if (!co4__try_lock(&changes)) {
            co4__back_off(waited++);
            continue;
        }
        if ((owner = atomic_load(&co4__exclusive_owner)) != NULL && owner != co4__local()) {
            int64_t began = co4__clock();
            atomic_store(&owner->exclusive.is_owner, false);
            /* The system may later forbid the barrier, to this thread or to all, or lack memory for
             * it. Then no thread becomes the owner any more. The revoker sleeps until the stores of
             * the other processor must be visible. */
            if (!co4__fence_all()) {
                atomic_store(&able, false);
                co4__sleep_thread(began + LONGEST);
            }
            for (unsigned tries = 0;
                 atomic_load_explicit(&owner->exclusive.in_section, memory_order_acquire); tries++)
                co4__back_off(tries);
            int64_t ended = co4__clock(), pause = co4__exclusive_patience * (ended - began);
            atomic_store_explicit(&not_before, ended + (pause < LONGEST ? pause : LONGEST),
                                  memory_order_relaxed);
            atomic_store(&co4__exclusive_owner, NULL);
        }
        co4__lock_give(&changes);
    }
}

void co4__sections_prepare(void)
{
    if (!atomic_load(&asked) && !atomic_exchange(&asked, true))
        atomic_store(&able, co4__fence_all_init());
}

void co4__sections_acquire(void)
{
    co4__sections_prepare(); /* a co4_run has no runtime that was created */
    if (co4__clock() < atomic_load_explicit(&not_before, memory_order_relaxed) ||
        !co4__try_lock(&changes))
        return;
    if (atomic_load(&able) && !atomic_load(&co4__exclusive_owner)) {
        struct co4__local *here = co4__local();
        atomic_exchange(&co4__exclusive_owner, here); /* the fence of the Dekker pair */
        if (atomic_load(&co4__externals) == 0)
            atomic_store(&here->exclusive.is_owner, true);
        else
            atomic_store(&co4__exclusive_owner, NULL);
    }
    co4__lock_give(&changes);
}

void co4__sections_release(void)
{
    struct co4__local *here = co4__local();
    unsigned waited = 0;
    while (atomic_load(&co4__exclusive_owner) == here) {
        if (!co4__try_lock(&changes)) {
            co4__back_off(waited++); /* another thread is revoking it */
            continue;
        }
        if (atomic_load(&co4__exclusive_owner) == here) {
            atomic_store(&here->exclusive.is_owner, false);
            atomic_store(&co4__exclusive_owner, NULL);
        }
        co4__lock_give(&changes);
    }
}

CO4__COLD void co4__exclusive_fork(enum co4__fork how)
{
    for (unsigned tries = 0; how == CO4__FORK_PREPARE && !co4__try_lock(&changes); tries++)
        co4__back_off(tries);
    if (how == CO4__FORK_CHILD) { /* the child may lack the owner or its revoker */
        atomic_store(&co4__local()->exclusive.is_owner, false);
        atomic_store(&co4__exclusive_owner, NULL);
        atomic_store(&co4__externals, 0);
        atomic_store(&able, false); /* the child registers with the kernel anew */
        atomic_store(&asked, false);
    }
    if (how != CO4__FORK_PREPARE)
        co4__lock_give(&changes);
}

#else

CO4__COLD void co4__exclusive_fork(enum co4__fork how)
{
    (void)how;
}

#endif
