/* rescue.pml - a worker that never looks into its inbox again, pushers, and the guard (rescue.c).
 *
 *   - no task stays in the inbox: the guard does not sleep while one is there
 *   - nobody touches the runtime after its end has found that every call is over
 *
 * break: CLEARS_UNSEEN     the guard clears the bit and does not look again
 * break: MARKS_APART       who pushes reads the bit in another step than he marks
 * break: CALLS_UNCOUNTED   the end does not wait for calls
 * break: NEVER_CALLED      a push that finds the inbox unguarded calls nobody */
#include "model.h"

#define PUSHERS 2
#define EACH    2

bool guarded, flag, gone;
byte rx, rescued;
byte calls, answered, marked;

active proctype end() /* first: it outlives the others */
{
    gone && _nr_pr == 1;
    assert(rescued == PUSHERS * EACH && rx == 0)
}

active [PUSHERS] proctype pusher()
{
    byte i;
    bool was;
    do
    :: i < EACH ->
        assert(!gone);
        rx++;
#ifdef MARKS_APART
        was = guarded;
        guarded = true;
        marked++;
#else
        atomic { assert(!gone); was = guarded; guarded = true; marked++ };
#endif
        if
#ifdef NEVER_CALLED
        :: !was -> calls++
#else
        :: !was -> /* call_guard */
            assert(!gone);
            flag = true;
            atomic { assert(!gone); calls++ }
#endif
        :: else
        fi;
        i++
    :: else -> break
    od;
    was = false
}

/* All tasks have been taken, so the runtime ends: the guard is joined, then co4__guard_stop. */
active proctype guard()
{
    bool waits;
    do
    :: rescued == PUSHERS * EACH -> break
    :: flag ->
        flag = false;
        do
        :: true -> /* look */
            if
            :: rx == 0 ->
                atomic {
                    answered = (guarded -> answered + 1 : answered);
                    guarded = false
                }
            :: else
            fi;
#ifdef CLEARS_UNSEEN
            waits = guarded;
#else
            waits = (rx > 0);
#endif
            if
            :: waits ->
                atomic { rescued = rescued + rx; rx = 0 }
            :: else -> break
            fi
        od
    od;
    atomic { answered = (guarded -> answered + 1 : answered); guarded = true };
#ifndef CALLS_UNCOUNTED
    calls == answered;
#endif
    marked == rescued; /* co4__worker_fini */
    gone = true
}
