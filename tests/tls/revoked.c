/* revoked.c - lists of revoked certificates, and a handshake without a common cipher.
 * needs: descriptors tls
 * modes: woven forced
 * expect: no list: the client OK, the server OK
 * expect: not in the list: the client OK, the server OK
 * expect: in the list: the client REVOKED, the server REFUSED
 * expect: the list is out of date: the client BAD_CERTIFICATE, the server REFUSED
 * expect: the list of another issuer: the client BAD_CERTIFICATE, the server REFUSED
 * expect: a client in the list: the client OK, the server REVOKED
 * expect: a client that is not: the client OK, the server OK
 * expect: any certificate: the client OK, the server OK
 * expect: no such file: BAD_FILE
 * expect: no list in the file: BAD_FILE
 * expect: no common cipher: NO_CIPHER */
#include "common.h"

#include <openssl/bio.h>
#include <openssl/ssl.h>

static const char *short_name(int code)
{
    return code == CO4_OK ? "OK" : co4_errname(code) + strlen("CO4_TLS_");
}

static pausable void tries(const char *what, const co4_tls_options *client,
                           const co4_tls_options *server)
{
    struct side c, s;
    co4_tls_config *of_client = checked(co4_tls_client, client);
    co4_tls_config *of_server = checked(co4_tls_server, server);
    shake_hands(of_client, of_server, "localhost", &c, &s);
    printf("%s: the client %s, the server %s\n", what, short_name(c.code), short_name(s.code));
    co4_conn_destroy(c.c);
    co4_conn_destroy(s.c);
    co4_tls_config_release(of_client);
    co4_tls_config_release(of_server);
}

static pausable void servers(void)
{
    co4_tls_options client = trusts("authority"), good = shows("server"), bad = shows("revoked");
    tries("no list", &client, &bad);
    client.crl_file = file("authority", "crl");
    tries("not in the list", &client, &good);
    tries("in the list", &client, &bad);
    client.crl_file = file("stale", "crl");
    tries("the list is out of date", &client, &good);
    client.crl_file = file("stranger", "crl");
    tries("the list of another issuer", &client, &good);
}

static pausable void clients(void)
{
    co4_tls_options server = shows("server"), client = shows("revoked"), any = { 0 };
    server.flags = CO4_TLS_REQUIRE_CLIENT;
    server.ca_file = client.ca_file = file("authority", "pem");
    server.crl_file = file("authority", "crl");
    tries("a client in the list", &client, &server);
    client = shows("client");
    client.ca_file = server.ca_file;
    tries("a client that is not", &client, &server);
    server = shows("revoked");
    any.flags = CO4_TLS_INSECURE_ANY_CERTIFICATE;
    any.crl_file = file("authority", "crl");
    tries("any certificate", &any, &server);
}

static void refuses(const char *what, const char *crl)
{
    co4_tls_options o = trusts("authority");
    o.crl_file = crl;
    co4_tls_config *config;
    printf("%s: %s\n", what, short_name(co4_tls_client(&config, &o)));
    co4_tls_config_release(config);
}

/* The first message of a client of TLS 1.2 that wants a key of RSA. Returns its bytes. */
static int first_message(char *to, int room)
{
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    SSL_CTX_set_max_proto_version(context, TLS1_2_VERSION);
    if (SSL_CTX_set_cipher_list(context, "AES256-GCM-SHA384") != 1)
        abort();
    SSL *ssl = SSL_new(context);
    BIO *in = BIO_new(BIO_s_mem()), *out = BIO_new(BIO_s_mem());
    SSL_set_bio(ssl, in, out);
    SSL_connect(ssl);
    int n = BIO_read(out, to, room);
    SSL_free(ssl);
    SSL_CTX_free(context);
    return n;
}

static pausable void no_cipher(void)
{
    char hello[1024];
    int fds[2], n = first_message(hello, sizeof hello);
    co4_tls_config *server = server_of("server");
    co4_socketpair(AF_UNIX, SOCK_STREAM, 0, fds);
    co4_write(fds[1], hello, (size_t)n);
    co4_conn *c;
    int err = co4_tls_accept_until(&c, server, fds[0], co4_after(20 * CO4_SEC));
    printf("no common cipher: %s\n", short_name(err));
    co4_close(fds[0]);
    co4_close(fds[1]);
    co4_tls_config_release(server);
}

pausable void all(void)
{
    servers();
    clients();
    refuses("no such file", "/no/such/file.crl");
    refuses("no list in the file", file("rubbish", "pem"));
    no_cipher();
}

int main(void)
{
    co4_run(all());
    return 0;
}
