/* co4.c - the echo server with co4: a task for each connection.
 *
 *     co4 [--compute | --buffered]     prints its port
 *
 * --compute: two workers, and a task computes for ever. --buffered: by co4_conn, which holds no
 * buffer while the connection is idle. */
#define _GNU_SOURCE
#include <co4.h>
#include <co4/conn.h>
#include <co4/io.h>

#include "serve.h"

static pausable void serve(int fd)
{
    char bytes[16384];
    ssize_t n;
    while ((n = co4_read(fd, bytes, sizeof bytes)) > 0)
        if (co4_write(fd, bytes, (size_t)n) != n)
            break;
    co4_close(fd);
}

static pausable void serve_buffered(int fd)
{
    const char *bytes;
    ssize_t n;
    co4_conn *c = co4_conn_create(fd);
    while (c && (n = co4_conn_peek(c, &bytes, 1)) > 0 && co4_conn_write(c, bytes, (size_t)n) == n)
        co4_conn_skip(c, (size_t)n);
    co4_conn_close(c);
}

static pausable void computes(void)
{
    bench_compute(NULL);
}

static pausable void accept_all(int listener, bool buffered, bool computing)
{
    int fd, one = 1;
    if (computing)
        co4_spawn(computes());
    while ((fd = co4_accept4(listener, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
        co4_setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        if (buffered)
            co4_spawn(serve_buffered(fd));
        else
            co4_spawn(serve(fd));
    }
}

int main(int argc, char **argv)
{
    int listener = bench_listen();
    bool computing = bench_computes(argc, argv);
    bool buffered = argc > 1 && strcmp(argv[1], "--buffered") == 0;
    if (computing) {
        co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 2 });
        co4_runtime_start(rt);
        co4_runtime_spawn(rt, accept_all(listener, buffered, true));
        co4_runtime_join(rt);
    } else {
        co4_run(accept_all(listener, buffered, false));
    }
    return 0;
}
