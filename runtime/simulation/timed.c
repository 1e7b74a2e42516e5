/* timed.c - timers of POSIX by the clock of a run. */
#define _GNU_SOURCE
#include <errno.h>

#include "base/simulation.h"
#include "platform/clock.h"
#include "platform/thread.h"
#include "posix/deadline.h"
#include "simulation/clocks.h"

static int64_t now(void)
{
    const struct co4__simulation *s = co4__local()->simulate.state;
    return s->ops->now(s);
}

static struct timespec timespec_of(int64_t ns)
{
    return (struct timespec){ ns / CO4_SEC, ns % CO4_SEC };
}

static void fire(struct co4__net_timer *timer)
{
    struct co4__timed *t = (struct co4__timed *)(void *)timer;
    struct co4__network *n = co4__network_here();
    uint64_t times = 1;
    if (t->interval > 0) {
        if (n->now > t->next)
            times += (uint64_t)((n->now - t->next) / t->interval);
        t->next += (int64_t)times * t->interval;
        co4__network_set_timer(n, &t->timer, t->next);
    } else {
        t->next = 0;
    }
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
    if (t->next > 0)
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
    if (at == 0)
        return 0;
    at += is_absolute ? -begin : now();
    t->next = at > 0 ? at : 1;
    t->interval = co4__timespec_ns(&time->it_interval);
    t->timer.fire = fire;
    co4__network_set_timer(co4__network_here(), &t->timer, t->next);
    return 0;
}
