/* kqueue.c - kqueue() and kevent() over epoll, as far as runtime/io/kqueue.c uses them, so that
 * tests on Linux run that driver. The filter of the user is one eventfd for all queues, which is
 * always writable: a change of its registration is an event, in that queue alone. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/event.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { QUEUES = 256, NUMBERS = 4096 };

/* A descriptor in a queue: what kevent() reports of it, by filter. */
struct registered {
    bool on[2], clear;
    void *udata[2];
};

struct queue {
    int fd;
    void *user_data;
    struct registered of[NUMBERS];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct queue *queues[QUEUES]; /* by number of the epoll */

static int user;

/* Before main(): tests count the descriptors that they leave. */
__attribute__((constructor)) static void open_user(void)
{
    user = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

int kqueue(void)
{
    int fd = epoll_create1(EPOLL_CLOEXEC);
    if (fd < 0)
        return fd;
    if (fd >= QUEUES)
        abort();
    pthread_mutex_lock(&lock);
    struct queue *q = queues[fd] ? queues[fd] : malloc(sizeof *q);
    memset(q, 0, sizeof *q);
    q->fd = fd;
    queues[fd] = q;
    pthread_mutex_unlock(&lock);
    return fd;
}

static int update(struct queue *q, int fd, bool was)
{
    const struct registered *r = &q->of[fd];
    struct epoll_event e = { .data.u64 = (uint64_t)fd };
    if (r->on[0])
        e.events |= EPOLLIN | EPOLLRDHUP;
    if (r->on[1])
        e.events |= EPOLLOUT;
    if (r->clear)
        e.events |= EPOLLET;
    bool is = r->on[0] || r->on[1];
    if (!is && !was)
        return ENOENT;
    int n = epoll_ctl(q->fd, is ? was ? EPOLL_CTL_MOD : EPOLL_CTL_ADD : EPOLL_CTL_DEL, fd, &e);
    if (n != 0 && errno == ENOENT && is) /* it was closed: the registration went with it */
        n = epoll_ctl(q->fd, EPOLL_CTL_ADD, fd, &e);
    return n == 0 ? 0 : errno;
}

static int change_user(struct queue *q, const struct kevent *k)
{
    bool adds = (k->flags & EV_ADD) != 0;
    struct epoll_event e = { .events = EPOLLOUT | EPOLLET, .data.u64 = UINT64_MAX };
    if (adds) {
        q->user_data = k->udata;
        e.events = 0;
    }
    return epoll_ctl(q->fd, adds ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, user, &e) == 0 ? 0 : errno;
}

static int change(struct queue *q, const struct kevent *k)
{
    if (k->filter == EVFILT_USER)
        return change_user(q, k);
    int fd = (int)k->ident, side = k->filter == EVFILT_WRITE;
    if (fd < 0 || fd >= NUMBERS)
        abort();
    struct registered *r = &q->of[fd];
    bool was = r->on[0] || r->on[1];
    r->on[side] = (k->flags & EV_ADD) != 0;
    r->clear = (k->flags & EV_CLEAR) != 0;
    r->udata[side] = k->udata;
    int err = update(q, fd, was);
    if (err != 0)
        r->on[side] = false;
    return err;
}

static int report(struct queue *q, const struct epoll_event *e, struct kevent *out)
{
    int n = 0;
    if (e->data.u64 == UINT64_MAX) {
        out[0] = (struct kevent){ .filter = EVFILT_USER, .udata = q->user_data };
        return 1;
    }
    const struct registered *r = &q->of[e->data.u64];
    unsigned short end = e->events & (EPOLLHUP | EPOLLERR | EPOLLRDHUP) ? EV_EOF : 0;
    if (r->on[0] && (e->events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)))
        out[n++] = (struct kevent){
            .ident = e->data.u64, .filter = EVFILT_READ, .flags = end, .udata = r->udata[0]
        };
    end = e->events & (EPOLLHUP | EPOLLERR) ? EV_EOF : 0;
    if (r->on[1] && (e->events & (EPOLLOUT | EPOLLHUP | EPOLLERR)))
        out[n++] = (struct kevent){
            .ident = e->data.u64, .filter = EVFILT_WRITE, .flags = end, .udata = r->udata[1]
        };
    return n;
}

int kevent(int kq, const struct kevent *changes, int nchanges, struct kevent *events, int nevents,
           const struct timespec *timeout)
{
    struct queue *q = queues[kq];
    pthread_mutex_lock(&lock);
    for (int i = 0; i < nchanges; i++) {
        struct kevent k = changes[i];
        k.data = change(q, &k);
        k.flags = EV_ERROR;
        events[i] = k; /* EV_RECEIPT */
    }
    pthread_mutex_unlock(&lock);
    if (nchanges > 0)
        return nchanges;
    struct epoll_event found[64];
    int most = nevents / 2 < 64 ? nevents / 2 : 64, count = 0;
    int n = epoll_pwait2(kq, found, most, timeout, NULL);
    pthread_mutex_lock(&lock);
    for (int i = 0; i < n; i++)
        count += report(q, &found[i], events + count);
    pthread_mutex_unlock(&lock);
    return n < 0 ? n : count;
}
