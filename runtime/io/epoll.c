/* epoll.c - the driver of Linux.
 *
 * Each descriptor is registered once, for both directions, edge-triggered. The tag has its number
 * and generation. A wake is a write to an eventfd that is registered in the same way. It is never
 * read: each write is an event of its own, and the counter does not overflow in the life of a
 * process. */
#ifdef __linux__
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "io/reactor.h"
#include "platform/clock.h"
#include "platform/fd.h"
#include "platform/real.h"

#define WAKE UINT64_MAX

static uint64_t tag_of(int fd, uint32_t generation)
{
    return (uint64_t)generation << 32 | (uint32_t)fd;
}

static int control(struct co4__reactor *r, int what, int fd, uint32_t events, uint64_t tag)
{
    struct epoll_event e = { .events = events, .data.u64 = tag };
    return epoll_ctl(r->fd, what, fd, &e) == 0 ? 0 : errno;
}

static void epoll_close(struct co4__reactor *r)
{
    co4__own_fd_close(r->fd);
    co4__own_fd_close(r->wake_fd);
}

static int epoll_open(struct co4__reactor *r)
{
    r->fd = co4__own_fd_open(CO4__SYSTEM(epoll_create1)(EPOLL_CLOEXEC));
    if (r->fd < 0)
        return errno;
    r->wake_fd = co4__own_fd_open(CO4__SYSTEM(eventfd)(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (r->wake_fd < 0) {
        int err = errno;
        co4__own_fd_close(r->fd);
        return err;
    }
    int err = control(r, EPOLL_CTL_ADD, r->wake_fd, EPOLLIN | EPOLLET, WAKE);
    if (err != 0)
        epoll_close(r);
    return err;
}

#define BOTH_WAYS (EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLPRI | EPOLLET)

static int epoll_add_fd(struct co4__reactor *r, int fd, uint32_t generation)
{
    int err = control(r, EPOLL_CTL_ADD, fd, BOTH_WAYS, tag_of(fd, generation));
    /* A copy of an earlier descriptor of this number keeps its registration alive. */
    return err == EEXIST ? control(r, EPOLL_CTL_MOD, fd, BOTH_WAYS, tag_of(fd, generation)) : err;
}

static void epoll_remove_fd(struct co4__reactor *r, int fd)
{
    control(r, EPOLL_CTL_DEL, fd, 0, 0);
}

/* A registration belongs to an open file and a number, and there is one only. */
static bool has(struct co4__reactor *r, int fd, uint32_t generation)
{
    int err = control(r, EPOLL_CTL_ADD, fd, BOTH_WAYS, tag_of(fd, generation));
    if (err == 0)
        epoll_remove_fd(r, fd); /* another file has the number */
    return err == EEXIST;
}

static unsigned what_of(uint32_t events)
{
    unsigned what = 0;
    if (events & (EPOLLIN | EPOLLRDHUP | EPOLLPRI | EPOLLHUP | EPOLLERR))
        what |= CO4__MAY_READ;
    if (events & (EPOLLOUT | EPOLLHUP | EPOLLERR))
        what |= CO4__MAY_WRITE;
    if (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR | EPOLLPRI))
        what |= CO4__HAS_ENDED;
    return what;
}

/* Since Linux 5.11 the timeout is in nanoseconds. Older systems get whole milliseconds, rounded
 * up. */
static int wait_some(int fd, struct epoll_event *found, int64_t deadline)
{
    int64_t ns = -1;
    if (deadline != CO4_NEVER) {
        ns = deadline == 0 ? 0 : deadline - co4__clock();
        ns = ns < 0 ? 0 : ns;
    }
    if (ns <= 0)
        return epoll_wait(fd, found, CO4__EVENTS, ns < 0 ? -1 : 0);
#ifdef SYS_epoll_pwait2
    static _Atomic bool is_missing;
    struct timespec t = { (time_t)(ns / CO4_SEC), (long)(ns % CO4_SEC) };
    if (sizeof t.tv_sec == 8 && sizeof t.tv_nsec == 8 &&
        !atomic_load_explicit(&is_missing, memory_order_relaxed)) {
        long n = syscall(SYS_epoll_pwait2, fd, found, CO4__EVENTS, &t, NULL, (size_t)0);
        if (n >= 0 || errno == EINTR || errno == EBADF || errno == EFAULT || errno == EINVAL)
            return (int)n;
        /* ENOSYS; a filter of system calls gives other numbers, such as EPERM. */
        atomic_store_explicit(&is_missing, true, memory_order_relaxed);
    }
#endif
    int64_t ms = (ns + CO4_MS - 1) / CO4_MS;
    return epoll_wait(fd, found, CO4__EVENTS, ms > INT32_MAX ? INT32_MAX : (int)ms);
}

static int epoll_events(struct co4__reactor *r, struct co4__io_event *events, int64_t deadline)
{
    struct epoll_event found[CO4__EVENTS];
    int n = wait_some(r->fd, found, deadline), kept = 0;
    for (int i = 0; i < n; i++) {
        uint64_t tag = found[i].data.u64;
        events[kept++] = (struct co4__io_event){ tag == WAKE ? CO4__WAKE : (int)(uint32_t)tag,
                                                 (uint32_t)(tag >> 32), what_of(found[i].events) };
    }
    return kept;
}

static void epoll_wake(struct co4__reactor *r)
{
    int before = errno;
    uint64_t one = 1;
    ssize_t n = write(r->wake_fd, &one, sizeof one);
    (void)n;
    errno = before;
}

static int nest(struct co4__reactor *r, struct co4__reactor *other)
{
    return control(r, EPOLL_CTL_ADD, other->fd, EPOLLIN, tag_of(-1 - (int)other->index, 0));
}

static void unnest(struct co4__reactor *r, struct co4__reactor *other)
{
    epoll_remove_fd(r, other->fd);
}

static int watch(struct co4__reactor *r, int fd)
{
    return control(r, EPOLL_CTL_ADD, fd, EPOLLIN, tag_of(CO4__RING, 0));
}

static int host_fd(struct co4__reactor *r, int wake_fd)
{
    int err = wake_fd < 0 ? 0 : control(r, EPOLL_CTL_ADD, wake_fd, EPOLLIN, WAKE);
    return err == 0 || err == EEXIST ? r->fd : -1;
}

const struct co4__io_driver co4__io_epoll = {
    .name = "epoll",
    .open = epoll_open,
    .close = epoll_close,
    .add = epoll_add_fd,
    .remove = epoll_remove_fd,
    .has = has,
    .wait = epoll_events,
    .wake = epoll_wake,
    .nest = nest,
    .unnest = unnest,
    .host_fd = host_fd,
    .watch = watch,
};
#endif
