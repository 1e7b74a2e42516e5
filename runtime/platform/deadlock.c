/* deadlock.c - when each thread of the process sleeps until another wakes it, no thread ever runs
 * again.
 *
 * Purpose: a co4_run, or a thread blocked without a deadline, that waits for what cannot come ends
 * with CO4_EDEADLK, and says so.
 *
 * A thread *sleeps for good* in a wait without a deadline at its parker: idle workers, guards,
 * blocked threads, dozing runs. So do idle threads of the blocking pool, whose deadline only ends
 * them, and the thread of the dump signal. If as many sleep for good as the process has, none is
 * left to wake one. A timer that is set is the deadline of some thread, which then does not sleep
 * for good.
 *
 * Invariants: `asleep` changes at each beginning and end of such a sleep. The waker ends the sleep
 * before it signals, and is awake itself. The system counts a thread from before its creator
 * returns until it has done all it does. So only an uncounted thread ends a counted sleep.
 *
 * Concurrency: a look reads `asleep`, asks the system for the number of threads, and replaces
 * `asleep` if that is still the same word, number of changes included. So the word had this value
 * at the moment of the number, too. If both are equal all threads slept then, and only the looker
 * goes on: its replacement takes it out. Model: tests/model/deadlock.pml. Runs and blocked threads
 * look, after 10 ms, 20, 40, …: the end of a thread notifies no other. A short wait pays nothing.
 *
 * Signals: a handler may not use this library, but may end the process or leave the call. So a
 * program with a handler for signals that come at any time is never told. Faults and SIGPIPE come
 * from a running thread; the dump's handler wakes a thread that only writes.
 *
 * Rejected: counting the threads that this library starts (the program has others); a look at each
 * sleep (2 us, of waits that may be as short); a thread that looks (an idle program would have one
 * that never sleeps). */
#include "platform/deadlock.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/public.h"
#include "platform/fork.h"
#include "platform/system.h"

#define SLEEPER UINT64_C(1)
#define CHANGE  (UINT64_C(1) << 32) /* how often it has changed, in the upper half */

int64_t co4__first_look = 10 * CO4_MS;

static _Atomic uint64_t asleep;
static atomic_bool off; /* co4_deadlock_detect(0) */

void co4__sleep_begins(void)
{
    atomic_fetch_add(&asleep, CHANGE + SLEEPER);
}

void co4__sleep_ends(void)
{
    atomic_fetch_add(&asleep, CHANGE - SLEEPER);
}

bool co4__deadlocked(void)
{
    uint64_t seen = atomic_load(&asleep);
    return co4__deadlock_is_detected() && !co4__may_be_interrupted() &&
           co4__threads_are((uint32_t)seen) &&
           atomic_compare_exchange_strong(&asleep, &seen, seen + CHANGE - SLEEPER);
}

void co4_deadlock_detect(int on)
{
    atomic_store_explicit(&off, !on, memory_order_relaxed);
}

bool co4__deadlock_is_detected(void)
{
    return !atomic_load_explicit(&off, memory_order_relaxed);
}

void co4__deadlock_fork(enum co4__fork how)
{
    if (how == CO4__FORK_CHILD)
        atomic_store(&asleep, 0); /* the sleeping threads are the parent's */
}
