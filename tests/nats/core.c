/* core.c - co4/nats.h beside a server that stays. */
#include <co4/nats.h>
#include <signal.h>

#include "program.h"

static pausable co4_nats *open_one(const struct server *s)
{
    const char *urls[] = { s->url, NULL };
    co4_nats *c = NULL;
    int err = co4_nats_connect(&c, &(co4_nats_options){ .servers = urls, .attempt = PATIENT },
                               SOON);
    if (err != CO4_OK)
        show("connect", err);
    return c;
}

/* ---- publish and subscribe ---- */

static pausable int count(co4_nats_subscription *s, int n, const char *text)
{
    co4_nats_message *m;
    int good = 0;
    for (int i = 0; i < n; i++) {
        char wanted[32];
        if (co4_nats_next(s, &m, SOON) != CO4_OK)
            break;
        snprintf(wanted, sizeof wanted, "%s %d", text, i);
        good += strcmp(m->data, wanted) == 0 && m->size == strlen(wanted) && !m->reply;
        co4_nats_message_destroy(m);
    }
    return good;
}

static pausable void publish(co4_nats *c, const char *subject, int n, const char *text)
{
    for (int i = 0; i < n; i++) {
        char data[32];
        int size = snprintf(data, sizeof data, "%s %d", text, i);
        if (co4_nats_publish(c, subject, data, (size_t)size, SOON) != CO4_OK)
            printf("publish failed\n");
    }
}

static pausable void pubsub(co4_nats *c, co4_nats *d)
{
    co4_nats_subscription *one, *all, *other;
    show("subscribe", co4_nats_subscribe(&one, d, "a.b", NULL, 5000, 0, SOON));
    show("subscribe", co4_nats_subscribe(&all, d, "a.>", NULL, 5000, 0, SOON));
    show("subscribe", co4_nats_subscribe(&other, d, "b", NULL, 5000, 0, SOON));
    show("flush", co4_nats_flush(d, SOON));
    publish(c, "a.b", 2000, "text");
    publish(c, "a.c", 10, "more");
    publish(c, "b", 1, "once");
    printf("%d of 2000, %d of 2000", count(one, 2000, "text"), count(all, 2000, "text"));
    printf(", %d of 10, %d of 1\n", count(all, 10, "more"), count(other, 1, "once"));
    show("drain", co4_nats_drain(one, SOON));
    co4_nats_message *m;
    show("next", co4_nats_next(one, &m, SOON));
    show("nothing", co4_nats_next(all, &m, co4_now() + CO4_MS));
    co4_nats_unsubscribe(one);
    co4_nats_unsubscribe(all);
    co4_nats_unsubscribe(other);
}

/* ---- headers, sizes, wrong use ---- */

static pausable void wrong(co4_nats *c, co4_nats *d)
{
    co4_nats_subscription *s;
    co4_nats_message *m;
    const char *headers[] = { "Name", "value of it", "Other", "", NULL };
    const char *bad[] = { "Na:me", "value", NULL };
    show("subscribe", co4_nats_subscribe(&s, d, "h", NULL, 0, 0, SOON));
    show("flush", co4_nats_flush(d, SOON));
    co4_nats_outgoing o = {
        .subject = "h", .reply = "back", .headers = headers, .data = "data", .size = 4
    };
    show("send", co4_nats_send(c, &o, SOON));
    if (co4_nats_next(s, &m, SOON) == CO4_OK) {
        size_t length = 0;
        const char *value = co4_nats_header(m, "Name", &length);
        printf("%s %s '%.*s'", m->subject, m->reply, (int)length, value ? value : "");
        value = co4_nats_header(m, "Other", &length);
        printf(" %d %d %d '%s' %d\n", value != NULL, (int)length,
               co4_nats_header(m, "name", NULL) == NULL, m->data, co4_nats_status(m));
        co4_nats_message_destroy(m);
    }
    o.headers = bad;
    show("a bad header", co4_nats_send(c, &o, SOON));
    show("no subject", co4_nats_publish(c, "", "x", 1, SOON));
    show("a blank", co4_nats_publish(c, "a b", "x", 1, SOON));
    show("a line", co4_nats_publish(c, "a\r\nPUB b 0", "x", 1, SOON));
    show("no data", co4_nats_publish(c, "a", NULL, 1, SOON));
    show("no connection", co4_nats_publish(NULL, "a", "x", 1, SOON));
    size_t most = co4_nats_max_payload(c);
    char *large = calloc(most + 1, 1);
    show("too large", co4_nats_publish(c, "h", large, most + 1, SOON));
    show("as large as can be", co4_nats_publish(c, "h", large, most, SOON));
    if (co4_nats_next(s, &m, SOON) == CO4_OK) {
        printf("%d %d\n", m->size == most, memcmp(m->data, large, most));
        co4_nats_message_destroy(m);
    }
    show("empty", co4_nats_publish(c, "h", NULL, 0, SOON));
    if (co4_nats_next(s, &m, SOON) == CO4_OK) {
        printf("%d\n", (int)m->size);
        co4_nats_message_destroy(m);
    }
    free(large);
    co4_nats_unsubscribe(s);
    co4_nats_unsubscribe(NULL);
    co4_nats_message_destroy(NULL);
}

/* ---- full mailboxes ---- */

static pausable void full(co4_nats *c, co4_nats *d)
{
    static const char *const names[] = { "newest", "oldest" };
    co4_nats_subscription *s;
    for (int how = 0; how < 2; how++) {
        if (co4_nats_subscribe(&s, d, "f", NULL, 10, (co4_nats_full)how, SOON) != CO4_OK)
            return;
        show("flush", co4_nats_flush(d, SOON));
        for (int i = 0; i < 100; i++)
            co4_nats_publish(c, "f", &"0123456789"[i / 10], 1, SOON);
        show("flush", co4_nats_flush(c, SOON));
        show("flush", co4_nats_flush(d, SOON));
        co4_nats_message *m;
        printf("drop %s: %d;", names[how], (int)co4_nats_dropped(s));
        while (co4_nats_next(s, &m, co4_now() + CO4_MS) == CO4_OK) {
            printf(" %s", m->data);
            co4_nats_message_destroy(m);
        }
        printf("\n");
        co4_nats_unsubscribe(s);
    }
    /* The reader waits: what comes behind it does, too. */
    if (co4_nats_subscribe(&s, d, "f", NULL, 10, CO4_NATS_SLOW_DOWN, SOON) != CO4_OK)
        return;
    show("flush", co4_nats_flush(d, SOON));
    publish(c, "f", 100, "slow");
    show("flush", co4_nats_flush(c, SOON));
    show("flush behind it", co4_nats_flush(d, co4_now() + 50 * CO4_MS));
    printf("%d of 100, %d dropped\n", count(s, 100, "slow"), (int)co4_nats_dropped(s));
    show("flush", co4_nats_flush(d, SOON));
    co4_nats_unsubscribe(s);
}

static pausable void put(co4_nats *c, co4_nats *d, int n)
{
    for (int i = 0; i < n; i++)
        co4_nats_publish(c, "f", "x", 1, SOON);
    show("flush", co4_nats_flush(c, SOON));
    show("flush", co4_nats_flush(d, SOON)); /* they have come */
}

/* An event each time that it begins; what comes to a mailbox that is closed is nothing dropped. */
static pausable void dropped(co4_nats *c, co4_nats *d)
{
    co4_nats_subscription *s;
    co4_nats_message *m;
    co4_nats_counts before, after;
    co4_nats_count(d, &before);
    if (co4_nats_subscribe(&s, d, "f", NULL, 1, CO4_NATS_DROP_NEWEST, SOON) != CO4_OK)
        return;
    show("flush", co4_nats_flush(d, SOON));
    put(c, d, 3);
    if (co4_nats_next(s, &m, SOON) == CO4_OK)
        co4_nats_message_destroy(m);
    put(c, d, 3);
    if (co4_nats_next(s, &m, SOON) == CO4_OK)
        co4_nats_message_destroy(m);
    co4_mailbox_close(co4_nats_mailbox(s));
    put(c, d, 3);
    co4_nats_count(d, &after);
    printf("%d dropped, %d in all, %d have come\n", (int)co4_nats_dropped(s),
           (int)(after.dropped - before.dropped), (int)(after.received - before.received));
    co4_nats_unsubscribe(s);
    /* Messages that were not taken are freed with it. */
    if (co4_nats_subscribe(&s, d, "f", NULL, 10, CO4_NATS_DROP_NEWEST, SOON) != CO4_OK)
        return;
    show("flush", co4_nats_flush(d, SOON));
    put(c, d, 3);
    co4_nats_unsubscribe(s);
}

/* ---- requests ---- */

static pausable int echo(co4_nats *c, co4_nats_subscription *s)
{
    co4_nats_message *m;
    while (co4_nats_next(s, &m, CO4_NEVER) == CO4_OK) {
        if (strcmp(m->data, "silence") != 0)
            co4_nats_respond(c, m, m->data, m->size, SOON);
        co4_nats_message_destroy(m);
    }
    return 0;
}

static pausable int ask(co4_nats *c, int i)
{
    char text[32];
    co4_nats_message *reply;
    int size = snprintf(text, sizeof text, "question %d", i);
    int err = co4_nats_request(c, "echo", text, (size_t)size, &reply, SOON);
    if (err != CO4_OK)
        return err;
    err = strcmp(reply->data, text) == 0 ? CO4_OK : CO4_EINVAL;
    co4_nats_message_destroy(reply);
    return err;
}

static pausable void requests(co4_nats *c, co4_nats *d)
{
    enum { N = 2000 };
    static co4_task *tasks[N];
    co4_nats_subscription *s;
    co4_nats_message *m;
    show("nobody", co4_nats_request(c, "echo", "x", 1, &m, SOON));
    show("without a deadline", co4_nats_request(c, "echo", "x", 1, &m, CO4_NEVER));
    show("subscribe", co4_nats_subscribe(&s, d, "echo", NULL, 5000, 0, SOON));
    show("flush", co4_nats_flush(d, SOON));
    co4_task *server = co4_spawn(echo(d, s));
    for (int i = 0; i < N; i++)
        tasks[i] = co4_spawn(ask(c, i));
    int good = 0, code;
    for (int i = 0; i < N; i++)
        good += co4_join(tasks[i], &code) == CO4_OK && code == CO4_OK;
    printf("%d of %d have their replies\n", good, N);
    show("silence", co4_nats_request(c, "echo", "silence", 7, &m, co4_now() + 20 * CO4_MS));
    /* A request that is cancelled. */
    co4_future *f = co4_async(co4_nats_request(c, "echo", "silence", 7, &m, SOON));
    co4_sleep(10 * CO4_MS);
    co4_future_cancel(f, 0);
    show("cancelled", co4_future_await(f, NULL));
    co4_future_release(f);
    co4_nats_counts counts;
    co4_nats_count(c, &counts);
    printf("%d wait\n", (int)counts.requests);
    show("drain", co4_nats_drain(s, SOON));
    co4_join(server, NULL);
    co4_nats_unsubscribe(s);
}

/* What comes for a request or a subscription that has ended is not the next one's. */
static pausable void late_answers(co4_nats *c, co4_nats *d)
{
    enum { MANY = 1000 };
    static char data[8192];
    co4_nats_subscription *s, *x, *y;
    co4_nats_message *m[2], *reply;
    show("subscribe", co4_nats_subscribe(&s, d, "late", NULL, 10, 0, SOON));
    show("flush", co4_nats_flush(d, SOON));
    co4_future *f = co4_async(co4_nats_request(c, "late", "1", 1, &reply, SOON));
    show("the first", co4_nats_next(s, &m[0], SOON));
    co4_future_cancel(f, 0);
    show("cancelled", co4_future_await(f, NULL));
    co4_future_release(f);
    f = co4_async(co4_nats_request(c, "late", "2", 1, &reply, SOON));
    show("the second", co4_nats_next(s, &m[1], SOON));
    for (int i = 0; i < 2; i++) {
        show("answer", co4_nats_respond(d, m[i], i ? "two" : "one", 3, SOON));
        co4_nats_message_destroy(m[i]);
    }
    if (co4_future_await(f, NULL) == CO4_OK) {
        printf("the answer to the second: %s\n", reply->data);
        co4_nats_message_destroy(reply);
    }
    co4_future_release(f);
    co4_nats_unsubscribe(s);

    show("subscribe", co4_nats_subscribe(&x, c, "x", NULL, 2 * MANY, 0, SOON));
    show("flush", co4_nats_flush(c, SOON));
    for (int i = 0; i < MANY; i++)
        if (co4_nats_publish(d, "x", data, sizeof data, SOON) != CO4_OK)
            printf("publish fails\n");
    co4_nats_unsubscribe(x); /* others are on their way */
    show("subscribe", co4_nats_subscribe(&y, c, "y", NULL, 2 * MANY, 0, SOON));
    show("flush", co4_nats_flush(c, SOON));
    show("publish", co4_nats_publish(d, "y", "z", 1, SOON));
    show("next", co4_nats_next(y, &reply, SOON));
    printf("of %s\n", reply->subject);
    co4_nats_message_destroy(reply);
    co4_nats_unsubscribe(y);
}

/* ---- ends ---- */

static pausable int waits(co4_nats_subscription *s)
{
    co4_nats_message *m;
    return co4_nats_next(s, &m, CO4_NEVER);
}

static pausable void ends(const struct server *s)
{
    co4_nats *c = open_one(s), *d = open_one(s);
    co4_nats_subscription *sub, *quiet;
    co4_nats_message *m, *reply;
    show("subscribe", co4_nats_subscribe(&sub, c, "end", NULL, 0, 0, SOON));
    show("subscribe", co4_nats_subscribe(&quiet, d, "quiet", NULL, 0, 0, SOON));
    show("flush", co4_nats_flush(d, SOON));
    co4_task *task = co4_spawn(waits(sub));
    co4_future *f = co4_async(co4_nats_request(c, "quiet", "x", 1, &reply, SOON));
    show("asked", co4_nats_next(quiet, &m, SOON));
    co4_nats_message_destroy(m);
    show("flush", co4_nats_flush(c, SOON));
    publish(d, "none", 1000, "sent before the end");
    show("close", co4_nats_close(d, SOON));
    show("close", co4_nats_close(c, SOON));
    int code;
    co4_join(task, &code);
    show("a wait", code);
    show("a request", co4_future_await(f, NULL));
    co4_future_release(f);
    co4_nats_unsubscribe(sub);
    co4_nats_unsubscribe(quiet);
    show("none", co4_nats_close(NULL, SOON));
}

static pausable void events(co4_nats *c)
{
    co4_nats_event e;
    while (co4_mailbox_receive_until(co4_nats_monitor(c), &e, CO4_NOW) == CO4_OK)
        printf("event %d %s\n", (int)e.kind, e.kind == CO4_NATS_CONNECTED ? "" : e.text);
}

static pausable int all(const struct server *s)
{
    co4_nats *c = open_one(s), *d = open_one(s);
    if (!c || !d)
        exit(1); /* a return would wait for the other */
    pubsub(c, d);
    wrong(c, d);
    full(c, d);
    dropped(c, d);
    requests(c, d);
    late_answers(c, d);
    events(c);
    events(d);
    co4_nats_counts counts;
    co4_nats_count(c, &counts);
    printf("lost %d, requests %d, nobody %d\n", (int)counts.lost, (int)counts.requests,
           (int)counts.no_responders);
    show("close", co4_nats_close(c, SOON));
    show("close", co4_nats_close(d, SOON));
    ends(s);
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
