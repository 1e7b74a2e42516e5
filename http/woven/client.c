/* client.c - requests of a client, and their replies.
 *
 * All that a request holds is in its reply from the beginning: the place and the connection of its
 * server. So a task that ends on the way leaves nothing behind. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../client.h"

#include "co4/blocking.h"
#include "co4/io.h"
#include "co4/net.h"
#include "co4/time.h"

enum { PIECE = 64 << 10 };     /* bytes of a body that are written before a look at the input */
enum { LOOKS = 100 * CO4_MS }; /* nanoseconds between looks at it, at most */

/* ---- connections ---- */

/* Returns the configuration of the client; NULL with a code. */
static pausable co4_tls_config *tls_of(co4_http_client *client, int *err)
{
    co4_tls_config *tls, *made = NULL;
    pthread_mutex_lock(&client->lock);
    tls = client->options.tls;
    pthread_mutex_unlock(&client->lock);
    if (tls)
        return tls;
    *err = co4_blocking(co4_tls_client(&made, NULL)); /* it reads files */
    if (*err != CO4_OK)
        return NULL;
    pthread_mutex_lock(&client->lock);
    if (!client->options.tls) {
        client->options.tls = made;
        client->own_tls = true;
        made = NULL;
    }
    tls = client->options.tls;
    pthread_mutex_unlock(&client->lock);
    co4_tls_config_release(made);
    return tls;
}

static void close_descriptor(const int *fd)
{
    if (*fd >= 0)
        co4_close(*fd);
}

static pausable int dial(co4_http_reply *r, int64_t deadline)
{
    __attribute__((cleanup(close_descriptor))) int fd = co4_tcp_connect_until(
        r->url->host, r->url->port, deadline);
    if (fd < 0)
        return fd;
    if (r->url->tls) {
        int err = CO4_OK;
        co4_tls_config *tls = tls_of(r->client, &err);
        if (tls)
            err = co4_tls_connect_until(&r->h.c, tls, fd, r->url->host, deadline);
        if (err != CO4_OK)
            return err;
    } else if (!(r->h.c = co4_conn_create(fd))) {
        return CO4_ENOMEM;
    }
    fd = -1;
    return CO4_OK;
}

/* First that of the server: one that waits for it takes none from other servers. */
static pausable int take_places(co4_http_reply *r, int64_t deadline)
{
    int err = CO4_OK;
    if (r->client->options.per_server > 0) {
        err = co4_sem_acquire_until(&r->server->places, deadline);
        r->has_place = err == CO4_OK;
    }
    if (err == CO4_OK && r->client->options.at_once > 0) {
        err = co4_sem_acquire_until(&r->client->all, deadline);
        r->has_one_of_all = err == CO4_OK;
    }
    return err;
}

/* The end of a step that begins now. */
static int64_t sooner(const co4_http_reply *r, int64_t deadline)
{
    int64_t most = r->client->options.limits.progress;
    int64_t until = most > 0 ? co4_now() + most : CO4_NEVER;
    return until < deadline ? until : deadline;
}

/* A connection that was kept, and that its server has not closed since; or a new one. The end may
 * have come without being noticed yet: that is asked for a request that cannot be repeated. */
static pausable int connect_to(co4_http_reply *r, bool may_repeat, int64_t deadline)
{
    const char *in;
    r->server = co4__http_server_of(r->client, r->url->server);
    if (!r->server)
        return CO4_ENOMEM;
    int err = take_places(r, deadline);
    if (err != CO4_OK)
        return err;
    while ((r->h.c = co4__http_take(r->client, r->server))) {
        if (co4_conn_peek_until(r->h.c, &in, 1, CO4_NOW) == CO4_EBUSY &&
            (may_repeat || co4__http_is_quiet(r->h.c))) {
            r->reused = true;
            return CO4_OK;
        }
        co4_conn_destroy(r->h.c);
    }
    r->reused = false;
    return dial(r, sooner(r, deadline));
}

/* ---- an exchange ---- */

/* Whether a server has refused a request of which it has not read all. What it says of success may
 * need the rest, and heads of 1xx come before an answer. */
static bool is_refusal(const char *in, ssize_t bytes)
{
    const char *end = in + bytes;
    while (end - in >= 12 && memcmp(in, "HTTP/1.", 7) == 0 && in[9] == '1') {
        const char *next = memmem(in, (size_t)(end - in), "\r\n\r\n", 4);
        in = next ? next + 4 : end;
    }
    return end - in >= 12 && memcmp(in, "HTTP/1.", 7) == 0 && in[9] >= '3' && in[9] <= '9';
}

/* Writes the body, up to a refusal. For that it looks at the input between pieces, and from time to
 * time when the server takes nothing. */
static pausable int write_body(co4_http_reply *r, const co4_http_request *request, int64_t deadline,
                               bool *refused)
{
    const char *in, *at = request->body;
    size_t left = request->bytes;
    co4_conn *c = r->h.c;
    int64_t until = sooner(r, deadline);
    while (left > 0 || co4_conn_unsent(c) > 0) {
        size_t piece = left < PIECE ? left : PIECE;
        int64_t next = co4_now() + LOOKS;
        next = next < until ? next : until;
        ssize_t n = left > 0 ? co4_conn_write_until(c, at, piece, next)
                             : co4_conn_flush_until(c, next);
        if (n < 0 && (n != CO4_ETIMEDOUT || next == until))
            return (int)n;
        if (n > 0) {
            at += n;
            left -= (size_t)n;
        }
        if (n == (ssize_t)piece)
            until = sooner(r, deadline);
        if (left > 0 || co4_conn_unsent(c) > 0) {
            n = co4_conn_peek_until(c, &in, 1, CO4_NOW);
            if (n > 0 && is_refusal(in, n)) {
                *refused = true;
                return CO4_OK;
            }
        }
    }
    return CO4_OK;
}

static pausable int exchange(co4_http_reply *r, const co4_http_request *request, bool elsewhere,
                             int64_t deadline)
{
    int err = connect_to(r, co4__http_may_repeat(request), deadline);
    bool refused = false;
    if (err != CO4_OK)
        return err;
    co4_conn *c = r->h.c;
    r->h = (struct co4__http){ .c = c,
                               .limits = &r->client->options.limits,
                               .is_answer = true,
                               .method = strcmp(request->method, "HEAD") == 0 ? CO4__HTTP_HEAD
                                                                              : CO4__HTTP_OTHER,
                               .deadline = deadline,
                               .framing = CO4__HTTP_TO_END };
    err = co4__http_put_request(c, r->url, request, r->client->options.agent, elsewhere);
    if (err == CO4_OK)
        err = write_body(r, request, deadline, &refused);
    if (err != CO4_OK && err != -EPIPE && err != -ECONNRESET)
        return err;
    /* A server that closes may have said why. */
    int code = co4__http_read_answer(&r->h);
    if (code != CO4_OK)
        return err != CO4_OK ? err : code;
    r->h.closes = r->h.closes || refused || err != CO4_OK;
    return CO4_OK;
}

/* Nothing has come, so the server may have closed the connection before it knew of the request. */
static bool was_too_late(const co4_http_reply *r, int err)
{
    return r->reused && (err == CO4_ECLOSED || err == -EPIPE || err == -ECONNRESET);
}

static pausable int exchange_again(co4_http_reply *r, const co4_http_request *request,
                                   bool elsewhere, int64_t deadline)
{
    int err;
    while ((err = exchange(r, request, elsewhere, deadline)) != CO4_OK && was_too_late(r, err) &&
           co4__http_may_repeat(request)) {
        r->h.closes = true;
        co4__http_reply_end(r);
    }
    return err == CO4_ECLOSED ? co4__http_code(CO4_HTTP_ETRUNCATED) : err;
}

/* ---- redirects ---- */

static bool is_redirect(int status)
{
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

static void free_url(struct co4__http_url **url)
{
    free(*url);
}

/* Goes to another address. *elsewhere is set from then on that the server is another one. */
static pausable int redirect(co4_http_reply *r, co4_http_request *request, bool *elsewhere)
{
    __attribute__((cleanup(free_url))) struct co4__http_url *to = NULL;
    struct co4__http_text location = co4__http_value(&r->h, "Location");
    int status = r->h.status;
    int err = co4__http_url_make(&to, location.at, r->url);
    if (err != CO4_OK)
        return err;
    co4__http_drain(&r->h); /* so that the connection can be kept */
    co4__http_reply_end(r);
    *elsewhere = *elsewhere || strcmp(to->server, r->url->server) != 0;
    struct co4__http_url *from = r->url;
    r->url = to;
    to = from;
    bool is_get = strcmp(request->method, "GET") == 0 || strcmp(request->method, "HEAD") == 0;
    if ((status == 303 && !is_get) || (status < 303 && strcmp(request->method, "POST") == 0)) {
        request->method = "GET";
        request->type = NULL;
        request->body = NULL;
        request->bytes = 0;
    }
    return CO4_OK;
}

static void destroy_reply(co4_http_reply **r)
{
    co4_http_reply_destroy(*r);
}

pausable int co4_http_send_until(co4_http_reply **reply, co4_http_client *client,
                                 const co4_http_request *request, int64_t deadline)
{
    bool elsewhere = false;
    if (!reply)
        return CO4_EINVAL;
    *reply = NULL;
    if (!client || !co4__http_request_valid(request))
        return CO4_EINVAL;
    co4_http_request now = *request;
    now.method = now.method ? now.method : "GET";
    __attribute__((cleanup(destroy_reply))) co4_http_reply *r = calloc(1, sizeof *r);
    if (!r)
        return CO4_ENOMEM;
    r->client = client;
    atomic_fetch_add_explicit(&client->users, 1, memory_order_relaxed);
    int err = co4__http_url_make(&r->url, now.url, NULL);
    for (int left = client->options.redirects; err == CO4_OK; left--) {
        err = exchange_again(r, &now, elsewhere, deadline);
        if (err != CO4_OK || client->options.redirects == 0 || !is_redirect(r->h.status) ||
            co4__http_value(&r->h, "Location").size == 0)
            break;
        err = left > 0 ? redirect(r, &now, &elsewhere) : co4__http_code(CO4_HTTP_EREDIRECTS);
    }
    if (err != CO4_OK)
        return err;
    *reply = r;
    r = NULL;
    return CO4_OK;
}

pausable int co4_http_send(co4_http_reply **reply, co4_http_client *client,
                           const co4_http_request *request)
{
    return co4_http_send_until(reply, client, request, CO4_NEVER);
}

pausable int co4_http_get_until(co4_http_reply **reply, co4_http_client *client, const char *url,
                                int64_t deadline)
{
    return co4_http_send_until(reply, client, &(co4_http_request){ .url = url }, deadline);
}

pausable int co4_http_get(co4_http_reply **reply, co4_http_client *client, const char *url)
{
    return co4_http_get_until(reply, client, url, CO4_NEVER);
}

/* ---- bodies ---- */

pausable ssize_t co4_http_reply_read_until(co4_http_reply *reply, const char **data,
                                           int64_t deadline)
{
    if (!reply || !data)
        return CO4_EINVAL;
    reply->h.deadline = deadline;
    return co4__http_read(&reply->h, data);
}

pausable ssize_t co4_http_reply_read(co4_http_reply *reply, const char **data)
{
    return co4_http_reply_read_until(reply, data, CO4_NEVER);
}

pausable ssize_t co4_http_reply_body_until(co4_http_reply *reply, char **text, size_t max,
                                           int64_t deadline)
{
    if (!reply || !text)
        return CO4_EINVAL;
    reply->h.deadline = deadline;
    return co4__http_read_all(&reply->h, text, max);
}

pausable ssize_t co4_http_reply_body(co4_http_reply *reply, char **text, size_t max)
{
    return co4_http_reply_body_until(reply, text, max, CO4_NEVER);
}
