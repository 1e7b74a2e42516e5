/* timed.c - timers of POSIX by the clock of a run. */
#define _GNU_SOURCE
#include <errno.h>

#include "base/simulation.h"
#include "platform/clock.h"
#include "platform/thread.h"
#include "posix/deadline.h"
#include "simulation/clocks.h"
#include "simulation/run.h"

static int64_t now(void)
{
    const struct co4__simulation *s = co4__local()->simulate.state;
    return s->ops->now(s);
}

static struct timespec timespec_of(int64_t ns)
{
    return (struct timespec){ ns / CO4_SEC, ns % CO4_SEC };
}

/* Sets it for its time, or for when the clock is set or becomes faster: then it is set anew. What
 * sets the clock may come after this at the same time: it looks again, at the next ns of the
 * network, which is one or two of a clock that is faster. */
static void arm(struct co4__timed *t)
{
    struct co4__network *n = co4__network_here();
    int64_t at = t->next > 0 ? t->next : CO4_NEVER, set = co4__simulated_wall_is_set();
    int64_t next = co4__network_local(n, co4__network_now(n)) + 2;
    set = set > next ? set : next;
    bool looks = set < at && (at != CO4_NEVER || t->is_set);
    if (looks || at != CO4_NEVER)
        co4__network_set_timer(n, &t->timer, looks ? set : at);
}

static void follow_wall(struct co4__timed *t)
{
    int64_t moved = co4__simulated_wall() - t->ahead;
    if (!t->is_wall || moved == 0)
        return;
    t->ahead += moved;
    if (t->next > 0)
        t->next = t->next > moved ? t->next - moved : 1;
    if (t->is_set)
        t->is_set(t);
}

static void fire(struct co4__net_timer *timer)
{
    struct co4__timed *t = (struct co4__timed *)(void *)timer;
    const struct co4__network *n = co4__network_here();
    int64_t at = co4__network_local(n, n->now);
    uint64_t times = 0;
    follow_wall(t);
    if (t->next > 0 && co4__network_global(n, t->next) <= n->now) {
        at = at > t->next ? at : t->next;
        times = t->interval > 0 ? 1 + (uint64_t)((at - t->next) / t->interval) : 1;
        t->next = t->interval > 0 ? t->next + (int64_t)times * t->interval : 0;
    }
    arm(t);
    if (times > 0)
        t->expires(t, times);
}

struct itimerspec co4__timed_left(const struct co4__timed *t)
{
    int64_t left = t->next > 0 ? t->next - now() : 0;
    if (t->next > 0 && left < 1)
        left = 1; /* it has yet to expire */
    return (struct itimerspec){ timespec_of(t->interval), timespec_of(left) };
}

void co4__timed_stop(struct co4__timed *t)
{
    co4__network_stop_timer(co4__network_here(), &t->timer);
    t->next = 0;
}

int co4__timed_set(struct co4__timed *t, clockid_t clock, bool is_absolute,
                   const struct itimerspec *time, struct itimerspec *before)
{
    int64_t at, begin = co4__simulated_begin_of(clock);
    if (!co4__is_timespec(&time->it_value) || !co4__is_timespec(&time->it_interval) || begin < 0)
        return EINVAL;
    if (before)
        *before = co4__timed_left(t);
    co4__timed_stop(t);
    at = co4__timespec_ns(&time->it_value);
    t->is_wall = is_absolute && co4__simulated_is_wall(clock);
    t->ahead = co4__simulated_wall();
    t->timer.fire = fire;
    if (at != 0) {
        at += is_absolute ? -begin : now();
        t->next = at > 0 ? at : 1;
        t->interval = co4__timespec_ns(&time->it_interval);
    }
    arm(t);
    return 0;
}
