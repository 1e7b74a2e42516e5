/* queue.pml - a worker's inbox: pushers, one word that counts the tasks and decides which thread
 * wakes the owner, and the owner's sleep (queue.c, idle.c).
 *
 * The word is `shared` and `notified`, updated together. The owner's sleep also ends by itself, at
 * a deadline.
 *
 *   - no task is left in the inbox while the owner sleeps
 *   - each cleared bit is followed by exactly one wake or one unsleep: the parker's flag is never
 *     left set, or set twice
 *   - no thread accesses the queue after its owner has found that all marks are done and has freed
 *     it
 *
 * break: SLEEP_UNCHECKED   the owner clears the bit without reading `shared` in the same update
 * break: WAKE_ALWAYS       every marker wakes
 * break: UNSLEEP_UNCHECKED the owner that wakes by itself does not wait for the wake of an earlier
 *                          marker
 * break: NOT_SETTLED       the owner frees the queue without waiting for marks that are to come */
#include "model.h"

#define PUSHERS 2
#define EACH    2

short shared;       /* pushed and marked, minus taken */
bool notified = true;
byte rx;            /* tasks in the inbox */
bool parker, gone;
byte taken;

active proctype end()
{
    gone && _nr_pr == 1;
    assert(taken == PUSHERS * EACH && rx == 0 && shared == 0 && !parker)
}

#define PUSH()                                                                                     \
    assert(!gone);                                                                                 \
    rx++
#define MARK(first)                                                                                \
    atomic {                                                                                       \
        assert(!gone);                                                                             \
        shared++;                                                                                  \
        first = !notified;                                                                         \
        notified = true                                                                            \
    }

active [PUSHERS] proctype pusher()
{
    byte i;
    bool first;
    do
    :: i < EACH ->
        PUSH();
        MARK(first);
        if
#ifdef WAKE_ALWAYS
        :: true ->
#else
        :: first ->
#endif
            assert(!gone && !parker);
            parker = true
        :: else
        fi;
        i++
    :: else -> break
    od;
    first = false
}

active proctype owner()
{
    byte n, deadlines = 2;
    bool sleeps;
    do
    :: rx > 0 -> /* drain: the exchange, then the counts */
        atomic { n = rx; rx = 0 };
        shared = shared - n;
        taken = taken + n;
        n = 0
    :: taken == PUSHERS * EACH -> break
    :: else ->
        atomic {
#ifdef SLEEP_UNCHECKED
            sleeps = true;
            notified = false
#else
            sleeps = (shared == 0);
            notified = (sleeps -> false : notified)
#endif
        };
        if
        :: sleeps ->
            if
            :: parker -> parker = false
            :: deadlines > 0 -> /* unsleep */
                deadlines--;
                if
                :: atomic { !notified -> notified = true }
                :: notified ->
#ifndef UNSLEEP_UNCHECKED
                    parker;
                    parker = false
#else
                    skip
#endif
                fi
            fi
        :: else
        fi;
        sleeps = false
    od;
#ifndef NOT_SETTLED
    shared == 0; /* co4__worker_fini */
#endif
    gone = true
}
