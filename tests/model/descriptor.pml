/* descriptor.pml - two tasks read from one descriptor: tries, events, waits, the turn that is passed
 * on, and a close (io/descriptor.c, io/attempt.c).
 *
 * The system has bytes, and reports an edge when one comes. A thread takes the edge, and handles it
 * under the lock: it counts the event and wakes the first waiter. A task notes the number of events,
 * tries to read one or two bytes, and waits if it found none. When it has some it may stop. A short read sets `drained`. A third
 * task closes the descriptor at some time. Its number then belongs to another file, whose bytes these
 * tasks must not take.
 *
 *   - while a task waits there is no byte, or an event or a woken task is on its way
 *   - no try takes bytes of the other file
 *   - after the close no task waits
 *   - the number is freed once
 *
 * break: NO_RECHECK     a wait does not compare the number of events under the lock
 * break: LATE_NUMBER    a task notes the number after its try
 * break: NO_PASS        a task that has read does not pass the turn on
 * break: DRAINED_ALWAYS a full read sets `drained`, too
 * break: CLOSE_EARLY    the close frees the number while a call is inside
 * break: NO_CLOSING     a wait does not look at CLOSING
 * break: LAST_TWICE     a call that comes when the last has left, and leaves, frees it, too */
#include "model.h"

#define READERS 2
#define BYTES   2

byte file = 1; /* what the number means: 1 the descriptor, 2 the other file */
byte bytes, sent, got;
bool edge, handling, closing, attached = true;
byte events = 1, drained, inside, freed;
bool lock;
bool waits[READERS], woken[READERS];
byte order[READERS]; /* the queue: 1 + the number of a task, first in first out; 0: none */
byte done;

inline take_lock()
{
    atomic { !lock -> lock = true }
}

/* Under the lock. */
inline wake_first()
{
    d_step {
        if
        :: order[0] > 0 ->
            waits[order[0] - 1] = false;
            woken[order[0] - 1] = true;
            order[0] = order[1];
            order[1] = 0
        :: else
        fi
    }
}

inline queue(me)
{
    d_step {
        waits[me] = true;
        if
        :: order[0] == 0 -> order[0] = me + 1
        :: else -> order[1] = me + 1
        fi
    }
}

/* Ends a call; the last one of a closed descriptor frees the number. */
inline leave()
{
    atomic { inside--; last = closing && inside == 0 };
    if
    :: last ->
        atomic {
#ifndef LAST_TWICE
            if
            :: inside == 0 && attached -> attached = false; file = 2; freed++
            :: else
            fi
#else
            attached = false; file = 2; freed++
#endif
        };
        assert(freed <= 1)
    :: else
    fi
}

active [READERS] proctype reader()
{
    byte noted, n, want;
    bool closed, last;
    do
    :: 
        atomic {
            if
            :: !attached -> break /* EBADF */
            :: else -> inside++; woken[_pid] = false; closed = closing
            fi
        };
        if
        :: closed -> leave(); break /* EBADF */
        :: else
        fi;
#ifndef LATE_NUMBER
        noted = events;
#endif
        n = 0;
        if
        :: want = 1
        :: want = 2
        fi;
        if
        :: drained == noted
        :: else ->
            d_step {
                assert(file == 1);
                n = (bytes < want -> bytes : want);
                bytes = bytes - n;
                got = got + n
            };
            if
#ifdef DRAINED_ALWAYS
            :: true -> drained = noted
#else
            :: n < want -> drained = noted
            :: else
#endif
            fi
        fi;
#ifdef LATE_NUMBER
        noted = events;
#endif
        if
        :: n > 0 ->
#ifndef NO_PASS
            if
            :: order[0] > 0 -> /* read without the lock */
                take_lock();
                wake_first();
                lock = false
            :: else
            fi;
#endif
            leave();
            if
            :: true
            :: break /* it has what it wants */
            fi
        :: else ->
            leave();
            take_lock();
            if
#ifndef NO_CLOSING
            :: closing -> lock = false; break
#endif
#ifndef NO_RECHECK
            :: else ->
                if
                :: events != noted -> lock = false
                :: else ->
                    queue(_pid);
                    lock = false;
                    woken[_pid]
                fi
#else
            :: else ->
                queue(_pid);
                lock = false;
                woken[_pid]
#endif
            fi
        fi
    od;
    done++
}

active proctype driver()
{
    do
    :: atomic { edge -> edge = false; handling = true };
        take_lock();
        events++;
        wake_first();
        atomic { lock = false; handling = false }
    :: done == READERS -> break
    od
}

active proctype sender()
{
    do
    :: sent < BYTES && !closing -> d_step { sent++; bytes++; edge = true }
    :: sent == BYTES || closing -> break
    od
}

active proctype closer()
{
    bool last;
    /* When all is read, or at any time before. */
    if
    :: got == BYTES
    :: true ->
        if
        :: sent == BYTES && !edge && !handling && order[0] > 0 && bytes > 0 &&
           !woken[0] && !woken[1] && inside == 0 && !lock ->
            assert(false) /* a task waits, there are bytes, and nothing is on its way */
        :: true
        fi
    fi;
    atomic { inside++ };
    take_lock();
    closing = true;
    do
    :: order[0] > 0 -> wake_first()
    :: else -> break
    od;
    lock = false;
#ifdef CLOSE_EARLY
    atomic { attached = false; file = 2 };
#endif
    leave()
}
