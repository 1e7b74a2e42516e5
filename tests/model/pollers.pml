/* pollers.pml - the monitor takes events, and fires timers, for workers whose steps last
 * (monitor.c, idle.c). While no worker is awake, it sleeps.
 *
 *   - an event or a timer is taken, if its worker is in a step that does not end: the monitor sleeps
 *     only while that worker is asleep
 *   - the monitor does not look for ever: it sleeps if the worker sleeps for good
 *
 * break: LOOKS_FIRST       the monitor clears the flag after it has looked at the workers
 * break: NOT_SET_AGAIN     a monitor that has seen the worker awake leaves the flag clear
 * break: BEGINS_ASLEEP     the monitor sleeps at first, though the worker begins awake
 * break: WAKES_QUIETLY     a worker that wakes does not call
 * break: READS_ASLEEP      a worker reads the flag before it is known to be awake
 * break: NEVER_CLEARED     the monitor looks on though the worker sleeps */
#include "model.h"

#define WAKES 2

bool sleeps; /* of the worker: its queue's word */
#ifdef BEGINS_ASLEEP
bool watched, due;
#else
bool watched = true, due = true; /* the monitor's: `watches`, whether the time has come */
#endif
bool flag;         /* its parker's */
bool event, taken; /* in the driver, or a timer that is due; by another thread */
bool stuck, over;   /* the worker: in a step that does not end; asleep for good */

/* co4__monitor_watch */
#define CALL                                                                                       \
    atomic                                                                                         \
    {                                                                                              \
        was = watched;                                                                             \
        watched = true                                                                             \
    };                                                                                             \
    if                                                                                             \
    :: !was -> flag = true                                                                         \
    :: else                                                                                        \
    fi

active proctype worker()
{
    byte i;
    bool was, seen;
    do
    :: i < WAKES ->
        i++;
        sleeps = true;
#ifdef READS_ASLEEP
        seen = watched;
        sleeps = false;
#else
        sleeps = false;
        seen = watched; /* the shortcut of idle.c */
#endif
#ifndef WAKES_QUIETLY
        if
        :: !seen -> CALL
        :: else
        fi
#endif
    :: break
    od;
    if
    :: stuck = true;
        event = true;
        taken
    :: sleeps = true;
        !due && !flag;
        assert(!watched)
    fi;
    over = true;
    i = 0;
    was = false;
    seen = false
}

#define LOOK                                                                                       \
    awake = !sleeps;                                                                               \
    if                                                                                             \
    :: awake && event -> taken = true                                                              \
    :: else                                                                                        \
    fi

active proctype monitor()
{
    bool was, awake;
    do
    :: over -> break
    :: else ->
        if
        :: due ->
#ifdef LOOKS_FIRST
            LOOK;
            atomic { was = watched; watched = false };
            awake = was && awake;
#else
            atomic {
                was = watched;
#ifndef NEVER_CLEARED
                watched = false
#endif
            };
            awake = false;
            if
            :: was -> LOOK
            :: else
            fi;
#endif
#ifndef NOT_SET_AGAIN
            if
            :: awake -> watched = true
            :: else
            fi;
#endif
            due = awake
        :: else
        fi;
        if
        :: due
        :: !due -> flag || over
        fi;
        if
        :: atomic { flag -> flag = false; due = true }
        :: else
        fi
    od;
    was = false;
    awake = false
}
