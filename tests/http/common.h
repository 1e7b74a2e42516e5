/* common.h - a server beside the tests, and peers that speak for themselves. */
#ifndef COMMON_H
#define COMMON_H

#include <co4.h>
#include <co4/http_client.h>
#include <co4/io.h>
#include <co4/net.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef pausable void tester(co4_http_client *client, co4_http_server *server);

static pausable void test_and_stop(tester *test, co4_http_client *client, co4_http_server *server)
{
    test(client, server);
    co4_http_stop(server);
}

/* Serves while `test` runs. Returns what the server returns. */
__attribute__((unused)) static pausable int beside(const co4_http_options *options,
                                                   const co4_http_client_options *how, tester *test)
{
    co4_http_client *client;
    co4_http_server *server = NULL;
    int err = co4_http_client_create(&client, how);
    if (err == CO4_OK)
        err = co4_http_listen(&server, options);
    if (err == CO4_OK) {
        co4_task *t = co4_spawn(test_and_stop(test, client, server));
        err = co4_http_serve(server);
        co4_join(t, NULL);
    }
    co4_http_server_destroy(server);
    co4_http_client_destroy(client);
    return err;
}

/* The address of a path of the server. */
static inline const char *at(co4_http_server *server, const char *path)
{
    static char url[4096];
    snprintf(url, sizeof url, "http://localhost:%d%s", co4_http_port(server), path);
    return url;
}

/* Sends a text to the port, ends, and returns all that comes, which is freed. */
static pausable inline char *say(int port, const char *text)
{
    char service[16], *all = calloc(1, 1 << 20);
    size_t held = 0;
    ssize_t n;
    snprintf(service, sizeof service, "%d", port);
    int fd = co4_tcp_connect("localhost", service);
    if (fd < 0 || !all || co4_write(fd, text, strlen(text)) < 0)
        abort();
    co4_shutdown(fd, SHUT_WR);
    while ((n = co4_read(fd, all + held, (1 << 20) - 1 - held)) > 0)
        held += (size_t)n;
    co4_close(fd);
    return all;
}

#endif
