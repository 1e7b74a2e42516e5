/* deadlock.pml - detects that every thread sleeps until another wakes it (deadlock.c).
 *
 * Two threads sleep and check. A third one is the program's own: it starts another thread, wakes
 * threads, and ends, in any order. A thread that is woken, or gets the report, does the same, and
 * may sleep once more.
 *
 *   - if a check reports a deadlock, no thread is awake and none has been woken
 *   - if no thread can wake another, a check reports it
 *
 * break: NO_CHANGES    the check compares only the number of sleepers, not the number of changes
 * break: NUMBER_FIRST  it asks for the number of threads before it reads the number of sleepers
 * break: WAKES_FIRST   the waker only sets the flag, and the woken thread counts itself as awake
 * break: NO_REPLACEMENT the thread with the report still counts as asleep, so the next thread gets
 *                       one, too
 * break: LOOKS_ONCE    it checks once, not repeatedly */
#include "model.h"

#define THREADS 4 /* 0 and 1 sleep and look, 2 is the program's own, 3 is started by it */

byte threads = 3;  /* as the system counts them */
byte sleepers, changes;
bool flag[THREADS];
bool awake[THREADS]; /* the real state: it runs, or another thread has woken it */
bool asleep[THREADS]; /* of its parker */
bool go, started;

#define SLEEP(me)                                                                                  \
    atomic                                                                                         \
    {                                                                                              \
        sleepers++;                                                                                \
        changes++;                                                                                 \
        asleep[me] = true;                                                                         \
        awake[me] = false                                                                          \
    }

/* Under the parker's mutex: once a sleep. */
#ifdef WAKES_FIRST
#define WAKE(who)                                                                                  \
    atomic { asleep[who] && !flag[who] -> flag[who] = true; awake[who] = true }
#else
#define WAKE(who)                                                                                  \
    atomic { asleep[who] -> asleep[who] = false; sleepers--; changes++; awake[who] = true };       \
    flag[who] = true
#endif

inline woken(me)
{
#ifdef WAKES_FIRST
    atomic { asleep[me] = false; sleepers--; changes++ }
#else
    skip
#endif
}

#define NONE_AWAKE(me) (!awake[1 - me] && !awake[2] && !awake[3])

/* What a thread does that has been woken, or is the program's own. */
inline acts(me)
{
    do
    :: WAKE(0)
    :: WAKE(1)
    :: atomic { me != 3 && !started -> started = true; awake[3] = true; threads++ };
        /* counted before it runs */
        run started_one()
    :: break
    od
}

proctype started_one()
{
    acts(3);
    atomic { awake[3] = false; threads-- }
}

/* The program's own: it ends. */
active proctype own()
{
    awake[2] = true;
    go = true;
    acts(2);
    atomic { awake[2] = false; threads-- }
}

active [2] proctype looker()
{
    byte seen, seen_changes, n;
    bool looked, again;
    byte me = _pid - 1;
    awake[me] = true;
    go;
    SLEEP(me);
    do
    :: flag[me] ->
        flag[me] = false;
        woken(me);
        acts(me);
        if
        :: !again ->
            again = true;
            looked = false;
            SLEEP(me)
        :: break
        fi
#ifdef LOOKS_ONCE
    :: !looked ->
#else
    :: !looked || sleepers != seen || changes != seen_changes || threads != n ->
        /* a second look would find the same; so a thread that is not notified stops here, which
         * spin finds */
#endif
        looked = true;
#ifdef NUMBER_FIRST
        n = threads;
        atomic { seen = sleepers; seen_changes = changes };
#else
        atomic { seen = sleepers; seen_changes = changes };
        n = threads;
#endif
        if
#ifdef NO_CHANGES
        :: atomic { !flag[me] && n == seen && sleepers == seen ->
#else
        :: atomic { !flag[me] && n == seen && sleepers == seen && changes == seen_changes ->
#endif
#ifndef NO_REPLACEMENT
            sleepers--;
            changes++;
#endif
            asleep[me] = false;
            awake[me] = true;
            assert(NONE_AWAKE(me)) };
            acts(me);
            break
        :: else
        fi
    od;
    atomic { awake[me] = false; threads-- }
}
