/* websocket.c - the lead example of co4/websocket.h.
 * needs: descriptors websocket
 * modes: woven forced
 * expect: hello comes back */
#include <co4.h>
#include <co4/websocket.h>
#include <stdio.h>

static pausable int chat(co4_http_call *call, void *arg)
{
    co4_websocket *ws;
    co4_websocket_message m;
    (void)arg;
    int err = co4_websocket_accept(&ws, call, NULL);
    while (err == CO4_OK && (err = co4_websocket_receive(ws, &m)) == CO4_OK)
        err = co4_websocket_send(ws, m.kind, m.data, m.bytes);
    co4_websocket_destroy(ws);
    return err == CO4_ECLOSED ? CO4_OK : err;
}

static pausable int talk(co4_http_client *client, int port)
{
    char url[64];
    co4_websocket *ws;
    co4_websocket_message m;
    snprintf(url, sizeof url, "ws://localhost:%d/chat", port);
    int err = co4_websocket_connect(&ws, client, url, NULL);
    if (err == CO4_OK)
        err = co4_websocket_send(ws, CO4_WEBSOCKET_TEXT, "hello", 5);
    if (err == CO4_OK)
        err = co4_websocket_receive(ws, &m);
    if (err == CO4_OK)
        printf("%s comes back\n", m.data);
    co4_websocket_destroy(ws);
    return err;
}

static pausable void ask(co4_http_server *server)
{
    co4_http_client *client;
    if (co4_http_client_create(&client, NULL) == CO4_OK)
        talk(client, co4_http_port(server));
    co4_http_client_destroy(client);
    co4_http_stop(server);
}

static pausable int serve(void)
{
    co4_http_server *server;
    const co4_http_route routes[] = { { "GET", "/chat", chat, NULL }, { 0 } };
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
