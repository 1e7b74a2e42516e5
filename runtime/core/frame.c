/* frame.c - a pause takes a frame, a return drops it. A call may cost no more than this, so taking
 * a frame from the thread's cache is inline. */
#include <stddef.h>

#include "base/asan.h"
#include "base/compiler.h"
#include "base/public.h"
#include "core/fiber.h"
#include "memory/cache.h"
#include "memory/pool.h"

static CO4__NOINLINE void *frame_fetched(co4_fiber *co4, const co4_abi_func *func)
{
    co4_frame *f = co4__pool_take_frame(func);
    if (!f) {
        co4__fiber_fail(co4);
        return NULL;
    }
    f->at = co4_abi_points_of(func);
    return f;
}

void *co4_abi_frame_take(co4_fiber *co4, const co4_abi_func *func)
{
    co4_frame *f = NULL;
    if (!ASAN && CO4__LIKELY(func->frame_bytes <= CO4__LARGEST))
        f = co4__pool_at_hand(co4__class_of_frame(func));
    if (CO4__UNLIKELY(!f))
        return frame_fetched(co4, func);
    f->at = co4_abi_points_of(func);
    return f;
}

void co4_abi_frame_drop(co4_fiber *co4, void *frame)
{
    (void)co4;
    if (CO4__UNLIKELY(!frame))
        return;
    const co4_abi_func *func = co4_abi_func_of(((co4_frame *)frame)->at);
    if (ASAN || CO4__UNLIKELY(func->frame_bytes > CO4__LARGEST))
        co4__pool_drop_large(frame, func->frame_bytes);
    else
        co4__pool_drop_class(frame, co4__class_of_frame(func));
}
