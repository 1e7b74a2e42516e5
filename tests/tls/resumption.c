/* resumption.c - sessions: resumed by host, also in TLS 1.2, with the same verification; or not.
 * needs: descriptors tls
 * modes: woven forced
 * expect: first: whole and whole
 * expect: second: resumed and resumed
 * expect: third: resumed and resumed
 * expect: after one that was cut off: resumed and resumed
 * expect: another host: whole and whole
 * expect: another server: whole and whole
 * expect: peer of a resumed one: CN=server
 * expect: ALPN of a resumed one: h2
 * expect: two sessions, six at once: 2 resumed
 * expect: 1.2, first: whole and whole
 * expect: 1.2, second: resumed and resumed
 * expect: 1.2, third: resumed and resumed
 * expect: 1.2, six at once: 6 resumed
 * expect: client without resumption: whole and whole
 * expect: server without resumption: whole and whole
 * expect: client certificate: whole, of CN=client
 * expect: client certificate, again: resumed, of CN=client
 * expect: many hosts: 300 whole, then the newest: resumed, the oldest: whole */
#include "common.h"

static const char *kind(const co4_conn *c)
{
    return co4_tls_resumed(c) ? "resumed" : "whole";
}

/* One exchange, so that the client reads the tickets. The result is that of the client. */
static pausable int exchange(const char *what, co4_tls_config *client, co4_tls_config *server,
                             const char *host, int cut)
{
    struct side c, s;
    char text[4];
    shake_hands(client, server, host, &c, &s);
    if (!c.c || !s.c) {
        printf("%s: %s\n", what ? what : "an exchange", co4_errname(c.code));
        co4_conn_destroy(c.c);
        co4_conn_destroy(s.c);
        return 0;
    }
    co4_conn_put(s.c, "data", 4);
    co4_conn_flush(s.c);
    co4_conn_read_exact(c.c, text, 4);
    int resumed = co4_tls_resumed(c.c);
    if (what)
        printf("%s: %s and %s\n", what, kind(c.c), kind(s.c));
    if (cut) {
        co4_conn_destroy(c.c);
        co4_conn_destroy(s.c);
    } else {
        co4_conn_close(s.c);
        co4_conn_close(c.c);
    }
    return resumed;
}

static pausable void connect_side(co4_tls_config *client, int fd, struct side *c)
{
    c->code = co4_tls_connect(&c->c, client, fd, "localhost");
}

/* All clients have taken a session, or found none, before the first server answers. */
static pausable void at_once(const char *what, co4_tls_config *client, co4_tls_config *server)
{
    enum { N = 6 };
    struct side c[N], s[N];
    int fds[N][2], resumed = 0;
    co4_task *t[2 * N];
    char hello;
    for (int i = 0; i < N; i++) {
        if (co4_socketpair(AF_UNIX, SOCK_STREAM, 0, fds[i]) != 0)
            abort();
        t[i] = co4_spawn(connect_side(client, fds[i][1], &c[i]));
    }
    for (int i = 0; i < N; i++)
        if (co4_recv(fds[i][0], &hello, 1, MSG_PEEK) != 1)
            abort();
    for (int i = 0; i < N; i++)
        t[N + i] = co4_spawn(accept_side(server, fds[i][0], &s[i]));
    for (int i = 0; i < 2 * N; i++)
        co4_join(t[i], NULL);
    for (int i = 0; i < N; i++)
        resumed += c[i].c && s[i].c && co4_tls_resumed(c[i].c);
    printf("%s, six at once: %d resumed\n", what, resumed);
    for (int i = 0; i < N; i++) {
        co4_conn_destroy(c[i].c);
        co4_conn_destroy(s[i].c);
    }
}

static pausable void by_host(void)
{
    static const char *const web[] = { "h2", NULL };
    co4_tls_options co = trusts("authority"), so = shows("server");
    co.alpn = so.alpn = web;
    co4_tls_config *client = checked(co4_tls_client, &co), *server = checked(co4_tls_server, &so);
    struct side c, s;
    exchange("first", client, server, "localhost", 0);
    exchange("second", client, server, "localhost", 0);
    exchange("third", client, server, "localhost", 1);
    exchange("after one that was cut off", client, server, "localhost", 0);
    exchange("another host", client, server, "127.0.0.1", 0);
    co4_tls_config *other = checked(co4_tls_server, &so);
    exchange("another server", client, other, "127.0.0.1", 0);
    shake_hands(client, server, "localhost", &c, &s);
    if (c.c && s.c && co4_tls_resumed(c.c))
        printf("peer of a resumed one: %s\nALPN of a resumed one: %s\n", co4_tls_peer(c.c),
               co4_tls_alpn(c.c));
    co4_conn_destroy(c.c);
    co4_conn_destroy(s.c);
    co4_tls_config_release(client);
    co4_tls_config_release(other);
    client = checked(co4_tls_client, &co);
    exchange(NULL, client, server, "localhost", 0);
    at_once("two sessions", client, server);
    co4_tls_config_release(client);
    co4_tls_config_release(server);
}

static pausable void by_options(void)
{
    co4_tls_options co = trusts("authority"), so = shows("server");
    so.max_version = CO4_TLS_1_2;
    co4_tls_config *client = checked(co4_tls_client, &co), *server = checked(co4_tls_server, &so);
    exchange("1.2, first", client, server, "localhost", 0);
    exchange("1.2, second", client, server, "localhost", 0);
    exchange("1.2, third", client, server, "localhost", 0);
    at_once("1.2", client, server);
    co4_tls_config_release(server);

    so = shows("server");
    so.flags = CO4_TLS_NO_RESUMPTION;
    co4_tls_config *without = checked(co4_tls_server, &so);
    so.flags = 0;
    server = checked(co4_tls_server, &so);
    co.flags = CO4_TLS_NO_RESUMPTION;
    co4_tls_config *never = checked(co4_tls_client, &co);
    exchange(NULL, never, server, "localhost", 0);
    exchange("client without resumption", never, server, "localhost", 0);
    exchange(NULL, client, without, "localhost", 0);
    exchange("server without resumption", client, without, "localhost", 0);
    co4_tls_config_release(client);
    co4_tls_config_release(never);
    co4_tls_config_release(without);
    co4_tls_config_release(server);
}

static pausable void of_clients(void)
{
    co4_tls_options co = shows("client"), so = shows("server");
    co.ca_file = so.ca_file = file("authority", "pem");
    so.flags = CO4_TLS_REQUIRE_CLIENT;
    co4_tls_config *client = checked(co4_tls_client, &co), *server = checked(co4_tls_server, &so);
    for (int i = 0; i < 2; i++) {
        struct side c, s;
        char text[4];
        shake_hands(client, server, "localhost", &c, &s);
        if (!c.c || !s.c)
            abort();
        printf("client certificate%s: %s, of %s\n", i ? ", again" : "", kind(s.c),
               co4_tls_peer(s.c));
        co4_conn_put(s.c, "data", 4);
        co4_conn_close(s.c);
        co4_conn_read_exact(c.c, text, 4);
        co4_conn_close(c.c);
    }
    co4_tls_config_release(client);
    co4_tls_config_release(server);
}

static pausable void many(void)
{
    enum { HOSTS = 300 };
    co4_tls_config *client = client_of("authority"), *server = server_of("server");
    int whole = 0;
    char name[40];
    for (int i = 0; i < HOSTS; i++) {
        snprintf(name, sizeof name, "h%d.wild.example", i);
        whole += !exchange(NULL, client, server, name, 0);
    }
    int newest = exchange(NULL, client, server, name, 0);
    int oldest = exchange(NULL, client, server, "h0.wild.example", 0);
    printf("many hosts: %d whole, then the newest: %s, the oldest: %s\n", whole,
           newest ? "resumed" : "whole", oldest ? "resumed" : "whole");
    co4_tls_config_release(client);
    co4_tls_config_release(server);
}

int main(void)
{
    co4_run(by_host());
    co4_run(by_options());
    co4_run(of_clients());
    co4_run(many());
    return 0;
}
