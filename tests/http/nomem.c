/* nomem.c - each allocation of a server and its client fails in turn, once and for good. The run
 * ends each time, and nothing is left behind; no request gets a wrong answer.
 *
 * link: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=strdup,--wrap=free
 * needs: descriptors http
 * modes: woven forced
 * flags: -Wno-co4-blocking
 * expect: each allocation: some failed: 1, 0 leaks; all is well at the end
 * expect: all from one on: some failed: 1, 0 leaks; all is well at the end
 * expect: each frame: some failed: 1, 0 leaks; all is well at the end
 * expect: all frames from one on: some failed: 1, 0 leaks; all is well at the end
 * expect: 0 wrong answers */
#include <co4/group.h>

#include "../failing.h"
#include "common.h"

static int wrong; /* answers */

/* ---- the server ---- */

static pausable int greet(co4_http_call *call, void *arg)
{
    (void)arg;
    const char *name = co4_http_param(call, "name"), *who = co4_http_field(call, "X-Who");
    if (!who)
        wrong++;
    if (!name)
        return 503;
    int err = co4_http_set(call, "X-Name", name);
    return err == CO4_OK ? co4_http_answer(call, 200, "text/plain", name, strlen(name)) : 503;
}

static pausable int echo(co4_http_call *call, void *arg)
{
    char *body;
    (void)arg;
    ssize_t n = co4_http_body(call, &body, 1 << 20);
    return n < 0 ? 503 : co4_http_answer(call, 200, NULL, body, (size_t)n);
}

static pausable int move(co4_http_call *call, void *arg)
{
    (void)arg;
    return co4_http_redirect(call, 302, "/greet/moved") == CO4_OK ? CO4_OK : 503;
}

static pausable int stream(co4_http_call *call, void *arg)
{
    (void)arg;
    int err = co4_http_begin(call, 200, "text/plain", -1);
    for (int i = 0; err == CO4_OK && i < 3; i++)
        err = co4_http_printf(call, "%s", "piece");
    return err;
}

static const co4_http_route routes[] = {
    { "GET", "/greet/{name}", greet, NULL },
    { "POST", "/echo", echo, NULL },
    { "GET", "/move", move, NULL },
    { "GET", "/stream", stream, NULL },
    { 0 },
};

/* ---- the client ---- */

static char body[20000];

static void destroy_reply(co4_http_reply **reply)
{
    co4_http_reply_destroy(*reply);
}

/* A reply of 503 is one of a server without memory. */
static pausable bool get(co4_http_client *client, co4_http_request r, const char *wanted,
                         size_t bytes)
{
    static const char *const who[] = { "X-Who: me", NULL };
    __attribute__((cleanup(destroy_reply))) co4_http_reply *reply = NULL;
    char *text;
    bool ok = false;
    r.fields = who;
    int err = co4_http_send_until(&reply, client, &r, co4_now() + 4 * patience);
    if (err != CO4_OK)
        return false;
    int status = co4_http_reply_status(reply);
    ssize_t n = co4_http_reply_body_until(reply, &text, 1 << 20, co4_now() + 4 * patience);
    if (status == 200 && n >= 0) {
        ok = (size_t)n == bytes && memcmp(text, wanted, bytes) == 0;
        wrong += !ok;
    } else if (status != 200 && status != 503 && status != 500) {
        fprintf(stderr, "a status of %d\n", status);
        wrong++;
    }
    return ok;
}

static pausable void requests(co4_http_client *client, co4_http_server *server)
{
    char url[4][64];
    static const char *const paths[] = { "/greet/me", "/echo", "/move", "/stream" };
    for (int i = 0; i < 4; i++)
        snprintf(url[i], sizeof url[i], "http://127.0.0.1:%d%s", co4_http_port(server), paths[i]);
    steps += get(client, (co4_http_request){ .url = url[0] }, "me", 2);
    steps += get(
        client,
        (co4_http_request){ .url = url[1], .method = "POST", .body = body, .bytes = sizeof body },
        body, sizeof body);
    steps += get(client, (co4_http_request){ .url = url[2] }, "moved", 5);
    steps += get(client, (co4_http_request){ .url = url[3] }, "piecepiecepiece", 15);
}

static void destroy_server(co4_http_server **server)
{
    co4_http_server_destroy(*server);
}

static void destroy_client(co4_http_client **client)
{
    co4_http_client_destroy(*client);
}

/* The body of a scope: without memory the server ends before it is destroyed. */
static pausable int serve_requests(co4_http_client *client, co4_http_server *server)
{
    int err = co4_scope_spawn(co4_scope_here(), co4_http_serve(server));
    if (err == CO4_OK)
        requests(client, server);
    co4_http_stop(server);
    return err;
}

pausable int run_once(const char *url)
{
    __attribute__((cleanup(destroy_server))) co4_http_server *server = NULL;
    __attribute__((cleanup(destroy_client))) co4_http_client *client = NULL;
    const co4_http_options o = { .host = "127.0.0.1", .routes = routes, .grace = 40 * CO4_MS };
    (void)url;
    steps = 0;
    if (!done(co4_http_client_create(&client, NULL)) || !done(co4_http_listen(&server, &o)))
        return 0;
    int err = co4_scope_run(0, serve_requests(client, server));
    done(err);
    return err;
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    memset(body, 'b', sizeof body);
    sweep("each allocation", "", false, false);
    sweep("all from one on", "", false, true);
    sweep("each frame", "", true, false);
    sweep("all frames from one on", "", true, true);
    printf("%d wrong answers\n", wrong);
    return 0;
}
