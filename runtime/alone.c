/* alone.c - the one thread that does without atomic updates.
 *
 * A message takes four atomic updates: two locks, the claim of who receives it, his pause. They are most of its time, and mostly for nothing:
 * tasks that talk gather on one worker (sched.c), and all other threads sleep. So a worker that sees all others asleep declares itself
 * *alone*. Where it would lock a mailbox, claim a task or let one pause or end, it marks that it is `inside`, sees that it is
 * still alone, does what it has to do by plain loads and stores, and marks that it is out. Such a section takes no lock and waits for
 * nothing.
 *
 * All others pay. Whoever has taken a lock looks whether somebody else is alone, and if so puts an end to that: it clears `alone`, has
 * the kernel make every thread of the process pass a fence (membarrier), and waits until the other is out. Of the other's sections all that
 * come later find `alone` cleared; those that were before the fence have ended. So the other pays no fence: its mark
 * and its look are a store and a load that only the compiler has to keep in order.
 *
 * Who has taken a lock before somebody was alone may still hold it: so a section looks at the lock's word, and leaves it to the atomic way when
 * that is held. Taking a lock (an update, then the look at `co4__lone`) and becoming alone (that is set, a fence, then the
 * looks at locks) are a Dekker pair: one of them sees the other.
 *
 * What is claimed under the lock of no place (by who cancels, by a thread that gives up, by a dump), and a joiner's mark, are such updates that
 * no section would see. They are made as an *outsider*: counted, nobody being alone; and nobody becomes alone while the count is not 0. Timers
 * need none of it: their claims are under the heap's lock, and a section leaves tasks with timers alone.
 *
 * A thread is alone no longer than it drives its outermost worker: it leaves before the co4_run returns, or the runtime's thread ends. So nobody
 * ever has to do with the mark of a thread that is gone, whatever the destructors of its thread-local storage do.
 *
 * A thread becomes alone between two steps only, never in a nested loop: so whatever lists itself in a step of a lone thread does so
 * after that, and who claims it later has found the thread alone.
 *
 * A source of the user's own claims under a lock that is none of ours. What it claims is a select, whose task stands in no place: so only the wake
 * matters, before which it looks whether somebody is alone (source.c).
 *
 * An end costs who makes it some 15 µs when the other runs (an interrupt of its processor), less than one when it sleeps. Nobody is alone for
 * a hundred times as long afterwards; so where threads do talk to each other it costs a hundredth at most.
 *
 * Only where there is membarrier(2); elsewhere nobody is ever alone. Without threads everybody always is.
 *
 * Model: tests/model/alone.pml.
 *
 * Rejected: an owner for each mailbox (each that two workers use once would cost an end); plain operations as long as the process has one
 * thread (a runtime's worker is the second); a fence in each section (as dear as one update, and there are three sections in a
 * message's four); sections that take locks (who ends it may hold them). */
#include "internal.h"

#include "fork.h"

#ifndef CO4__NO_THREADS

#define LONGEST (5 * CO4_MS) /* until somebody may be alone again; an end is preempted, too */

_Atomic(struct co4__local *) co4__lone;
atomic_uint co4__outsiders;
int64_t co4__alone_patience = 100;

/* `changes` guards the rest, and who is alone. It is taken without a look at that. */
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
            /* What worked once may be forbidden later, to this thread or to all, or lack memory. Nobody is alone any more then; and in
             * this time what a processor has not told the others has long come out. */
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

static bool others_sleep(const struct co4__worker *w)
{
    for (unsigned i = 0; i < w->rt->nworkers; i++)
        if (i != w->index && !co4__queue_sleeps(&w->rt->workers[i].queue))
            return false;
    return true;
}

void co4__alone_look(struct co4__worker *w)
{
    if (atomic_load_explicit(&co4__lone, memory_order_relaxed) || !others_sleep(w))
        return;
    if (co4__clock() < atomic_load_explicit(&not_before, memory_order_relaxed) ||
        !co4__try_lock(&changes))
        return;
    if (!asked) {
        asked = true;
        able = co4__fence_all_init();
    }
    if (able && !atomic_load(&co4__lone)) {
        struct co4__local *here = co4__local();
        atomic_exchange(&co4__lone, here); /* the fence that the essay tells of */
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
            co4__back_off(waited++); /* somebody is about to end it */
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
    if (how == CO4__FORK_CHILD) { /* who was alone, or about to end that, may be gone */
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
