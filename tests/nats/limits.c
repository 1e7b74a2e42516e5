/* limits.c - what is bounded, and what is not there any more: bytes in the output, consumers of
 * other options, buckets that were deleted, takers that nobody answers, servers that were
 * learned. */
#include <co4/io.h>
#include <co4/nats_kv.h>
#include <co4/net.h>
#include <signal.h>

#include "program.h"

static pausable co4_nats *open_with(const char *url, co4_nats_options o)
{
    const char *urls[] = { url, NULL };
    co4_nats *c = NULL;
    o.servers = urls;
    o.attempt = PATIENT;
    o.wait = 20 * CO4_MS;
    int err = co4_nats_connect(&c, &o, SOON);
    if (err != CO4_OK)
        show("connect", err);
    return c;
}

static pausable co4_nats_event until(co4_nats *c, co4_nats_event_kind kind)
{
    co4_nats_event e = { 0 };
    while (co4_mailbox_receive_until(co4_nats_monitor(c), &e, SOON) == CO4_OK)
        if (e.kind == kind)
            return e;
    printf("event %d does not come\n", (int)kind);
    return e;
}

/* ---- bytes in the output ---- */

static pausable int publish(co4_nats *c, size_t size, int64_t deadline)
{
    char *data = calloc(size, 1);
    int err = co4_nats_publish(c, "o", data, size, deadline);
    free(data);
    return err;
}

static pausable int fill(co4_nats *c, size_t size)
{
    int n = 0;
    while (publish(c, size, co4_now() + 10 * CO4_MS) == CO4_OK)
        n++;
    return n;
}

static pausable void output(struct server *server)
{
    co4_nats *c = open_with(server->url, (co4_nats_options){ .output_bytes = 10000 });
    co4_nats *d = open_with(server->url, (co4_nats_options){ 0 });
    co4_nats_subscription *s;
    co4_nats_message *m;
    int code;
    show("larger than the room", publish(c, 20000, SOON));
    show("flush", co4_nats_flush(c, SOON));
    server_kill(server, SIGKILL);
    until(c, CO4_NATS_DISCONNECTED);
    until(d, CO4_NATS_DISCONNECTED);
    int n = fill(c, 1000);
    printf("%d of 1000 bytes\n", n);
    show("a small one", publish(c, 1, co4_now() + 10 * CO4_MS));
    /* Those that come later wait behind it, though they are smaller. */
    co4_task *large = co4_spawn(publish(c, 9000, SOON));
    co4_yield();
    show("a flush behind it", co4_nats_flush(c, co4_now() + 10 * CO4_MS));
    co4_task *small = co4_spawn(publish(c, 10, SOON)), *no = co4_spawn(publish(c, 20, SOON));
    co4_yield();
    co4_task_cancel(no, 0);
    co4_join(no, &code);
    show("cancelled", code);
    show("behind them", publish(c, 1, co4_now() + 10 * CO4_MS));
    co4_nats_counts counts;
    co4_nats_count(c, &counts);
    printf("%d wait\n", (int)counts.waiting - n);
    show("subscribe", co4_nats_subscribe(&s, d, "o", NULL, 0, 0, SOON));
    server_start(server);
    until(d, CO4_NATS_RECONNECTED);
    show("flush", co4_nats_flush(d, SOON));
    co4_join(large, &code);
    show("large", code);
    co4_join(small, &code);
    show("small", code);
    show("flush", co4_nats_flush(c, SOON));
    co4_nats_counts after;
    co4_nats_count(c, &after);
    printf("all were sent: %d\n", (int)(after.sent - counts.sent) == n + 3);
    while (co4_nats_next(s, &m, co4_now() + 20 * CO4_MS) == CO4_OK)
        co4_nats_message_destroy(m);
    co4_nats_unsubscribe(s);
    /* Closed while it is full. */
    server_kill(server, SIGKILL);
    until(c, CO4_NATS_DISCONNECTED);
    fill(c, 1000);
    large = co4_spawn(publish(c, 9000, SOON));
    small = co4_spawn(publish(c, 10, co4_now() + 10 * CO4_MS));
    co4_yield();
    co4_join(small, &code);
    show("small", code);
    show("close", co4_nats_close(c, SOON));
    co4_join(large, &code);
    show("large", code);
    server_start(server);
    show("close", co4_nats_close(d, SOON));
}

/* Who gives up as there are too many messages gives back the room of its bytes. */
static pausable void gives_up(struct server *server)
{
    co4_nats *c = open_with(server->url, (co4_nats_options){ .output = 4, .output_bytes = 10000 });
    int n = 0;
    server_kill(server, SIGKILL);
    until(c, CO4_NATS_DISCONNECTED);
    fill(c, 100);
    for (int i = 0; i < 200; i++)
        n += publish(c, 100, co4_now() + CO4_MS / 10) == CO4_ETIMEDOUT;
    printf("%d have no room\n", n);
    server_start(server);
    until(c, CO4_NATS_RECONNECTED);
    show("flush", co4_nats_flush(c, SOON));
    show("there is room", publish(c, 9000, SOON));
    show("close", co4_nats_close(c, SOON));
}

/* The room is used to the last byte. When the first of those who wait leaves, the next may fit. */
static pausable void to_the_byte(struct server *server)
{
    enum { BYTES = sizeof "PUB o 100\r\n" - 1 + 100 + 2 };
    co4_nats *c = open_with(server->url, (co4_nats_options){ .output_bytes = 2 * BYTES });
    co4_nats *d = open_with(server->url, (co4_nats_options){ .output_bytes = 3 * BYTES });
    int code;
    server_kill(server, SIGKILL);
    until(c, CO4_NATS_DISCONNECTED);
    until(d, CO4_NATS_DISCONNECTED);
    printf("%d have room\n", fill(c, 100));
    show("publish", publish(d, 100, SOON));
    co4_task *large = co4_spawn(publish(d, 300, SOON));
    co4_yield();
    co4_task *small = co4_spawn(publish(d, 100, SOON));
    co4_yield();
    co4_task_cancel(large, 0);
    co4_join(large, &code);
    show("large", code);
    co4_join(small, &code);
    show("small", code);
    server_start(server);
    until(c, CO4_NATS_RECONNECTED);
    until(d, CO4_NATS_RECONNECTED);
    show("close", co4_nats_close(c, SOON));
    show("close", co4_nats_close(d, SOON));
}

/* Many senders through little room: all of it arrives. */
static pausable int send_many(co4_nats *c, int i)
{
    int good = 0;
    for (int k = 0; k < 50; k++)
        good += publish(c, (size_t)(1 + (i * 37 + k * 101) % 3000), SOON) == CO4_OK;
    return good;
}

static pausable void narrow(const char *url)
{
    enum { TASKS = 40 };
    co4_task *tasks[TASKS];
    co4_nats *c = open_with(url, (co4_nats_options){ .output_bytes = 2000 });
    co4_nats_subscription *s;
    co4_nats_message *m;
    int good = 0, n, got = 0;
    co4_nats *d = open_with(url, (co4_nats_options){ 0 });
    show("subscribe", co4_nats_subscribe(&s, d, "o", NULL, 10000, 0, SOON));
    show("flush", co4_nats_flush(d, SOON));
    for (int i = 0; i < TASKS; i++)
        tasks[i] = co4_spawn(send_many(c, i));
    for (int i = 0; i < TASKS; i++) {
        co4_join(tasks[i], &n);
        good += n;
    }
    while (got < good && co4_nats_next(s, &m, SOON) == CO4_OK) {
        got++;
        co4_nats_message_destroy(m);
    }
    printf("%d sent, %d have come\n", good, got);
    co4_nats_unsubscribe(s);
    show("close", co4_nats_close(c, SOON));
    show("close", co4_nats_close(d, SOON));
}

/* ---- consumers and buckets ---- */

static pausable int consume(co4_nats *c, co4_nats_consumer_options o)
{
    co4_nats_consumer *k;
    o.name = "k";
    int err = co4_nats_consume(&k, c, "S", &o, SOON);
    co4_nats_consumer_destroy(k);
    return err;
}

static pausable void consumers(co4_nats *c)
{
    co4_nats_consumer_options o = { .ack_wait = CO4_SEC, .filter = "S" };
    show("make", co4_nats_stream_create(c, &(co4_nats_stream_options){ .name = "S" }, SOON));
    show("one", consume(c, o));
    show("the same", consume(c, o));
    o.credit = 7;
    show("another credit", consume(c, o));
    o.ack_wait = 2 * CO4_SEC;
    show("another time", consume(c, o));
    o = (co4_nats_consumer_options){ .ack_wait = CO4_SEC };
    show("no filter", consume(c, o));
    o.filter = "S";
    o.max_deliver = 3;
    show("another limit", consume(c, o));
    o.max_deliver = 0;
    o.only_new = true;
    show("another begin", consume(c, o));
    o.only_new = false;
    show("the same", consume(c, o));
    show("delete", co4_nats_stream_delete(c, "S", SOON));
    show("no stream", consume(c, o));
}

static pausable void buckets(co4_nats *c)
{
    co4_nats_kv *kv;
    co4_nats_entry e;
    show("open", co4_nats_kv_open(&kv, c, "b", NULL, SOON));
    show("put", co4_nats_kv_put(kv, "k", "v", 1, NULL, SOON));
    show("get", co4_nats_kv_get(kv, "k", &e, SOON));
    co4_nats_entry_destroy(&e);
    show("delete", co4_nats_kv_delete_bucket(c, "b", SOON));
    show("get", co4_nats_kv_get(kv, "k", &e, SOON));
    show("get in no time", co4_nats_kv_get(kv, "k", &e, co4_now() + CO4_MS));
    show("get for ever", co4_nats_kv_get(kv, "k", &e, CO4_NEVER));
    co4_nats_kv_close(kv);
}

/* ---- servers that say what they are asked to ---- */

struct liar {
    int listening, sid; /* of the last SUB but that of the inbox */
    char url[64], line[4096], reply[128];
    co4_conn *conn;
};

static pausable void liar_begin(struct liar *l)
{
    l->listening = co4_tcp_listen("127.0.0.1", "0", 0);
    snprintf(l->url, sizeof l->url, "127.0.0.1:%d", co4_socket_port(l->listening));
}

static pausable void say(struct liar *l, const char *text)
{
    co4_conn_write(l->conn, text, strlen(text));
    co4_conn_flush(l->conn);
}

/* Waits for a line that begins so, and keeps it, and what it says of an inbox. */
static pausable bool hears(struct liar *l, const char *begin)
{
    char *line;
    while (co4_conn_read_line_until(l->conn, &line, 4000, SOON) > 0) {
        char subject[128];
        int sid;
        if (sscanf(line, "SUB %127s %d", subject, &sid) == 2 && sid != 0)
            l->sid = sid;
        if (strncmp(line, begin, strlen(begin)) == 0) {
            snprintf(l->line, sizeof l->line, "%s", line);
            if (sscanf(line, "PUB %*s %127s", l->reply) != 1)
                l->reply[0] = '\0';
            return true;
        }
    }
    return false;
}

static pausable void let_in(struct liar *l, const char *urls)
{
    char info[300];
    l->conn = co4_conn_create(co4_accept(l->listening, NULL, NULL));
    snprintf(info, sizeof info, "INFO {\"headers\":true,\"max_payload\":1000,%s}\r\n", urls);
    say(l, info);
    hears(l, "PING");
    say(l, "PONG\r\n");
}

static pausable void answer(struct liar *l, int sid, const char *headers, const char *data)
{
    char text[1000];
    size_t head = headers ? strlen(headers) : 0, all = head + strlen(data);
    if (headers)
        snprintf(text, sizeof text, "HMSG %s %d %zu %zu\r\n%s%s\r\n", l->reply, sid, head, all,
                 headers, data);
    else
        snprintf(text, sizeof text, "MSG %s %d %zu\r\n%s\r\n", l->reply, sid, all, data);
    say(l, text);
}

static const char nobody[] = "NATS/1.0 503\r\n\r\n";

/* A taker gets no answer for a moment; and then for good. */
static pausable int lie_to_taker(struct liar *l)
{
    let_in(l, "\"x\":1");
    hears(l, "PUB $JS.API.CONSUMER.CREATE.S ");
    answer(l, 0, NULL, "{\"name\":\"w\"}");
    hears(l, "PUB $JS.API.CONSUMER.MSG.NEXT.S.w ");
    answer(l, l->sid, nobody, "");
    hears(l, "PUB $JS.API.CONSUMER.INFO.S.w ");
    answer(l, 0, nobody, ""); /* the server's interface is not there, either */
    hears(l, "PUB $JS.API.CONSUMER.MSG.NEXT.S.w ");
    answer(l, l->sid, nobody, "");
    hears(l, "PUB $JS.API.CONSUMER.INFO.S.w ");
    answer(l, 0, NULL, "{\"name\":\"w\"}");
    hears(l, "PUB $JS.API.CONSUMER.MSG.NEXT.S.w ");
    answer(l, l->sid, NULL, "a job");
    hears(l, "PUB $JS.API.CONSUMER.MSG.NEXT.S.w ");
    answer(l, l->sid, nobody, "");
    hears(l, "PUB $JS.API.CONSUMER.INFO.S.w ");
    answer(l, 0, NULL, "{\"error\":{\"code\":404,\"err_code\":10014}}");
    hears(l, "PING");
    return 0;
}

static pausable void taker(void)
{
    struct liar l = { 0 };
    co4_nats_consumer *k;
    co4_nats_message *m;
    liar_begin(&l);
    co4_task *lies = co4_spawn(lie_to_taker(&l));
    co4_nats *c = open_with(l.url, (co4_nats_options){ 0 });
    show("consume", co4_nats_consume(&k, c, "S", NULL, SOON));
    show("take", co4_nats_take(k, &m, SOON));
    if (m)
        printf("%s\n", m->data);
    co4_nats_message_destroy(m);
    show("take", co4_nats_take(k, &m, SOON));
    co4_nats_consumer_destroy(k);
    show("close", co4_nats_close(c, co4_now() + 10 * CO4_MS));
    co4_join(lies, NULL);
    co4_conn_destroy(l.conn);
    co4_close(l.listening);
}

/* A server learns of another, and forgets it again, or not. */
static pausable void learned(bool forgets)
{
    struct liar a = { 0 }, b = { 0 };
    char urls[200], news[300];
    liar_begin(&a);
    liar_begin(&b);
    snprintf(urls, sizeof urls, "\"connect_urls\":[\"%s\",\"%s\"]", a.url, b.url);
    co4_task *lies = co4_spawn(let_in(&a, urls));
    co4_nats *c = open_with(a.url, (co4_nats_options){ .rounds = 2 });
    co4_join(lies, NULL);
    if (forgets) {
        snprintf(news, sizeof news, "INFO {\"headers\":true,\"connect_urls\":[\"%s\"]}\r\n", a.url);
        say(&a, news);
    }
    say(&a, "PING\r\n"); /* it has read the news when it answers */
    hears(&a, "PONG");
    co4_task *accepts = co4_spawn(let_in(&b, "\"x\":1"));
    co4_close(a.listening);
    co4_conn_destroy(a.conn);
    co4_nats_event e = until(c, forgets ? CO4_NATS_CLOSED : CO4_NATS_RECONNECTED);
    printf("the other: %d, %s\n", strcmp(e.text, b.url) == 0, co4_strerror(e.code));
    if (forgets) /* nobody has come */
        co4_task_cancel(accepts, 0);
    co4_join(accepts, NULL);
    co4_nats_close(c, co4_now() + 10 * CO4_MS);
    co4_conn_destroy(b.conn);
    co4_close(b.listening);
}

static pausable int all(struct server *server)
{
    co4_nats *c = open_with(server->url, (co4_nats_options){ 0 });
    if (!c)
        return 1;
    consumers(c);
    buckets(c);
    narrow(server->url);
    output(server);
    gives_up(server);
    to_the_byte(server);
    taker();
    learned(false);
    learned(true);
    show("close", co4_nats_close(c, SOON));
    return 0;
}

int main(void)
{
    struct server server = { 0 };
    setvbuf(stdout, NULL, _IOLBF, 0);
    server_start(&server);
    int err = co4_run(all(&server));
    server_end(&server);
    return err;
}
