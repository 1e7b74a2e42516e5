/* thread.pml - a thread that is a task, from its creation to its join or detachment, and the count
 * of the threads, whose last one ends the process (posix/thread.c, posix/threads.c).
 *
 *   - a joiner gets the value that the task has left; of two, one gets it
 *   - nobody uses the thread after the last reference, and that one frees it
 *   - the process ends when all of its threads have ended, and then it does
 *
 * break: ENDS_FIRST     the task says that it has ended before its value is there
 * break: DROPS_FIRST    the task drops its reference before it says that it has ended
 * break: ONE_REFERENCE  the thread has one reference, and not one each of the task and the id
 * break: TWO_DETACHED   a thread that begins detached has a reference of its id, which nobody drops
 * break: TAKES_LATE     a joiner looks whether the thread is taken, and takes it afterwards
 * break: WAITS_NOT      a joiner does not wait for the end
 * break: COUNTS_LATE    the creator counts the thread when it has been scheduled
 * break: MAIN_NOT       the thread of main is not counted */
#include "model.h"

bool taken, ended, has_value, freed, scheduled, exited, begins_detached;
bool known; /* the id: until a join has returned */
byte refs, joins;
#ifdef MAIN_NOT
byte alive = 1; /* the other joiner */
#else
byte alive = 2;
#endif
byte living = 3; /* what `alive` has to be, in the end */

inline drop()
{
    atomic {
        assert(!freed);
        refs--;
        freed = (refs == 0)
    }
}

inline has_ended()
{
    living--;
    atomic {
        alive--;
        if
        :: alive == 0 ->
            assert(living == 0 && !exited);
            exited = true
        :: else
        fi
    }
}

/* Sets `mine`. A program does not use an id that is not valid any more. */
inline take(mine)
{
    atomic {
        mine = known && !taken;
        assert(!known || !freed);
#ifndef TAKES_LATE
        taken = taken || mine
#endif
    }
#ifdef TAKES_LATE
    taken = taken || mine
#endif
}

inline join()
{
    take(mine);
    if
    :: mine ->
#ifndef WAITS_NOT
        ended;
#endif
        assert(has_value && !freed);
        joins++;
        assert(joins == 1);
        known = false;
        drop()
    :: else
    fi
}

active proctype main()
{
    bool mine;
    if
    :: begins_detached = true
    :: skip
    fi;
    taken = begins_detached;
#ifdef ONE_REFERENCE
    refs = 1;
#else
    refs = (begins_detached -> 1 : 2);
#endif
#ifdef TWO_DETACHED
    refs = 2;
#endif
#ifndef COUNTS_LATE
    alive++;
#endif
    known = !begins_detached;
    scheduled = true;
#ifdef COUNTS_LATE
    alive++;
#endif
    if
    :: begins_detached
    :: !begins_detached -> join()
    :: !begins_detached -> /* detaches it */
        take(mine);
        if
        :: mine -> known = false; drop()
        :: else
        fi
    fi;
    has_ended()
}

/* Another thread of the program, which has the id as long as that is valid. */
active proctype other()
{
    bool mine;
    if
    :: known -> join()
    :: skip
    fi;
    has_ended()
}

active proctype task()
{
    scheduled;
#ifdef DROPS_FIRST
    drop();
#endif
#ifdef ENDS_FIRST
    ended = true;
    has_value = true;
#else
    has_value = true;
    assert(!freed);
    ended = true;
#endif
#ifndef DROPS_FIRST
    drop();
#endif
    has_ended()
}

active proctype end()
{
    exited -> assert(freed)
}
