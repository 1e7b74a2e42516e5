/* claim.pml - four parties want to end one wait: a wait queue, a timer, a canceller, and the task
 * itself, which sees that it was cancelled just after it was queued (wait.c, timers.c).
 *
 *   - exactly one of them ends each wait
 *   - before a task is woken it has left the queue, and its timer has left the heap; the timer's
 *     node is freed once, and no thread reads it later
 *   - each of them alone ends the wait: a cancellation also one that was there before, a timer also
 *     one that another thread fires while the task goes on
 *   - no two of them wait for each other's locks
 *
 * break: NOT_READ_AGAIN   the task does not read `cancel` after it is queued
 * break: STORE_PASSES     the store of `cancel` becomes visible after the claim is tried, as
 *                         without sequential consistency
 * break: LISTED_LATER     the task is a waiter only after it has released the heap's lock
 * break: TWO_STEP_CLAIM   a claim is a read and a write
 * break: STAYS_LISTED     the timer wakes a task and leaves it in the queue
 * break: NODE_AFTERWARDS  the timer reads its node although another party was first
 * break: HEAP_THEN_PLACE  the timer takes the queue's lock while it holds the heap's */
#include "model.h"

#define WAITS 2

byte wait = NONE;
bool cancel, place, heap, ended;
bool in_list, in_heap, due, node;
byte wakes;
bool by_place, by_clock, by_cancel; /* whether these come at all; one of them does */

#ifdef TWO_STEP_CLAIM
#define TRY(won) won = (wait == LISTED); wait = NONE
#else
#define TRY(won) CLAIM(wait, won)
#endif

#define TIMER_CANCEL()                                                                             \
    LOCK(heap);                                                                                    \
    assert(node);                                                                                  \
    if                                                                                             \
    :: !due -> in_heap = false                                                                     \
    :: else                                                                                        \
    fi;                                                                                            \
    node = false;                                                                                  \
    UNLOCK(heap)

#define UNLIST()                                                                                   \
    TIMER_CANCEL();                                                                                \
    LOCK(place);                                                                                   \
    in_list = false;                                                                               \
    UNLOCK(place)

active proctype end() /* first: it outlives the others */
{
    ended && _nr_pr == 1;
    assert(wakes == 0 && !node)
}

active proctype task()
{
    byte i;
    bool won;
    do
    :: i == WAITS || cancel -> break
    :: else ->
        LOCK(place);
        atomic { node = true; due = false };
        LOCK(heap);
        in_heap = true;
#ifdef LISTED_LATER
        UNLOCK(heap);
#endif
        in_list = true;
        wait = LISTED;
#ifndef LISTED_LATER
        UNLOCK(heap);
#endif
        UNLOCK(place);
        won = false;
#ifndef NOT_READ_AGAIN
        if
        :: cancel ->
            TRY(won);
            if
            :: won -> UNLIST()
            :: else
            fi
        :: else
        fi;
#endif
        if
        :: won
        :: else ->
            atomic { wakes > 0 -> wakes-- }
        fi;
        assert(wait == NONE && !in_list && !in_heap && !node && wakes == 0);
        i++
    od;
    ended = true
}

active proctype putter() /* the place's */
{
    bool won;
    do
    :: by_place && in_list ->
        LOCK(place);
        won = false;
        if
        :: in_list ->
            TRY(won);
            if
            :: won ->
                in_list = false;
                TIMER_CANCEL()
            :: else
            fi
        :: else
        fi;
        UNLOCK(place);
        if
        :: won -> wakes++
        :: else
        fi
    :: ended -> break
    od
}

active proctype clock()
{
    bool won;
    do
    :: by_clock && in_heap ->
        LOCK(heap);
        won = false;
        if
        :: in_heap ->
            in_heap = false;
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
        :: won -> LOCK(place); in_list = false; UNLOCK(place)
        :: else
        fi;
#endif
        UNLOCK(heap);
        if
        :: won ->
#ifndef STAYS_LISTED
            LOCK(place);
            in_list = false;
            UNLOCK(place);
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
        UNLIST();
        wakes++
    :: else
    fi
}

active proctype other() /* a task that lists itself in the same place, with a deadline */
{
    LOCK(place);
    LOCK(heap);
    UNLOCK(heap);
    UNLOCK(place)
}

active proctype chance()
{
    if
    :: by_place = true
    :: by_clock = true
    :: by_cancel = true
    fi;
    if
    :: by_place = true
    :: by_clock = true
    :: by_cancel = true
    fi;
    if
    :: atomic { by_place = true; by_clock = true; by_cancel = true }
    :: skip
    fi
}
