/* depth.c - objects and generators that are nested too deep. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/public.h"
#include "core/gen.h"
#include "core/task.h"
#include "platform/thread.h"

bool co4__nests_too_deep(unsigned depth)
{
    static atomic_bool reported;
    if (CO4__LIKELY(depth <= CO4_NEST_MAX))
        return false;
    co4__advise(&reported, "a source, future or stream that is made of others is nested more than "
                           "CO4_NEST_MAX deep: it is refused");
    return true;
}

/* Asking where the stack ends costs as much as a hundred steps. So it is asked only when this
 * thread has come far from the place where it has begun the first generator. */
bool co4__gen_lacks_stack(void)
{
    enum { FAR = 32 << 10 };
    static atomic_bool reported;
    struct co4__local *here = co4__local();
    uintptr_t at = (uintptr_t)__builtin_frame_address(0);
    if (at > here->stack.generates_at)
        here->stack.generates_at = at;
    if (here->stack.generates_at - at < FAR || co4__stack_left() >= FAR)
        return false;
    co4__advise(&reported, "generators run generators until less than 32 KB of the C stack are "
                           "left: the next one is refused");
    return true;
}
