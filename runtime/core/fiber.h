/* fiber.h - the trampoline of a fiber. */
#ifndef CO4_FIBER_INTERNAL_H
#define CO4_FIBER_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"
#include "base/public.h"

/* Called when the fiber has failed. Frees its chain and returns CO4_ABI_FAILED. Returns
 * CO4_ABI_WAITING for a task that has to wait for the children of a scope first. Its `error` then
 * makes it fail again when it wakes. */
int co4__fiber_failed(co4_fiber *co4);

/* Called when the fiber has failed or jumps. Its frames are linked. Returns how its step ends. */
int co4__fiber_gives_up(co4_fiber *co4, int why);

/* Called when the allocation of a frame has failed. The fiber runs, or unwinds and has saved some
 * frames. */
static inline void co4__fiber_fail(co4_fiber *co4)
{
    if (co4->pausing == CO4_ABI_RUNNING)
        co4_abi_pause(co4, CO4_ABI_FAILED);
    else
        co4->pausing = CO4_ABI_FAILED;
}

/* Called when the fiber pauses. Links the frames that were saved since it began to run before
 * `callers`. Returns the reason. */
static inline int co4__fiber_link(co4_fiber *co4, co4_frame *callers)
{
    int why = co4->pausing;
    co4->pausing = CO4_ABI_RUNNING;
    if (CO4__LIKELY(co4->last != NULL))
        co4->last->caller = callers;
    else
        co4->leaf = callers;
    return CO4__UNLIKELY(why >= CO4_ABI_FAILED) ? co4__fiber_gives_up(co4, why) : why;
}

/* Runs the fiber from its frame `f` until it pauses or ends. All frames before `f` have ended;
 * `root` is the last of them. */
static inline int co4__fiber_go_on(co4_fiber *co4, co4_frame *root, co4_frame *f)
{
    while (f) {
        co4_frame *caller = f->caller;
        f->at->resume(co4, f);
#ifndef __OPTIMIZE_SIZE__
        if (CO4__LIKELY(co4->pausing == CO4_ABI_WAITING && co4->last != NULL)) {
            co4->pausing = CO4_ABI_RUNNING;
            co4->last->caller = caller;
            return CO4_ABI_WAITING; /* as below, and the usual case */
        }
#endif
        if (CO4__LIKELY(co4->pausing != CO4_ABI_RUNNING))
            return co4__fiber_link(co4, caller);
        root = f;
        f = caller;
    }
    co4->leaf = NULL;
    co4->last = root;
    return 0;
}

/* Runs the fiber from its leaf. If it pauses, returns the reason, and all frames are saved. Returns
 * 0 when its root has returned: `result` is set, and `last` is the root frame, which still exists
 * if its function keeps it. CO4_ABI_FAILED: the chain is freed. FAILED_WAITING: the chain has to be
 * freed once no thread is about to wake the task. */
static inline int co4__fiber_resume(co4_fiber *co4)
{
    return co4__fiber_go_on(co4, NULL, co4->leaf);
}

/* Called after a direct call that pauses and has no trampoline below it, or that of co4prof:
 * co4__fiber_link(). Returns the reason. */
CO4__PRIVATE int co4__fiber_finish_step(co4_fiber *co4, co4_frame *callers);

/* Frees every frame of the chain, even if children of a scope read them. */
void co4__fiber_drop_chain(co4_fiber *co4);

/* The tables of a frame that the runtime makes, as the weaver writes them for those of a function:
 * point 0, of a frame that has not begun, and point 1. Fields of co4_abi_func may follow. */
struct co4__made {
    co4_abi_func func;
    co4_abi_point points[2];
};
#define CO4__MADE_FRAME(bytes, text, again, ...)                                                   \
    {                                                                                              \
        .func = { .frame_bytes = (bytes), .name = (text), __VA_ARGS__ },                           \
        .points = { { .resume = (again) }, { .resume = (again), .id = 1 } },                       \
    }

static inline co4_abi_u32 co4__result_bytes(const co4_frame *call)
{
    return co4_abi_func_of(call->at)->result_bytes & ~(co4_abi_u32)CO4_ABI_FLAGS;
}

/* Returns whether the call frame stays until the end and receives the result. */
static inline bool co4__is_wide(const co4_frame *call)
{
    return (co4_abi_func_of(call->at)->result_bytes & CO4_ABI_WIDE) != 0;
}

/* Returns the source position of a point. NULL: no call has begun there, or its function has no
 * table. */
static inline const co4_abi_site *co4__site_of(const co4_abi_point *at)
{
    const co4_abi_info *info = at && at->id > 0 ? co4_abi_func_of(at)->info : NULL;
    return info && info->sites ? &info->sites[at->id - 1] : NULL;
}

struct co4__worker;

#endif
