/* httpd.c - a server for HTTP/1.1 and 1.0.
 *
 *     httpd --port 8080 --root docs &
 *     curl http://localhost:8080/README.md
 *
 * /plaintext     "Hello, World!"
 * /echo          POST: sends the body back, as it comes
 * /stream        lines as they are made: ?lines=N&ms=N
 * other paths    files below --root
 *
 * --timeout-ms N  for a whole head, and without progress of a body or an answer
 * --idle-ms N     between requests
 * --max-body N    bytes
 * --links no      follows no symbolic links; else those that stay below the root
 * --tls C K       speaks TLS, with files of a certificate and its key */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "../server.h"
#include "httpd.h"
#ifdef CO4_HAS_TLS
#include <co4/tls.h>
#endif

enum { LINGER_MS = 2000, MOST_LINES = 1000000 };

static struct http_limits limits;
static struct {
    const char *root, *certificate, *key;
    bool links;
} options = { .links = true };

/* ---- routes ---- */

/* The head waits for the first piece, so that an error there is still an answer. */
static pausable void echo(struct http *h)
{
    const char *data;
    int64_t length = h->framing == HTTP_CHUNKED ? -1 : h->length;
    ssize_t n = http_body(h, &data);
    if (n < 0)
        return;
    if (n == 0)
        length = 0;
    answer_head(h, 200, "application/octet-stream", length, "");
    while (n > 0) {
        if (length < 0)
            answer_piece(h, (size_t)n);
        if (co4_conn_write_until(h->c, data, (size_t)n, co4_now() + h->limits->progress) != n) {
            h->closes = h->failed = true;
            return;
        }
        if (length < 0)
            answer_piece_end(h);
        n = http_body(h, &data);
    }
    if (n < 0)
        h->status = 0; /* the head is on its way: the connection just ends */
    else if (length < 0)
        answer_piece(h, 0);
}

/* The value of "name=123" in the query; `none` without one. */
static long in_query(const struct http *h, const char *name, long none, long most)
{
    struct http_text q = http_text(h, h->query);
    size_t size = strlen(name);
    for (size_t at = 0; at < q.size;) {
        const char *next = memchr(q.at + at, '&', q.size - at);
        size_t end = next ? (size_t)(next - q.at) : q.size;
        if (end - at > size && memcmp(q.at + at, name, size) == 0 && q.at[at + size] == '=') {
            long n = 0;
            for (size_t i = at + size + 1; i < end; i++)
                n = q.at[i] >= '0' && q.at[i] <= '9' && n < most ? n * 10 + (q.at[i] - '0') : n;
            return n < most ? n : most;
        }
        at = end + 1;
    }
    return none;
}

static pausable void stream(struct http *h)
{
    long lines = in_query(h, "lines", 10, MOST_LINES), ms = in_query(h, "ms", 0, 1000);
    bool has_body = h->method != HTTP_HEAD;
    answer_head(h, 200, "text/plain", -1, "");
    for (long i = 1; i <= lines && has_body; i++) {
        char line[32];
        int n = snprintf(line, sizeof line, "line %ld\n", i);
        answer_piece(h, (size_t)n);
        co4_conn_put(h->c, line, (size_t)n);
        answer_piece_end(h);
        if (ms > 0 && co4_conn_flush_until(h->c, co4_now() + h->limits->progress) == 0)
            co4_sleep(ms * CO4_MS);
        if (!answer_relieve(h))
            return;
    }
    if (has_body)
        answer_piece(h, 0);
}

#define ONLY_POST "Allow: POST, OPTIONS\r\n"
#define TO_GET    "Allow: GET, HEAD, OPTIONS\r\n"
#define TO_ALL    "Allow: GET, HEAD, POST, OPTIONS\r\n"

static pausable void respond(struct http *h)
{
    struct http_text path = http_text(h, h->path);
    bool gets = h->method == HTTP_GET || h->method == HTTP_HEAD;
    if (h->method != HTTP_POST || !http_is(path, "/echo"))
        http_ignore_body(h);
    if (gets && http_is(path, "/plaintext"))
        answer_hello(h);
    else if (http_is(path, "/echo"))
        if (h->method == HTTP_POST)
            echo(h);
        else
            answer_status(h, h->method == HTTP_OPTIONS ? 204 : 405, ONLY_POST);
    else if (!gets)
        answer_status(h, h->method == HTTP_OPTIONS ? 204 : 405,
                      http_is(path, "*") ? TO_ALL : TO_GET);
    else if (http_is(path, "/stream"))
        stream(h);
    else
        files_answer(h);
}

/* ---- connections ---- */

/* A close with input unread would be a reset, which can destroy the last answer. */
static pausable void linger(co4_conn *c)
{
    const char *in;
    ssize_t n;
    int64_t deadline = co4_now() + LINGER_MS * CO4_MS;
    if (co4_conn_end_until(c, deadline) != CO4_OK)
        return;
    while ((n = co4_conn_peek_until(c, &in, 1, deadline)) > 0)
        co4_conn_skip(c, (size_t)n);
}

/* A task that the end of the server cancels gets no other request. Answers are shielded. */
static pausable int next_request(struct http *h)
{
    co4_shield_end();
    int found = http_next(h);
    co4_shield_begin();
    return found;
}

/* Returns whether another request may follow. A status is left if the request has no answer. */
static pausable bool answer(struct http *h)
{
    respond(h);
    if (h->status)
        return false;
    if (http_drain(h) && answer_relieve(h))
        return true;
    h->status = 0;
    return false;
}

static pausable void serve(co4_conn *c)
{
    struct http h;
    http_begin(&h, c, &limits);
    co4_shield_begin();
    while (next_request(&h) > 0 && answer(&h))
        ;
    if (h.status)
        answer_status(&h, h.status, "");
    linger(c);
    co4_shield_end();
}

/* ---- TLS ---- */

#ifdef CO4_HAS_TLS

enum { HANDSHAKE_SECONDS = 10 };

static co4_tls_config *tls;

/* A handshake takes a while: the caller is the task of the connection. */
static pausable co4_conn *open_tls(int fd)
{
    co4_conn *c;
    int err = co4_tls_accept_until(&c, tls, fd, co4_after(HANDSHAKE_SECONDS * CO4_SEC));
    return err == CO4_OK ? c : NULL;
}

static bool begin_tls(struct server *s)
{
    static const char *const protocols[] = { "http/1.1", NULL };
    const co4_tls_options o = { .cert_file = options.certificate,
                                .key_file = options.key,
                                .alpn = protocols };
    int err = co4_tls_server(&tls, &o);
    if (err != CO4_OK)
        fprintf(stderr, "%s, %s: %s\n", options.certificate, options.key, co4_tls_error_text());
    s->open = open_tls;
    return err == CO4_OK;
}

static void end_tls(void)
{
    co4_tls_config_release(tls);
}

#else

static bool begin_tls(const struct server *s)
{
    (void)s;
    fprintf(stderr, "httpd: built without TLS\n");
    return false;
}

static void end_tls(void) {}

#endif

/* ---- options ---- */

static pausable int begin(void)
{
    if (options.root && !files_begin(options.root, options.links)) {
        fprintf(stderr, "%s: %s\n", options.root, strerror(errno));
        return -1;
    }
    return 0;
}

static int option(int argc, char **argv)
{
    int64_t n;
    const char *name = argv[0], *value = argc > 1 ? argv[1] : "";
    if (strcmp(name, "--tls") == 0 && argc > 2) {
        options.certificate = argv[1];
        options.key = argv[2];
        return 3;
    }
    if (strcmp(name, "--root") == 0 && argc > 1)
        options.root = value;
    else if (strcmp(name, "--links") == 0 && (!strcmp(value, "yes") || !strcmp(value, "no")))
        options.links = *value == 'y';
    else if (strcmp(name, "--timeout-ms") == 0 && server_number(name, value, 1, 1000000000, &n))
        limits.progress = n * CO4_MS;
    else if (strcmp(name, "--idle-ms") == 0 && server_number(name, value, 1, 1000000000, &n))
        limits.idle = n * CO4_MS;
    else if (strcmp(name, "--max-body") == 0 && server_number(name, value, 1, INT64_C(1) << 50, &n))
        limits.body = n;
    else
        return 0;
    return 2;
}

int main(int argc, char **argv)
{
    struct server s = { .serve = serve, .begin = begin };
    limits = http_default_limits;
    for (int i = 1, words; i < argc; i += words)
        if (!(words = server_option(&s, argc - i, argv + i)) &&
            !(words = option(argc - i, argv + i)))
            return fprintf(stderr, "usage: httpd [--port N] [--host A] [--workers N] [--root DIR] "
                                   "[--links yes|no] [--timeout-ms N] [--idle-ms N] "
                                   "[--max-body N] [--tls CERTIFICATE KEY]\n"),
                   2;
    if (options.certificate && !begin_tls(&s))
        return 1;
    int status = server_run(&s);
    end_tls();
    return status;
}
