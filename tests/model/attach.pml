/* attach.pml - a number that was closed is attached by its next call, while close() is under way or
 * another file gets the number (io/attach.c, io/descriptor.c).
 *
 * A thread ends a descriptor as its last call, and then closes the number once more, if nothing has
 * attached it. Another opens files, which get the number when it is free. Two calls come at any
 * time. Each looks at the file, attaches the number as what it saw, registers it, and waits. It may
 * lose its patience with a close(), and attach at once.
 *
 *   - in the end no call waits at a file that is gone, or that is not registered
 *   - what was attached with patience is attached as the file that has the number
 *
 * break: NO_ENDING     a call does not wait for close()
 * break: CLEAR_EARLY   ENDING is cleared before close()
 * break: NO_COMPARE    a call does not compare the generation
 * break: NO_BUMP       the close of an unattached number does not change the generation
 * break: NO_FORGET     a close that finds the number attached leaves it registered
 * break: NO_RETRY      it does not let the waiters try again
 * break: NO_EVENT      it counts no event, so that a call that has not queued yet waits */
#include "model.h"

#define CALLS 2

byte file = 1; /* what the number means; 0: nothing */
bool ending, attached = true, by_patience, closed;
byte generation = 1, events, opened;
byte kind;       /* the file that the record was attached as */
byte registered; /* the file whose events come; 0: none */
bool lock;
bool waits[CALLS], woken[CALLS], gone[CALLS];
byte done;

inline take_lock()
{
    atomic { !lock -> lock = true }
}

inline has_ended(expected)
{
    d_step { ending = false; changed = generation != expected };
    if
    :: changed ->
        take_lock();
#ifndef NO_FORGET
        registered = 0;
#endif
#ifndef NO_EVENT
        events++;
#endif
#ifndef NO_RETRY
        d_step {
            woken[0] = woken[0] || waits[0];
            woken[1] = woken[1] || waits[1];
            waits[0] = false;
            waits[1] = false
        };
#endif
        lock = false
    :: else
    fi
}

active [CALLS] proctype call()
{
    byte before, seen, noted, mine;
    bool patient;
again:
    woken[_pid] = false;
    if
    :: generation == 1 -> goto out /* CLOSING: EBADF */
    :: atomic { attached && generation > 1 -> mine = generation }
    :: atomic { !attached && generation > 1 };
        patient = true;
#ifndef NO_ENDING
        if
        :: atomic { !ending -> before = generation }
        :: atomic { ending -> patient = false; before = generation }
        fi;
#else
        before = generation;
#endif
        seen = file; /* fstat() */
        if
        :: seen == 0 -> goto out /* EBADF */
        :: else
        fi;
        take_lock();
        if
        :: attached -> lock = false; goto again
#ifndef NO_COMPARE
        :: !attached && (generation != before || before % 2 == 1) -> lock = false; goto again
        :: atomic {
            !attached && generation == before && before % 2 == 0 ->
#else
        :: atomic {
            !attached ->
#endif
            attached = true; generation++; kind = seen; by_patience = patient; mine = generation }
            lock = false
        fi
    fi;
    noted = events;
    if
    :: file == 0 -> goto out /* read(): EBADF */
    :: else          /* EAGAIN */
    fi;
    take_lock();
    if
    :: !attached || generation != mine -> lock = false; goto out /* ECLOSED */
    :: atomic { attached && generation == mine && registered == 0 && file != 0 -> registered = file }
    :: atomic { attached && generation == mine && registered == 0 && file == 0 -> lock = false; goto out } /* EBADF */
    :: attached && generation == mine && registered != 0
    fi;
    lock = false;
    take_lock();
    if
    :: !attached || generation != mine -> lock = false; goto out
    :: attached && generation == mine && events != noted -> lock = false; goto again
    :: else -> waits[_pid] = true; lock = false
    fi;
    if
    :: woken[_pid] -> goto again
    :: done == 2 && !woken[_pid] /* nothing comes any more */
    fi;
out:
    gone[_pid] = true
}

active proctype opener()
{
    do
    :: atomic { file == 0 && opened < 2 -> opened++; file = 1 + opened }
    :: closed -> break
    od;
    done++
}

active proctype closer()
{
    byte expected;
    bool changed;
    ending = true;
    atomic { attached = false; generation++; expected = generation };
#ifdef CLEAR_EARLY
    ending = false;
#endif
    file = 0;
    has_ended(expected);
    if
    :: atomic {
        !attached ->
        ending = true;
#ifndef NO_BUMP
        generation = generation + 2;
#endif
        expected = generation };
#ifdef CLEAR_EARLY
        ending = false;
#endif
        file = 0;
        has_ended(expected)
    :: attached
    fi;
    closed = true;
    done++
}

/* Looks when the closer and the opener are done, and each call waits or has returned. */
active proctype monitor()
{
    atomic {
        done == 2 && !lock && (waits[0] || gone[0]) && (waits[1] || gone[1]) &&
            !woken[0] && !woken[1] ->
        assert(!waits[0] || (file != 0 && registered == file));
        assert(!waits[1] || (file != 0 && registered == file));
        assert(!attached || !by_patience || kind == file || file == 0)
    }
}
