/* http.c - the lead example of co4/http.h.
 * needs: descriptors http
 * modes: woven forced
 * expect: GET /hello/you: 200, hello, you
 * expect: GET /none: 404, 404 Not Found */
#include <co4.h>
#include <co4/http.h>
#include <co4/http_client.h>
#include <stdio.h>

static pausable int hello(co4_http_call *call, void *arg)
{
    char text[128];
    (void)arg;
    int n = snprintf(text, sizeof text, "hello, %.99s\n", co4_http_param(call, "name"));
    return co4_http_answer(call, 200, "text/plain", text, (size_t)n);
}

static pausable void ask(co4_http_server *server);

static pausable int serve(const char *port)
{
    co4_http_server *server;
    const co4_http_route routes[] = { { "GET", "/hello/{name}", hello, NULL }, { 0 } };
    const co4_http_options options = { .port = port, .routes = routes };
    int err = co4_http_listen(&server, &options);
    if (err == CO4_OK)
        co4_spawn(ask(server));
    if (err == CO4_OK)
        err = co4_http_serve(server);
    co4_http_server_destroy(server);
    return err;
}

static pausable void show(co4_http_client *client, int port, const char *path)
{
    char url[64], *text = "?";
    co4_http_reply *reply;
    snprintf(url, sizeof url, "http://localhost:%d%s", port, path);
    int err = co4_http_get(&reply, client, url);
    if (err == CO4_OK && co4_http_reply_body(reply, &text, 1000) > 0)
        printf("GET %s: %d, %s", path, co4_http_reply_status(reply), text);
    co4_http_reply_destroy(reply);
}

static pausable void ask(co4_http_server *server)
{
    co4_http_client *client;
    if (co4_http_client_create(&client, NULL) == CO4_OK) {
        show(client, co4_http_port(server), "/hello/you");
        show(client, co4_http_port(server), "/none");
    }
    co4_http_client_destroy(client);
    co4_http_stop(server);
}

int main(void)
{
    return co4_run(serve("0")) == CO4_OK ? 0 : 1;
}
