/* aside.pml - two tasks wait at a mailbox, each through its own filter. Messages come that one of
 * them wants, or that neither wants; a third task receives the latter (source.h).
 *
 *   - the task that wants a message receives it
 *   - a filter is asked about each message at most twice: in the poll, and in the add after it
 *   - no task waits for ever
 *
 * break: NOT_MARKED   a task that has refused the oldest message waits as if it had not been asked
 * break: NOT_AGAIN    a task that has refused is not asked about the next message
 * break: BLIND        a notified task waits as if it had refused, without another check */
#include "model.h"

#define MESSAGES 2
#define REST     2 /* neither wants it */

byte ring[MESSAGES], head, tail; /* each message has its place */
bool lock, closed;
bool stands[2];
byte first; /* of the two in the queue */
byte refused[2]; /* the number of the message, from 1; 0: none */
byte notified;
bool counted[2];
byte wakes[2], asked[4], by_filters, by_rest;

active proctype finish() /* it outlives the others */
{
    (_nr_pr == 1) -> assert(by_filters + by_rest == MESSAGES && head == tail)
}

#define WAKE(i)                                                                                    \
    stands[i] = false;                                                                             \
    wakes[i]++

#define TELL(i)                                                                                    \
    notified++;                                                                                    \
    counted[i] = true;                                                                             \
    WAKE(i)

#ifdef NOT_AGAIN
#define MAY_ASK(i) (stands[i] && refused[i] == 0)
#else
#define MAY_ASK(i) (stands[i] && refused[i] != head + 1)
#endif

/* co4__mailbox_settle, under the lock: the first of the queue tells whether any is to be asked. */
inline settle()
{
    atomic {
        do
        :: tail - head > notified && MAY_ASK(first) -> TELL(first)
        :: tail - head > notified && !stands[first] && MAY_ASK(1 - first) -> TELL(1 - first)
        :: else -> break
        od;
        if
        :: head == tail && closed && stands[0] -> WAKE(0)
        :: else
        fi;
        if
        :: head == tail && closed && stands[1] -> WAKE(1)
        :: else
        fi
    }
}

/* Behind the other. */
#define STAND(i)                                                                                   \
    first = (stands[1 - (i)] -> 1 - (i) : (i));                                                    \
    stands[i] = true

/* Under the lock: asks without it, until it has been asked about the oldest. */
inline look()
{
    wants = false;
    do
    :: head < tail ->
        seen = head;
        UNLOCK(lock);
        atomic {
            asked[2 * seen + me]++;
            assert(asked[2 * seen + me] <= 2)
        }
        LOCK(lock);
        if
        :: head < tail && head == seen -> wants = (ring[seen] == me); break
        :: else
        fi
    :: else -> break
    od
}

inline take()
{
    assert(ring[head] == me);
    by_filters++;
    head++;
    settle()
}

proctype filter(byte me)
{
    byte seen;
    bool wants;
    do
    :: true ->
        LOCK(lock); /* poll */
        look();
        if
        :: wants -> take()
        :: else
        fi;
        UNLOCK(lock);
        if
        :: counted[me] ->
            LOCK(lock);
            counted[me] = false;
            notified--;
            settle();
            UNLOCK(lock)
        :: else
        fi;
        if
        :: wants -> skip
        :: else ->
            LOCK(lock); /* add */
#ifndef BLIND
            look();
#endif
            if
            :: wants -> take(); UNLOCK(lock)
            :: !wants && closed && head == tail -> UNLOCK(lock); break
            :: else ->
                atomic {
                    STAND(me);
                    refused[me] = 0;
                    if
#ifndef NOT_MARKED
                    :: head < tail -> refused[me] = head + 1
#endif
                    :: else
                    fi
                };
                UNLOCK(lock);
                atomic { wakes[me] > 0 -> wakes[me]-- }
            fi
        fi
    od
}

active proctype puts()
{
    byte n, kind;
    run filter(0);
    run filter(1);
    do
    :: n < MESSAGES ->
        select (kind : 0 .. REST);
        LOCK(lock);
        ring[tail] = kind;
        tail++;
        settle();
        UNLOCK(lock);
        n++
    :: else -> break
    od;
    LOCK(lock);
    closed = true;
    settle();
    UNLOCK(lock)
}

active proctype rest()
{
    do
    :: head < tail && ring[head] == REST ->
        LOCK(lock);
        if
        :: head < tail && ring[head] == REST ->
            by_rest++;
            head++;
            settle()
        :: else
        fi;
        UNLOCK(lock)
    :: closed && head == tail -> break
    od
}
