/* outside.c - a server and a client for outside_check: the other side is the tool openssl.
 *
 *     outside server      prints its port, and answers lines until a line says `end`
 *     outside client PORT [NAME]  sends a line, prints what comes; the name to verify */
#include "common.h"

#include <co4/net.h>
#include <unistd.h>

static pausable void serve(co4_tls_config *config, int listener, int fd)
{
    char *line;
    ssize_t n;
    co4_conn *c;
    int err = co4_tls_accept_until(&c, config, fd, co4_after(10 * CO4_SEC));
    if (err != CO4_OK) {
        fprintf(stderr, "%s: %s\n", co4_errname(err), co4_tls_error_text());
        co4_close(fd);
        return;
    }
    while ((n = co4_conn_read_line(c, &line, 512)) > 0) {
        co4_conn_printf(c, "%s %s: %.*s", co4_tls_resumed(c) ? "resumed" : "whole",
                        co4_tls_alpn(c) ? co4_tls_alpn(c) : "none", (int)n, line);
        if (strncmp(line, "end", 3) == 0)
            co4_close(listener);
    }
    co4_conn_close(c);
}

static pausable void serve_all(co4_tls_config *config)
{
    int fd, listener = co4_tcp_listen("127.0.0.1", "0", 0);
    printf("%d\n", co4_socket_port(listener));
    fflush(stdout);
    while ((fd = co4_accept_next(listener)) >= 0)
        co4_spawn(serve(config, listener, fd));
}

static pausable int ask(co4_tls_config *config, const char *port, const char *host)
{
    char *line;
    ssize_t n;
    int fd = co4_tcp_connect("127.0.0.1", port);
    co4_conn *c;
    int err = fd < 0 ? fd : co4_tls_connect_until(&c, config, fd, host, co4_after(10 * CO4_SEC));
    if (err != CO4_OK) {
        printf("%s\n", co4_errname(err));
        co4_close(fd);
        return 1;
    }
    printf("%s %s\n", co4_tls_version(c), co4_tls_alpn(c) ? co4_tls_alpn(c) : "none");
    co4_conn_printf(c, "question\n");
    if ((n = co4_conn_read_line(c, &line, 512)) > 0)
        printf("%.*s", (int)n, line);
    co4_conn_close(c);
    return 0;
}

int main(int argc, char **argv)
{
    static const char *const web[] = { "h2", "http/1.1", NULL };
    bool serves = argc > 1 && strcmp(argv[1], "server") == 0;
    co4_tls_options o = serves ? shows("server") : trusts("authority");
    o.alpn = web;
    co4_tls_config *config = checked(serves ? co4_tls_server : co4_tls_client, &o);
    int status = 0;
    alarm(50);
    if (serves)
        co4_run(serve_all(config));
    else if (argc > 2)
        status = co4_run(ask(config, argv[2], argc > 3 ? argv[3] : "localhost"));
    co4_tls_config_release(config);
    return status;
}
