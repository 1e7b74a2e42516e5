/* cancels.pml - pthread_cancel() of a thread that is a task (posix/cancels.c, core/cancel.c). The
 * thread makes three calls: reads that may wait, which are points, waits for a lock, which are none,
 * and changes of its state. Two threads cancel it, one gives it bytes and locks.
 *
 *   - it ends at its next point, or in the wait there, once, and not while it has disabled that
 *   - a call that has its byte or its lock succeeds; none is lost, and no call says ECANCELED
 *   - it does not wait for ever at a point when it is cancelled
 *
 * break: CUT_FIRST       a canceller ends the wait, and marks the thread as cancelled afterwards
 * break: NOT_ASKED       a call that might not wait does not ask at its beginning
 * break: NOT_SEEN        the task does not read `cut` when it is a waiter
 * break: NO_SHIELD       a canceller ends any wait
 * break: ENDS_ANYHOW     the next step gives the task up, whatever has ended its wait
 * break: TWO_STEP_CLAIM  a claim is a read and a write
 * break: STATE_UNREAD    the task is given up though it has disabled that
 * break: NOT_KEPT        a cancellation is forgotten that comes while the thread has disabled it */
#include "model.h"

#define CALLS 3

byte wait = NONE;    /* the claim word */
bool shielded;       /* a bit of it: no cancellation ends the wait */
bool cancelled, cut; /* the thread's; the task's: `cancel` */
bool disabled, at_point, finished;
bool by_cancel; /* the result of its wait: not what it has waited for */
bool returned;  /* a pthread_cancel() has */
byte wakes, given, got, ready, ends;

#ifdef NO_SHIELD
#define IS_OPEN (wait == LISTED)
#else
#define IS_OPEN (wait == LISTED && !shielded)
#endif
#ifdef TWO_STEP_CLAIM
#define TRY(won) won = IS_OPEN; wait = (won -> NONE : wait)
#else
#define TRY(won) atomic { won = IS_OPEN; wait = (won -> NONE : wait) }
#endif

#ifdef STATE_UNREAD
#define DUE (cancelled)
#else
#define DUE (cancelled && !disabled)
#endif

inline give_up()
{
    assert(cancelled && !disabled && ends == 0);
    ends++;
    goto over
}

inline wait_for_one(with_shield)
{
    atomic {
        if
        :: ready > 0 -> /* it has not to wait */
            ready--;
            won = true
        :: else ->
            won = false;
            shielded = with_shield;
            wait = LISTED
        fi
    }
    if
    :: won -> by_cancel = false
    :: else ->
#ifndef NOT_SEEN
        if
        :: cut ->
            TRY(won);
            by_cancel = (won -> true : by_cancel)
        :: else
        fi;
#endif
        if
        :: won
        :: else ->
end_waits:  atomic { wakes > 0 -> wakes-- }
        fi
    fi
}

active proctype task()
{
    byte calls;
    bool won, was;
    do
    :: calls < CALLS -> /* a read */
        calls++;
        was = returned && !disabled;
        at_point = true;
#ifndef NOT_ASKED
        if
        :: DUE -> give_up()
        :: else
        fi;
#endif
        wait_for_one(disabled);
#ifdef ENDS_ANYHOW
        if
        :: DUE -> give_up()
        :: else
        fi;
#else
        if
        :: DUE && by_cancel -> give_up()
        :: else
        fi;
#endif
        assert(!by_cancel && !was);
        got++;
        at_point = false
    :: calls < CALLS -> /* a lock */
        calls++;
        wait_for_one(true);
        assert(!by_cancel);
        got++
    :: calls < CALLS -> /* its state */
        calls++;
        disabled = !disabled
    :: calls == CALLS -> break
    od;
over:
    finished = true
}

active proctype giver()
{
    bool won;
    do
    :: given < CALLS && !finished ->
        given++;
        atomic { /* under the lock of what it waits for */
            won = false;
            if
            :: wait == LISTED -> wait = NONE; won = true
            :: else -> ready++
            fi
        }
        if
        :: won -> by_cancel = false; wakes++
        :: else
        fi
    :: break
    od
}

active [2] proctype canceller()
{
    bool won;
#ifdef NOT_KEPT
    if
    :: disabled -> goto done
    :: else
    fi;
#endif
#ifndef CUT_FIRST
    cancelled = true;
#endif
    cut = true;
    TRY(won);
    if
    :: won -> by_cancel = true; wakes++
    :: else
    fi;
#ifdef CUT_FIRST
    cancelled = true;
#endif
done:
    returned = true
}

/* When nobody can go on. */
active proctype end()
{
    timeout;
    assert(wakes == 0);
    assert(finished || disabled || !at_point);
    assert(!finished || given == got + ready)
}
