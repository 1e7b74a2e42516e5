/* uv.c - the echo server with libuv.
 *
 *     uv [--compute]     prints its port; --compute: a thread of its pool computes for ever */
#include <uv.h>

#include "serve.h"

struct request {
    uv_write_t write;
    char *bytes;
};

static void lend(uv_handle_t *h, size_t size, uv_buf_t *b)
{
    (void)h;
    *b = uv_buf_init(malloc(size), (unsigned)size);
}

static void written(uv_write_t *w, int status)
{
    (void)status;
    free(((struct request *)w)->bytes);
    free(w);
}

static void closed(uv_handle_t *h)
{
    free(h);
}

static void received(uv_stream_t *s, ssize_t n, const uv_buf_t *b)
{
    if (n > 0) {
        uv_buf_t out = uv_buf_init(b->base, (unsigned)n);
        int sent = uv_try_write(s, &out, 1); /* the cheapest that libuv has */
        if (sent < 0)
            sent = 0;
        if (sent < n) {
            struct request *r = malloc(sizeof *r);
            r->bytes = b->base;
            out = uv_buf_init(b->base + sent, (unsigned)(n - sent));
            uv_write(&r->write, s, &out, 1, written);
            return;
        }
    }
    free(b->base);
    if (n < 0)
        uv_close((uv_handle_t *)s, closed);
}

static void connected(uv_stream_t *listener, int status)
{
    uv_tcp_t *c = malloc(sizeof *c);
    if (status < 0 || !c)
        return;
    uv_tcp_init(listener->loop, c);
    if (uv_accept(listener, (uv_stream_t *)c) == 0) {
        uv_tcp_nodelay(c, 1);
        uv_read_start((uv_stream_t *)c, lend, received);
    } else {
        uv_close((uv_handle_t *)c, closed);
    }
}

static void compute(uv_work_t *w)
{
    bench_compute(w);
}

int main(int argc, char **argv)
{
    uv_tcp_t listener;
    uv_work_t work;
    uv_loop_t *loop = uv_default_loop();
    uv_tcp_init(loop, &listener);
    uv_tcp_open(&listener, bench_listen());
    uv_listen((uv_stream_t *)&listener, 4096, connected);
    if (bench_computes(argc, argv))
        uv_queue_work(loop, &work, compute, NULL);
    return uv_run(loop, UV_RUN_DEFAULT);
}
