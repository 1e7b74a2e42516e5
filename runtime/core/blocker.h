/* blocker.h - threads that block, as waiters; what a waiter is in, in words. */
#ifndef CO4_BLOCKER_INTERNAL_H
#define CO4_BLOCKER_INTERNAL_H

#include <stdint.h>

#include "base/public.h"
#include "core/wait.h"
#include "platform/thread.h"

struct co4__timers;

/* Like co4__wake(), for a waiter that is not a task's. */
void co4__wake_other(struct co4__waiter *w);

/* A thread that blocks has such a waiter, on its stack. */
struct co4__blocker {
    struct co4__waiter waiter;
    struct co4__parker parker;
};

int co4__blocker_init(struct co4__blocker *b);
void co4__blocker_fini(struct co4__blocker *b);
/* Like co4__wait(), for a thread, which then calls co4__blocker_wait(). */
void co4__blocker_queue(struct co4__blocker *b, struct co4__wait_queue *p, unsigned kind,
                        void *buffer);
/* Blocks until woken, then returns the result. After the deadline, or if nothing can wake the
 * thread, it returns a negative code, and the thread waits no more. `timers`: a heap whose timers
 * the thread fires meanwhile, or NULL. */
int co4__blocker_wait(struct co4__blocker *b, int64_t deadline, struct co4__timers *timers);

/* ---- what a task is in ---- */

/* Words for waits in calls of the library whose kind says less: how the call's name goes on behind
 * co4_, a NUL, what is said of it, a NUL; an empty name ends them. co4.py reads them here. */
extern const char co4__words_of_calls[];
/* Those of the deepest call that has some, up to the first function of the program, among frames,
 * leaf first; NULL: none has. */
const char *co4__words_of_call(const co4_abi_point *const *frames, unsigned count);

#endif
