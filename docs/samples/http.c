/* http.c - the server of docs/http.md: routes, a body, a stream, events, files; and a client of
 * it.
 * needs: descriptors http
 * modes: woven forced
 * weave: -Wno-co4-code
 * expect: POST /notes: 201, 1
 * expect: GET /notes/1: 200, buy milk
 * expect: GET /notes/2: 404
 * expect: GET /count?most=3: 200, 1 2 3.
 * expect: event: time
 * expect: data: 1
 * expect: GET /files/none: 404 */
#include <co4.h>
#include <co4/http_client.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *notes[100];
static int count;

static pausable int add_note(co4_http_call *call, void *arg)
{
    char *text, number[16];
    (void)arg;
    ssize_t n = co4_http_body(call, &text, 1000);
    if (n < 0)
        return (int)n; /* 413, 408, 400: it says why */
    if (count == 100)
        return 507;
    notes[count++] = strdup(text);
    int size = snprintf(number, sizeof number, "%d\n", count);
    return co4_http_answer(call, 201, "text/plain", number, (size_t)size);
}

static pausable int get_note(co4_http_call *call, void *arg)
{
    (void)arg;
    int i = atoi(co4_http_param(call, "id"));
    if (i < 1 || i > count)
        return 404;
    return co4_http_answer(call, 200, "text/plain", notes[i - 1], strlen(notes[i - 1]));
}

static pausable int count_to(co4_http_call *call, void *arg)
{
    const char *most = co4_http_query_param(call, "most");
    int last = atoi(most ? most : "10");
    (void)arg;
    int err = co4_http_begin(call, 200, "text/plain", -1);
    for (int i = 1; i <= last && err == CO4_OK; i++) {
        err = co4_http_printf(call, i < last ? "%d " : "%d.\n", i);
        if (err == CO4_OK)
            err = co4_http_flush(call); /* and the peer reads it */
    }
    return err;
}

static pausable int times(co4_http_call *call, void *arg)
{
    char text[32];
    int err = CO4_OK;
    (void)arg;
    for (int i = 1; err == CO4_OK; i++) {
        snprintf(text, sizeof text, "%d", i);
        err = co4_http_event(call, "time", NULL, text);
        if (err == CO4_OK)
            err = co4_sleep(CO4_SEC);
    }
    return err;
}

static pausable void ask(co4_http_server *server);

static pausable int serve(const char *port, co4_http_folder *folder)
{
    const co4_http_route routes[] = {
        { "POST", "/notes", add_note, NULL },
        { "GET", "/notes/{id}", get_note, NULL },
        { "GET", "/count", count_to, NULL },
        { "GET", "/times", times, NULL },
        { "GET", "/files/{name...}", co4_http_files, folder },
        { 0 },
    };
    const co4_http_options options = { .port = port, .routes = routes, .flags = CO4_HTTP_SIGNALS };
    co4_http_server *server;
    int err = co4_http_listen(&server, &options);
    if (err == CO4_OK) {
        co4_spawn(ask(server));
        err = co4_http_serve(server);
    }
    co4_http_server_destroy(server);
    return err;
}

/* ---- the client ---- */

static pausable void show(co4_http_client *client, int port, const char *path, const char *body)
{
    char url[100], *text = "";
    snprintf(url, sizeof url, "http://localhost:%d%s", port, path);
    const co4_http_request request = {
        .url = url, .method = body ? "POST" : "GET", .body = body, .bytes = body ? strlen(body) : 0
    };
    co4_http_reply *reply;
    ssize_t n = co4_http_send_until(&reply, client, &request, co4_after(10 * CO4_SEC));
    int status = co4_http_reply_status(reply);
    if (n == CO4_OK)
        n = co4_http_reply_body(reply, &text, 1000);
    if (n < 0)
        printf("%s: %s\n", url, co4_strerror((int)n));
    else
        printf("%s %s: %d%s%s\n", request.method, path, status, status < 300 ? ", " : "",
               status < 300 ? strtok(text, "\n") : "");
    co4_http_reply_destroy(reply); /* NULL after a failure */
}

static pausable void listen_to(co4_http_client *client, int port)
{
    char url[100];
    const char *data;
    ssize_t n;
    co4_http_reply *reply;
    snprintf(url, sizeof url, "http://localhost:%d/times", port);
    if (co4_http_get(&reply, client, url) == CO4_OK && (n = co4_http_reply_read(reply, &data)) > 0)
        printf("%.*s\n", (int)n - 2, data);
    co4_http_reply_destroy(
        reply); /* its connection ends: the handler sees that at its next event */
}

static pausable void ask(co4_http_server *server)
{
    int port = co4_http_port(server);
    co4_http_client *client;
    if (co4_http_client_create(&client, NULL) == CO4_OK) {
        show(client, port, "/notes", "buy milk");
        show(client, port, "/notes/1", NULL);
        show(client, port, "/notes/2", NULL);
        show(client, port, "/count?most=3", NULL);
        listen_to(client, port);
        show(client, port, "/files/none", NULL);
        co4_http_client_destroy(client);
    }
    co4_http_stop(server);
}

int main(void)
{
    co4_http_folder *folder;
    int err = co4_http_folder_open(&folder, ".", 0);
    if (err == CO4_OK)
        err = co4_run(serve("0", folder));
    co4_http_folder_close(folder);
    for (int i = 0; i < count; i++)
        free(notes[i]);
    return err == CO4_OK ? 0 : 1;
}
