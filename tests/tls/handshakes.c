/* handshakes.c - handshakes that succeed, and each reason for which one fails.
 * needs: descriptors tls
 * modes: woven forced
 * expect: localhost: TLSv1.3, ping, CN=server
 * expect: 127.0.0.1: TLSv1.3, ping, CN=server
 * expect: ::1: TLSv1.3, ping, CN=server
 * expect: a.wild.example: TLSv1.3, ping, CN=server
 * expect: localhost.: TLSv1.3, ping, CN=server
 * expect: version 1.2 only: TLSv1.2, ping, CN=server
 * expect: expired: CO4_TLS_EXPIRED; server: CO4_TLS_REFUSED
 * expect: not yet valid: CO4_TLS_NOT_YET_VALID; server: CO4_TLS_REFUSED
 * expect: other name: CO4_TLS_OTHER_NAME; server: CO4_TLS_REFUSED
 * expect: other address: CO4_TLS_OTHER_NAME; server: CO4_TLS_REFUSED
 * expect: name of the subject only: CO4_TLS_OTHER_NAME; server: CO4_TLS_REFUSED
 * expect: wildcard over two labels: CO4_TLS_OTHER_NAME; server: CO4_TLS_REFUSED
 * expect: unknown issuer: CO4_TLS_UNKNOWN_ISSUER; server: CO4_TLS_REFUSED
 * expect: self-signed: CO4_TLS_SELF_SIGNED; server: CO4_TLS_REFUSED
 * expect: the system's roots: CO4_TLS_UNKNOWN_ISSUER; server: CO4_TLS_REFUSED
 * expect: not verified: TLSv1.3, ping, CN=self
 * expect: not verified, no host: TLSv1.3, ping, CN=self
 * expect: no common version: CO4_TLS_NO_VERSION; server: CO4_TLS_NO_VERSION
 * expect: client certificate: TLSv1.3, ping, CN=server, of CN=client
 * expect: client certificate in 1.2: TLSv1.2, ping, CN=server, of CN=client
 * expect: client certificate asked for: TLSv1.3, ping, CN=server, of nobody
 * expect: client certificate missing: CO4_OK; server: CO4_TLS_NO_CERTIFICATE
 * expect:   then read: CO4_TLS_REFUSED
 * expect: client certificate missing in 1.2: CO4_TLS_REFUSED; server: CO4_TLS_NO_CERTIFICATE
 * expect: client certificate unknown: CO4_OK; server: CO4_TLS_SELF_SIGNED
 * expect:   then read: CO4_TLS_REFUSED
 * expect: ALPN: h2 and h2
 * expect: ALPN, server's order: http/1.1 and http/1.1
 * expect: ALPN, client without: none and none
 * expect: ALPN, server without: none and none
 * expect: ALPN, nothing common: CO4_TLS_NO_PROTOCOL; server: CO4_TLS_NO_PROTOCOL */
#include "common.h"

static pausable void ping(co4_conn *to, co4_conn *from)
{
    char text[8] = "";
    co4_conn_put(to, "ping", 4);
    co4_conn_flush(to);
    co4_conn_read_exact(from, text, 4);
    printf("%s", text);
}

static pausable void attempt(const char *what, const co4_tls_options *client,
                             const co4_tls_options *server, const char *host)
{
    co4_tls_config *cc = checked(co4_tls_client, client), *sc = checked(co4_tls_server, server);
    struct side c, s;
    shake_hands(cc, sc, host, &c, &s);
    co4_tls_config_release(cc); /* the connections have their own */
    co4_tls_config_release(sc);
    if (c.c && s.c) {
        printf("%s: %s, ", what, co4_tls_version(c.c));
        ping(c.c, s.c);
        printf(", %s", co4_tls_peer(c.c));
        if (server->flags) {
            const char *peer = co4_tls_peer(s.c);
            printf(", of %s", peer ? peer : "nobody");
        }
        printf("\n");
    } else {
        printf("%s: %s; server: %s\n", what, co4_errname(c.code), co4_errname(s.code));
    }
    if (c.c && !s.c) {
        char text[4];
        ssize_t n = co4_conn_read(c.c, text, sizeof text);
        printf("  then read: %s\n", co4_errname((int)n));
    }
    co4_conn_destroy(c.c);
    co4_conn_destroy(s.c);
}

static pausable void attempts(void)
{
    co4_tls_options c = trusts("authority"), s = shows("server"), other;
    attempt("localhost", &c, &s, "localhost");
    attempt("127.0.0.1", &c, &s, "127.0.0.1");
    attempt("::1", &c, &s, "::1");
    attempt("a.wild.example", &c, &s, "a.wild.example");
    attempt("localhost.", &c, &s, "localhost.");
    other = c;
    other.max_version = CO4_TLS_1_2;
    attempt("version 1.2 only", &other, &s, "localhost");
    other = shows("expired");
    attempt("expired", &c, &other, "localhost");
    other = shows("future");
    attempt("not yet valid", &c, &other, "localhost");
    other = shows("other");
    attempt("other name", &c, &other, "localhost");
    attempt("other address", &c, &other, "127.0.0.1");
    attempt("name of the subject only", &c, &other, "other");
    attempt("wildcard over two labels", &c, &s, "a.b.wild.example");
    other = shows("unknown");
    attempt("unknown issuer", &c, &other, "localhost");
    other = shows("self");
    attempt("self-signed", &c, &other, "localhost");
    attempt("the system's roots", &(co4_tls_options){ 0 }, &s, "localhost");
    co4_tls_options any = { .flags = CO4_TLS_INSECURE_ANY_CERTIFICATE };
    attempt("not verified", &any, &other, "elsewhere.example");
    attempt("not verified, no host", &any, &other, NULL);
    co4_tls_options old = c, new = s;
    old.max_version = CO4_TLS_1_2;
    new.min_version = CO4_TLS_1_3;
    attempt("no common version", &old, &new, "localhost");
}

static pausable void client_certificates(void)
{
    co4_tls_options c = trusts("authority"), s = shows("server"), with = shows("client");
    s.ca_file = with.ca_file = c.ca_file;
    s.flags = CO4_TLS_REQUIRE_CLIENT;
    attempt("client certificate", &with, &s, "localhost");
    with.max_version = CO4_TLS_1_2;
    attempt("client certificate in 1.2", &with, &s, "localhost");
    s.flags = CO4_TLS_ASK_CLIENT;
    attempt("client certificate asked for", &c, &s, "localhost");
    s.flags = CO4_TLS_REQUIRE_CLIENT;
    attempt("client certificate missing", &c, &s, "localhost");
    c.max_version = CO4_TLS_1_2;
    attempt("client certificate missing in 1.2", &c, &s, "localhost");
    co4_tls_options stranger = shows("self");
    stranger.ca_file = c.ca_file;
    attempt("client certificate unknown", &stranger, &s, "localhost");
}

static const char *or_none(const char *text)
{
    return text ? text : "none";
}

static pausable void protocol(const char *what, const char *const *client,
                              const char *const *server)
{
    co4_tls_options co = trusts("authority"), so = shows("server");
    co.alpn = client;
    so.alpn = server;
    co4_tls_config *cc = checked(co4_tls_client, &co), *sc = checked(co4_tls_server, &so);
    struct side c, s;
    shake_hands(cc, sc, "localhost", &c, &s);
    if (c.c && s.c)
        printf("%s: %s and %s\n", what, or_none(co4_tls_alpn(c.c)), or_none(co4_tls_alpn(s.c)));
    else
        printf("%s: %s; server: %s\n", what, co4_errname(c.code), co4_errname(s.code));
    co4_conn_destroy(c.c);
    co4_conn_destroy(s.c);
    co4_tls_config_release(cc);
    co4_tls_config_release(sc);
}

static pausable void protocols(void)
{
    static const char *const web[] = { "h2", "http/1.1", NULL };
    static const char *const turned[] = { "http/1.1", "h2", NULL };
    static const char *const mail[] = { "imap", NULL };
    protocol("ALPN", web, web);
    protocol("ALPN, server's order", web, turned);
    protocol("ALPN, client without", NULL, web);
    protocol("ALPN, server without", web, NULL);
    protocol("ALPN, nothing common", mail, web);
}

int main(void)
{
    co4_run(attempts());
    co4_run(client_certificates());
    co4_run(protocols());
    return 0;
}
