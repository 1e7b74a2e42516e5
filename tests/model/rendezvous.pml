/* rendezvous.pml - two tasks select over the same two mailboxes of capacity 0. Each sends to one
 * and receives from the other (mailbox_source.c). They may be cancelled.
 *
 *   - both tasks choose the same mailbox, or neither has met the other
 *   - two tasks that meet in both mailboxes at once do not wait for each other for ever
 *   - unless they are cancelled, they meet
 *
 * break: SELF_FIRST    each acquires its own wait first, whatever the order of the owners
 * break: NOT_RELEASED  a task that gets only the first of the two waits keeps it
 * break: ONE_ACQUIRED  the later task acquires only its own wait */
#include "model.h"

#define NOBODY 2

byte wait[2];
bool lock[2], node[4]; /* by task and channel */
byte chosen[2] = NOBODY;
byte wakes[2], ended;
bool cancelled[2];

#define NODE(task, channel) node[(task) * 2 + (channel)]

active proctype end() /* first: it outlives the others */
{
    ended == 2 && _nr_pr == 1;
    assert(chosen[0] == chosen[1]);
    assert(chosen[0] != NOBODY || cancelled[0] || cancelled[1]);
    assert(wakes[0] == 0 && wakes[1] == 0 && !node[0] && !node[1] && !node[2] && !node[3])
}

#define ACQUIRE(task, ok)                                                                          \
    atomic {                                                                                       \
        wait[task] != BUSY;                                                                        \
        ok = (wait[task] == LISTED);                                                               \
        wait[task] = (ok -> BUSY : wait[task])                                                     \
    }

active [2] proctype task()
{
    byte me = _pid - 1;
    byte other = 1 - me;
    byte first = 0, i, c;
    bool met, ok;
#ifdef SELF_FIRST
    first = me;
#endif
    wait[me] = LISTED;
    do
    :: i < 2 && !met ->
        c = (me + i) % 2;
        LOCK(lock[c]);
        if
        :: NODE(other, c) ->
#ifdef ONE_ACQUIRED
            ACQUIRE(me, met);
#else
            ACQUIRE(first, ok);
            if
            :: ok ->
                ACQUIRE(1 - first, met);
#ifndef NOT_RELEASED
                if
                :: !met -> wait[first] = LISTED
                :: else
                fi
#endif
            :: else
            fi;
#endif
            ok = false
        :: else
        fi;
        if
        :: met ->
            assert(chosen[me] == NOBODY && chosen[other] == NOBODY);
            chosen[me] = c;
            wait[me] = NONE;
            chosen[other] = c;
            wait[other] = NONE;
            NODE(other, c) = false;
            UNLOCK(lock[c]);
            wakes[other]++;
            wakes[me]++
        :: else ->
            NODE(me, c) = true;
            UNLOCK(lock[c])
        fi;
        i++
    :: else -> break
    od;
    atomic { wakes[me] > 0 -> wakes[me]-- };
    assert(wait[me] == NONE);
    i = 0;
    do
    :: i < 2 ->
        LOCK(lock[i]);
        NODE(me, i) = false;
        UNLOCK(lock[i]);
        i++
    :: else -> break
    od;
    ended++
}

active proctype canceller()
{
    byte i, who;
    bool won;
    if
    :: true -> skip
    :: true ->
        if
        :: who = 0
        :: who = 1
        fi;
        do
        :: i < 2 ->
            CLAIM(wait[who], won);
            if
            :: won ->
                cancelled[who] = true;
                wakes[who]++
            :: else
            fi;
            if
            :: won || chosen[who] != NOBODY -> i++; who = 1 - who
            :: else /* it may not have begun */
            fi
        :: else -> break
        od
    fi
}
