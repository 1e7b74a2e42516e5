/* plain.c - sources that are built plain: each side blocks its thread.
 * needs: descriptors threads tls
 * modes: plain
 * expect: TLSv1.3: answer to question
 * expect: connect, deadline: CO4_ETIMEDOUT
 * expect: connect, expired: CO4_TLS_EXPIRED, not that of the other thread */
#include "common.h"

#include <pthread.h>

static co4_tls_config *client, *server;

static void *serve(void *arg)
{
    int fd = *(int *)arg;
    char *line;
    co4_conn *c;
    int err = co4_tls_accept(&c, server, fd);
    if (err != CO4_OK) {
        co4_close(fd);
        return err == CO4_TLS_REFUSED ? arg : NULL;
    }
    while (co4_conn_read_line(c, &line, 100) > 0)
        co4_conn_printf(c, "answer to %s", line);
    co4_conn_close(c);
    return NULL;
}

int main(void)
{
    int fds[2];
    pthread_t thread;
    char *line;
    client = client_of("authority");
    server = server_of("server");
    if (co4_socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0 ||
        pthread_create(&thread, NULL, serve, &fds[0]) != 0)
        return 1;
    co4_conn *c;
    if (co4_tls_connect(&c, client, fds[1], "localhost") != CO4_OK)
        return 1;
    co4_conn_printf(c, "question\n");
    ssize_t n = co4_conn_read_line(c, &line, 100);
    printf("%s: %.*s", co4_tls_version(c), (int)n, line);
    co4_conn_close(c);
    pthread_join(thread, NULL);

    if (co4_socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0)
        return 1;
    int err = co4_tls_connect_until(&c, client, fds[1], "localhost", co4_after(2 * CO4_MS));
    printf("connect, deadline: %s\n", co4_errname(err));
    co4_close(fds[0]);
    co4_close(fds[1]);

    void *refused;
    co4_tls_config_release(server);
    server = server_of("expired");
    if (co4_socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0 ||
        pthread_create(&thread, NULL, serve, &fds[0]) != 0)
        return 1;
    err = co4_tls_connect(&c, client, fds[1], "localhost");
    co4_close(fds[1]);
    pthread_join(thread, &refused);
    printf("connect, expired: %s%s\n", co4_errname(err),
           refused ? ", not that of the other thread" : "");
    co4_tls_config_release(client);
    co4_tls_config_release(server);
    return 0;
}
