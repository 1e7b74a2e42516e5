/* opened.c - a program that uses the component websocket: an address that is none. */
#include <co4.h>
#include <co4/websocket.h>
#include <stdio.h>

static pausable int attempt(co4_http_client *client)
{
    co4_websocket *ws;
    int err = co4_websocket_connect(&ws, client, "nowhere", NULL);
    printf("opened: %s\n", co4_errname(err));
    co4_websocket_destroy(ws);
    return err != CO4_HTTP_EURL;
}

int main(void)
{
    co4_http_client *client;
    int failed = co4_http_client_create(&client, NULL) == CO4_OK ? co4_run(attempt(client)) : 1;
    co4_http_client_destroy(client);
    return failed;
}
