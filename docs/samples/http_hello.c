/* http_hello.c - the first program of docs/http.md. Its session runs it. */
#include <co4.h>
#include <co4/http.h>
#include <stdio.h>

static pausable int hello(co4_http_call *call, void *arg)
{
    char text[128];
    int n = snprintf(text, sizeof text, "hello, %.99s\n", co4_http_param(call, "name"));
    return co4_http_answer(call, 200, "text/plain", text, (size_t)n);
}

static pausable int serve(const char *port)
{
    const co4_http_route routes[] = { { "GET", "/hello/{name}", hello, NULL }, { 0 } };
    const co4_http_options options = { .port = port, .routes = routes, .flags = CO4_HTTP_SIGNALS };
    co4_http_server *server;
    int err = co4_http_listen(&server, &options);
    if (err == CO4_OK)
        err = co4_http_serve(server); /* until SIGINT or SIGTERM */
    if (err != CO4_OK)
        fprintf(stderr, "port %s: %s\n", port, co4_strerror(err));
    co4_http_server_destroy(server);
    return err;
}

int main(int argc, char **argv)
{
    return argc == 2 ? co4_run(serve(argv[1])) != CO4_OK : 2;
}
