/* jump.h - longjmp between activations of woven code. */
#ifndef CO4_JUMP_INTERNAL_H
#define CO4_JUMP_INTERNAL_H

#include "base/public.h"

/* The fiber is JUMPING and has given up its whole C stack; its frames are one chain. Frees those up
 * to the target's, and runs that. Returns how the step ends. */
int co4__jump_goes_on(co4_fiber *co4);

#endif
