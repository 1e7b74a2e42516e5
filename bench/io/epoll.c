/* epoll.c - the echo server by hand: edge-triggered epoll, each descriptor registered once. A read
 * that fills its buffer is followed by another; a short one is not.
 *
 *     epoll [--compute]     prints its port; --compute: a second thread computes for ever */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/epoll.h>

#include "serve.h"

struct connection {
    int fd;
    char *rest; /* what the peer has not taken yet; or NULL */
    size_t at, end;
};

static char buffer[16384];

static void end(struct connection *c)
{
    close(c->fd);
    free(c->rest);
    free(c);
}

/* False: the peer is slow, or gone. */
static int write_rest(struct connection *c)
{
    while (c->at < c->end) {
        ssize_t n = send(c->fd, c->rest + c->at, c->end - c->at, MSG_NOSIGNAL);
        if (n < 0)
            return 0;
        c->at += (size_t)n;
    }
    free(c->rest);
    c->rest = NULL;
    return 1;
}

static void serve(struct connection *c)
{
    ssize_t n;
    if (c->rest && !write_rest(c))
        return;
    do {
        n = recv(c->fd, buffer, sizeof buffer, 0);
        if (n == 0 || (n < 0 && errno != EAGAIN)) {
            end(c);
            return;
        }
        ssize_t sent = n > 0 ? send(c->fd, buffer, (size_t)n, MSG_NOSIGNAL) : 0;
        if (sent < n) {
            sent = sent < 0 ? 0 : sent;
            c->rest = malloc((size_t)(n - sent));
            memcpy(c->rest, buffer + sent, (size_t)(n - sent));
            c->at = 0;
            c->end = (size_t)(n - sent);
            if (!write_rest(c))
                return;
        }
    } while (n == (ssize_t)sizeof buffer);
}

int main(int argc, char **argv)
{
    int listener = bench_listen(), ep = epoll_create1(0), one = 1, fd;
    struct epoll_event events[256], e = { .events = EPOLLIN | EPOLLET, .data.ptr = NULL };
    pthread_t computing;
    if (bench_computes(argc, argv))
        pthread_create(&computing, NULL, bench_compute, NULL);
    epoll_ctl(ep, EPOLL_CTL_ADD, listener, &e);
    for (;;) {
        int n = epoll_wait(ep, events, 256, -1);
        for (int i = 0; i < n; i++) {
            if (events[i].data.ptr) {
                serve(events[i].data.ptr);
                continue;
            }
            while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
                struct connection *c = calloc(1, sizeof *c);
                c->fd = fd;
                setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
                e = (struct epoll_event){ .events = EPOLLIN | EPOLLOUT | EPOLLET | EPOLLRDHUP,
                                          .data.ptr = c };
                epoll_ctl(ep, EPOLL_CTL_ADD, fd, &e);
            }
        }
    }
}
