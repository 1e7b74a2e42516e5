/* interrupts.h - waits that a handler of signals ends: interrupts.c explains it. */
#ifndef CO4_INTERRUPTS_H
#define CO4_INTERRUPTS_H

#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/public.h"

/* Whether the program has ever installed a handler, by a call that co4weave has linked. */
extern CO4__OWN atomic_bool co4__handlers_are_known;
/* The program has set one of its own. */
extern CO4__OWN atomic_bool co4__handlers_are_set;

/* Called by the handler itself, when the program's has returned. */
CO4__OWN void co4__interrupted(bool restarts);

/* Called for a handler that jumps (core/jump.h). The task of the fiber waits on this thread, and
 * co4__interrupted() will wake it; or it is not in a wait. */
CO4__OWN bool co4__interrupts_jumps_later(co4_fiber *fiber, bool again);
/* The jump that the calling task has to make, once; NULL: none. */
CO4__OWN void *co4__interrupts_jump(int *value);
/* A look of a call that waits for a child, before a handler takes the child. It is part of the
 * caller's struct, and may be called more than once, by any thread. */
struct co4__look {
    void (*look)(struct co4__look *self);
    const co4_fiber *fiber;
    struct co4__look *next, *prev;
};
/* Called by a handler of SIGCHLD, before the program's. */
CO4__OWN void co4__interrupts_look(void);
/* The calling task begins to wait with this look, and has ended that. */
CO4__OWN void co4__look_begin(struct co4__look *look);
CO4__OWN void co4__look_end(struct co4__look *look);
/* Looks, apart from all handlers. */
CO4__OWN void co4__look_now(struct co4__look *look);
/* The calling task begins to wait, and has ended that. */
CO4__OWN void co4__interrupts_waits(bool waits);
/* The calling task leaves its wait by a jump. */
CO4__OWN void co4__interrupts_looks_no_more(void);
/* A handler has jumped to a function of this fiber that is on the C stack. */
CO4__OWN void co4__interrupts_left(const co4_fiber *fiber);

/* A thread of the pool is about to wait for a child of the calling task: the handlers of SIGCHLD
 * wait for the end of that, as one may wait for any child. Returns whether they have to be let
 * go. */
#ifdef __wasm__ /* there are no children */
static inline bool co4__interrupts_hold_child(void)
{
    return false;
}

static inline void co4__interrupts_let_child_go(const bool *held)
{
    (void)held;
}
#else
CO4__OWN bool co4__interrupts_hold_child(void);
CO4__OWN void co4__interrupts_let_child_go(const bool *held);
#endif
/* Called by a handler of SIGCHLD. Returns whether it has to wait: it comes again then. */
CO4__OWN bool co4__interrupts_holds_child(const siginfo_t *info);

/* The calls of this thread that end now, or -1. */
CO4__OWN int co4__interrupts_mark(bool always);
/* The handlers that have returned on this thread; or those without SA_RESTART. */
CO4__OWN unsigned co4__interrupts_count(bool always);
/* In a simulation: the handlers since are those of a task that goes. */
CO4__OWN void co4__interrupts_count_is(const unsigned counts[2]);
/* Whether the calling task is the first one of a run, and no thread of its own. */
CO4__OWN bool co4__interrupts_of_run(void);
/* Returns whether a handler has ended the call that has this mark. */
CO4__OWN bool co4__interrupts_since(int mark);
/* A descriptor that is readable after an interrupt of this thread; -1: there is none. */
CO4__OWN int co4__interrupts_descriptor(void);
CO4__OWN void co4__interrupts_drain(int descriptor);

/* Plain calls block, and end by themselves; in WebAssembly no handler runs while a call waits. */
#if defined(CO4_PLAIN) || defined(__wasm__)

static inline int co4__interrupts_begin(bool always)
{
    (void)always;
    return -1;
}

#ifdef __wasm__
#define co4__interrupts_mark(always) ((void)(always), -1)
#define co4__interrupts_since(mark)  ((void)(mark), false)
#endif
#define co4__interrupts_wait(fd, events, until, mark) ((void)(until), (void)(mark), -1)
#define co4__interrupts_poll(fds, count, until, mark) ((void)(until), (void)(mark), -1)

#else

/* A call is about to wait: returns its mark, or -1 if no handler ends it. `always`: those with
 * SA_RESTART do, too. */
static inline int co4__interrupts_begin(bool always)
{
    if (CO4__LIKELY(!atomic_load_explicit(&co4__handlers_are_known, memory_order_relaxed)))
        return -1;
    return co4__interrupts_mark(always);
}

/* Waits for the events of a descriptor (-1: none). Returns 0; -1 with `errno`: EINTR, ETIMEDOUT,
 * ECANCELED and others of co4_poll_until(). */
CO4__OWN pausable int co4__interrupts_wait(int fd, int events, int64_t until, int mark);
/* co4_poll_until(), which may fail with EINTR. */
CO4__OWN pausable int co4__interrupts_poll(struct pollfd *fds, nfds_t count, int64_t until,
                                           int mark);

#endif

/* co4__fd_wait(), which may fail with EINTR. */
#ifdef __wasm__
#define co4__posix_fd_wait co4__fd_wait
#else
CO4__OWN pausable int co4__posix_fd_wait(int fd, int events, int64_t until);
#endif

#endif
