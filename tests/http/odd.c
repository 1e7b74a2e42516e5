/* odd.c - a client of servers that are odd, and a server whose peers and handlers are.
 * needs: descriptors http
 * modes: woven forced
 * flags: -Wno-co4-blocking
 * expect: a deadline behind a 100: CO4_ETIMEDOUT, then [second] of 2 connections
 * expect: 100 heads of 1xx: 200, 101 of them: CO4_HTTP_ETOOBIG
 * expect: half a body in time: CO4_ETIMEDOUT, then CO4_ETIMEDOUT
 * expect: a body behind the answer: no 100 in [0\r\n\r\n]
 * expect: after an upgrade: [/up/a%20b] [a b] [yes] [?], logged GET /up/a%20b
 * expect: names that cannot be decoded: 400 400 400
 * expect: numbers that are no status: 500 500 500
 * expect: events by HEAD: CO4_ECLOSED, 200
 * expect: a peer that takes longer than progress: 16777216 bytes */
#include "common.h"

/* ---- servers that are odd ---- */

static int accepted;

static pausable void write_text(int fd, const char *text)
{
    co4_write(fd, text, strlen(text));
}

/* Takes a request, and says this. */
static pausable int hear_and_say(int listener, const char *text, int times)
{
    char request[1000];
    int fd = co4_accept_next(listener);
    if (fd < 0 || co4_read(fd, request, sizeof request) <= 0)
        abort();
    accepted++;
    for (int i = 0; i < times; i++)
        write_text(fd, text);
    return fd;
}

#define CONTINUE "HTTP/1.1 100 Continue\r\n\r\n"
#define OK(body) "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n" body

static co4_sem late = CO4_SEM_INIT(0);

static pausable void wait_for_late(void)
{
    if (co4_sem_acquire(&late) != CO4_OK)
        abort();
}

/* The first answer comes when its request has been given up. */
static pausable void answer_late(int listener)
{
    int fd = hear_and_say(listener, CONTINUE, 1);
    wait_for_late();
    write_text(fd, OK("first "));
    int other = hear_and_say(listener, OK("second"), 1);
    co4_close(fd);
    co4_close(other);
}

static pausable void say_many(int listener)
{
    int fd = hear_and_say(listener, CONTINUE, 100);
    write_text(fd, OK("behind"));
    int other = hear_and_say(listener, CONTINUE, 101);
    wait_for_late();
    co4_close(fd);
    co4_close(other);
}

static pausable void say_half(int listener)
{
    int fd = hear_and_say(listener, OK("hal"), 1);
    wait_for_late();
    write_text(fd, "ves");
    co4_close(fd);
}

/* ---- the client ---- */

static pausable int get(co4_http_client *client, const char *url, char **text, int64_t deadline,
                        co4_http_reply **r)
{
    int err = co4_http_get_until(r, client, url, deadline);
    ssize_t n = err == CO4_OK ? co4_http_reply_body_until(*r, text, 100, deadline) : 0;
    return err != CO4_OK ? err : n < 0 ? (int)n : co4_http_reply_status(*r);
}

static pausable void test_client(void)
{
    co4_http_client *client;
    co4_http_reply *r;
    char url[64], *text = "";
    int listener = co4_tcp_listen("localhost", "0", 0);
    snprintf(url, sizeof url, "http://localhost:%d/", co4_socket_port(listener));
    if (co4_http_client_create(&client, NULL) != CO4_OK)
        abort();

    co4_task *server = co4_spawn(answer_late(listener));
    int err = get(client, url, &text, co4_after(200 * CO4_MS), &r);
    co4_http_reply_destroy(r);
    co4_sem_release(&late);
    printf("a deadline behind a 100: %s, ", co4_errname(err));
    get(client, url, &text, CO4_NEVER, &r);
    printf("then [%s] of %d connections\n", text, accepted);
    co4_http_reply_destroy(r);
    co4_join(server, NULL);

    co4_http_client_destroy(client); /* with the connection that is kept */
    if (co4_http_client_create(&client, &(co4_http_client_options){ .kept = -1 }) != CO4_OK)
        abort();
    server = co4_spawn(say_many(listener));
    printf("100 heads of 1xx: %d, ", get(client, url, &text, CO4_NEVER, &r));
    co4_http_reply_destroy(r);
    printf("101 of them: %s\n", co4_errname(get(client, url, &text, CO4_NEVER, &r)));
    co4_sem_release(&late);
    co4_join(server, NULL);

    server = co4_spawn(say_half(listener));
    if (co4_http_get(&r, client, url) != CO4_OK)
        abort();
    err = (int)co4_http_reply_body_until(r, &text, 100, co4_after(20 * CO4_MS));
    printf("half a body in time: %s, ", co4_errname(err));
    co4_sem_release(&late);
    printf("then %s\n", co4_errname((int)co4_http_reply_body(r, &text, 100)));
    co4_http_reply_destroy(r);
    co4_join(server, NULL);
    co4_http_client_destroy(client);
    co4_close(listener);
}

/* ---- handlers that are odd ---- */

static pausable int begin_and_read(co4_http_call *call, void *arg)
{
    const char *data;
    (void)arg;
    co4_http_begin(call, 200, NULL, -1);
    while (co4_http_read(call, &data) > 0)
        ;
    return CO4_OK;
}

/* What comes behind the upgrade is read over the request. */
static pausable int upgrade(co4_http_call *call, void *arg)
{
    const char *data, *early = co4_http_field(call, "X-Early");
    (void)arg;
    co4_conn *c = co4_http_upgrade(call, "other");
    while (c && co4_conn_peek(c, &data, 1) > 0)
        co4_conn_skip(c, 1000);
    const char *none = co4_http_field(call, "X-None");
    printf("after an upgrade: [%s] [%s] [%s] [%s], ", co4_http_path(call),
           co4_http_param(call, "name"), early, none ? none : "?");
    return CO4_OK;
}

static pausable int number(co4_http_call *call, void *arg)
{
    (void)arg;
    return (int)strtol(co4_http_param(call, "number"), NULL, 10);
}

static pausable int events(co4_http_call *call, void *arg)
{
    int err = CO4_OK;
    (void)arg;
    while (err == CO4_OK)
        if ((err = co4_http_event(call, NULL, NULL, "a")) == CO4_OK)
            err = co4_sleep(CO4_MS);
    printf("events by HEAD: %s, ", co4_errname(err));
    return err;
}

enum { LARGE = 16 << 20 };

static pausable int large(co4_http_call *call, void *arg)
{
    static char bytes[LARGE];
    (void)arg;
    return co4_http_answer(call, 200, NULL, bytes, sizeof bytes);
}

static void log_upgrade(const co4_http_call *call, void *arg)
{
    (void)arg;
    if (co4_http_status(call) == 101)
        printf("logged %s %s\n", co4_http_method(call), co4_http_path(call));
}

static pausable void test_server(co4_http_client *client, co4_http_server *server)
{
    char text[3000] = "GET /up/a%20b HTTP/1.1\r\nHost: t\r\nConnection: upgrade\r\n"
                      "Upgrade: other\r\nX-Early: yes\r\n\r\n";
    (void)client;
    char *a = say(co4_http_port(server), "POST /begin HTTP/1.1\r\nHost: t\r\n"
                                         "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n");
    char *body = strstr(a, "\r\n\r\n");
    printf("a body behind the answer: %s in [%s]\n", strstr(a, "Continue") ? "a 100" : "no 100",
           body && strcmp(body + 4, "0\r\n\r\n") == 0 ? "0\\r\\n\\r\\n" : a);
    free(a);
    size_t held = strlen(text);
    memset(text + held, 'x', sizeof text - held - 1);
    free(say(co4_http_port(server), text));
}

static pausable int status_of(co4_http_server *server, const char *method, const char *path)
{
    char text[200];
    snprintf(text, sizeof text, "%s %s HTTP/1.1\r\nHost: t\r\n\r\n", method, path);
    char *answer = say(co4_http_port(server), text);
    int status = (int)strtol(answer + strlen("HTTP/1.1 "), NULL, 10);
    free(answer);
    return status;
}

/* Each pause is short, and all together are not. */
static pausable size_t read_slowly(int port)
{
    static char bytes[LARGE / 24];
    static const char request[] = "GET /large HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n";
    char service[16];
    size_t all = 0;
    snprintf(service, sizeof service, "%d", port);
    int fd = co4_tcp_connect("localhost", service);
    write_text(fd, request);
    for (ssize_t n = 1; n > 0;) {
        size_t held = 0;
        while (held < sizeof bytes && (n = co4_read(fd, bytes + held, sizeof bytes - held)) > 0)
            held += (size_t)n;
        all += held;
        co4_sleep(100 * CO4_MS);
    }
    co4_close(fd);
    return all;
}

static pausable void test_more(co4_http_client *client, co4_http_server *server)
{
    (void)client;
    printf("names that cannot be decoded: %d", status_of(server, "GET", "/number/%zz"));
    printf(" %d", status_of(server, "GET", "/number/%00"));
    printf(" %d\n", status_of(server, "GET", "/number/%4"));
    printf("numbers that are no status: %d", status_of(server, "GET", "/number/42"));
    printf(" %d", status_of(server, "GET", "/number/101"));
    printf(" %d\n", status_of(server, "GET", "/number/1000"));
    printf("%d\n", status_of(server, "HEAD", "/events"));
    size_t head = strlen("HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
                         "Connection: close\r\nContent-Length: 16777216\r\n\r\n");
    printf("a peer that takes longer than progress: %zu bytes\n",
           read_slowly(co4_http_port(server)) - head);
}

static const co4_http_route routes[] = {
    { "GET", "/number/{number}", number, NULL },
    { "GET", "/events", events, NULL },
    { "GET", "/large", large, NULL },
    { "POST", "/begin", begin_and_read, NULL },
    { "GET", "/up/{name}", upgrade, NULL },
    { 0 },
};

static pausable int all(void)
{
    test_client();
    int err = beside(&(co4_http_options){ .routes = routes, .done = log_upgrade }, NULL,
                     test_server);
    const co4_http_options o = { .routes = routes, .limits.progress = CO4_SEC };
    return err == CO4_OK ? beside(&o, NULL, test_more) : err;
}

int main(void)
{
    return co4_run(all()) == CO4_OK ? 0 : 1;
}
