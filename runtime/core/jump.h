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
    /* The handler jumps to an activation of this fiber that has paused. Returns whether the fiber
     * will make the jump: then the handler leaves by an ordinary longjmp to `buf`. `again`: it has
     * not made the last one yet. */
    bool (*jumps_later)(co4_fiber *fiber, bool again);
    void (*left)(const co4_fiber *fiber); /* it jumps to an activation of this fiber at once */
    /* It jumps out of a call of the library (base/inside.h): the same jump is to be made again when
     * that ends. Then, too, the handler leaves to `buf`. NULL: it jumps at once. */
    void (*at_end)(void *buf);
    void *buf;
};

/* Notes the value of a jump that is made later; the handler's longjmp has brought it. */
CO4__OWN void co4__jump_has_value(int value);
/* The jump that this fiber has to make now, once, and its value; NULL: none. */
CO4__OWN void *co4__jump_now(const co4_fiber *co4, int *value);

#endif
