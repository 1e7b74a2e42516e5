/* park.c - the sleep of threads, and random choices: by the platform, or by a simulation. */
#include <stddef.h>

#include "base/compiler.h"
#include "base/hooks.h"
#include "base/simulation.h"
#include "platform/before_wait.h"
#include "platform/clock.h"

void co4__sleep_block(int64_t deadline)
{
    struct co4__simulation *s = co4__local()->simulate.state;
    co4__before_wait(co4__local());
    if (s)
        s->ops->sleep(s, deadline);
    else
        co4__sleep_thread(deadline);
}

unsigned co4__choice(void)
{
    struct co4__local *here = co4__local();
    struct co4__simulation *s = here->simulate.state;
    if (CO4__UNLIKELY(s != NULL))
        return s->ops->choice(s);
    return here->clock.choices++;
}

int co4__park_thread(struct co4__parker *p, int64_t deadline, const char *what)
{
    struct co4__simulation *s = co4__local()->simulate.state;
    co4__before_wait(co4__local());
    if (CO4__UNLIKELY(s != NULL))
        return s->ops->park(s, p, deadline);
    int err = co4__parker_look(p, deadline);
    if (err == CO4_EDEADLK)
        co4__hooks.deadlock(what, NULL);
    return err;
}
