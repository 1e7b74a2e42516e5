/* join.pml - the end of a task and its joiners (join.c, task.c): two flags, each of which one side
 * sets before it reads the other, and a wait queue; and the count of ended tasks, between the two
 * states of an end. The end releases the lock between the joiners that it wakes.
 *
 *   - every joiner continues, a late one at once, and each is woken at most once
 *   - a runtime that a joiner finds empty stays empty: the end is counted before a joiner is woken
 *   - a runtime that is found empty has no task that still runs
 *
 * break: END_READS_FIRST   the end reads JOINED before it stores the state, as without sequential
 *                          consistency
 * break: JOIN_READS_FIRST  a joiner reads the state before it stores JOINED
 * break: NO_LOCK           a joiner checks and queues itself without the queue's lock
 * break: COUNTS_LATE       the end is counted after STOPPED is stored
 * break: COUNTS_FIRST      the end is counted before ENDED is stored */
#include "model.h"

#define JOINERS 3

bool joined, ended, stopped, bucket, counted;
bool listed[JOINERS], woken[JOINERS];

active proctype end() /* first: it outlives the others */
{
    stopped && _nr_pr == 1
}

active [JOINERS] proctype joiner()
{
    byte me = _pid - 1;
    bool has_stopped;
#ifndef NO_LOCK
    LOCK(bucket);
#endif
#ifdef JOIN_READS_FIRST
    has_stopped = stopped;
    joined = true;
#else
    joined = true;
    has_stopped = stopped;
#endif
    if
    :: has_stopped
#ifndef NO_LOCK
        -> UNLOCK(bucket)
#endif
    :: else ->
        listed[me] = true;
#ifndef NO_LOCK
        UNLOCK(bucket);
#endif
        woken[me] && !listed[me]
    fi;
    assert(stopped && counted)
}

active proctype ending()
{
    byte i;
    bool tell;
#ifdef COUNTS_FIRST
    counted = true;
#endif
    ended = true;
#ifndef COUNTS_LATE
    counted = true;
#endif
#ifdef END_READS_FIRST
    tell = joined;
    stopped = true;
#else
    stopped = true;
    tell = joined;
#endif
#ifdef COUNTS_LATE
    counted = true;
#endif
    if
    :: tell ->
        LOCK(bucket);
        do
        :: i < JOINERS ->
            if
            :: listed[i] ->
                listed[i] = false;
                assert(!woken[i]);
                woken[i] = true
            :: else
            fi;
            i++;
            UNLOCK(bucket); /* a mark is where it goes on */
            LOCK(bucket)
        :: else -> break
        od;
        UNLOCK(bucket)
    :: else
    fi
}

active proctype looks_at_runtime()
{
    counted -> assert(ended)
}
