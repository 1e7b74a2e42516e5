/* edges.c - co4/nats_stream.h and co4/nats_kv.h at their edges: what lies between two connections,
 * and what nobody takes. */
#include <co4/nats_kv.h>
#include <signal.h>

#include "program.h"
#include "proxy.h"

static pausable void until(co4_nats *c, co4_nats_event_kind kind)
{
    co4_nats_event e = { 0 };
    while (e.kind != kind && co4_mailbox_receive_until(co4_nats_monitor(c), &e, SOON) == CO4_OK) {
    }
}

static pausable int store(co4_nats *c, const char *subject, int n)
{
    int err = CO4_OK;
    for (int i = 0; i < n && err == CO4_OK; i++) {
        char data[16];
        co4_nats_outgoing m = { .subject = subject, .data = data };
        m.size = (size_t)snprintf(data, sizeof data, "%d", i);
        err = co4_nats_store(c, &m, NULL, NULL, SOON);
    }
    return err;
}

static pausable void make(co4_nats *c, const char *name)
{
    co4_nats_stream_options o = { .name = name };
    int err = co4_nats_stream_create(c, &o, SOON);
    if (err != CO4_OK)
        show("make", err);
}

/* ---- options ---- */

static pausable void options(const char *url, co4_nats *c)
{
    const char *urls[] = { url, NULL }, *bad[] = { "a\xff", NULL };
    co4_nats *d = NULL;
    co4_nats_consumer *k;
    co4_nats_follower *f;
    co4_nats_options o = {
        .servers = urls, .wait = CO4_NEVER, .attempt = CO4_NEVER, .ping = CO4_NEVER
    };
    show("times without an end", co4_nats_connect(&d, &o, SOON));
    show("flush", co4_nats_flush(d, SOON));
    show("close", co4_nats_close(d, SOON));
    co4_nats_stream_options s = { .name = "short", .max_age = CO4_SEC };
    show("a stream of a second", co4_nats_stream_create(c, &s, SOON));
    s.subjects = bad;
    show("no text", co4_nats_stream_create(c, &s, SOON));
    show("no text", co4_nats_follow(&f, c, "short", bad[0], 0, 0, SOON));
    show("no text",
         co4_nats_consume(&k, c, "short", &(co4_nats_consumer_options){ .filter = bad[0] }, SOON));
}

static pausable void long_subjects(co4_nats *c)
{
    static char text[5000];
    co4_nats_subscription *s;
    co4_nats_message *m;
    co4_nats_counts counts;
    memset(text, 'a', sizeof text - 1);
    show("publish", co4_nats_publish(c, text, "x", 1, SOON));
    show("request", co4_nats_request(c, text, "x", 1, &m, SOON));
    show("subscribe", co4_nats_subscribe(&s, c, text, NULL, 0, 0, SOON));
    show("subscribe", co4_nats_subscribe(&s, c, "a", text, 0, 0, SOON));
    text[4000] = '\0';
    show("publish", co4_nats_publish(c, text, "x", 1, SOON));
    show("subscribe", co4_nats_subscribe(&s, c, text, NULL, 0, 0, SOON));
    show("flush", co4_nats_flush(c, SOON));
    co4_nats_unsubscribe(s);
    co4_nats_count(c, &counts);
    printf("reconnects %d\n", (int)counts.reconnects);
}

/* ---- follow ---- */

static pausable void following(struct server *server, co4_nats *c)
{
    co4_nats_follower *f, *busy;
    co4_nats_message *m;
    int n = 0, read = 0;
    make(c, "F");
    show("store", store(c, "F", 3));
    show("follow", co4_nats_follow(&f, c, "F", NULL, CO4_NATS_FROM_NOW, 0, SOON));
    server_kill(server, SIGTERM);
    until(c, CO4_NATS_DISCONNECTED);
    server_start(server);
    co4_nats *d = connect_to(server->url);
    show("stored meanwhile", store(d, "F", 5));
    until(c, CO4_NATS_RECONNECTED);
    while (n < 5 && co4_nats_follow_next(f, &m, co4_now() + 5 * CO4_SEC) == CO4_OK) {
        n += atoi(m->data) == n;
        co4_nats_message_destroy(m);
    }
    printf("%d of 5\n", n);
    co4_nats_follower_destroy(f);
    show("follow", co4_nats_follow(&busy, c, "F", NULL, CO4_NATS_FROM_FIRST, 0, SOON));
    for (; read < 500 && !co4_nats_follow_is_current(busy); read++) {
        if (store(d, "F", 2) != CO4_OK || co4_nats_follow_next(busy, &m, SOON) != CO4_OK)
            break;
        co4_nats_message_destroy(m);
    }
    printf("it has read the 8 that were there: %d\n", read);
    co4_nats_follower_destroy(busy);
    /* The connection is closed when the follower would begin again. */
    show("follow", co4_nats_follow(&f, d, "F", NULL, CO4_NATS_FROM_NOW, 0, SOON));
    server_kill(server, SIGTERM);
    server_start(server);
    until(d, CO4_NATS_RECONNECTED);
    show("close", co4_nats_close(d, SOON));
    show("next", co4_nats_follow_next(f, &m, SOON));
    show("next", co4_nats_follow_next(f, &m, SOON));
    co4_nats_follower_destroy(f);
}

/* ---- takers ---- */

static pausable int take_all(co4_nats_consumer *k, int wanted, int64_t deadline)
{
    co4_nats_message *m;
    int n = 0;
    while (n < wanted && co4_nats_take(k, &m, deadline) == CO4_OK) {
        n++;
        co4_nats_ack(k, m, SOON);
        co4_nats_message_destroy(m);
    }
    return n;
}

static pausable void unused(co4_nats *c)
{
    co4_nats_consumer *one, *two;
    make(c, "U");
    show("store", store(c, "U", 10));
    co4_nats_consumer_options o = { .name = "u", .credit = 10 };
    show("consume", co4_nats_consume(&one, c, "U", &o, SOON));
    show("consume", co4_nats_consume(&two, c, "U", &o, SOON));
    printf("takes %d\n", take_all(one, 1, SOON));
    co4_sleep(100 * CO4_MS);
    co4_nats_consumer_destroy(one);
    printf("the other gets %d at once\n", take_all(two, 9, co4_now() + 10 * CO4_SEC));
    co4_nats_consumer_destroy(two);
}

/* Who waits while the server is gone has asked for one message afterwards, not for many. */
static pausable void patient(struct server *server, co4_nats *c)
{
    co4_nats_consumer *one, *two;
    co4_nats_message *m = NULL;
    make(c, "P");
    co4_nats_consumer_options o = { .name = "p" };
    co4_nats *d = connect_to(server->url);
    show("consume", co4_nats_consume(&one, c, "P", &o, SOON));
    show("consume", co4_nats_consume(&two, d, "P", &o, SOON));
    server_kill(server, SIGTERM);
    until(c, CO4_NATS_DISCONNECTED);
    until(d, CO4_NATS_DISCONNECTED);
    show("take", co4_nats_take(one, &m, co4_now() + 7 * CO4_SEC));
    server_start(server);
    until(c, CO4_NATS_RECONNECTED);
    until(d, CO4_NATS_RECONNECTED);
    show("store", store(d, "P", 5));
    show("take", co4_nats_take(one, &m, SOON));
    printf("the other gets %d\n", take_all(two, 4, co4_now() + 10 * CO4_SEC));
    co4_nats_message_destroy(m);
    co4_nats_consumer_destroy(one);
    co4_nats_consumer_destroy(two);
    show("close", co4_nats_close(d, SOON));
}

static pausable int wait_long(co4_nats_consumer *k)
{
    co4_nats_message *m;
    return co4_nats_take(k, &m, co4_now() + CO4_SEC);
}

/* A server lets 512 wait at a consumer. The others ask again, but not without a pause. */
static pausable void crowd(co4_nats *c)
{
    enum { N = 600 };
    static co4_nats_consumer *k[N];
    static co4_task *tasks[N];
    int over = 0, code;
    co4_nats_counts before, after;
    make(c, "C");
    co4_nats_consumer_options o = { .name = "c" };
    for (int i = 0; i < N; i++)
        if (co4_nats_consume(&k[i], c, "C", &o, SOON) != CO4_OK)
            printf("no consumer %d\n", i);
    co4_nats_count(c, &before);
    for (int i = 0; i < N; i++)
        tasks[i] = co4_spawn(wait_long(k[i]));
    for (int i = 0; i < N; i++) {
        co4_join(tasks[i], &code);
        over += code == CO4_ETIMEDOUT;
        co4_nats_consumer_destroy(k[i]);
    }
    co4_nats_count(c, &after);
    printf("%d got nothing, after few questions: %d\n", over, after.sent - before.sent < 2000);
}

/* ---- keys and leases ---- */

static pausable void keys(co4_nats *c)
{
    co4_nats_kv *kv;
    co4_nats_lease lease, before;
    show("open", co4_nats_kv_open(&kv, c, "b", NULL, SOON));
    show("two dots", co4_nats_kv_put(kv, "a..b", "x", 1, NULL, SOON));
    show("take", co4_nats_lease_take(&lease, kv, "l", "me", CO4_SEC, SOON));
    before = lease; /* as if the answer were lost */
    show("renew", co4_nats_lease_renew(&lease, kv, SOON));
    int64_t until = lease.until;
    lease = before;
    show("renew again", co4_nats_lease_renew(&lease, kv, SOON));
    printf("the same token: %d, later: %d\n", lease.token == before.token, lease.until > until);
    co4_nats_lease other = { 0 };
    before = lease;
    show("renew", co4_nats_lease_renew(&lease, kv, SOON));
    show("another takes it", co4_nats_lease_take(&other, kv, "l", "you", CO4_SEC, SOON));
    lease = before;
    show("renew", co4_nats_lease_renew(&lease, kv, SOON));
    show("give", co4_nats_lease_give(&other, kv, SOON));
    co4_nats_kv_close(kv);
}

/* Whether it counts from before the question: others count from when the server has stored it. */
static const char *counts_from(const co4_nats_lease *l, int delay)
{
    return l->until - l->time <= co4_now() - delay * CO4_MS ? "the question" : "the answer";
}

static pausable void slow_answers(const struct server *server)
{
    enum { DELAY = 100 };
    struct proxy p;
    co4_nats_kv *kv;
    co4_nats_lease lease;
    proxy_start(&p, server->port);
    co4_nats *c = connect_to(p.url);
    show("open", co4_nats_kv_open(&kv, c, "b", NULL, SOON));
    proxy_delay(&p, DELAY);
    show("take", co4_nats_lease_take(&lease, kv, "slow", "me", 100 * CO4_SEC, SOON));
    printf("a lease counts from %s\n", counts_from(&lease, DELAY / 2));
    show("renew", co4_nats_lease_renew(&lease, kv, SOON));
    printf("a renewed one from %s\n", counts_from(&lease, DELAY / 2));
    proxy_delay(&p, 0);
    show("give", co4_nats_lease_give(&lease, kv, SOON));
    co4_nats_kv_close(kv);
    show("close", co4_nats_close(c, SOON));
    proxy_end(&p);
}

static pausable int all(struct server *server)
{
    co4_nats *c = connect_to(server->url);
    options(server->url, c);
    long_subjects(c);
    keys(c);
    slow_answers(server);
    unused(c);
    crowd(c);
    following(server, c);
    patient(server, c);
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
