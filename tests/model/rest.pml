/* rest.pml - a mailbox of capacity 1 with one list, which has selects that another source has
 * served. A thread that removes them yields the lock after each one; the library does so after each
 * CO4__BATCH (co4__wait_queue_yield).
 *
 *   - each message is received, and each waiter continues
 *   - no send passes a waiting sender
 *   - the list has one kind of waiters, and the ring has no more messages than memory
 *
 * break: SENDERS_LEFT   a receive does not settle first
 * break: OVERTAKES      a send that has found no receiver does not settle before it takes the slot
 * break: GOES_ON        a thread that has yielded the lock does not settle on */
#include "model.h"

#define GET  1
#define PUT  2
#define DEAD 9
#define ANY  4 /* the waiters: two getters, two putters */

bool lock, closed;
byte count; /* messages in the ring */
chan list = [8] of { byte, byte }; /* kind, index of the task */
byte waits_to_put, puts, gets;
bool served[ANY];

/* Before the others: a full ring and two dead that would put, or an empty one and two that would
 * get. */
bool began, held_one;
active proctype begin()
{
    atomic {
        if
        :: held_one = true; count = 1; list!PUT(DEAD); list!PUT(DEAD)
        :: list!GET(DEAD); list!GET(DEAD)
        fi;
        began = true
    }
    _nr_pr == 1;
    assert(puts == 2 && gets == 2 && count == held_one && empty(list))
}

#define OTHERS_HAVE_THE_LOCK                                                                       \
    UNLOCK(lock);                                                                                  \
    LOCK(lock)

#define FIRST_IS(kind) list?[kind, _]

/* At the empty ring, removes the first getter from the list: `who`, or DEAD. */
inline serve()
{
    do
    :: count == 0 && FIRST_IS(GET) ->
        list?GET(who);
        if
        :: who != DEAD -> break
        :: else -> OTHERS_HAVE_THE_LOCK
        fi
    :: else -> break
    od
}

/* co4__mailbox_settle. */
#ifdef GOES_ON
#define ON break
#else
#define ON skip
#endif
inline settle()
{
    do
    :: count > 0 && FIRST_IS(GET) ->
        list?GET(who);
        if
        :: who != DEAD -> count--; gets++; served[who] = true
        :: else -> OTHERS_HAVE_THE_LOCK; ON
        fi
    :: count == 0 && FIRST_IS(PUT) ->
        list?PUT(who);
        if
        :: who != DEAD -> waits_to_put--; count++; served[who] = true
        :: else -> OTHERS_HAVE_THE_LOCK; ON
        fi
    :: else -> break
    od
}

#define LIST(kind, other)                                                                          \
    assert(!FIRST_IS(other));                                                                      \
    list!kind(me)

proctype get(byte me)
{
    byte who;
    began;
    LOCK(lock);
#ifndef SENDERS_LEFT
    settle();
#endif
    if
    :: count > 0 ->
        count--;
        gets++;
        settle();
        UNLOCK(lock)
    :: else ->
        LIST(GET, PUT);
        UNLOCK(lock);
        served[me]
    fi
}

/* `plain`: it looks for a receiver first; a select puts, and settles then. */
proctype put(byte me; bool plain)
{
    byte who;
    began;
    LOCK(lock);
    who = DEAD;
    if
    :: plain -> serve()
    :: else
    fi;
    if
    :: who != DEAD -> gets++; puts++; served[who] = true; UNLOCK(lock)
    :: else ->
#ifndef OVERTAKES
        settle();
#endif
        if
        :: count > 0 ->
            waits_to_put++;
            LIST(PUT, GET);
            UNLOCK(lock);
            served[me];
            puts++
        :: else ->
            assert(waits_to_put == 0);
            count++;
            puts++;
            settle();
            UNLOCK(lock)
        fi
    fi
}

init
{
    atomic {
        run get(0);
        run get(1);
        run put(2, true);
        run put(3, false)
    }
}
