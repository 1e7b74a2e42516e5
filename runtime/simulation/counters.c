/* counters.c - eventfd() and timerfd of a program of --auto=test: numbers that a read takes. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/alloc.h"
#include "io/attempt.h"
#include "io/network.h"
#include "posix/deadline.h"
#include "posix/wraps.h"
#include "simulation/clocks.h"
#include "simulation/leaks.h"
#include "simulation/objects.h"
#include "simulation/run.h"

CO4__WRAPS(eventfd, (unsigned value, int flags));
CO4__WRAPS(eventfd_read, (int fd, eventfd_t *value));
CO4__WRAPS(eventfd_write, (int fd, eventfd_t value));
CO4__WRAPS(timerfd_create, (int clock, int flags));
CO4__WRAPS(timerfd_settime,
           (int fd, int flags, const struct itimerspec *time, struct itimerspec *before));
CO4__WRAPS(timerfd_gettime, (int fd, struct itimerspec *time));

#define FULL (UINT64_MAX - 1)

struct counter {
    struct co4__object object;
    uint64_t count;
    bool one_by_one; /* EFD_SEMAPHORE */
    /* of a timerfd */
    int clock;
    struct co4__timed timer;
    bool cancels, is_cancelled; /* TFD_TIMER_CANCEL_ON_SET; the clock was set */
};

static ssize_t counter_read(struct co4__object *o, void *to, size_t bytes)
{
    struct counter *c = (struct counter *)(void *)o;
    uint64_t value = c->one_by_one ? 1 : c->count;
    if (bytes < sizeof value)
        return co4__errno_fails(EINVAL);
    if (c->count == 0)
        return co4__errno_fails(EAGAIN);
    memcpy(to, &value, sizeof value);
    c->count -= value;
    co4__object_tell(o, c->count > 0 ? CO4__MAY_READ | CO4__MAY_WRITE : CO4__MAY_WRITE);
    return sizeof value;
}

static bool take_cancel(struct counter *c)
{
    bool is_cancelled = c->is_cancelled;
    c->is_cancelled = false;
    return is_cancelled;
}

static ssize_t timer_read(struct co4__object *o, void *to, size_t bytes)
{
    struct counter *c = (struct counter *)(void *)o;
    if (bytes < sizeof c->count || !take_cancel(c))
        return counter_read(o, to, bytes);
    c->count = 0;
    return co4__errno_fails(ECANCELED);
}

static ssize_t counter_write(struct co4__object *o, const void *from, size_t bytes)
{
    struct counter *c = (struct counter *)(void *)o;
    uint64_t value = UINT64_MAX;
    if (bytes >= sizeof value)
        memcpy(&value, from, sizeof value);
    if (value == UINT64_MAX)
        return co4__errno_fails(EINVAL);
    if (value > FULL - c->count)
        return co4__errno_fails(EAGAIN);
    c->count += value;
    co4__object_tell(o, c->count < FULL ? CO4__MAY_READ | CO4__MAY_WRITE : CO4__MAY_READ);
    return sizeof value;
}

static short counter_poll(const struct co4__object *o)
{
    const struct counter *c = (const struct counter *)(const void *)o;
    return (short)((c->count > 0 || c->is_cancelled ? POLLIN : 0) |
                   (o->kind->write && c->count < FULL ? POLLOUT : 0));
}

static void counter_end(struct co4__object *o)
{
    struct counter *c = (struct counter *)(void *)o;
    co4__timed_stop(&c->timer);
    co4__free(c);
}

static const struct co4__object_kind event_kind = {
    .read = counter_read,
    .write = counter_write,
    .poll = counter_poll,
    .end = counter_end,
};

static const struct co4__object_kind timer_kind = {
    .read = timer_read,
    .poll = counter_poll,
    .end = counter_end,
};

/* The placeholder, which tells the program what it is, has the flags. */
static struct counter *new_counter(const struct co4__object_kind *kind, int placeholder, int *fd)
{
    struct counter *c = placeholder < 0 ? NULL : co4__alloc(sizeof *c);
    *fd = -1;
    if (!c) {
        if (placeholder >= 0) {
            close(placeholder);
            errno = ENOMEM;
        }
        return NULL;
    }
    c->object.kind = kind;
    *fd = co4__object_open(&c->object, placeholder);
    if (*fd >= 0)
        return c;
    co4__free(c);
    return NULL;
}

/* ---- eventfd ---- */

int __wrap_eventfd(unsigned value, int flags)
{
    int fd = __real_eventfd(value, flags);
    if (!co4__program_is_simulated())
        return fd;
    struct counter *c = new_counter(&event_kind, fd, &fd);
    if (c) {
        c->count = value;
        c->one_by_one = flags & EFD_SEMAPHORE;
    }
    return co4__made_at(fd, __builtin_return_address(0));
}

int __wrap_eventfd_read(int fd, eventfd_t *value)
{
    return read(fd, value, sizeof *value) == sizeof *value ? 0 : -1;
}

int __wrap_eventfd_write(int fd, eventfd_t value)
{
    return write(fd, &value, sizeof value) == sizeof value ? 0 : -1;
}

/* ---- timerfd ---- */

static void expires(struct co4__timed *t, uint64_t times)
{
    struct counter *c = t->data;
    c->count += times;
    co4__object_tell(&c->object, CO4__MAY_READ);
}

static void clock_is_set(struct co4__timed *t)
{
    struct counter *c = t->data;
    c->is_cancelled = c->cancels;
    if (c->cancels)
        co4__object_tell(&c->object, CO4__MAY_READ);
}

int __wrap_timerfd_create(int clock, int flags)
{
    int fd = __real_timerfd_create(clock, flags);
    if (!co4__program_is_simulated())
        return fd;
    struct counter *c = new_counter(&timer_kind, fd, &fd);
    if (c) {
        c->clock = clock;
        c->timer.expires = expires;
        c->timer.is_set = clock_is_set;
        c->timer.data = c;
    }
    return co4__made_at(fd, __builtin_return_address(0));
}

static struct counter *timer_at(int fd)
{
    return (struct counter *)(void *)co4__object_at(fd, &timer_kind);
}

int __wrap_timerfd_settime(int fd, int flags, const struct itimerspec *time,
                           struct itimerspec *before)
{
    struct counter *c = timer_at(fd);
    if (!c)
        return __real_timerfd_settime(fd, flags, time, before);
    if (flags & ~(TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET))
        return co4__errno_fails(EINVAL);
    int err = co4__timed_set(&c->timer, c->clock, flags & TFD_TIMER_ABSTIME, time, before);
    if (err != 0)
        return co4__errno_fails(err);
    c->count = 0;
    c->cancels = c->timer.is_wall && (flags & TFD_TIMER_CANCEL_ON_SET);
    return take_cancel(c) && c->cancels ? co4__errno_fails(ECANCELED) : 0;
}

int __wrap_timerfd_gettime(int fd, struct itimerspec *time)
{
    const struct counter *c = timer_at(fd);
    if (!c)
        return __real_timerfd_gettime(fd, time);
    *time = co4__timed_left(&c->timer);
    return 0;
}
