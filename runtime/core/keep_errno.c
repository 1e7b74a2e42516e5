/* keep_errno.c - a forced pause leaves errno as it was.
 *
 * A program reads errno after a call that has failed. A forced pause in between would let other
 * tasks change it. So the pause adds a frame that restores it. The frame is the leaf, so it is
 * resumed first; `result` stays as the call has left it. Other pauses need none: no task runs
 * between the end of a call and its caller. */
#include "core/keep_errno.h"

#include <errno.h>
#include <stddef.h>

#include "core/fiber.h"
#include "memory/pool.h"

struct errno_frame {
    co4_frame head;
    int value;
};

static void restore_errno(co4_fiber *co4, co4_frame *frame)
{
    int value = ((struct errno_frame *)(void *)frame)->value;
    co4_abi_frame_drop(co4, frame);
    errno = value;
}

static const struct co4__made errno_func = CO4__MADE_FRAME(
    sizeof(struct errno_frame), "co4_forced_pause", restore_errno, .result_bytes = CO4_ABI_MADE);

/* If there is no memory for it, `errno` is lost. */
void co4__keep_errno(co4_fiber *co4)
{
    int value = errno;
    struct errno_frame *f = value != 0 ? co4__pool_take_frame(&errno_func.func) : NULL;
    if (!f)
        return;
    f->value = value;
    co4_abi_link(co4, &f->head, &errno_func.points[1]);
}
