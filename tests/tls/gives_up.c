/* gives_up.c - cancellation and deadlines in handshakes, reads, writes; calls that make no sense.
 * needs: descriptors tls
 * modes: woven forced
 * expect: connect, deadline: CO4_ETIMEDOUT
 * expect: accept, deadline: CO4_ETIMEDOUT
 * expect: connect, a peer that trickles: CO4_ETIMEDOUT
 * expect: connect, cancelled: CO4_ECANCELED
 * expect: accept, cancelled: CO4_ECANCELED
 * expect: connect, closed by its own side: CO4_ECLOSED
 * expect: connect, the peer closes: CO4_TLS_TRUNCATED
 * expect: accept, the peer closes: CO4_TLS_TRUNCATED
 * expect: accept, rubbish: CO4_TLS_PROTOCOL
 * expect: connect, rubbish: CO4_TLS_PROTOCOL
 * expect: accept, HTTP: CO4_TLS_PROTOCOL
 * expect: read, deadline: CO4_ETIMEDOUT, then late
 * expect: read, cancelled: CO4_ECANCELED, then late
 * expect: write, deadline: taken in part, then other bytes: all in order
 * expect: flush, deadline: CO4_ETIMEDOUT, then all in order
 * expect: write, cancelled: all that was taken came, in order
 * expect: close, deadline: CO4_ETIMEDOUT
 * expect: no configuration: CO4_EINVAL
 * expect: that of a server: CO4_EINVAL
 * expect: no descriptor: CO4_ECLOSED
 * expect: no host: CO4_EINVAL
 * expect: an empty host: CO4_EINVAL
 * expect: a long host: CO4_EINVAL
 * expect: a pipe: ENOTSOCK
 * expect: no failure: no error */
#include "common.h"

#include <stdint.h>

static co4_tls_config *client, *server;

static void pair(int fds[2])
{
    if (co4_socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0)
        abort();
}

/* The connection of the last call. */
static co4_conn *made;

static void say(const char *what, int err)
{
    printf("%s: %s\n", what, co4_errname(err));
    co4_conn_destroy(made);
}

/* ---- handshakes ---- */

static pausable void trickle(int fd)
{
    /* A record that never is whole. */
    char byte = 22;
    while (co4_write(fd, &byte, 1) == 1) {
        byte = byte == 22 ? 3 : 1;
        co4_sleep(CO4_MS / 2);
    }
}

static pausable void connect_alone(const char *what, int fd)
{
    say(what, co4_tls_connect(&made, client, fd, "localhost"));
}

static pausable void accept_alone(const char *what, int fd)
{
    say(what, co4_tls_accept(&made, server, fd));
}

static pausable void handshakes(void)
{
    int fds[2];
    pair(fds);
    say("connect, deadline",
        co4_tls_connect_until(&made, client, fds[0], "localhost", co4_now() + 2 * CO4_MS));
    say("accept, deadline", co4_tls_accept_until(&made, server, fds[1], co4_now() - 1));
    co4_close(fds[0]);
    co4_close(fds[1]);

    pair(fds);
    co4_task *t = co4_spawn(trickle(fds[1]));
    say("connect, a peer that trickles",
        co4_tls_connect_until(&made, client, fds[0], "localhost", co4_now() + 5 * CO4_MS));
    co4_close(fds[0]);
    co4_join(t, NULL);
    co4_close(fds[1]);

    pair(fds);
    t = co4_spawn(connect_alone("connect, cancelled", fds[0]));
    co4_sleep(CO4_MS);
    co4_task_cancel(t, 0);
    co4_join(t, NULL);
    co4_close(fds[0]);
    co4_close(fds[1]);

    pair(fds);
    t = co4_spawn(accept_alone("accept, cancelled", fds[0]));
    co4_sleep(CO4_MS);
    co4_task_cancel(t, 0);
    co4_join(t, NULL);
    co4_close(fds[0]);
    co4_close(fds[1]);

    pair(fds);
    t = co4_spawn(connect_alone("connect, closed by its own side", fds[0]));
    co4_sleep(CO4_MS);
    co4_close(fds[0]);
    co4_join(t, NULL);
    co4_close(fds[1]);
}

static pausable void peers(void)
{
    int fds[2];
    pair(fds);
    co4_shutdown(fds[1], SHUT_WR);
    connect_alone("connect, the peer closes", fds[0]);
    co4_close(fds[0]);
    co4_close(fds[1]);
    pair(fds);
    co4_close(fds[1]);
    accept_alone("accept, the peer closes", fds[0]);
    co4_close(fds[0]);

    static const char *const rubbish[] = { "these bytes are no record of TLS at all",
                                           "these bytes are no record of TLS at all",
                                           "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" };
    static const char *const whats[] = { "accept, rubbish", "connect, rubbish", "accept, HTTP" };
    for (int i = 0; i < 3; i++) {
        pair(fds);
        co4_write(fds[1], rubbish[i], strlen(rubbish[i]));
        if (i == 1)
            connect_alone(whats[i], fds[0]);
        else
            accept_alone(whats[i], fds[0]);
        co4_close(fds[0]);
        co4_close(fds[1]);
    }
}

/* ---- reads and writes ---- */

static pausable void connected(co4_conn *c[2])
{
    struct side a, b;
    shake_hands(client, server, "localhost", &a, &b);
    if (!a.c || !b.c)
        abort();
    c[0] = a.c;
    c[1] = b.c;
}

static pausable void read_once(co4_conn *c)
{
    char text[8];
    ssize_t n = co4_conn_read(c, text, sizeof text);
    printf("read, cancelled: %s", co4_errname((int)n));
}

static pausable void late(co4_conn *to, co4_conn *from)
{
    char text[8] = "";
    co4_conn_put(to, "late", 4);
    co4_conn_flush(to);
    co4_conn_read(from, text, sizeof text);
    printf(", then %s\n", text);
}

static pausable void reads(void)
{
    co4_conn *c[2];
    char text[8];
    connected(c);
    ssize_t n = co4_conn_read_until(c[0], text, sizeof text, co4_now() + 2 * CO4_MS);
    printf("read, deadline: %s", co4_errname((int)n));
    late(c[1], c[0]);
    co4_task *t = co4_spawn(read_once(c[0]));
    co4_sleep(CO4_MS);
    co4_task_cancel(t, 0);
    co4_join(t, NULL);
    late(c[1], c[0]);
    co4_conn_close(c[0]);
    co4_conn_close(c[1]);
}

enum { MUCH = 4000000 };
static char *much;

/* Reads all, and compares it with the first `bytes` of `much` and what follows. */
static pausable void compare(co4_conn *c, size_t bytes, const char *rest, int *same)
{
    char part[5000];
    size_t at = 0, all = bytes + strlen(rest);
    ssize_t n;
    *same = 1;
    while ((n = co4_conn_read(c, part, sizeof part)) > 0)
        for (ssize_t i = 0; i < n; i++, at++)
            if (at >= all || part[i] != (at < bytes ? much[at] : rest[at - bytes]))
                *same = 0;
    if (at != all || n != 0)
        *same = 0;
}

static pausable void write_much(co4_conn *c, ssize_t *n)
{
    *n = co4_conn_write(c, much, MUCH);
}

static pausable void writes(void)
{
    co4_conn *c[2];
    int same;
    connected(c);
    ssize_t n = co4_conn_write_until(c[0], much, MUCH, co4_now() + 5 * CO4_MS);
    printf("write, deadline: %s, then other bytes: ", n > 0 && n < MUCH ? "taken in part" : "?");
    co4_task *t = co4_spawn(compare(c[1], (size_t)n, "other bytes", &same));
    co4_conn_put(c[0], "other bytes", 11);
    co4_conn_end(c[0]);
    co4_join(t, NULL);
    printf("%s\n", same ? "all in order" : "different");
    co4_conn_close(c[0]);
    co4_conn_close(c[1]);

    connected(c);
    co4_conn_put(c[0], much, MUCH);
    int done = co4_conn_flush_until(c[0], co4_now() + 5 * CO4_MS);
    printf("flush, deadline: %s, then ", co4_errname((int)done));
    t = co4_spawn(compare(c[1], MUCH, " and more", &same));
    co4_conn_put(c[0], " and more", 9);
    co4_conn_end(c[0]);
    co4_join(t, NULL);
    printf("%s\n", same ? "all in order" : "different");
    co4_conn_close(c[0]);
    co4_conn_close(c[1]);

    connected(c);
    co4_task *w = co4_spawn(write_much(c[0], &n));
    co4_sleep(5 * CO4_MS);
    co4_task_cancel(w, 0);
    co4_join(w, NULL);
    t = co4_spawn(compare(c[1], (size_t)n, "", &same));
    co4_conn_end(c[0]);
    co4_join(t, NULL);
    printf("write, cancelled: %s\n",
           n > 0 && n < MUCH && same ? "all that was taken came, in order" : "different");
    co4_conn_close(c[0]);
    co4_conn_close(c[1]);

    connected(c);
    co4_conn_put(c[0], much, MUCH);
    done = co4_conn_close_until(c[0], co4_now() + 5 * CO4_MS);
    printf("close, deadline: %s\n", co4_errname((int)done));
    co4_conn_destroy(c[1]);
}

/* ---- calls that make no sense ---- */

static void refused(const char *what, int err)
{
    printf("%s: %s\n", what, made ? "made" : co4_errname(err));
}

static pausable void senseless(void)
{
    int fds[2], ends[2];
    char name[300];
    memset(name, 'a', sizeof name);
    name[sizeof name - 1] = '\0';
    pair(fds);
    refused("no configuration", co4_tls_connect(&made, NULL, fds[0], "localhost"));
    refused("that of a server", co4_tls_connect(&made, server, fds[0], "localhost"));
    refused("no descriptor", co4_tls_accept(&made, server, -1));
    refused("no host", co4_tls_connect(&made, client, fds[0], NULL));
    refused("an empty host", co4_tls_connect(&made, client, fds[0], ""));
    refused("a long host", co4_tls_connect(&made, client, fds[0], name));
    if (co4_pipe(ends) != 0)
        abort();
    refused("a pipe", co4_tls_accept(&made, server, ends[0]));
    co4_close(ends[0]);
    co4_close(ends[1]);
    co4_close(fds[0]);
    co4_close(fds[1]);
}

static pausable void fresh(void)
{
    printf("no failure: %s\n", co4_tls_error_text());
}

int main(void)
{
    client = client_of("authority");
    server = server_of("server");
    much = malloc(MUCH);
    for (int i = 0; much && i < MUCH; i++)
        much[i] = (char)(i * 7 + i / 251);
    co4_run(handshakes());
    co4_run(peers());
    co4_run(reads());
    co4_run(writes());
    co4_run(senseless());
    co4_run(fresh());
    free(much);
    co4_tls_config_release(client);
    co4_tls_config_release(server);
    co4_tls_config_release(NULL);
    return 0;
}
