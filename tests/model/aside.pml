/* aside.pml - two tasks wait at a mailbox, each through its own filter. Messages come that one of
 * them wants, or that neither wants; a third task receives the latter (mailbox_lists.c).
 *
 *   - the task that wants a message receives it
 *   - a filter is asked about each message at most twice: in the poll, and in the add after it
 *   - no task waits for ever
 *
 * break: NOT_ASIDE    a task that has refused the oldest message waits among the others
 * break: NOT_AGAIN    a task that has refused is not asked about the next message
 * break: ASIDE_BLIND  a notified task waits aside without another check */
#include "model.h"

#define MESSAGES 2
#define REST     2 /* neither wants it */

#define NOWHERE 0
#define IN_LIST 1
#define IN_WAY  2 /* aside */

byte ring[MESSAGES], head, tail; /* each message has its place */
bool lock, closed, held;
byte stands[2], first; /* the number of waiters in the list */
bool holds[2];
byte wakes[2], asked[4], by_filters, by_rest;

active proctype finish() /* it outlives the others */
{
    (_nr_pr == 1) -> assert(by_filters + by_rest == MESSAGES && head == tail)
}

#define WAKE(i)                                                                                    \
    stands[i] = NOWHERE;                                                                           \
    wakes[i]++

#define TELL(i)                                                                                    \
    held = true;                                                                                   \
    holds[i] = true;                                                                               \
    WAKE(i)

/* co4__mailbox_offer, under the lock. */
inline offer()
{
    atomic {
        if
        :: head < tail && !held && stands[first] == IN_LIST -> TELL(first)
        :: head < tail && !held && stands[first] != IN_LIST && stands[1 - first] == IN_LIST ->
            TELL(1 - first)
        :: head == tail && closed ->
            if
            :: stands[0] != NOWHERE -> WAKE(0)
            :: else
            fi;
            if
            :: stands[1] != NOWHERE -> WAKE(1)
            :: else
            fi
        :: else
        fi
    }
}

/* Behind the list. */
#define STAND(i)                                                                                   \
    if                                                                                             \
    :: stands[1 - (i)] != IN_LIST -> first = (i)                                                   \
    :: else                                                                                        \
    fi;                                                                                            \
    stands[i] = IN_LIST

#define AGAIN(i)                                                                                   \
    if                                                                                             \
    :: stands[i] == IN_WAY -> STAND(i)                                                             \
    :: else                                                                                        \
    fi

inline oldest_goes()
{
    atomic {
        head++;
#ifndef NOT_AGAIN
        AGAIN(0);
        AGAIN(1)
#endif
    }
}

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
    oldest_goes();
    offer()
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
        :: holds[me] ->
            LOCK(lock);
            holds[me] = false;
            held = false;
            offer();
            UNLOCK(lock)
        :: else
        fi;
        if
        :: wants -> skip
        :: else ->
            LOCK(lock); /* add */
#ifndef ASIDE_BLIND
            look();
#endif
            if
            :: wants -> take(); UNLOCK(lock)
            :: !wants && closed && head == tail -> UNLOCK(lock); break
            :: else ->
                atomic {
                    if
#ifndef NOT_ASIDE
                    :: head < tail -> stands[me] = IN_WAY
#endif
                    :: else -> STAND(me)
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
        if
        :: tail - head == 1 -> offer()
        :: else
        fi;
        UNLOCK(lock);
        n++
    :: else -> break
    od;
    LOCK(lock);
    closed = true;
    offer();
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
            oldest_goes();
            offer()
        :: else
        fi;
        UNLOCK(lock)
    :: closed && head == tail -> break
    od
}
