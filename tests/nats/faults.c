/* faults.c - co4/nats.h when servers end and come back: nothing arrives twice, no wait is
 * for ever, what may be lost is counted. */
#include <co4/io.h>
#include <co4/nats.h>
#include <co4/net.h>
#include <fcntl.h>
#include <signal.h>

#include "program.h"

static pausable co4_nats *open_one(const char *url, const char *second)
{
    const char *urls[] = { url, second, NULL };
    co4_nats *c = NULL;
    co4_nats_options o = { .servers = urls,
                           .attempt = PATIENT,
                           .in_order = true,
                           .wait = 20 * CO4_MS,
                           .output = 100,
                           .ping = CO4_SEC };
    int err = co4_nats_connect(&c, &o, SOON);
    if (err != CO4_OK)
        show("connect", err);
    return c;
}

/* Waits for an event. */
static pausable co4_nats_event until(co4_nats *c, co4_nats_event_kind kind)
{
    co4_nats_event e = { 0 };
    while (co4_mailbox_receive_until(co4_nats_monitor(c), &e, SOON) == CO4_OK)
        if (e.kind == kind)
            return e;
    printf("event %d does not come\n", (int)kind);
    return e;
}

/* ---- a server that is killed and started again ---- */

enum { N = 20000 };
static unsigned char seen[N];

static pausable int collect(co4_nats_subscription *s)
{
    co4_nats_message *m;
    int twice = 0;
    while (co4_nats_next(s, &m, SOON) == CO4_OK) {
        int i = atoi(m->data);
        twice += seen[i]++ > 0;
        co4_nats_message_destroy(m);
    }
    return twice;
}

static pausable int produce(co4_nats *c, int *failed)
{
    for (int i = 0; i < N; i++) {
        char data[32];
        int size = snprintf(data, sizeof data, "%d", i);
        *failed += co4_nats_publish(c, "work", data, (size_t)size, SOON) != CO4_OK;
        if (i % 100 == 0)
            co4_sleep(CO4_MS);
    }
    return co4_nats_flush(c, SOON);
}

static pausable void killed(struct server *server)
{
    co4_nats *c = open_one(server->url, NULL), *d = open_one(server->url, NULL);
    co4_nats_subscription *s;
    int failed = 0, code = 0, twice = 0, missing = 0;
    show("subscribe", co4_nats_subscribe(&s, d, "work", NULL, 2 * N, 0, SOON));
    show("flush", co4_nats_flush(d, SOON));
    co4_task *reader = co4_spawn(collect(s)), *writer = co4_spawn(produce(c, &failed));
    for (int i = 0; i < 3; i++) {
        co4_sleep(30 * CO4_MS);
        server_kill(server, SIGKILL);
        server_start(server);
    }
    co4_join(writer, &code);
    printf("all is published: %d\n", code == CO4_OK || code == CO4_NATS_EDISCONNECTED);
    until(d, CO4_NATS_RECONNECTED);
    show("flush", co4_nats_flush(d, SOON));
    show("drain", co4_nats_drain(s, SOON));
    co4_join(reader, &twice);
    for (int i = 0; i < N; i++)
        missing += seen[i] == 0;
    co4_nats_counts counts, theirs;
    co4_nats_count(c, &counts);
    co4_nats_count(d, &theirs);
    printf("failed %d, twice %d, some arrived %d\n", failed, twice, missing < N);
    printf("reconnects %d %d\n", counts.reconnects > 0, theirs.reconnects > 0);
    until(c, CO4_NATS_RECONNECTED);
    co4_nats_unsubscribe(s);
    show("close", co4_nats_close(c, SOON));
    show("close", co4_nats_close(d, SOON));
}

/* ---- while there is no server ---- */

static pausable int request(co4_nats *c, int64_t deadline)
{
    co4_nats_message *m;
    int err = co4_nats_request(c, "silent", "x", 1, &m, deadline);
    if (err == CO4_OK)
        co4_nats_message_destroy(m);
    return err;
}

static pausable void down(struct server *server)
{
    co4_nats *c = open_one(server->url, NULL);
    co4_nats_subscription *s;
    show("subscribe", co4_nats_subscribe(&s, c, "silent", NULL, 0, 0, SOON));
    show("flush", co4_nats_flush(c, SOON));
    co4_task *task = co4_spawn(request(c, SOON));
    int code;
    co4_nats_message *m;
    show("a request comes", co4_nats_next(s, &m, SOON));
    co4_nats_message_destroy(m);
    server_kill(server, SIGKILL);
    co4_join(task, &code);
    show("it has no answer", code);
    printf("disconnected: %d\n", until(c, CO4_NATS_DISCONNECTED).code == CO4_NATS_EDISCONNECTED);
    show("flush", co4_nats_flush(c, co4_now() + 10 * CO4_MS));
    show("a request", request(c, co4_now() + 10 * CO4_MS));
    int n = 0, err;
    while ((err = co4_nats_publish(c, "later", "x", 1, co4_now() + 10 * CO4_MS)) == CO4_OK)
        n++;
    printf("%d have room: ", n <= 100 && n > 90);
    show("then", err);
    task = co4_spawn(request(c, SOON));
    co4_sleep(10 * CO4_MS);
    server_start(server);
    show("the request is sent later", co4_nats_next(s, &m, SOON));
    co4_nats_respond(c, m, "y", 1, SOON);
    co4_nats_message_destroy(m);
    co4_join(task, &code);
    show("and has its reply", code);
    show("flush", co4_nats_flush(c, SOON));
    co4_nats_counts counts;
    co4_nats_count(c, &counts);
    printf("sent %d\n", (int)counts.sent >= n);
    until(c, CO4_NATS_RECONNECTED);
    server_kill(server, SIGKILL);
    until(c, CO4_NATS_ATTEMPT_FAILED);
    show("publish", co4_nats_publish(c, "never", "x", 1, SOON));
    show("close", co4_nats_close(c, SOON));
    show("next", co4_nats_next(s, &m, SOON));
    co4_nats_unsubscribe(s);
    server_start(server);
}

/* ---- two servers ---- */

static pausable void fail_over(struct server *server)
{
    struct server other = { 0 };
    server_start(&other);
    co4_nats *c = open_one(server->url, other.url);
    co4_nats_event e = until(c, CO4_NATS_CONNECTED);
    printf("the first: %d\n", strstr(server->url, e.text) != NULL);
    server_kill(server, SIGKILL);
    e = until(c, CO4_NATS_RECONNECTED);
    printf("the other: %d\n", strstr(other.url, e.text) != NULL);
    show("flush", co4_nats_flush(c, SOON));
    server_start(server);
    server_kill(&other, SIGTERM);
    e = until(c, CO4_NATS_RECONNECTED);
    printf("the first: %d\n", strstr(server->url, e.text) != NULL);
    show("close", co4_nats_close(c, SOON));
    server_end(&other);
}

/* ---- who is no server, and who refuses ---- */

static pausable int speak(int listening, const char *text)
{
    int fd = co4_accept(listening, NULL, NULL);
    char bytes[1000];
    co4_write(fd, text, strlen(text));
    while (co4_read(fd, bytes, sizeof bytes) > 0) {
    }
    co4_close(fd);
    return 0;
}

/* With an attempt that is short, if it ends it. */
static pausable void try_one(const char *what, const char *text, int64_t attempt)
{
    char url[64];
    int fd = co4_tcp_listen("127.0.0.1", "0", 0);
    snprintf(url, sizeof url, "nats://127.0.0.1:%d", co4_socket_port(fd));
    const char *urls[] = { url, NULL };
    co4_task *task = text ? co4_spawn(speak(fd, text)) : NULL;
    co4_nats *c;
    co4_nats_options o = { .servers = urls, .attempt = attempt };
    show(what, co4_nats_connect(&c, &o, SOON));
    if (task)
        co4_join(task, NULL);
    co4_close(fd);
}

static int descriptors(void)
{
    int n = 0;
    for (int fd = 0; fd < 1000; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

static pausable void refusals(void)
{
    struct server server = { .options = { "--user", "me", "--pass", "secret" } };
    server_start(&server);
    int before = descriptors();
    const char *bad[] = { "http://127.0.0.1:1", NULL }, *none[] = { "nats://127.0.0.1:1", NULL };
    const char *urls[] = { server.url, NULL };
    co4_nats *c;
    show("no options", co4_nats_connect(NULL, NULL, SOON));
    show("a bad address", co4_nats_connect(&c, &(co4_nats_options){ .servers = bad }, SOON));
    show("nobody", co4_nats_connect(&c, &(co4_nats_options){ .servers = none }, SOON));
    show("no user",
         co4_nats_connect(&c, &(co4_nats_options){ .servers = urls, .attempt = PATIENT }, SOON));
    co4_nats_options o = { .servers = urls, .attempt = PATIENT, .user = "me", .password = "wrong" };
    show("a wrong password", co4_nats_connect(&c, &o, SOON));
    o.password = "secret";
    int err = co4_nats_connect(&c, &o, SOON);
    show("the right one", err);
    if (err == CO4_OK)
        show("close", co4_nats_close(c, SOON));
    try_one("no NATS", "HTTP/1.1 200 OK\r\n\r\n", 20 * CO4_SEC);
    try_one("bad JSON", "INFO {\"a\r\n", 20 * CO4_SEC);
    try_one("no answer to CONNECT", "INFO {}\r\n", 100 * CO4_MS);
    try_one("an impatient server", "INFO {}\r\n-ERR 'Authentication Timeout'\r\n", 20 * CO4_SEC);
    try_one("silence", NULL, 100 * CO4_MS);
    printf("descriptors of refused connections: %d\n", descriptors() - before);
    server_end(&server);
}

static pausable int all(struct server *server)
{
    killed(server);
    down(server);
    fail_over(server);
    refusals();
    return 0;
}

int main(void)
{
    struct server server = { 0 };
    server_start(&server);
    int err = co4_run(all(&server));
    server_end(&server);
    return err;
}
