/* alone.c - the one thread that does without atomic updates: a biased owner, revoked on demand.
 *
 * Purpose: a message takes four atomic updates: two locks, the claim of its receiver, the
 * receiver's pause. Tasks that talk gather on one worker (sched.c) while all other threads sleep.
 * So a worker that sees all others asleep declares itself *alone*. Its sections, which lock a
 * mailbox, claim a task or end one, mark `inside`, see that the thread is still alone, work by
 * plain loads and stores, and clear the mark. A section takes no lock and waits for nothing.
 *
 * Invariants: a thread that has taken a lock looks for a lone thread and revokes it before it goes
 * on. A section leaves what is locked, and tasks with timers, to the atomic way. A thread becomes
 * alone between two steps only, never in a nested loop, and leaves before its co4_run returns or
 * its runtime's thread ends: no revoker waits for a thread that is gone.
 *
 * Concurrency: below. Model: tests/model/alone.pml. Without membarrier(2) no thread is ever alone;
 * without threads the only one always is.
 *
 * Rejected: an owner for each mailbox (two workers' first use would cost a revocation each); plain
 * operations while the process has one thread (a runtime's worker is the second); a fence in each
 * section (as dear as an update); sections that take locks (the revoker may hold them). */
#include "platform/alone.h"

#include "base/public.h"
#include "platform/fork.h"
#include "platform/lock.h"

/* How a lone thread is revoked. The revoker clears `alone`, has membarrier() fence every thread,
 * and waits until the section has ended. Later sections find `alone` cleared. The lone thread pays
 * no fence: only the compiler must keep its mark and its look in order.
 *
 * A lock may be held since before a thread became alone. So a section looks at the lock's word.
 * "Update the lock, look at co4__lone" and "set co4__lone, fence, look at locks" are a Dekker pair:
 * one of them sees the other.
 *
 * Claims under no place's lock (a canceller, a thread that gives up, a dump) and joiners' marks
 * count as *outsiders*: no thread is alone, or becomes it, while the count is not 0. Timers need no
 * count: the heap's lock guards their claims. A user's source claims selects under a lock of its
 * own; source.c looks before the wake.
 *
 * A revocation costs 15 us when the lone thread runs, under 1 us when it sleeps. No thread becomes
 * alone for a hundred times as long afterwards, so threads that talk lose a hundredth at most. */

#ifndef CO4__NO_THREADS

#define LONGEST (5 * CO4_MS) /* until a thread may be alone again; a revocation is preempted, too */

_Atomic(struct co4__local *) co4__lone;
atomic_uint co4__outsiders;
int64_t co4__alone_patience = 100;

/* `changes` guards the rest and co4__lone. It is taken without a look for a lone thread. */
static co4__lock changes;
static bool asked, able;
static _Atomic int64_t not_before;

void co4__alone_end(void)
{
    struct co4__local *lone;
    unsigned waited = 0;
    while ((lone = atomic_load(&co4__lone)) != NULL && lone != co4__local()) {
        if (!co4__try_lock(&changes)) {
            co4__back_off(waited++);
            continue;
        }
        if ((lone = atomic_load(&co4__lone)) != NULL && lone != co4__local()) {
            int64_t began = co4__clock();
            atomic_store(&lone->alone, false);
            /* The system may forbid the barrier later, to this thread or to all, or lack memory
             * for it. Then no thread becomes alone any more, and this one sleeps until the stores
             * of the other processor must be visible. */
            if (!co4__fence_all()) {
                able = false;
                co4__sleep_thread(began + LONGEST);
            }
            for (unsigned tries = 0; atomic_load_explicit(&lone->inside, memory_order_acquire);
                 tries++)
                co4__back_off(tries);
            int64_t ended = co4__clock(), pause = co4__alone_patience * (ended - began);
            atomic_store_explicit(&not_before, ended + (pause < LONGEST ? pause : LONGEST),
                                  memory_order_relaxed);
            atomic_store(&co4__lone, NULL);
        }
        co4__lock_give(&changes);
    }
}

void co4__alone_try(void)
{
    if (co4__clock() < atomic_load_explicit(&not_before, memory_order_relaxed) ||
        !co4__try_lock(&changes))
        return;
    if (!asked) {
        asked = true;
        able = co4__fence_all_init();
    }
    if (able && !atomic_load(&co4__lone)) {
        struct co4__local *here = co4__local();
        atomic_exchange(&co4__lone, here); /* the fence of the Dekker pair */
        if (atomic_load(&co4__outsiders) == 0)
            atomic_store(&here->alone, true);
        else
            atomic_store(&co4__lone, NULL);
    }
    co4__lock_give(&changes);
}

void co4__alone_leave(void)
{
    struct co4__local *here = co4__local();
    unsigned waited = 0;
    while (atomic_load(&co4__lone) == here) {
        if (!co4__try_lock(&changes)) {
            co4__back_off(waited++); /* another thread is revoking it */
            continue;
        }
        if (atomic_load(&co4__lone) == here) {
            atomic_store(&here->alone, false);
            atomic_store(&co4__lone, NULL);
        }
        co4__lock_give(&changes);
    }
}

void co4__alone_fork(enum co4__fork how)
{
    for (unsigned tries = 0; how == CO4__FORK_PREPARE && !co4__try_lock(&changes); tries++)
        co4__back_off(tries);
    if (how == CO4__FORK_CHILD) { /* the lone thread, or its revoker, may be gone */
        atomic_store(&co4__local()->alone, false);
        atomic_store(&co4__lone, NULL);
        atomic_store(&co4__outsiders, 0);
        asked = false; /* to be registered with the kernel anew */
    }
    if (how != CO4__FORK_PREPARE)
        co4__lock_give(&changes);
}

#else

void co4__alone_fork(enum co4__fork how)
{
    (void)how;
}

#endif
