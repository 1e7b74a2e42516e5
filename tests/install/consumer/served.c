/* served.c - a program that uses the component http: a server, and its client. */
#include <co4.h>
#include <co4/http_client.h>
#include <stdio.h>

static pausable int hello(co4_http_call *call, void *arg)
{
    (void)arg;
    return co4_http_answer(call, 200, "text/plain", "hello", 5);
}

static pausable int ask(co4_http_server *server)
{
    char url[64], *text = "nothing";
    co4_http_client *client;
    co4_http_reply *reply = NULL;
    snprintf(url, sizeof url, "http://localhost:%d/hello", co4_http_port(server));
    int err = co4_http_client_create(&client, NULL);
    if (err == CO4_OK)
        err = co4_http_get_until(&reply, client, url, co4_after(10 * CO4_SEC));
    if (err == CO4_OK)
        co4_http_reply_body(reply, &text, 100);
    printf("served: %s\n", text);
    co4_http_reply_destroy(reply);
    co4_http_client_destroy(client);
    co4_http_stop(server);
    return err;
}

static pausable int serve(void)
{
    const co4_http_route routes[] = { { "GET", "/hello", hello, NULL }, { 0 } };
    co4_http_server *server;
    int err = co4_http_listen(&server, &(co4_http_options){ .routes = routes });
    if (err == CO4_OK) {
        co4_spawn(ask(server));
        err = co4_http_serve(server);
    }
    co4_http_server_destroy(server);
    return err;
}

int main(void)
{
    return co4_run(serve()) != CO4_OK;
}
