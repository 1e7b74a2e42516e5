/* waiter.pml - the waits of a task: at one place as a plain waiter, or by a select at two. It looks
 * first whether a message is there, and queues nothing then. A sender, a timer and a canceller want
 * to end the wait, and the task itself does if it was cancelled just before (wait.c, source.c,
 * due.c, cancel.c, woven/select.c).
 *
 *   - each wait ends once: by one sender, or the deadline, or the cancellation; each of them alone
 *     ends it, a cancellation also one that was there before
 *   - no message is lost or taken twice: what a select has refused stays in the ring
 *   - before a task is woken it has left each queue of a plain wait, and its timer has left the
 *     heap; the timer's node is freed once, and no thread reads it later
 *   - no source accesses a listener that was dropped; none is left in a list
 *   - no two threads wait for each other's locks, or for a wait between acquire and complete
 *
 * break: NOT_READ_AGAIN   the task does not read `cancel` after it is queued
 * break: STORE_PASSES     the store of `cancel` becomes visible after the claim is tried, as
 *                         without sequential consistency
 * break: LISTED_LATER     the task is a waiter only after it has released the heap's lock
 * break: TWO_STEP_CLAIM   a claim is a read and a write
 * break: STAYS_LISTED     the timer wakes a task and leaves it in the queue
 * break: NODE_AFTERWARDS  the timer reads its node although another party was first
 * break: HEAP_THEN_PLACE  the timer takes the queue's lock while it holds the heap's
 * break: NOT_ACQUIRED     a source checks whether the wait is still wanted, and completes it later
 * break: DROP_UNLOCKED    listeners are dropped without the source's lock
 * break: TIMER_FIRST      complete removes the timer before it releases the claim word
 * break: NOT_DROPPED      a select that was served leaves its other listeners in their lists
 * break: TAKEN_BEFORE     the message is taken from the ring before the wait is acquired */
#include "model.h"

#define WAITS  2
#define NOBODY 2

byte wait = NONE;      /* the claim word */
bool selects;          /* the wait is a select's */
bool cancel, ended;
bool lock[2], heap;
byte ring[2];
bool queued[2];        /* by place: a plain waiter, or a listener */
bool armed, due, node; /* the timer: in the heap; taken out by the clock; allocated */
bool alive;            /* the listeners */
byte chosen = NOBODY;
byte taken, put, wakes;
bool by_place, by_clock, by_cancel; /* whether these come at all; one of them does */

active proctype end() /* first: it outlives the others */
{
    ended && _nr_pr == 1;
    assert(taken + ring[0] + ring[1] == put && wakes == 0 && !node && !queued[0] && !queued[1])
}

#ifdef TWO_STEP_CLAIM
#define TRY(won) wait != BUSY; won = (wait == LISTED); wait = NONE
#else
#define TRY(won) CLAIM(wait, won)
#endif

#define CANCEL_TIMER()                                                                             \
    LOCK(heap);                                                                                    \
    assert(node);                                                                                  \
    armed = (due -> armed : false);                                                                \
    node = false;                                                                                  \
    UNLOCK(heap)

/* The caller has claimed the wait, and holds no lock. */
#define LEAVE_PLACE()                                                                              \
    if                                                                                             \
    :: !selects ->                                                                                 \
        LOCK(lock[0]);                                                                             \
        queued[0] = false;                                                                         \
        UNLOCK(lock[0])                                                                            \
    :: else                                                                                        \
    fi

/* Under the source's lock. */
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

/* The task becomes a waiter, and its timer goes into the heap. */
#ifdef LISTED_LATER
#define BECOME_WAITER()                                                                            \
    atomic { node = true; due = false };                                                           \
    LOCK(heap);                                                                                    \
    armed = true;                                                                                  \
    UNLOCK(heap);                                                                                  \
    wait = LISTED
#else
#define BECOME_WAITER()                                                                            \
    atomic { node = true; due = false };                                                           \
    LOCK(heap);                                                                                    \
    armed = true;                                                                                  \
    wait = LISTED;                                                                                 \
    UNLOCK(heap)
#endif

/* After the task has queued itself: if it was cancelled before, it ends the wait, or parks. */
#ifdef NOT_READ_AGAIN
#define SEE_CANCEL(won) won = false
#else
#define SEE_CANCEL(won)                                                                            \
    won = false;                                                                                   \
    if                                                                                             \
    :: cancel ->                                                                                   \
        TRY(won);                                                                                  \
        if                                                                                         \
        :: won -> CANCEL_TIMER(); LEAVE_PLACE()                                                    \
        :: else                                                                                    \
        fi                                                                                         \
    :: else                                                                                        \
    fi
#endif

#define PARK()                                                                                     \
    SEE_CANCEL(won);                                                                               \
    if                                                                                             \
    :: won                                                                                         \
    :: else ->                                                                                     \
        atomic { wakes > 0 -> wakes-- }                                                            \
    fi

active proctype task()
{
    byte round, i, at, added;
    bool ok, won;
    atomic {
        if
        :: by_place = true
        :: by_clock = true
        :: by_cancel = true
        :: by_place = true; by_clock = true; by_cancel = true
        fi
    };
    do
    :: round == WAITS || cancel -> break
    :: else ->
        atomic { alive = true; chosen = NOBODY; added = 0 };
        if
        :: selects = false ->
            LOCK(lock[0]);
            if
            :: ring[0] > 0 ->
                ring[0]--;
                taken++;
                UNLOCK(lock[0])
            :: else ->
                queued[0] = true;
                BECOME_WAITER();
                UNLOCK(lock[0]);
                PARK();
                assert(!queued[0])
            fi
        :: selects = true ->
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
                BECOME_WAITER();
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
                        queued[added] = true;
                        UNLOCK(lock[added])
                    fi;
                    added++
                :: else -> break
                od;
                PARK();
#ifndef NOT_DROPPED
                i = 0;
                do /* drop */
                :: i < added ->
                    if
#ifdef DROP_UNLOCKED
                    :: queued[i] -> queued[i] = false
#else
                    :: queued[i] ->
                        LOCK(lock[i]);
                        queued[i] = false;
                        UNLOCK(lock[i])
#endif
                    :: else
                    fi;
                    i++
                :: else -> break
                od
#endif
            :: else
            fi
        fi;
        assert(wakes == 0 && wait == NONE && !armed && !node);
        alive = false;
        round++
    od;
    ended = true
}

active [2] proctype sender()
{
    byte i = _pid - 2;
    byte n;
    bool ok;
    do
    :: by_place && n < 2 - i ->
        LOCK(lock[i]);
        ok = false;
        put++;
        if
        :: queued[i] && selects ->
            OFFER(i, ok)
        :: queued[i] && !selects ->
            TRY(ok);
            if
            :: ok ->
                taken++;
                CANCEL_TIMER()
            :: else
            fi
        :: else
        fi;
        if
        :: ok ->
            queued[i] = false;
            UNLOCK(lock[i]);
            assert(alive);
            wakes++
        :: else ->
            ring[i]++;
            UNLOCK(lock[i])
        fi;
        n++
    :: n == 2 - i || ended -> break
    od
}

active proctype clock()
{
    bool won;
    do
    :: by_clock && armed ->
        LOCK(heap);
        won = false;
        if
        :: armed ->
            armed = false;
            due = true;
            TRY(won);
#ifdef NODE_AFTERWARDS
            UNLOCK(heap);
            assert(node);
            LOCK(heap);
#endif
        :: else
        fi;
#ifdef HEAP_THEN_PLACE
        if
        :: won -> LEAVE_PLACE()
        :: else
        fi;
#endif
        UNLOCK(heap);
        if
        :: won ->
#ifndef STAYS_LISTED
            LEAVE_PLACE();
#endif
            assert(node);
            node = false;
            wakes++
        :: else
        fi
    :: ended -> break
    od
}

active proctype canceller()
{
    bool won;
    by_cancel || ended;
#ifndef STORE_PASSES
    cancel = true;
#endif
    TRY(won);
#ifdef STORE_PASSES
    cancel = true;
#endif
    if
    :: won ->
        CANCEL_TIMER();
        LEAVE_PLACE();
        wakes++
    :: else
    fi
}

active proctype other() /* a task that queues itself at the first place, with a deadline */
{
    LOCK(lock[0]);
    LOCK(heap);
    atomic { UNLOCK(heap); UNLOCK(lock[0]) }
}
