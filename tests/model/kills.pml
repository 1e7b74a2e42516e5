/* kills.pml - signals to a thread that is a task (posix/kills.c). The task makes calls that wait,
 * and blocks and unblocks the signal; two threads send it. The system has it for the thread that
 * the task is at, which runs other tasks when this one waits.
 *
 *   - each handler runs at the task's thread while the task is there
 *   - when all senders have returned, the last signal has arrived, unless it is blocked; and the task
 *     does not wait for ever in a call that a signal ends
 *   - no signal is left at the thread when another task runs there
 *
 * break: NOT_SEEN        a task that goes to wait does not look at what is pending
 * break: BEFORE_QUEUED   it looks before it is queued
 * break: NOT_CLAIMED     a sender does not end the wait
 * break: NO_CALL         the task leaves its thread without a system call
 * break: MASK_LATE       a task that blocks more says so after the system has it
 * break: NO_CALL_MASK    it says so first, but makes no system call
 * break: NOT_RAISED      what comes before a step raises nothing
 * break: NOT_UNBLOCKED   nor does a task that has unblocked it
 * break: NO_GUARD        a sender looks whether the task runs before it takes the guard
 * break: COUNT_UNSEEN    a handler that runs after the call has looked does not end it */
#include "model.h"

#define STEPS 3

bool guard;
bool at, blocked, pending, sent; /* the target's, under the guard */
bool system_blocked, system_has; /* of the thread: its mask, what is pending there */
bool here;                       /* the task is at its thread */
byte wait = NONE, wakes;         /* the claim word of its wait */
byte handled;
byte before; /* the count when its call began */
bool finished, waits;

#define TAKE atomic { !guard -> guard = true }
#define GIVE guard = false

#ifdef COUNT_UNSEEN
#define IS_TO_END (pending && !blocked)
#else
#define IS_TO_END ((pending && !blocked) || handled != before)
#endif

inline handler()
{
    assert(here);
    handled++
}

/* The system delivers when the thread makes a call, or at any time before. */
inline system_call()
{
    atomic {
        if
        :: system_has && !system_blocked -> system_has = false; handler()
        :: else
        fi
    }
}

inline claim(won)
{
    atomic { won = (wait == LISTED); wait = (won -> NONE : wait) }
}

inline raise_pending()
{
    TAKE;
    if
    :: pending && !blocked -> pending = false; GIVE; atomic { system_has = true }; system_call()
    :: else -> GIVE
    fi
}

inline come()
{
    here = true;
    TAKE;
    at = true;
    GIVE;
#ifndef NOT_RAISED
    raise_pending()
#endif
}

inline go()
{
    TAKE;
    at = false;
    seen = sent;
    sent = false;
    GIVE;
#ifndef NO_CALL
    if
    :: seen -> system_call()
    :: else
    fi;
#endif
    atomic {
        here = false;
        assert(!system_has) /* another task runs here */
    }
}

inline set_mask(to)
{
    TAKE;
    blocked = to;
    seen = sent;
    sent = false;
    GIVE;
#ifndef NO_CALL_MASK
    if
    :: seen -> system_call()
    :: else
    fi
#endif
}

active proctype task()
{
    byte steps;
    bool won, seen;
    come();
    do
    :: steps < STEPS -> /* a call that a signal ends */
        steps++;
        before = handled;
#ifdef BEFORE_QUEUED
        TAKE;
        won = IS_TO_END;
        GIVE;
#endif
        waits = true;
        wait = LISTED;
        go();
        TAKE;
#ifdef BEFORE_QUEUED
        if
        :: won -> claim(won)
        :: else
        fi;
#else
        won = false;
#ifndef NOT_SEEN
        if
        :: IS_TO_END -> claim(won)
        :: else
        fi;
#endif
#endif
        GIVE;
        if
        :: won
        :: else ->
end_waits:  atomic { wakes > 0 -> wakes-- }
        fi;
        waits = false;
        come()
    :: steps < STEPS && !blocked -> /* blocks it */
        steps++;
#ifdef MASK_LATE
        system_blocked = true;
        set_mask(true);
#else
        set_mask(true);
        system_blocked = true;
#endif
    :: steps < STEPS && blocked -> /* lets it come */
        steps++;
        system_blocked = false;
        system_call();
        set_mask(false);
#ifndef NOT_UNBLOCKED
        raise_pending()
#endif
    :: steps == STEPS -> break
    od;
    waits = false;
    finished = true
}

active [2] proctype sender()
{
    bool won, to_thread;
#ifdef NO_GUARD
    to_thread = at && !blocked;
    TAKE;
#else
    TAKE;
    to_thread = at && !blocked;
#endif
    won = false;
    if
    :: to_thread -> atomic { sent = true; system_has = true }
    :: else ->
        pending = true;
#ifndef NOT_CLAIMED
        if
        :: !at && !blocked -> claim(won)
        :: else
        fi
#endif
    fi;
    GIVE;
    if
    :: won -> wakes++
    :: else
    fi
}

/* What the calls wait for. */
active proctype giver()
{
    bool won;
    byte given;
    do
    :: given < STEPS ->
        given++;
        claim(won);
        if
        :: won -> wakes++
        :: else
        fi
    :: break
    od
}

/* The system delivers at once, if it can. */
active proctype system()
{
end_system:
    do
    :: atomic { system_has && !system_blocked && here -> system_has = false; handler() }
    od
}

/* When nobody can go on. */
active proctype end()
{
    timeout;
    assert(wakes == 0);
    assert(!(pending && !blocked));
    assert(finished || (waits && handled == before));
    assert(!system_has || system_blocked)
}
