/* mailbox.pml - a mailbox of capacity 1 with two senders and two receivers. One of each may stop
 * waiting once at a deadline. Then the mailbox is closed (mailbox.c).
 *
 *   - each message is received once, those of one sender in their order
 *   - a task that gives up has sent or received nothing
 *   - no task waits while it could continue, and no task waits at a closed mailbox
 *
 * break: RECEIVER_PASSED  a send fills the ring although a receiver waits
 * break: SENDER_LEFT      a receive that frees a slot does not move the message of a waiting sender
 * break: NOT_CLAIMED      a message is given to a receiver without claiming it
 * break: CLOSE_FORGETS    closing does not wake the waiters */
#include "model.h"

#define SENDERS    2
#define SENDS(who) (2 - (who))
#define ALL        (SENDS(0) + SENDS(1))
#define NOTHING    0
#define OK         1
#define CLOSED     2
#define NUMBER(sender, n) ((sender) * 8 + (n))

bool lock, closed;
byte ring[1], count;
chan receivers = [2] of { byte }; /* the lists of waiters: processes 0, 1 send, 2, 3 receive */
chan senders = [2] of { byte };
byte wait[4], buffer[4], result[4];
byte last[SENDERS], received;

active proctype end() /* first: it outlives the others */
{
    _nr_pr == 1;
    assert(received == ALL && count == 0)
}

/* The message leaves the mailbox: under the lock. */
#define LEAVES(message)                                                                            \
    assert(message % 8 == last[message / 8] + 1);                                                  \
    last[message / 8]++

/* Under the lock, the first unclaimed task of `list`: `who`, and `won`. */
#define FIRST(list, who)                                                                           \
    won = false;                                                                                   \
    do                                                                                             \
    :: !won && nempty(list) ->                                                                     \
        list ? who;                                                                                \
        CLAIM_OF(who)                                                                              \
    :: else -> break                                                                               \
    od
#ifdef NOT_CLAIMED
#define CLAIM_OF(who) won = true; wait[who] = NONE
#else
#define CLAIM_OF(who) CLAIM(wait[who], won)
#endif

/* Waits until served; or stops, in one of its waits: then it claims itself, and leaves the list. */
#define WAIT_IN(list)                                                                              \
    if                                                                                             \
    :: result[me] != NOTHING                                                                       \
    :: patience > 0 ->                                                                             \
        patience--;                                                                                \
        CLAIM(wait[me], won);                                                                      \
        if                                                                                         \
        :: won ->                                                                                  \
            LOCK(lock);                                                                            \
            if                                                                                     \
            :: list ?? [eval(me)] -> list ?? eval(me)                                              \
            :: !(list ?? [eval(me)])                                                               \
            fi;                                                                                    \
            UNLOCK(lock)                                                                           \
        :: else -> result[me] != NOTHING                                                           \
        fi                                                                                         \
    fi

active [SENDERS] proctype sender()
{
    byte me = _pid - 1;
    byte n = 1, who, patience = (me == 0);
    bool won;
    do
    :: n <= SENDS(me) ->
        LOCK(lock);
        result[me] = NOTHING;
        won = false;
#ifndef RECEIVER_PASSED
        if
        :: count == 0 -> FIRST(receivers, who)
        :: else
        fi;
#endif
        if
        :: won ->
            buffer[who] = NUMBER(me, n);
            LEAVES(buffer[who]);
            UNLOCK(lock);
            result[who] = OK;
            result[me] = OK
        :: !won && count == 0 ->
            ring[0] = NUMBER(me, n);
            count = 1;
            UNLOCK(lock);
            result[me] = OK
        :: else ->
            buffer[me] = NUMBER(me, n);
            senders ! me;
            wait[me] = LISTED;
            UNLOCK(lock);
            WAIT_IN(senders)
        fi;
        atomic { n = (result[me] == OK -> n + 1 : n); who = 0; won = false }
    :: else -> break
    od
}

active [2] proctype receiver()
{
    byte me = _pid - 1;
    byte who, patience = (me == SENDERS);
    bool won;
    do
    :: result[me] == CLOSED -> break
    :: else ->
        LOCK(lock);
        result[me] = NOTHING;
        if
        :: count > 0 ->
            LEAVES(ring[0]);
            count = 0;
            won = false;
#ifndef SENDER_LEFT
            FIRST(senders, who);
#endif
            if
            :: won ->
                ring[0] = buffer[who];
                count = 1
            :: else
            fi;
            UNLOCK(lock);
            if
            :: won -> result[who] = OK
            :: else
            fi;
            result[me] = OK
        :: count == 0 && closed ->
            UNLOCK(lock);
            result[me] = CLOSED
        :: else ->
            receivers ! me;
            wait[me] = LISTED;
            UNLOCK(lock);
            WAIT_IN(receivers)
        fi;
        atomic { received = (result[me] == OK -> received + 1 : received); who = 0; won = false }
    od
}

active proctype closer()
{
    byte who;
    bool won;
    received == ALL;
    LOCK(lock);
    closed = true;
#ifndef CLOSE_FORGETS
    do
    :: nempty(receivers) ->
        FIRST(receivers, who);
        if
        :: won -> result[who] = CLOSED
        :: else
        fi
    :: else -> break
    od;
#endif
    UNLOCK(lock)
}
