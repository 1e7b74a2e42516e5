/* kqueue.c - the driver of the BSDs and of macOS.
 *
 * Each descriptor is registered once: a filter for each direction, with EV_CLEAR, which is
 * edge-triggered. `udata` has the generation, which is odd. An even value stands for a nested
 * reactor or for a descriptor whose event is a wake. A wake triggers a filter of the user's.
 *
 * A kqueue does not outlive a fork: in the child its number is free, and is not closed.
 *
 * OpenBSD has no filter of the user's: poll.c serves there.
 *
 * Tested on Linux with tests/kqueue, which has the calls over epoll; on no BSD yet. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#if defined(__APPLE__) || defined(__FreeBSD__) || defined(__NetBSD__) || defined(CO4_TEST_KQUEUE)
#include <sys/event.h>

#include "io/reactor.h"
#include "platform/clock.h"

typedef __typeof__(((struct kevent *)0)->udata) user_data;

#define WAKE_DATA (UINTPTR_MAX - 1) /* even */

static struct kevent change(uintptr_t ident, int filter, unsigned flags, uintptr_t data)
{
    struct kevent k = { .ident = ident,
                        .filter = (__typeof__(k.filter))filter,
                        .flags = (__typeof__(k.flags))flags,
                        .udata = (user_data)data };
    return k;
}

/* Makes the changes. Returns the number of those that the system has made; *err: of the last that
 * it has not. */
static int make(struct co4__reactor *r, struct kevent *changes, int n, int *err)
{
    struct kevent results[2];
    int made = 0;
    for (int i = 0; i < n; i++)
        changes[i].flags |= EV_RECEIPT;
    int found = kevent(r->fd, changes, n, results, n, NULL);
    if (found < 0)
        *err = errno;
    for (int i = 0; i < found; i++)
        if (results[i].data == 0)
            made++;
        else
            *err = (int)results[i].data;
    return made;
}

static int kqueue_open(struct co4__reactor *r)
{
    struct kevent wake = change(0, EVFILT_USER, EV_ADD | EV_CLEAR, WAKE_DATA);
    int err = 0;
    r->fd = kqueue();
    if (r->fd < 0)
        return errno;
    fcntl(r->fd, F_SETFD, FD_CLOEXEC);
    if (make(r, &wake, 1, &err) == 1)
        return 0;
    close(r->fd);
    return err;
}

static void kqueue_close(struct co4__reactor *r)
{
    if (r->generation == co4__reactor_generation())
        close(r->fd);
}

static int kqueue_add_fd(struct co4__reactor *r, int fd, uint32_t generation)
{
    unsigned flags = EV_ADD | EV_CLEAR;
    struct kevent both[2] = { change((uintptr_t)fd, EVFILT_READ, flags, generation),
                              change((uintptr_t)fd, EVFILT_WRITE, flags, generation) };
    int err = 0;
    if (make(r, both, 2, &err) > 0) /* an end of a pipe has one direction */
        return 0;
    return err == EINVAL || err == ENODEV || err == EOPNOTSUPP ? EPERM : err;
}

static void kqueue_remove_fd(struct co4__reactor *r, int fd)
{
    struct kevent both[2] = { change((uintptr_t)fd, EVFILT_READ, EV_DELETE, 0),
                              change((uintptr_t)fd, EVFILT_WRITE, EV_DELETE, 0) };
    int err;
    make(r, both, 2, &err);
}

static struct co4__io_event event_of(const struct kevent *k)
{
    uintptr_t data = (uintptr_t)k->udata;
    struct co4__io_event e = { (int)k->ident, (uint32_t)data, 0 };
    if (k->filter == EVFILT_USER || data == WAKE_DATA)
        return (struct co4__io_event){ CO4__WAKE, 0, CO4__MAY_READ };
    if (data % 2 == 0)
        e.fd = -1 - (int)(data / 2); /* nested */
    e.what = k->filter == EVFILT_WRITE ? CO4__MAY_WRITE : CO4__MAY_READ;
    if (k->flags & (EV_EOF | EV_ERROR))
        e.what |= CO4__MAY_READ | CO4__HAS_ENDED;
    return e;
}

static int kqueue_events(struct co4__reactor *r, struct co4__io_event *events, int64_t deadline)
{
    struct kevent found[CO4__EVENTS];
    int64_t ns = deadline == CO4_NEVER || deadline == 0 ? 0 : deadline - co4__clock();
    ns = ns < 0 ? 0 : ns;
    struct timespec t = { (time_t)(ns / CO4_SEC), (long)(ns % CO4_SEC) };
    int n = kevent(r->fd, NULL, 0, found, CO4__EVENTS, deadline == CO4_NEVER ? NULL : &t);
    for (int i = 0; i < n; i++)
        events[i] = event_of(&found[i]);
    return n < 0 ? 0 : n;
}

static void kqueue_wake(struct co4__reactor *r)
{
    int before = errno, err;
    struct kevent k = change(0, EVFILT_USER, 0, WAKE_DATA);
    k.fflags = NOTE_TRIGGER;
    make(r, &k, 1, &err);
    errno = before;
}

/* Not EV_CLEAR: it ends the wait until the events are taken. */
static int nest(struct co4__reactor *r, struct co4__reactor *other)
{
    struct kevent k = change((uintptr_t)other->fd, EVFILT_READ, EV_ADD,
                             (uintptr_t)other->index * 2);
    int err = 0;
    return make(r, &k, 1, &err) == 1 ? 0 : err;
}

static void unnest(struct co4__reactor *r, struct co4__reactor *other)
{
    struct kevent k = change((uintptr_t)other->fd, EVFILT_READ, EV_DELETE, 0);
    int err;
    make(r, &k, 1, &err);
}

static int host_fd(struct co4__reactor *r, int wake_fd)
{
    struct kevent k = change((uintptr_t)wake_fd, EVFILT_READ, EV_ADD, WAKE_DATA);
    int err = 0;
    return wake_fd < 0 || make(r, &k, 1, &err) == 1 ? r->fd : -1;
}

const struct co4__io_driver co4__io_kqueue = {
    .name = "kqueue",
    .open = kqueue_open,
    .close = kqueue_close,
    .add = kqueue_add_fd,
    .remove = kqueue_remove_fd,
    .wait = kqueue_events,
    .wake = kqueue_wake,
    .nest = nest,
    .unnest = unnest,
    .host_fd = host_fd,
};
#endif
