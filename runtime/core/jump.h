/* jump.h - jumps out of handlers of signals. */
#ifndef CO4_JUMP_INTERNAL_H
#define CO4_JUMP_INTERNAL_H

#include <stdbool.h>

#include "base/public.h"

/* A handler that runs on this thread. It is on the stack of the function that has called it. */
struct co4__handler {
    struct co4__handler *outer;
    /* The handler jumps to an activation of this fiber that has paused. Returns whether the fiber
     * will make the jump: then the handler leaves by an ordinary longjmp to `buf`. */
    bool (*jumps_later)(co4_fiber *fiber, void *jump);
    void *buf;
};

#endif
