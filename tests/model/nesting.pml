/* nesting.pml - idle workers watch one that computes, and get the events of its reactor
 * (io/reactor.c: wait, nest, end_nesting).
 *
 * The busy worker looks at its events a few times, and then never again. One idle worker at a time
 * watches: it sleeps for a while only. If the busy worker has not looked meanwhile, the watcher
 * nests its reactor in the own one, which from then on ends its sleeps while events are untaken.
 * `mark` is `nested_in`; the driver learns of a nesting, and of its end, a moment later.
 *
 * Each look of the busy worker grants every watcher two limited sleeps. After those, only the
 * nesting ends a sleep: a state in which all sleep and an event is untaken is an error.
 *
 *   - every event is handled, also when the busy worker never looks again
 *
 * break: KEEPS_WATCH    the watcher leaves `watched` set
 * break: NO_NEST        the watcher does nothing when the time is over
 * break: KEEPS_MARK     a look of the busy worker ends the nesting, but leaves its mark
 * break: EDGES          an event that was there before the nesting does not end a sleep */
#include "model.h"

#define IDLE   2
#define LOOKS  1
#define EVENTS 2
#define NOBODY 9

byte happened, untaken, handled;
byte looked; /* counts the looks of the busy worker */
bool watched;
byte mark = NOBODY; /* the idle worker whose reactor is to contain the busy one's */
bool nested[IDLE];  /* what the driver knows */
bool edge[IDLE];    /* with EDGES: an event has come since */

inline take()
{
    d_step { handled = handled + untaken; untaken = 0; edge[0] = false; edge[1] = false }
}

active proctype busy()
{
    byte in;
    do
    :: looked < LOOKS ->
        if
        :: mark != NOBODY ->
#ifndef KEEPS_MARK
            atomic { in = mark; mark = NOBODY };
#else
            in = mark;
#endif
            if
            :: in != NOBODY -> nested[in] = false
            :: else
            fi
        :: else
        fi;
        atomic { take(); looked++ }
    :: break /* from now on it computes */
    od
}

active [IDLE] proctype idle()
{
    byte me = _pid - 1, seen, last, limited = 2;
    bool watches, over;
    do
    :: handled == EVENTS -> break
    :: else ->
        if /* the busy worker is late, or not yet */
        :: take()
        :: skip
        fi;
        watches = false;
        atomic {
            if
            :: looked != last -> last = looked; limited = 2
            :: else
            fi
        };
        atomic {
            if
            :: !watched -> watched = true; watches = true
            :: else
            fi
        };
        seen = looked;
        over = false;
        if /* the sleep */
#ifndef EDGES
        :: atomic { nested[me] && untaken > 0 -> take() }
#else
        :: atomic { nested[me] && untaken > 0 && edge[me] -> take() }
#endif
        :: atomic { watches && (limited > 0 || looked != last) ->
                    limited = limited - (limited > 0); over = true }
        :: handled == EVENTS
        fi;
        if
        :: watches ->
#ifndef KEEPS_WATCH
            watched = false;
#endif
#ifndef NO_NEST
            if
            :: over && looked == seen ->
                if
                :: atomic { mark == NOBODY -> mark = me };
                    atomic {
                        if
                        :: !nested[me] -> nested[me] = true
                        :: else -> mark = NOBODY /* the driver has it from before, and refuses */
                        fi
                    }
                :: else
                fi
            :: else
            fi
#endif
        :: else
        fi
    od
}

active proctype outside()
{
    do
    :: happened < EVENTS -> atomic { happened++; untaken++; edge[0] = nested[0]; edge[1] = nested[1] }
    :: else -> break
    od
}
