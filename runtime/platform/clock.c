/* clock.c - the time: by the platform, or by a simulation. */
#include "platform/clock.h"

#include <stddef.h>

#include "base/compiler.h"
#include "base/simulation.h"

int64_t co4_now(void)
{
    const struct co4__simulation *s = co4__local()->simulate.state;
    return CO4__UNLIKELY(s != NULL) ? s->ops->now(s) : co4__clock();
}

int64_t co4_after(int64_t ns)
{
    int64_t now = co4_now();
    return ns < CO4_NEVER - now ? now + ns : CO4_NEVER;
}
