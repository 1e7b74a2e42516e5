/* deadlock.c - detects that every thread of the process sleeps until another wakes it.
 *
 * Purpose: a co4_run, or a thread blocked without a deadline, may wait for an event that cannot
 * happen. It then ends with CO4_EDEADLK, and the deadlock is reported. A thread *sleeps for good*
 * if it waits without a deadline at its parker: an idle worker, a monitor, a blocked thread, an
 * idle run. Two kinds of threads count too: idle threads of the blocking pool, whose deadline only
 * ends them, and the thread of the dump signal. If as many threads sleep for good as the process
 * has, none can wake another. A timer that is set is the deadline of some thread, which therefore
 * does not sleep for good.
 *
 * Invariants: `asleep` changes at the beginning and the end of each such sleep. The waker ends the
 * sleep before it signals, and is awake. The system counts a thread from before its creation
 * returns until it has finished. So only an uncounted thread ends a counted sleep.
 *
 * Concurrency: a check reads `asleep`, asks the system for the number of threads, and replaces
 * `asleep` if the word, which includes the number of changes, is still the same. So both numbers
 * held at one moment. If they are equal, all threads slept then, and only the checking thread goes
 * on. Runs and blocked threads check after 10 ms, 20, 40, …, since a thread that ends notifies no
 * other. A short wait costs nothing. A program that handles a signal which can come at any time is
 * never reported: the handler may end the wait. Model: tests/model/deadlock.pml.
 *
 * Rejected: counting only our own threads (the program has others); a check at each sleep (2 us,
 * for waits that may be as short); a thread that checks (an idle program would never sleep). */
#include "platform/deadlock.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/public.h"
#include "platform/fork.h"
#include "platform/system.h"

#define SLEEPER UINT64_C(1)
#define CHANGE  (UINT64_C(1) << 32) /* the upper half counts changes */

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
