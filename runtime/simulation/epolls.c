/* epolls.c - epoll of a program of --auto=test.
 *
 * Purpose: a set has members that are simulated, here, and those of the system, in its placeholder,
 * which is an epoll of the system. A wait takes what is ready of the first, from one that the seed
 * chooses on, and then of the second. A member that is simulated and edge-triggered is reported if
 * it is ready and has had an event since the last report; io/network.h says what its watcher sees.
 *
 * Left: a member ends when its number is closed, also if a duplicate of it is still open. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "co4/time.h"
#include "io/attempt.h"
#include "io/ops.h"
#include "io/socket.h"
#include "posix/wraps.h"
#include "simulation/descriptors.h"
#include "simulation/leaks.h"
#include "simulation/objects.h"
#include "simulation/run.h"
#include "simulation/suspends.h"

CO4__WRAPS(epoll_create, (int size));
CO4__WRAPS(epoll_create1, (int flags));
CO4__WRAPS(epoll_ctl, (int fd, int what, int of, struct epoll_event *event));
CO4__WRAPS(epoll_wait, (int fd, struct epoll_event *events, int most, int timeout));
CO4__WRAPS(epoll_pwait,
           (int fd, struct epoll_event *events, int most, int timeout, const sigset_t *mask));

int __real_poll(struct pollfd *fds, nfds_t count, int timeout);

struct member {
    int fd;
    struct epoll_event event;
    bool fresh; /* it has had an event since its last report */
    bool off;   /* EPOLLONESHOT: it was reported */
};

struct set {
    struct co4__object object;
    struct set *next;
    int placeholder;
    bool has_others; /* of the system */
    struct member *members;
    size_t count;
};

static struct set *sets; /* newest first */

/* ---- members ---- */

static uint32_t events_of(const struct member *m)
{
    struct pollfd p = { .fd = m->fd, .events = (short)(m->event.events & 0x7fff) };
    if (m->off || ((m->event.events & EPOLLET) && !m->fresh) || co4__poll_now(&p, 1) <= 0)
        return 0;
    return (uint32_t)(uint16_t)p.revents & ~(uint32_t)POLLNVAL;
}

static struct member *member_of(const struct set *s, int fd)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->members[i].fd == fd)
            return &s->members[i];
    return NULL;
}

static struct member *new_member(struct set *s)
{
    struct member *more = co4__array_grow(s->members, s->count, sizeof *more);
    if (!more)
        return NULL;
    s->members = more;
    return &s->members[s->count++];
}

static void remove_member(struct set *s, struct member *m)
{
    size_t i = (size_t)(m - s->members);
    memmove(m, m + 1, (--s->count - i) * sizeof *m);
}

/* A simulated descriptor has events, or ends. */
static void watch_members(int fd, unsigned what)
{
    for (struct set *s = sets; s; s = s->next) {
        struct member *m = member_of(s, fd);
        if (!m)
            continue;
        m->fresh = true;
        if (what == 0)
            remove_member(s, m);
        else
            co4__object_tell(&s->object, CO4__MAY_READ);
    }
}

/* ---- sets ---- */

static short set_poll(const struct co4__object *o)
{
    const struct set *s = (const struct set *)(const void *)o;
    struct pollfd p = { .fd = s->placeholder, .events = POLLIN };
    for (size_t i = 0; i < s->count; i++)
        if (events_of(&s->members[i]) != 0)
            return POLLIN;
    return s->has_others && __real_poll(&p, 1, 0) > 0 ? POLLIN : 0;
}

static int set_watch(struct co4__object *o, struct co4__descriptor *d, uint32_t generation)
{
    const struct set *s = (const struct set *)(const void *)o;
    return s->has_others ? co4__system_io.watch(d, generation) : 0;
}

static void set_end(struct co4__object *o)
{
    struct set *s = (struct set *)(void *)o, **at = &sets;
    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
    co4__heap_free(s->members);
    co4__free(s);
}

static const struct co4__object_kind kind = {
    .poll = set_poll,
    .watch = set_watch,
    .end = set_end,
};

int __wrap_epoll_create1(int flags)
{
    int fd = __real_epoll_create1(flags);
    if (fd < 0 || !co4__program_is_simulated())
        return fd;
    struct set *s = co4__alloc(sizeof *s);
    if (!s) {
        close(fd);
        return co4__errno_fails(ENOMEM);
    }
    s->object.kind = &kind;
    s->placeholder = fd;
    s->next = sets;
    fd = co4__object_open(&s->object, fd);
    if (fd < 0)
        co4__free(s);
    else
        sets = s;
    co4__network_here()->watcher = watch_members;
    return co4__made_at(fd, __builtin_return_address(0));
}

int __wrap_epoll_create(int size)
{
    return size > 0 ? co4__made_at(__wrap_epoll_create1(0), __builtin_return_address(0))
                    : co4__errno_fails(EINVAL);
}

static int change(struct set *s, int what, int fd, const struct epoll_event *event)
{
    struct member *m = member_of(s, fd);
    if (what != EPOLL_CTL_ADD && what != EPOLL_CTL_MOD && what != EPOLL_CTL_DEL)
        return EINVAL;
    if ((what == EPOLL_CTL_ADD) == (m != NULL))
        return m ? EEXIST : ENOENT;
    if (what == EPOLL_CTL_DEL) {
        remove_member(s, m);
        return 0;
    }
    if (!event)
        return EFAULT;
    if (!m && !(m = new_member(s)))
        return ENOMEM;
    *m = (struct member){ .fd = fd, .event = *event, .fresh = true };
    if (events_of(m) != 0)
        co4__object_tell(&s->object, CO4__MAY_READ);
    return 0;
}

int __wrap_epoll_ctl(int fd, int what, int of, struct epoll_event *event)
{
    struct set *s = (struct set *)(void *)co4__object_at(fd, &kind);
    if (!s)
        return __real_epoll_ctl(fd, what, of, event);
    if (co4__object_at(of, NULL) == &s->object)
        return co4__errno_fails(EINVAL);
    if (co4__simulated_at(of)) {
        int err = change(s, what, of, event);
        return err == 0 ? 0 : co4__errno_fails(err);
    }
    int n = __real_epoll_ctl(fd, what, of, event);
    if (n == 0)
        s->has_others = true;
    co4__object_tell(&s->object, CO4__MAY_READ);
    return n;
}

static int take(struct set *s, struct epoll_event *events, int most)
{
    int n = 0;
    size_t first = co4__network_below(co4__network_here(), (unsigned)s->count);
    for (size_t i = 0; i < s->count && n < most; i++) {
        struct member *m = &s->members[(first + i) % s->count];
        uint32_t is = events_of(m);
        if (is == 0)
            continue;
        events[n].events = is;
        events[n++].data = m->event.data;
        m->fresh = false;
        m->off = m->event.events & EPOLLONESHOT;
    }
    int others = s->has_others && n < most
                     ? __real_epoll_wait(s->placeholder, events + n, most - n, 0)
                     : 0;
    return n > 0 && others < 0 ? n : n + others;
}

struct set_waiting {
    struct set *set;
    struct co4__suspend suspend;
};

static bool set_is_ready(void *data)
{
    struct set_waiting *w = data;
    return set_poll(&w->set->object) != 0 || co4__suspend_is_over(&w->suspend);
}

static int wait_for_members(struct set *s, struct epoll_event *events, int most, int timeout,
                            const sigset_t *mask)
{
    int64_t until = timeout < 0 ? CO4_NEVER : co4_now() + timeout * CO4_MS;
    struct set_waiting w = { .set = s };
    co4__suspend_begin(&w.suspend, mask);
    int n = take(s, events, most);
    while (n == 0 && timeout != 0 && !co4__suspend_is_over(&w.suspend) &&
           co4__simulated_step_until(set_is_ready, &w, until, "epoll_wait"))
        n = take(s, events, most);
    co4__suspend_end(&w.suspend);
    return n == 0 && co4__suspend_is_over(&w.suspend) ? co4__errno_fails(EINTR) : n;
}

int __wrap_epoll_pwait(int fd, struct epoll_event *events, int most, int timeout,
                       const sigset_t *mask)
{
    struct set *s = (struct set *)(void *)co4__object_at(fd, &kind);
    if (!s)
        return __real_epoll_pwait(fd, events, most, timeout, mask);
    return most > 0 ? wait_for_members(s, events, most, timeout, mask) : co4__errno_fails(EINVAL);
}

int __wrap_epoll_wait(int fd, struct epoll_event *events, int most, int timeout)
{
    return co4__object_at(fd, &kind) ? __wrap_epoll_pwait(fd, events, most, timeout, NULL)
                                     : __real_epoll_wait(fd, events, most, timeout);
}
