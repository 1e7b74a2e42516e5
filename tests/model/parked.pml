/* parked.pml - tasks that wait for a lock of the C library (posix/parked.c, posix/woven/locks.c).
 *
 * Tasks lock and unlock one lock. A task that does not get it queues itself, tries again, and waits
 * for a permit. An unlock changes the lock, and then chooses a waiter. The first task also gives up
 * at any time. Tasks that do not wait may come in between.
 *
 *   - at most one task has the lock
 *   - no task waits for ever while the lock is free: all come to their end
 *
 * break: NO_SECOND_TRY   a task that has queued itself waits without another try
 * break: LOOKS_FIRST     an unlock looks for waiters before it changes the lock
 * break: LOST_CHOICE     a chosen task that gives up does not choose the next one
 * break: NO_RETRY_QUEUE  a chosen task that another one has overtaken waits without queueing */
#include "model.h"

#define TASKS  3
#define ROUNDS 2

bool held;
bool queued[TASKS];
byte permits[TASKS];
byte waiters, holders;

inline try()
{
    atomic {
        got = !held;
        held = true
    }
}

/* co4__parked_wake(): the list, under the lock of its stripe; then the permit. */
inline wake()
{
    if
    :: waiters > 0 ->
        atomic {
            chosen = TASKS;
            if
            :: queued[0] -> chosen = 0
            :: queued[1] -> chosen = 1
            :: queued[2] -> chosen = 2
            :: else
            fi;
            if
            :: chosen < TASKS ->
                queued[chosen] = false;
                waiters--
            :: else
            fi
        };
        if
        :: chosen < TASKS -> permits[chosen]++
        :: else
        fi
    :: else
    fi
}

inline remove()
{
    atomic {
        was = queued[id];
        queued[id] = false;
        waiters = waiters - was
    }
}

/* The cleanup of a waiter that has not waited for its permit. */
inline leave()
{
    remove();
    if
    :: was
    :: else ->
        atomic { permits[id] > 0 -> permits[id]-- };
#ifdef LOST_CHOICE
        if
        :: got -> wake()
        :: else
        fi
#else
        wake()
#endif
    fi
}

proctype task(byte id)
{
    bool got, was, gives_up;
    byte rounds, chosen;
    do
    :: rounds == ROUNDS -> break
    :: else ->
        rounds++;
        gives_up = false;
        try();
        do
        :: got -> break
        :: gives_up -> break
        :: else ->
            atomic {
                queued[id] = true;
                waiters++
            };
#ifndef NO_SECOND_TRY
            try();
#endif
            if
            :: got -> leave(); break
            :: !got && id == 0 -> gives_up = true; leave(); break
            :: !got ->
again:
                atomic { permits[id] > 0 -> permits[id]-- };
                try();
#ifdef NO_RETRY_QUEUE
                if
                :: !got -> goto again
                :: else
                fi
#endif
            :: !got && id == 0 -> /* its time is over in the wait */
                remove();
                if
                :: !was -> atomic { permits[id] > 0 -> permits[id]-- }
                :: else
                fi;
                try() /* it gives up in the next round, as it has queued itself */
            fi
        od;
        if
        :: got ->
            holders++;
            assert(holders == 1);
            holders--;
#ifdef LOOKS_FIRST
            wake();
            held = false
#else
            held = false;
            wake()
#endif
        :: else
        fi
    od
}

init
{
    atomic {
        run task(0);
        run task(1);
        run task(2)
    };
    _nr_pr == 1;
    assert(!held && waiters == 0)
}
