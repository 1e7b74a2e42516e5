/* monitor.pml - the monitor thread, which rescues tasks from inboxes and reports long steps
 * (monitor.c, stall_detector.c). One flag, its parker's, wakes it for both. The worker never reads
 * its inbox.
 *
 *   - no task stays in the inbox: the monitor does not sleep while it has tasks
 *   - no thread accesses the runtime after co4__monitor_stop has found that every call has ended
 *   - a step that does not end is reported, even if it begins just as the monitor goes to sleep
 *
 * break: CLEARS_UNSEEN     the monitor clears the bit and does not check again
 * break: MARKS_APART       a pusher reads the bit in another step than it marks
 * break: CALLS_UNCOUNTED   co4__monitor_stop does not wait for calls
 * break: NEVER_CALLED      a push that finds the bit clear does not call
 * break: WAKE_FOR_ONE      a wake is used for the steps, not as a call
 * break: NOT_LOOKED_AGAIN  the monitor sets `step_wakes`, and sleeps
 * break: READS_FIRST       a worker reads `step_wakes` before it publishes its step */
#include "model.h"

#define PUSHERS 2
#define EACH    2
#define STEPS   2

bool monitored, flag, gone;
byte rx, rescued;
byte calls, answered, marked;
byte steps; /* of the worker: odd while one runs */
bool step_wakes, blocked, reported;

active proctype end() /* first: it outlives the others */
{
    gone && _nr_pr == 1;
    assert(rescued == PUSHERS * EACH && rx == 0 && reported)
}

active [PUSHERS] proctype pusher()
{
    byte i;
    bool was;
    do
    :: i < EACH ->
        rx++;
#ifdef MARKS_APART
        was = monitored;
        monitored = true;
        marked++;
#else
        atomic { assert(!gone); was = monitored; monitored = true; marked++ };
#endif
        if
#ifdef NEVER_CALLED
        :: !was -> calls++
#else
        :: !was -> /* call_monitor */
            atomic { assert(!gone); flag = true };
            atomic { assert(!gone); calls++ }
#endif
        :: else
        fi;
        i++
    :: else -> break
    od;
    was = false
}

active proctype worker()
{
    byte i;
    bool was;
    do
    :: i < STEPS ->
        i++;
#ifdef READS_FIRST
        was = step_wakes;
        step_wakes = false;
        steps++;
#else
        steps++;
        atomic { was = step_wakes; step_wakes = false };
#endif
        if
        :: was -> flag = true
        :: else
        fi;
        if
        :: i == STEPS -> /* it does not end */
            blocked = true;
            reported
        :: else -> steps++
        fi
    :: else -> break
    od;
    i = 0; was = false
}

#define LOOK(any)                                                                                  \
    now = steps;                                                                                   \
    any = (now != seen || now % 2 == 1) && !reported;                                              \
    reported = reported || (now == seen && now % 2 == 1 && blocked);                               \
    seen = now

/* Once all tasks are taken, and the long step is reported, the runtime ends. */
#define OVER (rescued == PUSHERS * EACH && reported)

active proctype monitor()
{
    byte now, seen;
    bool any, due, waits;
    do
    :: OVER -> break
    :: else ->
        LOOK(any); /* co4__stalls_look */
        if
        :: !any ->
            step_wakes = true;
#ifndef NOT_LOOKED_AGAIN
            LOOK(any);
            if
            :: any -> step_wakes = false
            :: else
            fi
#endif
        :: else -> step_wakes = false
        fi;
        if
        :: due -> /* look_at_inboxes */
            if
            :: rx == 0 ->
                atomic {
                    answered = (monitored -> answered + 1 : answered);
                    monitored = false
                }
            :: else
            fi;
#ifdef CLEARS_UNSEEN
            waits = monitored;
#else
            waits = (rx > 0);
#endif
            if
            :: waits -> atomic { rescued = rescued + rx; rx = 0 }
            :: else -> due = false
            fi
        :: else
        fi;
        if
        :: !OVER && !due && !any -> flag /* until it is woken */
        :: else                          /* the time has come, or it is woken */
        fi;
#ifdef WAKE_FOR_ONE
        if
        :: flag -> flag = false; due = due || !any
        :: else
        fi
#else
        if
        :: flag -> flag = false; due = true
        :: else
        fi
#endif
    od;
    due = false; any = false; now = 0; seen = 0; waits = false;
    atomic { answered = (monitored -> answered + 1 : answered); monitored = true };
#ifndef CALLS_UNCOUNTED
    calls == answered;
#endif
    marked == rescued; /* co4__worker_fini */
    gone = true
}
