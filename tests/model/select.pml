/* select.pml - a task waits at two mailboxes at once, with a deadline; messages may come to both. It
 * looks at them first, from any one on, and queues nothing; only if both are empty it waits
 * (source.c, select.c, woven/select.c).
 *
 *   - each select has one winner: one case, or the deadline, or the cancellation
 *   - no message is lost or taken twice: a message that a select has refused stays in the ring
 *   - no mailbox accesses a listener that was dropped; none is left in a list
 *   - no thread waits for ever: neither one that spins for a wait between acquire and complete, nor
 *     the task
 *
 * break: LISTED_LATER   the task is a waiter only after it has released the heap's lock
 * break: NOT_ACQUIRED   a source checks whether the wait is still wanted, and completes it later
 * break: DROP_UNLOCKED  listeners are dropped without the source's lock
 * break: TIMER_FIRST    complete removes the timer before it releases the claim word
 * break: NOT_DROPPED    a select that was served leaves its other listeners in their lists
 * break: TAKEN_BEFORE   the message is taken from the ring before the wait is acquired */
#include "model.h"

#define SELECTS 2
#define NOBODY  2

byte wait = NONE;
bool lock[2], heap, node[2];
byte ring[2];
bool armed, alive, ended;
byte chosen = NOBODY;
byte taken, put, wakes;

active proctype end() /* first: it outlives the others */
{
    ended && _nr_pr == 1;
    assert(taken + ring[0] + ring[1] == put && wakes == 0 && !node[0] && !node[1])
}

/* Under the lock of i. */
#ifdef NOT_ACQUIRED
#define ACQUIRE(ok) ok = (wait == LISTED)
#else
#define ACQUIRE(ok)                                                                                \
    atomic {                                                                                       \
        wait != BUSY;                                                                              \
        ok = (wait == LISTED);                                                                     \
        wait = (ok -> BUSY : wait)                                                                 \
    }
#endif

#define CANCEL_TIMER()                                                                             \
    LOCK(heap);                                                                                    \
    armed = false;                                                                                 \
    UNLOCK(heap)

#ifdef TIMER_FIRST
#define LET_GO() CANCEL_TIMER(); wait = NONE
#else
#define LET_GO() wait = NONE; CANCEL_TIMER()
#endif

#define OFFER(i, ok)                                                                               \
    assert(alive);                                                                                 \
    ACQUIRE(ok);                                                                                   \
    if                                                                                             \
    :: ok ->                                                                                       \
        assert(chosen == NOBODY && alive);                                                         \
        chosen = i;                                                                                \
        taken++;                                                                                   \
        LET_GO()                                                                                   \
    :: else                                                                                        \
    fi

active proctype task()
{
    byte round, i, at, added;
    bool ok;
    do
    :: round == SELECTS -> break
    :: else ->
        atomic { alive = true; chosen = NOBODY };
        i = 0;
        if
        :: at = 0
        :: at = 1
        fi;
        do /* poll */
        :: i < 2 && chosen == NOBODY ->
            LOCK(lock[at]);
            if
            :: ring[at] > 0 -> ring[at]--; taken++; chosen = at
            :: else
            fi;
            UNLOCK(lock[at]);
            at = 1 - at;
            i++
        :: else -> break
        od;
        if
        :: chosen == NOBODY ->
            LOCK(heap);
            armed = true;
#ifdef LISTED_LATER
            UNLOCK(heap);
            wait = LISTED;
#else
            wait = LISTED;
            UNLOCK(heap);
#endif
            added = 0;
            ok = false;
            do /* add */
            :: added < 2 && !ok ->
                LOCK(lock[added]);
                if
                :: ring[added] > 0 ->
#ifdef TAKEN_BEFORE
                    ring[added]--;
#endif
                    OFFER(added, ok)
                :: else
                fi;
                if
                :: ok ->
#ifndef TAKEN_BEFORE
                    ring[added]--;
#endif
                    UNLOCK(lock[added]);
                    wakes++
                :: else ->
                    node[added] = true;
                    UNLOCK(lock[added])
                fi;
                added++
            :: else -> break
            od;
            atomic { wakes > 0 -> wakes-- }; /* park */
#ifndef NOT_DROPPED
            i = 0;
            do /* drop */
            :: i < added ->
                if
#ifdef DROP_UNLOCKED
                :: node[i] -> node[i] = false
#else
                :: node[i] ->
                    LOCK(lock[i]);
                    node[i] = false;
                    UNLOCK(lock[i])
#endif
                :: else
                fi;
                i++
            :: else -> break
            od
#endif
        :: else
        fi;
        assert(wakes == 0 && wait == NONE);
        alive = false;
        round++
    od;
    ended = true
}

active [2] proctype putter()
{
    byte i = _pid - 2;
    byte n;
    bool ok;
    do
    :: n < 2 ->
        LOCK(lock[i]);
        ok = false;
        put++;
        if
        :: node[i] ->
            OFFER(i, ok)
        :: else
        fi;
        if
        :: ok ->
            node[i] = false;
            UNLOCK(lock[i]);
            assert(alive);
            wakes++
        :: else ->
            ring[i]++;
            UNLOCK(lock[i])
        fi;
        n++
    :: break
    od
}

active proctype clock()
{
    bool won;
    do
    :: armed ->
        LOCK(heap);
        won = false;
        if
        :: armed ->
            armed = false;
            CLAIM(wait, won)
        :: else
        fi;
        UNLOCK(heap);
        if
        :: won -> wakes++
        :: else
        fi
    :: ended -> break
    od
}

active proctype canceller()
{
    bool won;
    CLAIM(wait, won);
    if
    :: won ->
        CANCEL_TIMER();
        wakes++
    :: else
    fi
}
