/* reactor.pml - a worker sleeps in its driver: wakes, events, and a thread that takes events for it
 * (io/reactor.c).
 *
 * The owner clears `notified`, as it has no task, and waits in the driver. Two wakers push a task
 * each; the one that finds `notified` clear wakes the owner: it writes to the eventfd, then sets
 * `woken`. Another worker takes the events of the owner now and then, as if the owner were stuck.
 * Something outside makes a descriptor ready twice. The driver is edge-triggered: one taker gets
 * each event.
 *
 *   - every pushed task runs, and every event is handled: the owner never sleeps for good before
 *   - no waker touches the reactor after the owner has ended it
 *
 * break: SWALLOWED      the other worker forgets a wake that it has taken
 * break: WOKEN_FIRST    the waker sets `woken` before it writes
 * break: NO_TAKE        the owner does not wait for a wake that is about to come
 * break: NO_UNSLEEP     the owner that returns with an event leaves `notified` clear */
#include "model.h"

#define TASKS  2
#define EVENTS 2

bool notified = true, woken, ended;
byte pushed, ran, signals; /* tasks; writes to the eventfd that no thread has taken */
byte happened, untaken, handled;
byte touching; /* wakers between their push and their last access */

/* One thread gets what there is. */
inline take(wakes, events)
{
    d_step { wakes = signals; events = untaken; signals = 0; untaken = 0 }
}

active proctype owner()
{
    byte wakes, events;
    bool mine;
    do
    :: ran < pushed -> ran++
    :: else ->
        if
        :: ran == TASKS && handled == EVENTS -> break
        :: else
        fi;
        atomic {
            if
            :: ran < pushed -> mine = false /* the queue's word: tasks that are pushed keep it awake */
            :: else -> notified = false; mine = true
            fi
        };
        if
        :: mine ->
            if
            :: atomic { woken -> woken = false }
            :: else ->
                /* the sleep; when nothing is left to come, the owner may sleep or end */
                signals > 0 || untaken > 0 || (ran == TASKS && handled == EVENTS);
                take(wakes, events);
                handled = handled + events;
                if
                :: atomic { woken -> woken = false }
                :: else ->
#ifndef NO_UNSLEEP
                    atomic { mine = notified; notified = true }; /* unsleep */
#else
                    mine = notified;
#endif
#ifndef NO_TAKE
                    if
                    :: mine -> atomic { woken -> woken = false } /* take_wake */
                    :: else
                    fi
#endif
                fi
            fi
        :: else
        fi
    od;
    ended = true;
    assert(touching == 0)
}

active [TASKS] proctype waker()
{
    bool first;
    atomic {
        pushed++;
        first = !notified;
        notified = true;
        touching = touching + first
    };
    if
    :: first ->
#ifdef WOKEN_FIRST
        woken = true;
        assert(!ended);
        signals++;
        touching--
#else
        assert(!ended);
        signals++;
        atomic { woken = true; touching-- }
#endif
    :: else
    fi
}

/* Takes events for the owner: any number of times. */
active proctype other()
{
    byte wakes, events;
    do
    :: signals > 0 || untaken > 0 ->
        take(wakes, events);
#ifndef SWALLOWED
        if
        :: wakes > 0 -> signals++
        :: else
        fi;
#endif
        handled = handled + events
    :: ended -> break
    :: happened == EVENTS && pushed == TASKS -> break /* later it looks no more */
    od
}

active proctype outside()
{
    do
    :: happened < EVENTS -> atomic { happened++; untaken++ }
    :: else -> break
    od
}
