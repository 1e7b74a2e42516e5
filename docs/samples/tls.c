/* tls.c - a server of lines and its client, over TLS.
 * needs: descriptors tls
 * modes: woven forced
 * expect: TLSv1.3 with CN=server
 * expect: hello, world
 * expect: once more: resumed
 * expect: by another name: CO4_TLS_OTHER_NAME, IP address mismatch */
#include <co4.h>
#include <co4/io.h>
#include <co4/net.h>
#include <co4/tls.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Answers lines until the client ends. */
static pausable void serve(co4_tls_config *config, int fd)
{
    char *line;
    ssize_t n;
    co4_conn *c;
    if (co4_tls_accept_until(&c, config, fd, co4_after(10 * CO4_SEC)) != CO4_OK) {
        fprintf(stderr, "a client: %s\n", co4_tls_error_text());
        co4_close(fd); /* it is still ours */
        return;
    }
    while ((n = co4_conn_read_line(c, &line, 512)) > 0)
        co4_conn_printf(c, "hello, %.*s", (int)n, line);
    co4_conn_close(c);
}

static pausable void accept_all(co4_tls_config *config, int listener)
{
    int fd;
    while ((fd = co4_accept_next(listener)) >= 0)
        co4_spawn(serve(config, fd));
}

static pausable int dial(co4_conn **c, co4_tls_config *config, const char *port, const char *host)
{
    int fd = co4_tcp_connect("127.0.0.1", port);
    if (fd < 0)
        return fd;
    int err = co4_tls_connect(c, config, fd, host);
    if (err != CO4_OK)
        co4_close(fd);
    return err;
}

/* Three connections: the second resumes the session of the first, the third fails. */
static pausable void ask(co4_tls_config *config, const char *port)
{
    char *line;
    ssize_t n;
    co4_conn *c;
    if (dial(&c, config, port, "localhost") != CO4_OK)
        return;
    printf("%s with %s\n", co4_tls_version(c), co4_tls_peer(c));
    co4_conn_printf(c, "world\n");
    if ((n = co4_conn_read_line(c, &line, 512)) > 0)
        printf("%.*s", (int)n, line);
    co4_conn_close(c);

    if (dial(&c, config, port, "localhost") != CO4_OK)
        return;
    printf("once more: %s\n", co4_tls_resumed(c) ? "resumed" : "a whole handshake");
    co4_conn_close(c);

    int err = dial(&c, config, port, "192.0.2.1");
    if (err != CO4_OK)
        printf("by another name: %s, %s\n", co4_errname(err), co4_tls_error_text());
}

static pausable void both(co4_tls_config *server, co4_tls_config *client)
{
    char port[8];
    int listener = co4_tcp_listen("127.0.0.1", "0", 0);
    snprintf(port, sizeof port, "%d", co4_socket_port(listener));
    co4_task *t = co4_spawn(accept_all(server, listener));
    ask(client, port);
    co4_close(listener);
    co4_join(t, NULL);
}

static const char *path(char *to, size_t bytes, const char *name)
{
    const char *folder = getenv("CO4_TLS_FILES");
    snprintf(to, bytes, "%s/%s", folder ? folder : ".", name);
    return to;
}

int main(void)
{
    char cert[300], key[300], root[300];
    co4_tls_options of_server = { .cert_file = path(cert, sizeof cert, "server.pem"),
                                  .key_file = path(key, sizeof key, "server.key") };
    co4_tls_options of_client = { .ca_file = path(root, sizeof root, "authority.pem") };
    co4_tls_config *server = NULL, *client = NULL;
    if (co4_tls_server(&server, &of_server) == CO4_OK &&
        co4_tls_client(&client, &of_client) == CO4_OK)
        co4_run(both(server, client));
    else
        fprintf(stderr, "%s\n", co4_tls_error_text());
    co4_tls_config_release(server);
    co4_tls_config_release(client);
    return 0;
}
