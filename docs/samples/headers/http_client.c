/* http_client.c - the lead example of co4/http_client.h.
 * needs: descriptors http
 * modes: woven forced
 * expect: 200: hello
 * expect: nothing there: ECONNREFUSED */
#include <co4.h>
#include <co4/http_client.h>
#include <co4/io.h>
#include <co4/net.h>
#include <stdio.h>

static pausable int show(co4_http_client *client, const char *url)
{
    char *text;
    co4_http_reply *reply;
    int err = co4_http_get_until(&reply, client, url, co4_after(10 * CO4_SEC));
    if (err == CO4_OK) {
        ssize_t n = co4_http_reply_body(reply, &text, 1 << 20);
        if (n >= 0)
            printf("%d: %s\n", co4_http_reply_status(reply), text);
        else
            err = (int)n;
    }
    co4_http_reply_destroy(reply);
    return err;
}

static pausable int hello(co4_http_call *call, void *arg)
{
    (void)arg;
    return co4_http_answer(call, 200, "text/plain", "hello", 5);
}

static pausable void ask(co4_http_server *server)
{
    char url[64];
    co4_http_client *client;
    if (co4_http_client_create(&client, NULL) == CO4_OK) {
        snprintf(url, sizeof url, "http://localhost:%d/", co4_http_port(server));
        show(client, url);
        int unused = co4_tcp_listen("localhost", "0", 0);
        snprintf(url, sizeof url, "http://localhost:%d/", co4_socket_port(unused));
        co4_close(unused);
        printf("nothing there: %s\n", co4_errname(show(client, url)));
    }
    co4_http_client_destroy(client);
    co4_http_stop(server);
}

static pausable int serve(void)
{
    co4_http_server *server;
    const co4_http_route routes[] = { { "GET", "/", hello, NULL }, { 0 } };
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
    return co4_run(serve()) == CO4_OK ? 0 : 1;
}
