/* poll.c - the driver for systems that have poll() only. Each wait looks at all descriptors.
 *
 * poll() reports what is ready as long as it is. So a direction is asked for only while a waiter is
 * queued (arm), and an event ends that. A self-pipe interrupts the wait when a direction is armed.
 *
 * Concurrency: a lock guards the array, which has an entry for each number. `wait` copies what is
 * armed. So it holds the lock for a walk that is as long as that of poll() itself. The array grows
 * without the lock: a thread allocates, looks again, and swaps. */
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/alloc.h"
#include "io/reactor.h"
#include "platform/clock.h"
#include "platform/fd.h"
#include "platform/lock.h"

struct entry {
    uint32_t generation; /* 0: not registered; else it is odd */
    short armed;         /* the events of poll() to ask for */
};

struct state {
    struct co4__self_pipe pipe;
    co4__lock lock;        /* guards the next two */
    struct entry *entries; /* by number */
    size_t room;
    /* the owner's: what poll() gets; the self-pipe is the first */
    struct pollfd *polled;
    size_t polled_room;
};

static struct state *poll_state_of(const struct co4__reactor *r)
{
    return r->state;
}

static int poll_open(struct co4__reactor *r)
{
    struct state *s = co4__alloc(sizeof *s);
    if (!s)
        return ENOMEM;
    if (co4__self_pipe_open(&s->pipe) != CO4_OK) {
        co4__free(s);
        return EMFILE;
    }
    r->state = s;
    return 0;
}

static void poll_close(struct co4__reactor *r)
{
    struct state *s = poll_state_of(r);
    co4__self_pipe_close(&s->pipe);
    co4__free(s->entries);
    co4__free(s->polled);
    co4__free(s);
    r->state = NULL;
}

static void poll_wake(struct co4__reactor *r)
{
    co4__self_pipe_write(&poll_state_of(r)->pipe);
}

/* Returns with the lock held: the entry of this number; or without it NULL: out of memory. */
static struct entry *entry_of(struct state *s, int fd)
{
    struct entry *more = NULL, *old = NULL;
    size_t room = 0;
    for (;;) {
        co4__lock_take(&s->lock);
        if ((size_t)fd < s->room)
            break;
        if (room > s->room) {
            old = s->entries;
            if (old)
                memcpy(more, old, s->room * sizeof *more);
            s->entries = more;
            s->room = room;
            more = old;
            break;
        }
        room = s->room > 16 ? s->room : 16;
        co4__lock_give(&s->lock);
        while (room <= (size_t)fd)
            room *= 2;
        co4__free(more);
        if (!(more = co4__alloc(room * sizeof *more)))
            return NULL;
    }
    if (!more)
        return &s->entries[fd];
    co4__lock_give(&s->lock);
    co4__free(more); /* another thread may have been faster, or this is the old array */
    co4__lock_take(&s->lock);
    return &s->entries[fd];
}

static int poll_add_fd(struct co4__reactor *r, int fd, uint32_t generation)
{
    struct state *s = poll_state_of(r);
    struct entry *e = entry_of(s, fd);
    if (!e)
        return ENOMEM;
    *e = (struct entry){ generation, POLLIN | POLLOUT };
    co4__lock_give(&s->lock);
    poll_wake(r);
    return 0;
}

static void poll_remove_fd(struct co4__reactor *r, int fd)
{
    struct state *s = poll_state_of(r);
    co4__lock_take(&s->lock);
    if ((size_t)fd < s->room)
        s->entries[fd].generation = 0;
    co4__lock_give(&s->lock);
}

static void arm(struct co4__reactor *r, int fd, short events)
{
    struct state *s = poll_state_of(r);
    co4__lock_take(&s->lock);
    bool is_new = (size_t)fd < s->room && s->entries[fd].generation &&
                  (s->entries[fd].armed | events) != s->entries[fd].armed;
    if (is_new)
        s->entries[fd].armed |= events;
    co4__lock_give(&s->lock);
    if (is_new)
        poll_wake(r);
}

static int timeout_of(int64_t deadline)
{
    if (deadline == CO4_NEVER)
        return -1;
    int64_t ns = deadline == 0 ? 0 : deadline - co4__clock();
    int64_t ms = ns <= 0 ? 0 : (ns + CO4_MS - 1) / CO4_MS;
    return ms > INT32_MAX ? INT32_MAX : (int)ms;
}

/* Copies what is armed. Returns the number of elements. */
static size_t copy(struct state *s)
{
    for (;;) {
        size_t n = 1;
        co4__lock_take(&s->lock);
        for (size_t fd = 0; fd < s->room; fd++) {
            if (!s->entries[fd].generation || !s->entries[fd].armed)
                continue;
            if (n < s->polled_room)
                s->polled[n] = (struct pollfd){ .fd = (int)fd, .events = s->entries[fd].armed };
            n++;
        }
        co4__lock_give(&s->lock);
        if (n <= s->polled_room)
            return n;
        struct pollfd *more = co4__alloc(2 * n * sizeof *more);
        if (!more)
            return 0;
        co4__free(s->polled);
        s->polled = more;
        s->polled_room = 2 * n;
        s->polled[0] = (struct pollfd){ .fd = s->pipe.out, .events = POLLIN };
    }
}

static unsigned what_of(short events)
{
    unsigned what = 0;
    if (events & ~POLLOUT)
        what |= CO4__MAY_READ;
    if (events & (POLLOUT | POLLHUP | POLLERR | POLLNVAL))
        what |= CO4__MAY_WRITE;
    return what | CO4__HAS_ENDED; /* it does not say when a peer has stopped sending */
}

static int poll_events(struct co4__reactor *r, struct co4__io_event *events, int64_t deadline)
{
    struct state *s = poll_state_of(r);
    size_t n = copy(s);
    int kept = 0;
    if (n == 0) {
        co4__sleep_thread(co4__clock() + CO4_MS); /* out of memory: later, perhaps */
        return 0;
    }
    if (poll(s->polled, (nfds_t)n, timeout_of(deadline)) <= 0)
        return 0;
    if (s->polled[0].revents)
        co4__self_pipe_drain(&s->pipe);
    for (size_t i = 1; i < n && kept < CO4__EVENTS; i++) {
        const struct pollfd *p = &s->polled[i];
        unsigned what = what_of(p->revents);
        if (!p->revents)
            continue;
        co4__lock_take(&s->lock);
        struct entry *e = &s->entries[p->fd];
        if (e->generation)
            events[kept++] = (struct co4__io_event){ p->fd, e->generation, what };
        if (what & CO4__MAY_READ)
            e->armed &= POLLOUT;
        if (what & CO4__MAY_WRITE)
            e->armed &= (short)~POLLOUT;
        co4__lock_give(&s->lock);
    }
    return kept;
}

const struct co4__io_driver co4__io_poll = {
    .name = "poll",
    .open = poll_open,
    .close = poll_close,
    .add = poll_add_fd,
    .remove = poll_remove_fd,
    .arm = arm,
    .wait = poll_events,
    .wake = poll_wake,
};
