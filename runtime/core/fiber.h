/* fiber.h - the trampoline of a fiber. */
#ifndef CO4_FIBER_INTERNAL_H
#define CO4_FIBER_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"
#include "base/public.h"

/* The fiber has failed: gives its chain back. Returns CO4_ABI_FAILED; or CO4_ABI_WAITING: it is a
 * task that waits for the children of a scope first; its `error` says that it is to be failed again
 * when it is woken. */
int co4__fiber_failed(co4_fiber *co4);

/* The allocation of a frame has failed: of a fiber that runs, or that unwinds and has saved some.
 * */
static inline void co4__fiber_fail(co4_fiber *co4)
{
    if (co4->pausing == CO4_ABI_RUNNING)
        co4_abi_pause(co4, CO4_ABI_FAILED);
    else
        co4->pausing = CO4_ABI_FAILED;
}

/* It pauses: the frames saved since it began to go in front of `rest`. Returns the reason.
 */
static inline int co4__fiber_link(co4_fiber *co4, co4_frame *rest)
{
    int why = co4->pausing;
    co4->pausing = CO4_ABI_RUNNING;
    if (CO4__LIKELY(co4->last != NULL))
        co4->last->caller = rest;
    else
        co4->leaf = rest;
    return CO4__UNLIKELY(why == CO4_ABI_FAILED) ? co4__fiber_failed(co4) : why;
}

/* Runs the fiber from this frame of it, all before which have ended, until it pauses or ends:
 * `root` is the last of these. */
static inline int co4__fiber_go_on(co4_fiber *co4, co4_frame *root, co4_frame *f)
{
    while (f) {
        co4_frame *caller = f->caller;
        f->at->resume(co4, f);
        if (CO4__LIKELY(co4->pausing != CO4_ABI_RUNNING))
            return co4__fiber_link(co4, caller);
        root = f;
        f = caller;
    }
    co4->leaf = NULL;
    co4->last = root;
    return 0;
}

/* The same from its leaf. Returns the reason it pauses, with all
 * frames saved; 0 when its root has returned: `result` is set, and `last` is the root frame, which
 * is still there if its function keeps it. CO4_ABI_FAILED: the chain is given back. FAILED_WAITING:
 * it still has to be, but not before nobody is about to wake the task. */
static inline int co4__fiber_resume(co4_fiber *co4)
{
    return co4__fiber_go_on(co4, NULL, co4->leaf);
}

/* After a direct call that pauses and has no trampoline below it. Returns the reason. */
int co4__fiber_finish_step(co4_fiber *co4);

/* Gives back every frame of the chain, whatever children look at. */
void co4__fiber_drop_chain(co4_fiber *co4);

static inline bool co4__is_wide(const co4_frame *call)
{
    return call->at->func->result_bytes > CO4_ABI_RESULT_BYTES;
}

struct co4__worker;

#endif
