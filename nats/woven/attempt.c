/* attempt.c - one attempt to connect: a socket, the server's INFO, TLS, CONNECT, and its answer. */
#include <errno.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "connection.h"

#include "co4/blocking.h"
#include "co4/io.h"
#include "co4/net.h"
#include "co4/time.h"

int co4__nats_code_of(int code, int otherwise)
{
    if (code == CO4_ECANCELED || code == CO4_ENOMEM)
        return code;
    /* Such a code also comes after the handshake, from a server that wants another certificate. */
    bool is_tls = code <= CO4_TLS_PROTOCOL && code >= CO4_TLS_BAD_KEY && code != CO4_TLS_TRUNCATED;
    return is_tls ? CO4_NATS_ETLS : otherwise;
}

/* Takes no more than the line out of the socket, as what follows may be TLS. Returns the size of
 * the line, or a code. */
static pausable int read_info(int fd, char *line, size_t room, int64_t deadline)
{
    size_t n = 0;
    while (n + 1 < room) {
        ssize_t seen = co4_recv_until(fd, line + n, room - n - 1, MSG_PEEK, deadline);
        if (seen <= 0)
            return co4__nats_code_of(seen < 0 ? co4_code_of_errno(errno) : 0, CO4_NATS_ECONNECT);
        const char *end = memchr(line + n, '\n', (size_t)seen);
        size_t bytes = end ? (size_t)(end - (line + n)) + 1 : (size_t)seen;
        if (co4_recv_until(fd, line + n, bytes, 0, deadline) != (ssize_t)bytes)
            return CO4_NATS_ECONNECT; /* they were there a moment ago */
        n += bytes;
        if (end)
            return (int)n;
    }
    return CO4_NATS_EPROTOCOL;
}

/* A server that has waited too long for the CONNECT, or has no room, has not refused the user. */
int co4__nats_refused(const char *line)
{
    if (strstr(line, "uthentication Timeout") || strstr(line, "onnections exceeded") ||
        strstr(line, "onnections Exceeded"))
        return CO4_NATS_ECONNECT;
    return strstr(line, "uthoriz") || strstr(line, "uthentic") || strstr(line, "ermissions")
               ? CO4_NATS_EAUTH
               : CO4_NATS_EPROTOCOL;
}

/* Waits for the PONG that says that the server has accepted the CONNECT. */
static pausable int await_pong(struct co4_nats *c, co4_conn *conn, bool tls, int64_t deadline)
{
    char *line;
    for (;;) {
        ssize_t n = co4_conn_read_line_until(conn, &line, CO4__NATS_INPUT_LINE, deadline);
        if (n <= 0)
            return co4__nats_code_of((int)n, CO4_NATS_ECONNECT);
        if (strncmp(line, "PONG", 4) == 0)
            return CO4_OK;
        if (strncmp(line, "-ERR", 4) == 0) {
            int code = co4__nats_refused(line);
            co4__nats_event(c, CO4_NATS_SERVER_ERROR, code, 0, line);
            return code;
        }
        if (strncmp(line, "INFO ", 5) == 0) {
            int err = co4__nats_info_read(&c->info, line + 5, (size_t)n - 5, &c->servers, tls);
            if (err != CO4_OK)
                return err;
        }
    }
}

/* Makes the CONNECT line; *line is NULL with a code. A thread of the pool may do this, and may end
 * after OpenSSL has been unloaded. So what OpenSSL keeps for each thread is freed here. */
static void make_line(struct co4_nats *c, const struct co4__nats_server *server, char **line,
                      int *code)
{
    *line = co4__nats_connect_line(c, server, &c->info, code);
    OPENSSL_thread_stop();
}

static pausable int shake_hands(struct co4_nats *c, co4_conn *conn,
                                const struct co4__nats_server *server, int64_t deadline)
{
    int code = CO4_OK;
    bool tls = server->tls;
    CO4__NATS_FREED char *line = NULL;
    if (c->options.credentials)
        co4_blocking(make_line(c, server, &line, &code)); /* it reads a file */
    else
        make_line(c, server, &line, &code);
    if (!line)
        return code;
    int n = (int)co4_conn_put(conn, line, strlen(line));
    if (n >= 0)
        n = co4_conn_flush_until(conn, deadline);
    if (n < 0)
        return co4__nats_code_of(n, CO4_NATS_ECONNECT);
    return await_pong(c, conn, tls, deadline);
}

static void close_fd(int *fd)
{
    if (*fd >= 0)
        co4_close(*fd);
}

/* Makes a connection of a socket, after the server's INFO. The connection takes over the socket,
 * and *fd is -1 then. */
static pausable int open_socket(struct co4_nats *c, int *fd, const struct co4__nats_server *server,
                                co4_conn **conn, int64_t deadline)
{
    CO4__NATS_FREED char *line = malloc(CO4__NATS_INPUT_LINE);
    if (!line)
        return CO4_ENOMEM;
    int n = read_info(*fd, line, CO4__NATS_INPUT_LINE, deadline);
    int err = n < 0 ? n
              : strncmp(line, "INFO ", 5) != 0
                  ? CO4_NATS_EPROTOCOL
                  : co4__nats_info_read(&c->info, line + 5, (size_t)n - 5, &c->servers,
                                        server->tls);
    if (err != CO4_OK)
        return err;
    if (server->tls || c->info.tls_required || c->options.tls) {
        err = c->options.tls || c->tls ? CO4_OK : co4_tls_client(&c->tls, NULL);
        if (err == CO4_OK)
            err = co4_tls_connect_until(conn, c->options.tls ? c->options.tls : c->tls, *fd,
                                        server->host, deadline);
        err = err == CO4_OK ? CO4_OK : co4__nats_code_of(err, CO4_NATS_ETLS);
    } else if (!(*conn = co4_conn_create(*fd))) {
        err = CO4_ENOMEM;
    }
    if (err == CO4_OK)
        *fd = -1;
    return err;
}

/* Works on a copy of the server, whose place may change meanwhile: an INFO adds and removes
 * servers. */
static pausable int attempt(struct co4_nats *c, co4_conn **conn, int64_t deadline)
{
    struct co4__nats_server one = c->servers.all[c->servers.current]; /* its strings stay */
    __attribute__((cleanup(close_fd))) int fd = co4_tcp_connect_until(one.host, one.port, deadline);
    if (fd < 0)
        return co4__nats_code_of(fd, CO4_NATS_ECONNECT);
    int err = open_socket(c, &fd, &one, conn, deadline);
    if (err != CO4_OK)
        return err;
    err = shake_hands(c, *conn, &one, deadline);
    if (err != CO4_OK) {
        co4_conn_destroy(*conn);
        *conn = NULL;
    }
    return err;
}

void co4__nats_server_event(struct co4_nats *c, co4_nats_event_kind kind, int code, uint64_t count)
{
    char text[128];
    co4__nats_address(&c->servers.all[c->servers.current], text, sizeof text);
    co4__nats_event(c, kind, code, count, text);
}

pausable int co4__nats_try_servers(struct co4_nats *c, co4_conn **conn, int64_t deadline)
{
    int err = CO4_NATS_ECONNECT;
    size_t tries = c->servers.count;
    *conn = NULL;
    for (size_t i = 0; i < tries; i++) {
        c->servers.current = (c->servers.current + 1) % c->servers.count;
        err = attempt(c, conn, co4__nats_soon(deadline, c->options.attempt));
        struct co4__nats_server *server = &c->servers.all[c->servers.current]; /* it has moved */
        if (err != CO4_NATS_ECREDENTIALS) /* then the server was not asked */
            server->refused = err == CO4_NATS_EAUTH ? server->refused + 1 : 0;
        if (err == CO4_OK || err == CO4_ECANCELED)
            return err;
        co4__nats_server_event(c, CO4_NATS_ATTEMPT_FAILED, err, 0);
        if (co4_now() >= deadline)
            return CO4_ETIMEDOUT;
    }
    return err;
}
