/* wasi.c - the driver for WASI: poll_oneoff(), which asks once for each direction of a descriptor.
 *
 * Purpose: a direction is asked for only while a waiter is queued (arm), and an event ends that,
 * as in poll.c. There is one thread, so nothing interrupts a wait.
 *
 * Hosts differ. Some, Node among them, break the rules of WASI, and the driver has to be right and
 * fast on both kinds. It begins careful, and learns from answers that only a good host gives:
 * - With a timeout of 0 such a host reports no descriptor. Until `sees_at_once`, a look asks again
 *   with a millisecond, which costs that time if nothing is ready.
 * - It waits until all directions are ready. Until `ends_at_first`, a wait for several of them is
 *   cut into slices. Of the two directions of one descriptor it sees the first: they take turns.
 * - It rounds timeouts down to milliseconds, confuses absolute ones, and crashes if a number is no
 *   descriptor. So timeouts are rounded up and relative, and the numbers are checked before.
 * - It refuses descriptors that are always ready (EPERM). Then they count as files.
 *
 * Rejected: the flag for a hang-up (hosts do not agree on it, and the try that follows an event
 * finds the end); a table of hosts (nothing tells their names). */
#include <errno.h>

#ifdef __wasi__
#include "io/wasi.h"

#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <wasi/api.h>

#include "base/alloc.h"
#include "io/reactor.h"
#include "io/socket.h"
#include "platform/clock.h"
#include "platform/thread.h"

#undef shutdown

#define LOOK_EVERY (10 * CO4_MS)    /* of a busy thread, while a look costs a millisecond */
#define MISSES     3                /* so many, and a timeout of 0 is not tried again */
#define SLICE_MOST 16               /* ms */
#define LONGEST    (3600 * CO4_SEC) /* of one question: hosts calculate with it */

/* ---- what is known of the host ---- */

static struct {
    bool sees_at_once;
    bool ends_at_first;
    unsigned missed; /* ready descriptors that a timeout of 0 has not shown */
} host;

/* ---- one question ---- */

#define DIRECTION_OF(userdata) ((int)((userdata)&1))
#define FD_OF(userdata)        ((int)((userdata) >> 1))
#define CLOCK_DATA             UINT64_MAX

static __wasi_subscription_t subscription(int fd, int direction)
{
    __wasi_subscription_t s;
    memset(&s, 0, sizeof s);
    s.userdata = (uint64_t)(unsigned)fd << 1 | (unsigned)direction;
    s.u.tag = direction == CO4__READING ? __WASI_EVENTTYPE_FD_READ : __WASI_EVENTTYPE_FD_WRITE;
    if (direction == CO4__READING)
        s.u.u.fd_read.file_descriptor = fd;
    else
        s.u.u.fd_write.file_descriptor = fd;
    return s;
}

/* Asks for `n` directions; `asked` and `events` have room for one more, the clock. Returns the
 * number of events, without that of the clock, or a negative error number. */
static int ask(__wasi_subscription_t *asked, size_t n, int64_t ns, __wasi_event_t *events)
{
    __wasi_size_t found = 0;
    size_t all = n;
    int kept = 0;
    if (ns != CO4_NEVER) {
        if (ns > LONGEST)
            ns = LONGEST;
        if (!host.sees_at_once)
            ns = (ns + CO4_MS - 1) / CO4_MS * CO4_MS;
        memset(&asked[all], 0, sizeof *asked);
        asked[all].userdata = CLOCK_DATA;
        asked[all].u.tag = __WASI_EVENTTYPE_CLOCK;
        asked[all].u.u.clock.id = __WASI_CLOCKID_MONOTONIC;
        asked[all].u.u.clock.timeout = (uint64_t)ns;
        all++;
    }
    int err = __wasi_poll_oneoff(asked, events, all, &found);
    if (err != 0)
        return -err;
    for (size_t i = 0; i < found; i++)
        if (events[i].type != __WASI_EVENTTYPE_CLOCK)
            events[kept++] = events[i];
    return kept;
}

/* A ready descriptor was there: has a timeout of 0 shown it? */
static void note_look(bool seen)
{
    if (seen)
        host.sees_at_once = true;
    else
        host.missed++;
}

/* Returns whether a call of this direction would not wait, within `ns`. */
static bool fd_is_ready(int fd, int direction, int64_t ns)
{
    __wasi_subscription_t asked[2] = { subscription(fd, direction) };
    __wasi_event_t events[2];
    if (host.sees_at_once || ns > 0)
        return ask(asked, 1, ns, events) != 0;
    int n = host.missed < MISSES ? ask(asked, 1, 0, events) : 0;
    if (n > 0)
        note_look(true);
    if (n != 0)
        return true;
    int64_t began = co4__clock();
    n = ask(asked, 1, CO4_MS, events);
    if (n > 0 && co4__clock() - began < CO4_MS / 4)
        note_look(false);
    return n != 0;
}

static bool is_descriptor(int fd)
{
    __wasi_fdstat_t s;
    return __wasi_fd_fdstat_get(fd, &s) == 0;
}

/* ---- poll() ---- */

static short look_at(const struct pollfd *p)
{
    short found = 0;
    if (!is_descriptor(p->fd))
        return POLLNVAL;
    if ((p->events & POLLIN) && fd_is_ready(p->fd, CO4__READING, 0))
        found |= POLLIN;
    if ((p->events & POLLOUT) && fd_is_ready(p->fd, CO4__WRITING, 0))
        found |= POLLOUT;
    return found;
}

static int look_at_all(struct pollfd *fds, nfds_t count)
{
    int n = 0;
    for (nfds_t i = 0; i < count; i++) {
        fds[i].revents = 0;
        if (fds[i].fd >= 0)
            fds[i].revents = look_at(&fds[i]);
        n += fds[i].revents != 0;
    }
    return n;
}

int co4__poll_for(struct pollfd *fds, nfds_t count, int timeout)
{
    int64_t end = timeout < 0 ? CO4_NEVER : co4__clock() + timeout * CO4_MS;
    for (;;) {
        int n = look_at_all(fds, count);
        int64_t left = end == CO4_NEVER ? CO4_NEVER : end - co4__clock();
        if (n != 0 || timeout == 0 || left <= 0)
            return n;
        bool reads = count > 0 && (fds[0].events & POLLIN);
        bool writes = count > 0 && (fds[0].events & POLLOUT);
        if (count == 1 && reads != writes)
            fd_is_ready(fds[0].fd, reads ? CO4__READING : CO4__WRITING, left);
        else if (count == 0 || host.sees_at_once) /* else the looks take the time */
            co4__sleep_thread(co4__clock() + (left < CO4_MS ? left : CO4_MS));
    }
}

/* ---- calls on sockets ---- */

/* Returns whether the call can be made; otherwise `errno` says why not. */
static bool may_call(int fd, bool has_address)
{
    if (!has_address && fd > STDERR_FILENO)
        return true;
    errno = has_address ? ENOTSUP : is_descriptor(fd) ? ENOTSOCK : EBADF;
    return false;
}

int co4__wasi_shutdown(int fd, int how)
{
    return may_call(fd, false) ? shutdown(fd, how) : -1;
}

ssize_t co4__wasi_recvfrom(int fd, void *to, size_t bytes, int flags,
                           const struct sockaddr *address)
{
    return may_call(fd, address != NULL) ? recv(fd, to, bytes, flags) : -1;
}

ssize_t co4__wasi_sendto(int fd, const void *from, size_t bytes, int flags,
                         const struct sockaddr *address)
{
    return may_call(fd, address != NULL) ? send(fd, from, bytes, flags) : -1;
}

static bool has_more(const struct msghdr *message)
{
    return message->msg_name || message->msg_control || message->msg_iovlen != 1;
}

ssize_t co4__wasi_recvmsg(int fd, struct msghdr *message, int flags)
{
    if (!may_call(fd, has_more(message)))
        return -1;
    message->msg_flags = 0;
    return recv(fd, message->msg_iov->iov_base, message->msg_iov->iov_len, flags);
}

ssize_t co4__wasi_sendmsg(int fd, const struct msghdr *message, int flags)
{
    if (!may_call(fd, has_more(message)))
        return -1;
    return send(fd, message->msg_iov->iov_base, message->msg_iov->iov_len, flags);
}

/* ---- the driver ---- */

struct entry {
    uint32_t generation; /* 0: not registered; else it is odd */
    bool armed[2];       /* by direction */
};

struct state {
    struct entry *entries; /* by number */
    size_t room;
    size_t registered;
    /* Room for both directions of all descriptors, and for the clock. */
    __wasi_subscription_t *asked;
    __wasi_event_t *answers;
    size_t asked_room;
    int64_t looked;    /* when the host was last asked with a timeout */
    int slice;         /* ms */
    bool writes_first; /* the directions of a descriptor take turns */
};

static struct state *wasi_state_of(const struct co4__reactor *r)
{
    return r->state;
}

static int wasi_open(struct co4__reactor *r)
{
    struct state *s = co4__alloc(sizeof *s);
    if (!s)
        return ENOMEM;
    s->slice = 1;
    r->state = s;
    return 0;
}

static void wasi_close(struct co4__reactor *r)
{
    struct state *s = wasi_state_of(r);
    co4__free(s->entries);
    co4__free(s->asked);
    co4__free(s->answers);
    co4__free(s);
    r->state = NULL;
}

static bool make_room(struct state *s, int fd)
{
    size_t room = s->room > 16 ? s->room : 16;
    while (room <= (size_t)fd)
        room *= 2;
    if (room > s->room) {
        struct entry *more = co4__alloc(room * sizeof *more);
        if (!more)
            return false;
        if (s->entries)
            memcpy(more, s->entries, s->room * sizeof *more);
        co4__free(s->entries);
        s->entries = more;
        s->room = room;
    }
    size_t needed = 2 * (s->registered + 1) + 1;
    if (needed <= s->asked_room)
        return true;
    __wasi_subscription_t *asked = co4__alloc(2 * needed * sizeof *asked);
    __wasi_event_t *answers = co4__alloc(2 * needed * sizeof *answers);
    if (!asked || !answers) {
        co4__free(asked);
        co4__free(answers);
        return false;
    }
    co4__free(s->asked);
    co4__free(s->answers);
    s->asked = asked;
    s->answers = answers;
    s->asked_room = 2 * needed;
    return true;
}

/* The error number with which the host refuses to wait for this descriptor; 0: it does not. */
static int refusal(int fd)
{
    int n = 0;
    for (int direction = 0; direction < 2; direction++) {
        __wasi_subscription_t asked[2] = { subscription(fd, direction) };
        __wasi_event_t events[2];
        n = ask(asked, 1, 0, events);
        if (n >= 0)
            return 0;
    }
    return -n;
}

static int wasi_add_fd(struct co4__reactor *r, int fd, uint32_t generation)
{
    struct state *s = wasi_state_of(r);
    int err = is_descriptor(fd) ? refusal(fd) : 0;
    if (err != 0)
        return err == ENOMEM ? ENOMEM : EPERM; /* it never waits, or an error tells why */
    if (!make_room(s, fd))
        return ENOMEM;
    s->registered += !s->entries[fd].generation;
    s->entries[fd] = (struct entry){ generation, { false, false } }; /* a waiter arms it */
    return 0;
}

static void wasi_remove_fd(struct co4__reactor *r, int fd)
{
    struct state *s = wasi_state_of(r);
    if ((size_t)fd >= s->room)
        return;
    s->registered -= s->entries[fd].generation != 0;
    s->entries[fd] = (struct entry){ 0, { false, false } };
}

/* A host knows two events. A hang-up is among those of a read. */
static void arm(struct co4__reactor *r, int fd, short events)
{
    struct state *s = wasi_state_of(r);
    if ((size_t)fd >= s->room || !s->entries[fd].generation)
        return;
    if (events & POLLOUT)
        s->entries[fd].armed[CO4__WRITING] = true;
    if (events & ~POLLOUT)
        s->entries[fd].armed[CO4__READING] = true;
}

static void wasi_wake(struct co4__reactor *r)
{
    (void)r; /* the only thread calls this: it does not wait */
}

/* Adds an event, and ends the question for it. The peer may have stopped sending: not all hosts say
 * so. */
static int report(struct state *s, struct co4__io_event *events, int kept, int fd, int direction)
{
    struct entry *e = &s->entries[fd];
    if (kept >= CO4__EVENTS || (size_t)fd >= s->room || !e->armed[direction])
        return kept;
    e->armed[direction] = false;
    unsigned what = direction == CO4__READING ? CO4__MAY_READ : CO4__MAY_WRITE;
    events[kept] = (struct co4__io_event){ fd, e->generation, what | CO4__HAS_ENDED };
    return kept + 1;
}

/* What is armed: subscriptions, and their number in *n. A number that is no descriptor any more is
 * an event: its waiters find out. Returns the number of such events. */
static int collect(struct state *s, size_t *n, struct co4__io_event *events)
{
    int kept = 0;
    *n = 0;
    for (size_t i = 0; i < s->room; i++) {
        const struct entry *e = &s->entries[i];
        if (!e->generation || !(e->armed[0] || e->armed[1]))
            continue;
        bool is_there = is_descriptor((int)i);
        for (int k = 0; k < 2; k++) {
            int direction = s->writes_first ? 1 - k : k;
            if (!e->armed[direction])
                continue;
            if (is_there)
                s->asked[(*n)++] = subscription((int)i, direction);
            else
                kept = report(s, events, kept, (int)i, direction);
        }
    }
    s->writes_first = !s->writes_first;
    return kept;
}

/* The host has refused the whole question. The directions that it refuses alone are events. */
static int find_refused(struct state *s, size_t n, struct co4__io_event *events)
{
    int kept = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t data = s->asked[i].userdata;
        __wasi_subscription_t asked[2] = { subscription(FD_OF(data), DIRECTION_OF(data)) };
        __wasi_event_t answers[2];
        if (ask(asked, 1, 0, answers) < 0)
            kept = report(s, events, kept, FD_OF(data), DIRECTION_OF(data));
    }
    if (kept == 0)
        co4__sleep_thread(co4__clock() + CO4_MS); /* out of memory: later, perhaps */
    return kept;
}

/* Those of one descriptor follow each other. */
static size_t descriptors_in(const __wasi_subscription_t *asked, size_t n)
{
    size_t different = 0;
    for (size_t i = 0; i < n; i++)
        different += i == 0 || FD_OF(asked[i].userdata) != FD_OF(asked[i - 1].userdata);
    return different;
}

/* Learns from the answer to a question for `n` directions that might have lasted for `ns`. */
static void learn(struct state *s, size_t n, int found, int64_t ns, int64_t took)
{
    bool is_early = ns >= 4 * CO4_MS && took < ns / 2;
    if (is_early && (size_t)found < descriptors_in(s->asked, n))
        host.ends_at_first = true;
    if (!host.sees_at_once && host.missed < MISSES)
        note_look(ask(s->asked, n, 0, s->answers) > 0);
}

static int64_t limit_of(struct state *s, size_t n, int64_t deadline)
{
    int64_t ns = deadline == CO4_NEVER ? CO4_NEVER : deadline - co4__clock();
    if (deadline == 0 || ns <= 0)
        return host.sees_at_once ? 0 : CO4_MS;
    if (n < 2 || host.ends_at_first)
        return ns;
    return ns < s->slice * CO4_MS ? ns : s->slice * CO4_MS;
}

static int wasi_events(struct co4__reactor *r, struct co4__io_event *events, int64_t deadline)
{
    struct state *s = wasi_state_of(r);
    size_t n;
    int64_t now = co4__clock();
    if (deadline == 0 && !host.sees_at_once && now - s->looked < LOOK_EVERY)
        return 0;
    int kept = collect(s, &n, events);
    if (n == 0 || kept > 0) {
        if (kept == 0 && deadline > now)
            co4__sleep_thread(deadline < now + CO4_SEC ? deadline : now + CO4_SEC);
        return kept;
    }
    int64_t ns = limit_of(s, n, deadline);
    int found = ask(s->asked, n, ns, s->answers);
    s->looked = co4__clock();
    if (found < 0)
        return find_refused(s, n, events);
    if (found == 0) {
        s->slice = s->slice < SLICE_MOST ? 2 * s->slice : s->slice;
        return 0;
    }
    s->slice = 1;
    for (int i = 0; i < found; i++)
        kept = report(s, events, kept, FD_OF(s->answers[i].userdata),
                      DIRECTION_OF(s->answers[i].userdata));
    learn(s, n, found, ns, s->looked - now);
    return kept;
}

const struct co4__io_driver co4__io_wasi = {
    .name = "wasi",
    .open = wasi_open,
    .close = wasi_close,
    .add = wasi_add_fd,
    .remove = wasi_remove_fd,
    .arm = arm,
    .wait = wasi_events,
    .wake = wasi_wake,
};
#endif
