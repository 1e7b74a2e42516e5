/* common.h - what the tests of TLS share: the files of certificates.c, pairs of connections. */
#ifndef COMMON_H
#define COMMON_H

#include <co4.h>
#include <co4/conn.h>
#include <co4/io.h>
#include <co4/tls.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The path of a file of certificates.c; it lasts as long as the program. */
static inline const char *file(const char *name, const char *ending)
{
    static char paths[64][300];
    static int used;
    const char *folder = getenv("CO4_TLS_FILES");
    if (!folder) {
        fprintf(stderr, "CO4_TLS_FILES is the folder that tests/tls/certificates.c fills\n");
        exit(2);
    }
    char *path = paths[used++ % 64];
    snprintf(path, sizeof paths[0], "%s/%s.%s", folder, name, ending);
    return path;
}

/* The options of a server that shows this certificate, and of a client that trusts its root. */
static inline co4_tls_options shows(const char *name)
{
    return (co4_tls_options){ .cert_file = file(name, "pem"), .key_file = file(name, "key") };
}

static inline co4_tls_options trusts(const char *name)
{
    return (co4_tls_options){ .ca_file = file(name, "pem") };
}

/* By co4_tls_client() or co4_tls_server(). */
static inline co4_tls_config *checked(int make(co4_tls_config **, const co4_tls_options *),
                                      const co4_tls_options *o)
{
    co4_tls_config *config;
    if (make(&config, o) != CO4_OK) {
        fprintf(stderr, "configuration: %s\n", co4_tls_error_text());
        exit(2);
    }
    return config;
}

static inline co4_tls_config *server_of(const char *name)
{
    co4_tls_options o = shows(name);
    return checked(co4_tls_server, &o);
}

static inline co4_tls_config *client_of(const char *name)
{
    co4_tls_options o = trusts(name);
    return checked(co4_tls_client, &o);
}

/* How a side has ended. */
struct side {
    co4_conn *c;
    int code;
};

static pausable void accept_side(co4_tls_config *config, int fd, struct side *out)
{
    out->code = co4_tls_accept(&out->c, config, fd);
    if (out->code != CO4_OK)
        co4_close(fd);
}

/* Both handshakes, over a socket pair. */
__attribute__((unused)) static pausable void shake_hands(co4_tls_config *client,
                                                         co4_tls_config *server, const char *host,
                                                         struct side *c, struct side *s)
{
    int fds[2];
    if (co4_socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0)
        abort();
    co4_task *t = co4_spawn(accept_side(server, fds[0], s));
    c->code = co4_tls_connect(&c->c, client, fds[1], host);
    if (c->code != CO4_OK)
        co4_close(fds[1]);
    co4_join(t, NULL);
}

#endif
