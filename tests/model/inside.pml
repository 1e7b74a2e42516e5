/* inside.pml - a handler of signals that jumps to the function that has made the interrupted call
 * (base/inside.h, posix/handlers.c, core/jump.c).
 *
 * The function takes a frame, and makes a call of POSIX, in which the library enters itself in a
 * wait queue, or blocks the thread. Its fiber may unwind, and is resumed later. Signals come at any
 * time. While a handler runs, the code that it has interrupted does not.
 *
 *   - no jump leaves the allocator, or a wait queue with an entry of a function that goes on
 *   - no jump waits while the thread blocks
 *   - a jump leaves no count behind
 *   - in the end each signal has led to a jump
 *
 * break: NO_COUNT      a section is not counted, so the allocator is left
 * break: NO_LOOK       its end does not look for postponed handlers
 * break: LOOK_FIRST    its end looks before it stores 0
 * break: NO_CALL       a handler jumps out of a call
 * break: NO_AT_END     the end of a call does not make the jump that waits for it
 * break: AT_END_FIRST  it looks for one before the call has ended
 * break: NO_BLOCK      a call that blocks is not left for that time
 * break: NO_PAUSING    an unwinding fiber counts as running
 * break: NO_LATER      a function that is resumed does not look for a jump */
#include "model.h"

#define SIGNALS 2
#define RUNNING 0
#define WAITING 1

byte depth;      /* of sections */
bool postponed;  /* a handler waits for the end of one */
bool call;       /* the task is in a call */
bool waits;      /* a jump waits for its end */
bool handling;   /* a handler runs */
bool in_heap, listed, blocks;
byte pausing = RUNNING;
bool on_stack = true;
bool later;      /* the jump that the function makes when it is resumed */
bool jumps, landed, came, ended;

inline handler()
{
    if
#ifndef NO_CALL
    :: call ->
        assert(!blocks);
        waits = true
#endif
#ifdef NO_PAUSING
    :: !call && on_stack ->
#elif defined(NO_CALL)
    :: on_stack && pausing == RUNNING ->
#else
    :: !call && on_stack && pausing == RUNNING ->
#endif
        assert(!in_heap && !listed);
        jumps = true
    :: else -> later = true
    fi
}

inline begin_section()
{
#ifndef NO_COUNT
    counted = depth;
    depth = counted + 1
#else
    skip
#endif
}

inline end_section()
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

inline end_call()
{
#ifdef AT_END_FIRST
    found = waits;
    call = false;
#else
    call = false;
    found = waits;
#endif
#ifdef NO_AT_END
    found = false;
#endif
    if
    :: found -> waits = false; handler()
    :: else
    fi
}

active proctype task() provided (!handling)
{
    byte counted;
    bool found, lands;
    {
        begin_section(); /* the pool takes memory for a frame */
        in_heap = true;
        in_heap = false;
        end_section();
        call = true;
        if
        :: skip /* it does not wait */
        :: listed = true; pausing = WAITING
        :: /* it blocks */
#ifndef NO_BLOCK
            end_call();
#endif
            blocks = true;
            blocks = false;
            call = true
        fi;
        end_call();
        if
        :: pausing == WAITING ->
            on_stack = false; /* its frame is saved; other tasks run */
            d_step { listed = false; pausing = RUNNING };
#ifndef NO_LATER
            begin_section(); /* co4_abi_jumps_enter() */
            on_stack = true;
            d_step { lands = later; later = false };
            end_section();
            if
            :: lands -> jumps = true
            :: else
            fi
#endif
        :: else
        fi;
        ended = true;
        assert(!postponed && !waits);
        assert(!came || jumps)
    } unless {
        jumps;
        landed = true;
        assert(depth == 0 && !call)
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
