/* inside.h - code that a handler of signals may not leave by a jump.
 *
 * A handler may leave any call of POSIX by siglongjmp(), so the program may not notice that some of
 * these are calls of this library, and that its functions take frames. Two kinds of code would be
 * left half changed:
 *
 * - Sections in which no handler may run, as it would need the same memory or lock to jump. A
 *   handler that comes meanwhile is postponed to co4__inside_end(). They are short, and block for
 *   no more than a lock.
 * - Calls, of functions marked CO4__INSIDE. A handler runs at once, but its jump waits for the end
 *   of the call, or for its pause: then `pausing` of the fiber tells that no jump may come there.
 *   Where a call is about to block its thread, it is left for that time: co4__call_leave().
 *
 * A call is known by its place on the stack. If a callback of the program has left one by a jump,
 * the next call, and a handler, see that the stack is shorter than that.
 *
 * Concurrency: the struct belongs to a thread, and to the handlers that interrupt it. A handler
 * leaves it as it was, or leaves by a jump, which it does only where the count is 0. So an
 * increment that it interrupts loses nothing. posix/handlers.c; model/inside.pml. */
#ifndef CO4_INSIDE_INTERNAL_H
#define CO4_INSIDE_INTERNAL_H

#include <stdatomic.h>
#include <stddef.h>

#include "base/compiler.h"

struct co4__inside {
    volatile unsigned depth;          /* of sections */
    void (*volatile postponed)(void); /* runs the postponed handlers; NULL: there are none */
    const char *volatile call;        /* a place in the frame of the outermost call; or NULL */
    void (*volatile jumps)(void);     /* makes the jump that waits for its end; NULL: none */
};

#ifdef CO4__NO_THREADS
extern CO4__OWN struct co4__inside co4__inside;
#elif defined(__GNUC__) && !defined(__APPLE__)
extern _Thread_local struct co4__inside co4__inside
    __attribute__((tls_model("initial-exec"), visibility("hidden")));
#else
extern _Thread_local struct co4__inside co4__inside;
#endif

static inline void co4__inside_begin(void)
{
    co4__inside.depth++;
    atomic_signal_fence(memory_order_seq_cst);
}

static inline void co4__inside_end(void)
{
    atomic_signal_fence(memory_order_seq_cst);
    /* Reads `postponed` after the store of 0: a handler that comes in between has run. */
    if (--co4__inside.depth == 0 && CO4__UNLIKELY(co4__inside.postponed != NULL))
        co4__inside.postponed();
}

#if defined(__GNUC__) || defined(__clang__)

/* Returns whether a function with a frame at `at` runs in a call. */
static inline int co4__call_has(const char *at)
{
    return co4__inside.call != NULL && co4__inside.call >= at;
}

/* The weaver writes these two around the body of a CO4__INSIDE function. */
static CO4__ALWAYS_INLINE void co4_abi_enter(void)
{
    const char *at = __builtin_frame_address(0);
    if (!co4__call_has(at))
        co4__inside.call = at;
    atomic_signal_fence(memory_order_seq_cst);
}

static CO4__ALWAYS_INLINE void co4_abi_leave(void)
{
    const char *at = __builtin_frame_address(0);
    atomic_signal_fence(memory_order_seq_cst);
    if (co4__inside.call != at)
        return;
    co4__inside.call = NULL;
    if (CO4__UNLIKELY(co4__inside.jumps != NULL))
        co4__inside.jumps();
}

/* A call is about to block its thread, or to run code of the program: until co4__call_again() its
 * jumps are made at once. */
static inline const char *co4__call_leave(void)
{
    const char *call = co4__inside.call;
    co4__inside.call = NULL;
    if (CO4__UNLIKELY(co4__inside.jumps != NULL))
        co4__inside.jumps();
    return call;
}

static inline void co4__call_again(const char *call)
{
    co4__inside.call = call;
}

#endif

/* Marks the definition of a pausable function; gcc would warn of it where it reads the source for
 * its messages (mark.h). */
#if defined(CO4_PLAIN) || (defined(__CO4WEAVE__) && __CO4WEAVE__ == 2 && !defined(__clang__))
#define CO4__INSIDE
#else
#define CO4__INSIDE __attribute__((annotate("co4_abi_inside")))
#endif

#endif
