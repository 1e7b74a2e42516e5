/* inside.h - code that a handler of signals may not leave.
 *
 * A handler may leave any call of POSIX by siglongjmp(), so the program may not notice that some of
 * these are calls of this library. If the jump left the C library's allocator, or a call that has
 * entered itself in a list, the heap or the list would stay half changed.
 *
 * Each thread counts such code that it is in. A handler that comes meanwhile is postponed
 * (posix/handlers.c): co4__inside_end() runs it when the count is 0 again. Functions marked
 * CO4__INSIDE are counted as a whole, up to a pause; then `pausing` of the fiber tells that no
 * handler may jump into it.
 *
 * Concurrency: a thread's count belongs to it and to the handlers that interrupt it. A handler that
 * runs leaves the count as it was, or leaves by a jump, which it does only at 0. So an increment
 * that it interrupts loses nothing. model/inside.pml */
#ifndef CO4_INSIDE_INTERNAL_H
#define CO4_INSIDE_INTERNAL_H

#include <stdatomic.h>
#include <stddef.h>

#include "base/compiler.h"

struct co4__inside {
    volatile unsigned depth;
    void (*volatile postponed)(void); /* runs the postponed handlers; NULL: there are none */
};

#ifdef CO4__NO_THREADS
extern struct co4__inside co4__inside;
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

/* Marks the definition of a pausable function. Its woven direct entry is one such piece of code. */
#ifdef CO4_PLAIN
#define CO4__INSIDE
#else
#define CO4__INSIDE __attribute__((annotate("co4_abi_inside")))

/* The weaver writes these two calls. */
static inline void co4_abi_enter(void)
{
    co4__inside_begin();
}

static inline void co4_abi_leave(void)
{
    co4__inside_end();
}
#endif

#endif
