/* kept.pml - a task sends through a map over a race of two unbuffered mailboxes, and a receiver
 * waits at each (source_operators.c, source.h). Both mailboxes use the value that the map's function
 * made last. A receiver may take it on its own thread.
 *
 *   - when a receiver meets the sender, the value was made for that mailbox, and is complete
 *   - no task waits for ever
 *
 * break: NOT_ASKED_LAST  a receiver may meet any mailbox whose value was made
 * break: ASKED_EARLY     the race publishes the last one before all have been added
 * break: ASKED_KEPT      a new round does not clear the last one of the round before */
#include "model.h"

#define NOBODY 2
#define TORN   2

bool lock[2];
byte wait = NONE, rwait[2]; /* the claims: the sender's; those of the receivers */
bool node[2], rnode[2]; /* the waiters in the channels' lists */
byte made = NOBODY;         /* the map's memory: which channel its value was made for */
byte asked = NOBODY;        /* what the race says */
byte told = NOBODY, chosen = NOBODY;
byte wakes, rwakes[2];
bool closed;

/* The sender's thread calls the map's function, for channel c. */
inline ask(c)
{
    made = TORN;
    made = c
}

/* Under the lock: notifies the receiver that waits at c. */
inline tell_receiver(c)
{
    if
    :: rnode[c] ->
        atomic {
            if
            :: rwait[c] == LISTED -> rwait[c] = NONE; rwakes[c]++
            :: else
            fi
        };
        rnode[c] = false
    :: else
    fi
}

active proctype sender()
{
    byte last, i, c;
    do
    :: chosen != NOBODY -> break
    :: else ->
        last = told;
#ifndef ASKED_KEPT
        asked = NOBODY;
#endif
        i = 0; /* poll */
        do
        :: i < 2 ->
            ask(i);
            LOCK(lock[i]);
            tell_receiver(i);
            UNLOCK(lock[i]);
            i++
        :: else -> break
        od;
        wait = LISTED;
        i = 0; /* add, the notified one at the end */
        do
        :: i < 2 ->
            c = (last == 0 -> 1 - i : i);
            ask(c);
            LOCK(lock[c]);
            tell_receiver(c);
            node[c] = true;
            UNLOCK(lock[c]);
            i++;
#ifdef ASKED_EARLY
            asked = c
#endif
        :: else -> break
        od;
        asked = c;
        atomic { wakes > 0 -> wakes-- }; /* park */
        i = 0; /* drop */
        do
        :: i < 2 ->
            LOCK(lock[i]);
            node[i] = false;
            UNLOCK(lock[i]);
            i++
        :: else -> break
        od
    od;
    closed = true;
    i = 0;
    do
    :: i < 2 ->
        LOCK(lock[i]);
        tell_receiver(i);
        UNLOCK(lock[i]);
        i++
    :: else -> break
    od
}

/* Under the lock: meets or notifies the sender that waits at c. */
inline meet(c)
{
    atomic {
        wait != BUSY;
#ifdef NOT_ASKED_LAST
        won = (wait == LISTED);
#else
        won = (wait == LISTED && asked == c);
#endif
        wait = (won -> BUSY : wait)
    };
    if
    :: won ->
        assert(made == c); /* complete */
        assert(made == c); /* it stays so while it is copied */
        chosen = c;
        wait = NONE;
        node[c] = false;
        wakes++
    :: else ->
        atomic {
            if
            :: wait == LISTED ->
                wait = NONE;
                told = c;
                node[c] = false;
                wakes++
            :: else
            fi
        }
    fi
}

active [2] proctype receiver()
{
    byte me = _pid - 1;
    bool won, ended;
    do
    :: ended -> break
    :: else ->
        LOCK(lock[me]); /* poll, and add: one after the other, as the lock allows */
        if
        :: node[me] -> meet(me)
        :: else
        fi;
        UNLOCK(lock[me]);
        if
        :: won -> ended = true
        :: else ->
            rwait[me] = LISTED;
            LOCK(lock[me]);
            if
            :: closed -> ended = true; rwait[me] = NONE
            :: !closed && node[me] ->
                meet(me);
                if
                :: won -> ended = true; rwait[me] = NONE
                :: else -> rnode[me] = true
                fi
            :: else -> rnode[me] = true
            fi;
            UNLOCK(lock[me]);
            if
            :: ended
            :: else ->
                atomic { rwakes[me] > 0 -> rwakes[me]-- }; /* park */
                LOCK(lock[me]); /* drop */
                rnode[me] = false;
                UNLOCK(lock[me])
            fi
        fi
    od
}
