/* http_recipes.c - the recipes of the cookbook about HTTP.
 * needs: descriptors http
 * modes: woven forced
 * expect: {"name":"ada","bytes":4}
 * expect: data: 1
 * expect: got it at try 3 */
#include <co4.h>
#include <co4/http_client.h>
#include <stdio.h>
#include <string.h>

/* How do I answer with JSON? */

static pausable int describe(co4_http_call *call, void *arg)
{
    char *body, json[200];
    (void)arg;
    ssize_t n = co4_http_body(call, &body, 1000);
    if (n < 0)
        return (int)n; /* the answer says why: 413, 408, 400 */
    const char *name = co4_http_param(call, "name");
    if (strpbrk(name, "\"\\\n")) /* what JSON would have to escape */
        return 400;
    int size = snprintf(json, sizeof json, "{\"name\":\"%.99s\",\"bytes\":%zd}", name, n);
    return co4_http_answer(call, 200, "application/json", json, (size_t)size);
}

/* How does a page get events as they happen? */

static pausable int count(co4_http_call *call, void *arg)
{
    char text[16];
    int err = CO4_OK;
    (void)arg;
    for (int i = 1; err == CO4_OK; i++) { /* the page: new EventSource("/count") */
        snprintf(text, sizeof text, "%d", i);
        err = co4_http_event(call, NULL, NULL, text); /* a code when the page is gone */
        if (err == CO4_OK)
            err = co4_sleep(CO4_SEC);
    }
    return err;
}

/* How do I ask a server within a time, and again when it is busy? */

static pausable int ask(co4_http_reply **reply, co4_http_client *client, const char *url, int tries)
{
    int64_t deadline = co4_after(10 * CO4_SEC); /* of all tries together */
    for (int i = 1;; i++) {
        int err = co4_http_get_until(reply, client, url, deadline);
        if (err != CO4_OK || co4_http_reply_status(*reply) != 503 || i == tries)
            return err;
        co4_http_reply_destroy(*reply);
        *reply = NULL;
        err = co4_sleep(i * 10 * CO4_MS);
        if (err != CO4_OK)
            return err;
    }
}

/* ---- the program ---- */

static int busy = 2;

static pausable int sometimes(co4_http_call *call, void *arg)
{
    char text[32];
    static int tries;
    (void)arg;
    tries++;
    int n = snprintf(text, sizeof text, "got it at try %d", tries);
    return busy-- > 0 ? 503 : co4_http_answer(call, 200, "text/plain", text, (size_t)n);
}

static pausable void show(co4_http_client *client, co4_http_request request)
{
    const char *data;
    co4_http_reply *reply;
    if (co4_http_send(&reply, client, &request) == CO4_OK) {
        ssize_t n = co4_http_reply_read(reply, &data); /* of events the first piece */
        printf("%.*s\n", n > 0 ? (int)strcspn(data, "\n}") + (*data == '{') : 0, data);
    }
    co4_http_reply_destroy(reply);
}

static pausable int try_all(co4_http_server *server, co4_http_client *client)
{
    char url[100], *text;
    co4_http_reply *reply;
    int port = co4_http_port(server);
    snprintf(url, sizeof url, "http://localhost:%d/things/ada", port);
    show(client, (co4_http_request){ .url = url, .method = "POST", .body = "1234", .bytes = 4 });
    snprintf(url, sizeof url, "http://localhost:%d/count", port);
    show(client, (co4_http_request){ .url = url });
    snprintf(url, sizeof url, "http://localhost:%d/sometimes", port);
    int err = ask(&reply, client, url, 5);
    if (err == CO4_OK && co4_http_reply_body(reply, &text, 100) >= 0)
        printf("%s\n", text);
    co4_http_reply_destroy(reply);
    return co4_http_stop(server);
}

static pausable int serve(void)
{
    static const co4_http_route routes[] = { { "POST", "/things/{name}", describe, NULL },
                                             { "GET", "/count", count, NULL },
                                             { "GET", "/sometimes", sometimes, NULL },
                                             { 0 } };
    co4_http_server *server = NULL;
    co4_http_client *client = NULL;
    int err = co4_http_client_create(&client, NULL);
    if (err == CO4_OK)
        err = co4_http_listen(&server, &(co4_http_options){ .routes = routes, .grace = CO4_MS });
    co4_task *asker = err == CO4_OK ? co4_spawn(try_all(server, client)) : NULL;
    if (asker) {
        err = co4_http_serve(server);
        co4_join(asker, NULL);
    }
    co4_http_server_destroy(server);
    co4_http_client_destroy(client);
    return err;
}

int main(void)
{
    return co4_run(serve()) == CO4_OK ? 0 : 1;
}
