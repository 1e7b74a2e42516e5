/* uring.c - the echo server by hand, with io_uring: one recv or send of each connection at a time.
 *
 *     uring     prints its port */
#define _GNU_SOURCE
#include <liburing.h>

#include "serve.h"

struct connection {
    int fd;
    enum { READS, WRITES } what;
    size_t at, end;
    char bytes[16384];
};

static struct io_uring ring;
static int listener;

static struct io_uring_sqe *next(void)
{
    struct io_uring_sqe *s = io_uring_get_sqe(&ring);
    while (!s) {
        io_uring_submit(&ring);
        s = io_uring_get_sqe(&ring);
    }
    return s;
}

static void receive(struct connection *c)
{
    struct io_uring_sqe *s = next();
    c->what = READS;
    io_uring_prep_recv(s, c->fd, c->bytes, sizeof c->bytes, 0);
    io_uring_sqe_set_data(s, c);
}

static void reply(struct connection *c)
{
    struct io_uring_sqe *s = next();
    c->what = WRITES;
    io_uring_prep_send(s, c->fd, c->bytes + c->at, c->end - c->at, MSG_NOSIGNAL);
    io_uring_sqe_set_data(s, c);
}

static void accept_next(void)
{
    struct io_uring_sqe *s = next();
    io_uring_prep_accept(s, listener, NULL, NULL, SOCK_CLOEXEC);
    io_uring_sqe_set_data(s, NULL);
}

static void accepted(int fd)
{
    int one = 1;
    struct connection *c = malloc(sizeof *c);
    accept_next();
    if (fd < 0 || !c) {
        free(c);
        return;
    }
    c->fd = fd;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    receive(c);
}

static void go_on(struct connection *c, int n)
{
    if (n <= 0) {
        close(c->fd);
        free(c);
    } else if (c->what == READS) {
        c->at = 0;
        c->end = (size_t)n;
        reply(c);
    } else if ((c->at += (size_t)n) < c->end) {
        reply(c);
    } else {
        receive(c);
    }
}

int main(void)
{
    struct io_uring_params p = { .flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN |
                                          IORING_SETUP_CQSIZE,
                                 .cq_entries = 16384 };
    listener = bench_listen();
    if (io_uring_queue_init_params(4096, &ring, &p) < 0) {
        perror("io_uring");
        return 1;
    }
    accept_next();
    for (;;) {
        struct io_uring_cqe *done;
        unsigned head, n = 0;
        io_uring_submit_and_wait(&ring, 1);
        io_uring_for_each_cqe(&ring, head, done)
        {
            struct connection *c = io_uring_cqe_get_data(done);
            n++;
            if (c)
                go_on(c, done->res);
            else
                accepted(done->res);
        }
        io_uring_cq_advance(&ring, n);
    }
}
