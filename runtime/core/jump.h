/* jump.h - jumps out of handlers of signals.
 *
 * A handler may jump to an activation that is not on the C stack, although its task goes on: as the
 * task waits, or runs a function that it has called. Then the handler ends, and the task makes the
 * jump: at the end of the wait, or when the activation goes on. Each thread has one such jump, the
 * last. */
#ifndef CO4_JUMP_INTERNAL_H
#define CO4_JUMP_INTERNAL_H

#include <stdbool.h>

#include "base/compiler.h"
#include "base/public.h"

/* A handler that runs on this thread. It is on the stack of the function that has called it. */
struct co4__handler {
    struct co4__handler *outer;
    /* The handler jumps to an activation of this fiber that has paused. True: the fiber will make
     * the jump, and the handler leaves by an ordinary longjmp to `buf`. `again`: the fiber has not
     * made the last jump yet. */
    bool (*jumps_later)(co4_fiber *fiber, bool again);
    void (*left)(const co4_fiber *fiber); /* it jumps to an activation of this fiber at once */
    /* The handler jumps out of a call of the library (base/inside.h). It leaves to `buf` in this
     * case as well, and the same jump is made again when the call ends. NULL: it jumps at once. */
    void (*at_end)(void *buf);
    void *buf;
};

/* Notes the value of a jump that is made later, which the handler's longjmp has brought. */
CO4__OWN void co4__jump_has_value(int value);
/* Returns the jump that this fiber has to make now, once, and sets *value. NULL: there is none. */
CO4__OWN void *co4__jump_now(const co4_fiber *co4, int *value);

#endif
