/* nats_wait.pml - a call that waits for a reply (nats/state.c): the wait is in the frame of the
 * call, and the table of waits has it under a number that does not come again. Who takes it out of
 * the table ends it, before it gives the lock: a reply, the end of the connection, or the call
 * itself. So a call that finds itself in the table no more has been ended.
 *
 *   - nobody touches a wait whose call has returned
 *   - a wait is ended once, by the reply to its own number, or by the end of the connection
 *   - a call that is not cancelled returns
 *
 * break: NO_LOCK         the table is used without its lock
 * break: ENDS_LATE       a reply ends a wait after it has given the lock
 * break: LEAVES_IT       a reply leaves the wait in the table
 * break: NO_GENERATION   a number is that of the slot: it comes again
 * break: FORGETS         the end of the connection takes a wait out, and ends it not
 * break: RELEASES_FIRST  the reply is written after the call was told */
#include "model.h"

#define CALLS 2

bool table_lock;
byte holder;     /* the slot: a call + 1; 0: it is free */
byte generation; /* of the slot */
bool alive[CALLS], returned[CALLS];
byte number[CALLS], permits[CALLS], reply[CALLS];
#define FAILED 99 /* in place of a reply */

inline lock()
{
#ifndef NO_LOCK
    LOCK(table_lock)
#else
    skip
#endif
}

inline unlock()
{
#ifndef NO_LOCK
    UNLOCK(table_lock)
#else
    skip
#endif
}

inline end(call, what)
{
    assert(alive[call]);
#ifdef RELEASES_FIRST
    permits[call]++;
    assert(alive[call]);
    reply[call] = what
#else
    reply[call] = what;
    assert(alive[call]);
    permits[call]++
#endif
}

/* Two calls, one after the other, as the slot is used again. The first may be cancelled at any
 * moment. */
active proctype calls()
{
    byte me;
    bool was_there;
    do
    :: me < CALLS ->
        alive[me] = true;
        lock();
        holder = me + 1;
#ifndef NO_GENERATION
        generation++;
#else
        generation = 1;
#endif
        number[me] = generation;
        unlock();
        if
        :: permits[me] > 0 /* it is told */
        :: me == 0 -> /* the deadline, or a cancellation */
            lock();
            was_there = holder == me + 1;
            if
            :: was_there -> holder = 0
            :: else
            fi;
            unlock();
            if
            :: was_there -> goto left
            :: else
            fi
        fi;
        assert(permits[me] == 1);
        assert(reply[me] == FAILED || reply[me] == number[me]);
left:
        alive[me] = false;
        returned[me] = true;
        me++
    :: else -> break
    od
}

/* Replies: to each number that was given, one that is in time or late, and a second one. */
active [2] proctype reader()
{
    byte to, i, found;
    do
    :: i < CALLS ->
        if
        :: number[i] > 0 -> to = number[i]
        :: returned[i] -> to = number[i]
        fi;
        lock();
        found = 0;
        if
        :: holder > 0 && generation == to -> found = holder
        :: else
        fi;
#ifdef NO_LOCK
        skip;
#endif
        if
#ifndef LEAVES_IT
        :: found > 0 -> holder = 0
#endif
        :: else
        fi;
#ifdef ENDS_LATE
        unlock();
#endif
        if
        :: found > 0 -> end(found - 1, i + 1)
        :: else
        fi;
#ifndef ENDS_LATE
        unlock();
#endif
        i++
    :: else -> break
    od
}

/* The connection is lost at some moment. */
active proctype fails()
{
    byte found;
    lock();
    found = holder;
    holder = 0;
    if
#ifndef FORGETS
    :: found > 0 -> end(found - 1, FAILED)
#endif
    :: else
    fi;
    unlock()
}
