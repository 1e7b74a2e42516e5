/* inside.pml - a handler of signals that jumps to the function that has made the interrupted call
 * (base/inside.h, posix/handlers.c, core/jump.c).
 *
 * The function makes a call of POSIX, in which the library allocates memory, and enters itself in a
 * wait queue. Then its fiber unwinds, and it is resumed later. Signals come at any time. While a
 * handler runs, the code that it has interrupted does not.
 *
 *   - no jump leaves the allocator, or a wait queue with an entry of a function that goes on
 *   - a jump leaves no count behind
 *   - in the end each signal has led to a jump
 *
 * break: NO_COUNT      a call is not counted, so the allocator is left
 * break: NO_PAUSING    an unwinding fiber counts as running
 * break: NO_LOOK       the end of the call does not look for postponed handlers
 * break: LOOK_FIRST    it looks before it stores 0
 * break: NO_LATER      a function that is resumed does not look for a jump */
#include "model.h"

#define SIGNALS 2
#define RUNNING 0
#define WAITING 1

byte depth;      /* co4__inside.depth */
bool postponed;  /* a handler waits for its end */
bool handling;   /* a handler runs */
bool in_heap, listed;
byte pausing = RUNNING;
bool on_stack = true;
bool later;      /* the jump that the function makes when it is resumed */
bool jumps, landed, came, ended;

inline handler()
{
    if
#ifdef NO_PAUSING
    :: on_stack ->
#else
    :: on_stack && pausing == RUNNING ->
#endif
        assert(!in_heap && !listed);
        jumps = true
    :: else -> later = true
    fi
}

inline enter()
{
#ifndef NO_COUNT
    counted = depth;
    depth = counted + 1
#else
    skip
#endif
}

inline leave()
{
#ifndef NO_COUNT
#ifdef LOOK_FIRST
    found = postponed;
    counted = depth;
    depth = counted - 1;
    found = found && counted == 1;
#else
    counted = depth;
    depth = counted - 1;
    found = counted == 1 && postponed;
#endif
#ifdef NO_LOOK
    found = false;
#endif
    if
    :: found -> postponed = false; handler()
    :: else
    fi
#else
    skip
#endif
}

active proctype task() provided (!handling)
{
    byte counted;
    bool found, lands;
    {
        enter();
        enter(); /* the allocator, in the call */
        in_heap = true;
        in_heap = false;
        leave();
        if
        :: skip /* it does not wait */
        :: listed = true; pausing = WAITING
        fi;
        leave();
        if
        :: pausing == WAITING ->
            on_stack = false; /* its frame is saved; other tasks run */
            d_step { listed = false; pausing = RUNNING };
#ifndef NO_LATER
            enter(); /* co4_abi_jumps_enter() */
            on_stack = true;
            d_step { lands = later; later = false };
            leave();
            if
            :: lands -> jumps = true
            :: else
            fi
#endif
        :: else
        fi;
        ended = true;
        assert(!postponed);
        assert(!came || jumps)
    } unless {
        jumps;
        landed = true;
        assert(depth == 0)
    }
}

active proctype signals()
{
    byte n;
    do
    :: atomic { n < SIGNALS && !ended && !landed && !jumps && !handling -> handling = true; came = true };
        if
        :: depth > 0 -> postponed = true
        :: else -> handler()
        fi;
        n++;
        handling = false
    :: n == SIGNALS || ended || landed -> break
    od
}
