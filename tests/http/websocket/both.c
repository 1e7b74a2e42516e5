/* both.c - a server and a client: messages of many sizes, protocols, ends, pings, wrong use.
 * needs: descriptors websocket
 * modes: woven forced
 * flags: -Wno-co4-blocking
 * expect: echoes: 9 of 9 whole
 * expect: text: [grüße] kind 1
 * expect: protocol: two, and none: NULL
 * expect: ended: 1000 after 1 message, then CO4_ECLOSED CO4_ECLOSED
 * expect: both sides send 200 messages at once: 200 200
 * expect: too large: CO4_ECLOSED 1009
 * expect: no text: CO4_ECLOSED 1007
 * expect: a peer that is silent: CO4_ETIMEDOUT, one that answers pings: CO4_ETIMEDOUT after more
 * expect: short deadlines: a ping has come
 * expect: no WebSocket there: CO4_WEBSOCKET_EHANDSHAKE
 * expect: a deadline: CO4_ETIMEDOUT, and then a message
 * expect: wrong use: CO4_EINVAL CO4_EINVAL CO4_EINVAL CO4_EINVAL
 * expect: handshakes: 426 400 400 400 101
 * expect: cut off: CO4_HTTP_ETRUNCATED
 * expect: destroyed without an end: 1001
 * expect: statuses that are never sent: 4 of 4
 * expect: no protocol: NULL
 * expect: pings of a peer that reads nothing: they wait */
#include <co4/websocket.h>

#include "../common.h"

static const char *const protocols[] = { "one", "two", NULL };
static const co4_websocket_options of_server = { .most = 200000, .protocols = protocols };
static int server_status;

/* ---- handlers ---- */

static pausable int echo(co4_http_call *call, void *arg)
{
    co4_websocket *ws;
    co4_websocket_message m;
    (void)arg;
    int err = co4_websocket_accept(&ws, call, &of_server);
    while (err == CO4_OK && (err = co4_websocket_receive(ws, &m)) == CO4_OK)
        err = co4_websocket_send(ws, m.kind, m.data, m.bytes);
    server_status = co4_websocket_status(ws);
    co4_websocket_destroy(ws);
    return err == CO4_ECLOSED ? CO4_OK : err;
}

static pausable int one_then_end(co4_http_call *call, void *arg)
{
    co4_websocket *ws;
    co4_websocket_message m;
    (void)arg;
    int err = co4_websocket_accept(&ws, call, NULL);
    if (err == CO4_OK)
        err = co4_websocket_send(ws, CO4_WEBSOCKET_TEXT, "last", 4);
    if (err == CO4_OK)
        err = co4_websocket_end(ws, 1000, "done");
    if (err == CO4_OK)
        err = co4_websocket_receive(ws, &m);
    co4_websocket_destroy(ws);
    return err == CO4_ECLOSED ? CO4_OK : err;
}

static pausable void send_many(co4_websocket *ws)
{
    for (int i = 0; i < 100; i++)
        if (co4_websocket_send(ws, CO4_WEBSOCKET_BINARY, &i, sizeof i) != CO4_OK)
            return;
}

static pausable int receive_many(co4_websocket *ws, int messages)
{
    co4_websocket_message m;
    int n = 0;
    while (n < messages && co4_websocket_receive(ws, &m) == CO4_OK)
        n++;
    return n;
}

static int received_by_server;

/* Two tasks send while a third one receives. */
static pausable int talk(co4_websocket *ws)
{
    co4_task *a = co4_spawn(send_many(ws)), *b = co4_spawn(send_many(ws));
    int n = receive_many(ws, 200);
    co4_join(a, NULL);
    co4_join(b, NULL);
    return n;
}

static pausable int many(co4_http_call *call, void *arg)
{
    co4_websocket *ws;
    (void)arg;
    int err = co4_websocket_accept(&ws, call, NULL);
    if (err == CO4_OK)
        received_by_server = talk(ws);
    co4_websocket_destroy(ws);
    return err;
}

static pausable int silent(co4_http_call *call, void *arg)
{
    co4_websocket *ws;
    (void)arg;
    int err = co4_websocket_accept(&ws, call, NULL);
    if (err == CO4_OK)
        err = co4_sleep(10 * CO4_SEC);
    co4_websocket_destroy(ws);
    return err;
}

static bool was_pinged;

/* Reads the bytes of a ping, and answers none. */
static pausable int pinged(co4_http_call *call, void *arg)
{
    char frame[6];
    co4_websocket *ws;
    (void)arg;
    int err = co4_websocket_accept(&ws, call, NULL);
    if (err == CO4_OK && co4_conn_read_exact(co4_http_conn(call), frame, 6) == 6)
        was_pinged = (frame[0] & 0xf) == 9;
    co4_websocket_destroy(ws);
    return err;
}

static pausable int late(co4_http_call *call, void *arg)
{
    co4_websocket *ws;
    co4_websocket_message m;
    (void)arg;
    int err = co4_websocket_accept(&ws, call, NULL);
    if (err == CO4_OK)
        err = co4_websocket_receive(ws, &m); /* the client has waited in vain */
    if (err == CO4_OK)
        err = co4_websocket_send(ws, CO4_WEBSOCKET_TEXT, "late", 4);
    co4_websocket_destroy(ws);
    return err;
}

static pausable int no_websocket(co4_http_call *call, void *arg)
{
    (void)arg;
    return co4_http_answer(call, 200, NULL, "hello", 5);
}

static pausable int cut(co4_http_call *call, void *arg)
{
    (void)arg;
    co4_websocket *ws;
    int err = co4_websocket_accept(&ws, call, NULL);
    co4_conn_flush(co4_http_conn(call));
    if (err == CO4_OK)
        co4_shutdown(co4_conn_fd(co4_http_conn(call)), SHUT_RDWR);
    co4_websocket_destroy(ws);
    return CO4_OK;
}

static pausable void send_much(co4_websocket *ws)
{
    static char bytes[1 << 20];
    while (co4_websocket_send(ws, CO4_WEBSOCKET_BINARY, bytes, sizeof bytes) == CO4_OK)
        ;
}

static pausable int stuck(co4_http_call *call, void *arg)
{
    co4_websocket *ws;
    co4_websocket_message m;
    (void)arg;
    int err = co4_websocket_accept(&ws, call, NULL);
    if (err != CO4_OK)
        return err;
    co4_task *sender = co4_spawn(send_much(ws));
    err = co4_websocket_receive(ws, &m);
    co4_task_cancel(sender, 0);
    co4_join(sender, NULL);
    co4_websocket_destroy(ws);
    return err;
}

static const co4_http_route routes[] = {
    { "GET", "/stuck", stuck, NULL },      { "GET", "/echo", echo, NULL },
    { "GET", "/end", one_then_end, NULL }, { "GET", "/many", many, NULL },
    { "GET", "/silent", silent, NULL },    { "GET", "/late", late, NULL },
    { "GET", "/pinged", pinged, NULL },    { "GET", "/none", no_websocket, NULL },
    { "GET", "/cut", cut, NULL },          { 0 },
};

/* ---- the client ---- */

static pausable co4_websocket *to(co4_http_client *client, co4_http_server *server,
                                  const char *path, const co4_websocket_options *options)
{
    co4_websocket *ws;
    char url[64];
    snprintf(url, sizeof url, "ws://localhost:%d%s", co4_http_port(server), path);
    if (co4_websocket_connect_until(&ws, client, url, options, co4_after(10 * CO4_SEC)) != CO4_OK)
        abort();
    return ws;
}

static pausable void echoes(co4_websocket *ws)
{
    static const size_t sizes[] = { 0, 1, 125, 126, 127, 65535, 65536, 65537, 200000 };
    static char bytes[200000];
    co4_websocket_message m;
    int whole = 0;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(i * 7 + i / 251);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (co4_websocket_send(ws, CO4_WEBSOCKET_BINARY, bytes, sizes[i]) == CO4_OK &&
            co4_websocket_receive(ws, &m) == CO4_OK && m.bytes == sizes[i] &&
            memcmp(m.data, bytes, m.bytes) == 0)
            whole++;
    printf("echoes: %d of 9 whole\n", whole);
    const char *text = "gr\xc3\xbc\xc3\x9f"
                       "e";
    if (co4_websocket_send(ws, CO4_WEBSOCKET_TEXT, text, strlen(text)) == CO4_OK &&
        co4_websocket_receive(ws, &m) == CO4_OK)
        printf("text: [%s] kind %d\n", m.data, (int)m.kind);
}

static pausable void ends(co4_http_client *client, co4_http_server *server)
{
    co4_websocket_message m;
    co4_websocket *ws = to(client, server, "/end", NULL);
    int n = 0, err;
    while ((err = co4_websocket_receive(ws, &m)) == CO4_OK)
        n++;
    printf("ended: %d after %d message, then %s %s\n", co4_websocket_status(ws), n,
           co4_errname(co4_websocket_receive(ws, &m)),
           co4_errname(co4_websocket_send(ws, CO4_WEBSOCKET_TEXT, "a", 1)));
    co4_websocket_destroy(ws);
    ws = to(client, server, "/many", NULL);
    n = talk(ws);
    co4_websocket_destroy(ws);
    while (received_by_server == 0)
        co4_sleep(CO4_MS);
    printf("both sides send 200 messages at once: %d %d\n", n, received_by_server);
}

static pausable void breaks(co4_http_client *client, co4_http_server *server, const char *name,
                            co4_websocket_kind kind, const void *data, size_t bytes)
{
    co4_websocket_message m;
    co4_websocket *ws = to(client, server, "/echo", NULL);
    co4_websocket_send(ws, kind, data, bytes);
    int err = co4_websocket_receive(ws, &m);
    printf("%s: %s %d\n", name, co4_errname(err), co4_websocket_status(ws));
    co4_websocket_destroy(ws);
}

static pausable void pings(co4_http_client *client, co4_http_server *server)
{
    co4_websocket_message m;
    const co4_websocket_options o = { .ping = 10 * CO4_MS };
    co4_websocket *ws = to(client, server, "/silent", &o);
    int err = co4_websocket_receive_until(ws, &m, co4_after(10 * CO4_SEC));
    printf("a peer that is silent: %s, ", co4_errname(err));
    co4_websocket_destroy(ws);
    const co4_websocket_options patient = { .ping = 100 * CO4_MS };
    ws = to(client, server, "/echo", &patient);
    int64_t since = co4_now();
    err = co4_websocket_receive_until(ws, &m, co4_after(350 * CO4_MS));
    printf("one that answers pings: %s %s\n", co4_errname(err),
           co4_now() - since >= 350 * CO4_MS ? "after more" : "too early");
    co4_websocket_destroy(ws);
}

static pausable void pings_between(co4_http_client *client, co4_http_server *server)
{
    co4_websocket_message m;
    const co4_websocket_options o = { .ping = 10 * CO4_MS };
    co4_websocket *ws = to(client, server, "/pinged", &o);
    int64_t most = co4_after(20 * CO4_SEC);
    while (!was_pinged && co4_now() < most)
        co4_websocket_receive_until(ws, &m, co4_after(3 * CO4_MS));
    printf("short deadlines: %s\n", was_pinged ? "a ping has come" : "no ping");
    co4_websocket_destroy(ws);
}

static pausable void failures(co4_http_client *client, co4_http_server *server)
{
    co4_websocket *ws;
    co4_websocket_message m;
    int err = co4_websocket_connect(&ws, client, at(server, "/none"), NULL);
    printf("no WebSocket there: %s\n", co4_errname(err));
    ws = to(client, server, "/late", NULL);
    err = co4_websocket_receive_until(ws, &m, co4_after(5 * CO4_MS));
    printf("a deadline: %s, ", co4_errname(err));
    co4_websocket_send(ws, CO4_WEBSOCKET_TEXT, "", 0);
    printf("and then %s\n", co4_websocket_receive(ws, &m) == CO4_OK ? "a message" : "none");
    printf("wrong use: %s %s %s %s\n", co4_errname(co4_websocket_send(ws, 3, "", 0)),
           co4_errname(co4_websocket_send(ws, CO4_WEBSOCKET_TEXT, NULL, 1)),
           co4_errname(co4_websocket_end(ws, 999, NULL)),
           co4_errname(co4_websocket_receive(NULL, &m)));
    co4_websocket_destroy(ws);
}

static pausable int shakes(co4_http_server *server, const char *fields)
{
    char text[512];
    snprintf(text, sizeof text, "GET /cut HTTP/1.1\r\nHost: t\r\n%s\r\n", fields);
    char *answer = say(co4_http_port(server), text);
    int status = (int)strtol(answer + 9, NULL, 10);
    free(answer);
    return status;
}

#define KEY "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
#define UP  "Connection: x, Upgrade\r\nUpgrade: WebSocket\r\n"
#define V   "Sec-WebSocket-Version: 13\r\n"

static pausable void handshakes(co4_http_client *client, co4_http_server *server)
{
    co4_websocket_message m;
    printf("handshakes: %d", shakes(server, KEY UP));
    printf(" %d", shakes(server, UP V));
    printf(" %d", shakes(server, UP V "Sec-WebSocket-Key: AAAA==\r\n"));
    printf(" %d", shakes(server, KEY V "Connection: close\r\nUpgrade: WebSocket\r\n"));
    printf(" %d\n", shakes(server, KEY UP V));
    co4_websocket *ws = to(client, server, "/cut", NULL);
    printf("cut off: %s\n", co4_errname(co4_websocket_receive(ws, &m)));
    co4_websocket_destroy(ws);
}

static pausable void leaves(co4_http_client *client, co4_http_server *server)
{
    static const char *const no_protocol[] = { NULL };
    static const int never[] = { 1004, 1005, 1006, 1015 };
    int refused = 0;
    co4_websocket *ws = to(client, server, "/echo", NULL);
    server_status = -1;
    co4_websocket_destroy(ws);
    while (server_status == -1)
        co4_sleep(CO4_MS);
    printf("destroyed without an end: %d\n", server_status);
    ws = to(client, server, "/echo", &(co4_websocket_options){ .protocols = no_protocol });
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        refused += co4_websocket_end(ws, never[i], NULL) == CO4_EINVAL;
    printf("statuses that are never sent: %d of 4\n", refused);
    printf("no protocol: %s\n", co4_websocket_protocol(ws) ? "?" : "NULL");
    co4_websocket_destroy(ws);
}

/* A peer that reads no pongs must not fill the memory. */
static pausable void floods(co4_http_server *server)
{
    enum { FRAME = 2 + 4 + 125, FRAMES = 500, TIMES = 600 };
    static const char request[] = "GET /stuck HTTP/1.1\r\nHost: t\r\n" KEY UP V "\r\n";
    static char pings[FRAMES][FRAME];
    char service[16];
    ssize_t n = 1;
    for (int i = 0; i < FRAMES; i++)
        memcpy(pings[i], "\x89\xfd", 2); /* a mask of zeros */
    snprintf(service, sizeof service, "%d", co4_http_port(server));
    int fd = co4_tcp_connect("localhost", service);
    if (co4_write(fd, request, sizeof request - 1) < 0)
        abort();
    for (int i = 0; i < TIMES && n > 0; i++)
        n = co4_write_until(fd, pings, sizeof pings, co4_after(300 * CO4_MS)) ==
            (ssize_t)sizeof pings;
    printf("pings of a peer that reads nothing: %s\n", n ? "all are taken" : "they wait");
    co4_close(fd);
}

static pausable void test(co4_http_client *client, co4_http_server *server)
{
    static char large[200001];
    static const char *const wanted[] = { "zero", "two", NULL };
    co4_websocket *none = to(client, server, "/echo", NULL);
    co4_websocket *ws = to(client, server, "/echo",
                           &(co4_websocket_options){ .protocols = wanted, .most = 200000 });
    echoes(ws);
    printf("protocol: %s, and none: %s\n", co4_websocket_protocol(ws),
           co4_websocket_protocol(none) ? "?" : "NULL");
    co4_websocket_destroy(none);
    co4_websocket_destroy(ws);
    ends(client, server);
    breaks(client, server, "too large", CO4_WEBSOCKET_BINARY, large, sizeof large);
    breaks(client, server, "no text", CO4_WEBSOCKET_TEXT, "\xff", 1);
    pings(client, server);
    pings_between(client, server);
    failures(client, server);
    handshakes(client, server);
    leaves(client, server);
    floods(server);
}

static pausable int all(void)
{
    return beside(&(co4_http_options){ .routes = routes, .grace = CO4_MS }, NULL, test);
}

int main(void)
{
    return co4_run(all()) == CO4_OK ? 0 : 1;
}
