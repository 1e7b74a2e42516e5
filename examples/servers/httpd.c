/* httpd.c - a server for HTTP/1.1 and 1.0, by co4_http.
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
#include <co4/http.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server.h"

enum { MOST_LINES = 1000000 };

static struct {
    const char *root, *certificate, *key;
    unsigned flags;
    co4_http_limits limits;
} options;

/* ---- routes ---- */

static pausable int hello(co4_http_call *call, void *arg)
{
    static const char text[] = "Hello, World!";
    (void)arg;
    return co4_http_answer(call, 200, "text/plain", text, sizeof text - 1);
}

/* The head waits for the first piece, so that an error there is still an answer. */
static pausable int echo(co4_http_call *call, void *arg)
{
    const char *data;
    (void)arg;
    ssize_t n = co4_http_read(call, &data);
    int err = n < 0 ? (int)n
                    : co4_http_begin(call, 200, "application/octet-stream",
                                     n > 0 ? co4_http_length(call) : 0);
    while (err == CO4_OK && n > 0) {
        err = co4_http_write(call, data, (size_t)n);
        if (err == CO4_OK)
            n = co4_http_read(call, &data);
    }
    return n < 0 ? (int)n : err;
}

static long number(const char *text, long none, long most)
{
    long n = text ? strtol(text, NULL, 10) : none;
    return n < 0 ? 0 : n < most ? n : most;
}

static pausable int stream(co4_http_call *call, void *arg)
{
    long lines = number(co4_http_query_param(call, "lines"), 10, MOST_LINES);
    long ms = number(co4_http_query_param(call, "ms"), 0, 1000);
    (void)arg;
    int err = co4_http_begin(call, 200, "text/plain", -1);
    for (long i = 1; i <= lines && err == CO4_OK; i++) {
        char line[32];
        int n = snprintf(line, sizeof line, "line %ld\n", i);
        err = co4_http_write(call, line, (size_t)n);
        if (err == CO4_OK && ms > 0)
            err = co4_http_flush(call);
        if (err == CO4_OK && ms > 0)
            err = co4_sleep(ms * CO4_MS);
    }
    return err;
}

static pausable int file(co4_http_call *call, void *folder)
{
    return folder ? co4_http_files(call, folder) : 404;
}

/* ---- the server ---- */

static pausable int serve(const struct server *s, co4_http_folder *folder, co4_tls_config *tls)
{
    const co4_http_route routes[] = { { "GET", "/plaintext", hello, NULL },
                                      { "POST", "/echo", echo, NULL },
                                      { "GET", "/stream", stream, NULL },
                                      { "GET", "/{file...}", file, folder },
                                      { 0 } };
    const co4_http_options o = { .host = s->host,
                                 .port = s->port,
                                 .routes = routes,
                                 .tls = tls,
                                 .limits = options.limits,
                                 .flags = CO4_HTTP_SIGNALS };
    co4_http_server *server;
    int err = co4_http_listen(&server, &o);
    if (err == CO4_OK) {
        printf("port %d\n", co4_http_port(server));
        fflush(stdout);
        err = co4_http_serve(server);
    }
    if (err != CO4_OK)
        fprintf(stderr, "port %s: %s\n", s->port, co4_strerror(err));
    co4_http_server_destroy(server);
    return err == CO4_OK ? 0 : 1;
}

static pausable int run(const struct server *s)
{
    co4_http_folder *folder = NULL;
    co4_tls_config *tls = NULL;
    const char *const protocols[] = { "http/1.1", NULL };
    const co4_tls_options o = { .cert_file = options.certificate,
                                .key_file = options.key,
                                .alpn = protocols };
    int err = options.root ? co4_http_folder_open(&folder, options.root, options.flags) : CO4_OK;
    if (err != CO4_OK)
        fprintf(stderr, "%s: %s\n", options.root, co4_strerror(err));
    if (err == CO4_OK && options.certificate && (err = co4_tls_server(&tls, &o)) != CO4_OK)
        fprintf(stderr, "%s, %s: %s\n", options.certificate, options.key, co4_tls_error_text());
    int status = err == CO4_OK ? serve(s, folder, tls) : 1;
    co4_http_folder_close(folder);
    co4_tls_config_release(tls);
    return status;
}

/* ---- options ---- */

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
        options.flags = *value == 'y' ? 0 : CO4_HTTP_NO_LINKS;
    else if (strcmp(name, "--timeout-ms") == 0 && server_number(name, value, 1, 1000000000, &n))
        options.limits.progress = n * CO4_MS;
    else if (strcmp(name, "--idle-ms") == 0 && server_number(name, value, 1, 1000000000, &n))
        options.limits.idle = n * CO4_MS;
    else if (strcmp(name, "--max-body") == 0 && server_number(name, value, 1, INT64_C(1) << 50, &n))
        options.limits.body = n;
    else
        return 0;
    return 2;
}

int main(int argc, char **argv)
{
    struct server s = { .run = run };
    for (int i = 1, words; i < argc; i += words)
        if (!(words = server_option(&s, argc - i, argv + i)) &&
            !(words = option(argc - i, argv + i)))
            return fprintf(stderr, "usage: httpd [--port N] [--host A] [--workers N] [--root DIR] "
                                   "[--links yes|no] [--timeout-ms N] [--idle-ms N] "
                                   "[--max-body N] [--tls CERTIFICATE KEY]\n"),
                   2;
    return server_run(&s);
}
