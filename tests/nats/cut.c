/* cut.c - a connection that ends in the middle of a line, of a header, of a payload, of a PONG: at
 * most once never doubles, at least once never loses, and what may be lost is counted. */
#include "counted.h"

enum { ROUNDS = 48, EACH = 20, ALL = ROUNDS * EACH };

static pausable co4_nats *open_one(const char *url)
{
    const char *urls[] = { url, NULL };
    co4_nats *c = NULL;
    co4_nats_options o = {
        .servers = urls, .attempt = PATIENT, .wait = 5 * CO4_MS, .ping = 2 * CO4_SEC
    };
    int err = co4_nats_connect(&c, &o, SOON);
    if (err != CO4_OK)
        show("connect", err);
    return c;
}

/* Flushes until it succeeds: all that was published before has arrived, or is lost. */
static pausable void settle(co4_nats *c)
{
    int err;
    while ((err = co4_nats_flush(c, SOON)) == CO4_NATS_EDISCONNECTED) {
    }
    if (err != CO4_OK)
        show("flush", err);
}

/* No cut is to come, and the last one has been seen: a close would tell of it. */
static pausable void calm(struct proxy *p, co4_nats *c)
{
    proxy_disarm(p);
    settle(c);
}

static pausable int collect(co4_nats_subscription *s, struct tally *t)
{
    co4_nats_message *m;
    while (co4_nats_next(s, &m, CO4_NEVER) == CO4_OK) {
        count_in(t, m->data, m->size);
        co4_nats_message_destroy(m);
    }
    return 0;
}

/* The cut of a round: behind a beginning of each line that passes, or anywhere. */
static void arm(struct proxy *p, enum proxy_way way, int round)
{
    static const struct {
        const char *text;
        int bytes;
    } places[2][6] = {
        { { "PUB work", 4 },
          { "HPUB work", 30 },
          { "PING", 2 },
          { "PUB work", 40 },
          { "CONNECT", 30 },
          { "SUB _INBOX", 12 } },
        { { "MSG work", 3 },
          { "HMSG work", 40 },
          { "PONG", 2 },
          { "MSG work", 60 },
          { "INFO", 20 },
          { "PONG", 5 } },
    };
    proxy_reset(p, round % 3 == 0);
    if (round % 2) {
        proxy_cut_after(p, way, round * 83 % 4000);
        return;
    }
    int i = round / 2 % 6;
    proxy_cut_at(p, way, places[way][i].text, places[way][i].bytes);
}

static pausable void publish_some(co4_nats *c, int first)
{
    static const char *const headers[] = { "Kind", "a header that may be cut", NULL };
    char data[LARGEST];
    for (int i = first; i < first + EACH; i++) {
        co4_nats_outgoing m = { .subject = "work",
                                .headers = i % 3 == 0 ? headers : NULL,
                                .data = data,
                                .size = fill(data, i) };
        int err = co4_nats_send(c, &m, SOON);
        if (err != CO4_OK)
            show("send", err);
    }
}

/* ---- at most once ---- */

static void report(const char *what, const struct tally *t, uint64_t lost, int cuts)
{
    int none = missing(t, ALL);
    printf("%s: %d twice, %d damaged, %s missing than counted, some arrive: %d; %s\n", what,
           t->twice, t->damaged, none <= (int)lost ? "no more" : "more", none < ALL,
           cuts >= ROUNDS / 2 ? "cut" : "hardly cut");
    fprintf(stderr, "%s: %d missing, %d may be, %d cuts\n", what, none, (int)lost, cuts);
}

/* Either side of a subscription through the proxy. */
static pausable void at_most_once(const struct server *server, enum proxy_way way)
{
    struct proxy p;
    struct tally *t = calloc(1, sizeof *t);
    proxy_start(&p, server->port);
    co4_nats *c = open_one(way == TO_SERVER ? p.url : server->url);
    co4_nats *d = open_one(way == TO_SERVER ? server->url : p.url), *cut = way == TO_SERVER ? c : d;
    co4_nats_subscription *s;
    show("subscribe", co4_nats_subscribe(&s, d, "work", NULL, ALL, 0, SOON));
    settle(d);
    co4_task *reader = co4_spawn(collect(s, t));
    for (int round = 0; round < ROUNDS; round++) {
        if (round % 4 != 3)
            arm(&p, way, round);
        if (round % 12 == 8) /* the next connection */
            proxy_cut(&p);
        publish_some(c, round * EACH);
        settle(c);
        settle(d);
        proxy_disarm(&p);
    }
    settle(d);
    show("drain", co4_nats_drain(s, SOON));
    co4_join(reader, NULL);
    co4_nats_counts counts;
    co4_nats_count(cut, &counts);
    /* What is published while a subscriber is away is nobody's to count. */
    report(way == TO_SERVER ? "a publisher" : "a subscriber", t,
           way == TO_SERVER && counts.lost < ALL ? counts.lost : ALL - 1, proxy_cuts(&p));
    co4_nats_unsubscribe(s);
    calm(&p, cut);
    show("close", co4_nats_close(c, SOON));
    show("close", co4_nats_close(d, SOON));
    proxy_end(&p);
    free(t);
}

/* ---- requests ---- */

static pausable int serve(co4_nats *d, co4_nats_subscription *s, struct tally *t)
{
    co4_nats_message *m;
    while (co4_nats_next(s, &m, CO4_NEVER) == CO4_OK) {
        count_in(t, m->data, m->size);
        co4_nats_respond(d, m, m->data, m->size, SOON);
        co4_nats_message_destroy(m);
    }
    return 0;
}

struct asked {
    struct tally replies;
    int codes[NUMBERS];
};

static pausable int ask(co4_nats *c, struct asked *a, int i)
{
    char data[LARGEST];
    co4_nats_message *reply;
    int err = co4_nats_request(c, "work", data, fill(data, i), &reply, SOON);
    a->codes[i] = err;
    if (err == CO4_OK) {
        if (count_in(&a->replies, reply->data, reply->size) != i)
            printf("the reply of another\n");
        co4_nats_message_destroy(reply);
    }
    return err;
}

/* Both ways are cut, in turn. */
static pausable void requests(const struct server *server)
{
    struct proxy p;
    struct tally *t = calloc(1, sizeof *t);
    struct asked *a = calloc(1, sizeof *a);
    proxy_start(&p, server->port);
    co4_nats *c = open_one(p.url), *d = open_one(server->url);
    co4_nats_subscription *s;
    show("subscribe", co4_nats_subscribe(&s, d, "work", NULL, ALL, 0, SOON));
    settle(d);
    co4_task *server_task = co4_spawn(serve(d, s, t));
    for (int round = 0; round < ROUNDS; round++) {
        co4_task *tasks[EACH];
        arm(&p, round / 2 % 2 ? TO_SERVER : TO_CLIENT, round);
        for (int i = 0; i < EACH; i++)
            tasks[i] = co4_spawn(ask(c, a, round * EACH + i));
        for (int i = 0; i < EACH; i++)
            co4_join(tasks[i], NULL);
        proxy_disarm(&p);
    }
    int wrong = 0, answered = 0;
    for (int i = 0; i < ALL; i++) {
        answered += a->codes[i] == CO4_OK;
        wrong += a->codes[i] == CO4_OK ? t->seen[i] != 1 || a->replies.seen[i] != 1
                                       : a->codes[i] != CO4_NATS_EDISCONNECTED || t->seen[i] > 1;
    }
    printf("requests: %d twice, %d damaged, %d wrong; some were answered: %d, some not: %d\n",
           t->twice + a->replies.twice, t->damaged + a->replies.damaged, wrong, answered > 0,
           answered < ALL);
    fprintf(stderr, "requests: %d of %d answered, %d cuts\n", answered, ALL, proxy_cuts(&p));
    co4_nats_counts counts;
    co4_nats_count(c, &counts);
    printf("%d wait\n", (int)counts.requests);
    show("drain", co4_nats_drain(s, SOON));
    co4_join(server_task, NULL);
    co4_nats_unsubscribe(s);
    calm(&p, c);
    show("close", co4_nats_close(c, SOON));
    show("close", co4_nats_close(d, SOON));
    proxy_end(&p);
    free(t);
    free(a);
}

/* ---- at least once ---- */

/* Stores a message until that is known to be done. */
static pausable int store(co4_nats *c, int i, int *again)
{
    char data[LARGEST], id[16];
    co4_nats_outgoing m = { .subject = "JOBS", .data = data, .size = fill(data, i) };
    co4_nats_expected e = { .id = id };
    co4_nats_stored stored;
    snprintf(id, sizeof id, "%d", i);
    int err;
    while ((err = co4_nats_store(c, &m, &e, &stored, SOON)) == CO4_NATS_EDISCONNECTED)
        ++*again;
    if (err != CO4_OK)
        show("store", err);
    return err;
}

struct worker {
    struct tally t;
    co4_nats *c;
    co4_nats_consumer *k;
};

/* Takes until there is nothing for a while. */
static pausable void take_all(struct worker *w)
{
    co4_nats_message *m;
    for (int idle = 0; idle < 100;) {
        int err = co4_nats_take(w->k, &m, co4_now() + 50 * CO4_MS);
        if (err == CO4_OK) {
            idle = 0;
            count_in(&w->t, m->data, m->size);
            err = co4_nats_ack_sure(w->k, m, SOON);
            if (err != CO4_OK && err != CO4_NATS_EDISCONNECTED)
                show("ack", err);
            co4_nats_message_destroy(m);
            continue;
        }
        if (err != CO4_ETIMEDOUT)
            show("take", err);
        co4_nats_stream_state state;
        err = co4_nats_stream_look(w->c, "JOBS", &state, SOON);
        idle = err == CO4_OK && state.messages == 0 ? 100 : idle + 1;
    }
}

/* Each connection lives for a flush and a while: also on a machine with much to do, all goes on. */
static pausable int cut_often(struct proxy *p, co4_nats *c)
{
    int err = CO4_OK;
    for (int round = 0; err != CO4_ECANCELED && co4_sleep(20 * CO4_MS) == CO4_OK; round++) {
        err = co4_nats_flush(c, SOON);
        proxy_cut_after(p, round % 2 ? TO_SERVER : TO_CLIENT, round * 83 % 1000);
    }
    return 0;
}

static pausable void streams(const struct server *server)
{
    struct proxy p;
    struct worker *w = calloc(1, sizeof *w);
    int again = 0;
    proxy_start(&p, server->port);
    co4_nats *c = open_one(p.url), *d = open_one(server->url);
    co4_nats_stream_options o = { .name = "JOBS", .retention = CO4_NATS_WORK };
    show("stream", co4_nats_stream_create(d, &o, SOON));
    co4_task *cutter = co4_spawn(cut_often(&p, c));
    for (int i = 0; i < ALL; i++)
        store(c, i, &again);
    co4_nats_stream_state state = { 0 };
    show("look", co4_nats_stream_look(d, "JOBS", &state, SOON));
    printf("%d are stored, some were sent again: %d\n", (int)state.messages, again > 0);
    co4_nats_consumer_options k = { .name = "w", .ack_wait = CO4_SEC / 2, .credit = 8 };
    int err;
    while ((err = co4_nats_consume(&w->k, c, "JOBS", &k, SOON)) == CO4_NATS_EDISCONNECTED) {
    }
    show("consume", err);
    w->c = d;
    take_all(w);
    co4_task_cancel(cutter, 0);
    co4_join(cutter, NULL);
    calm(&p, c);
    show("look", co4_nats_stream_look(d, "JOBS", &state, SOON));
    printf("%d missing, %d damaged, %d are left\n", missing(&w->t, ALL), w->t.damaged,
           (int)state.messages);
    fprintf(stderr, "streams: %d stored again, %d taken twice, %d cuts\n", again, w->t.twice,
            proxy_cuts(&p));
    co4_nats_consumer_destroy(w->k);
    show("delete", co4_nats_stream_delete(d, "JOBS", SOON));
    show("close", co4_nats_close(c, SOON));
    show("close", co4_nats_close(d, SOON));
    proxy_end(&p);
    free(w);
}

/* ---- each once and in order ---- */

static pausable int put_keys(co4_nats *d, co4_nats_kv *kv)
{
    (void)d;
    for (int i = 0; i < ALL; i++) {
        char value[16];
        int n = snprintf(value, sizeof value, "%d", i);
        int err = co4_nats_kv_put(kv, "key", value, (size_t)n, NULL, SOON);
        if (err != CO4_OK)
            show("put", err);
    }
    return 0;
}

/* A bucket that keeps the last value alone, and a stream's follower, which gets all. */
static pausable void order(const struct server *server)
{
    struct proxy p;
    proxy_start(&p, server->port);
    co4_nats *c = open_one(p.url), *d = open_one(server->url);
    co4_nats_kv *kv = NULL, *far = NULL;
    co4_nats_watch *w = NULL;
    co4_nats_follower *f = NULL;
    co4_nats_kv_options o = { .history = 64 };
    show("open", co4_nats_kv_open(&kv, d, "b", &o, SOON));
    show("open", co4_nats_kv_open(&far, c, "b", &o, SOON));
    show("watch", co4_nats_kv_watch(&w, far, ">", SOON));
    co4_task *writer = co4_spawn(put_keys(d, kv)), *cutter = co4_spawn(cut_often(&p, c));
    co4_nats_entry e;
    int last = -1, wrong = 0, err = CO4_OK;
    while (last < ALL - 1 && (err = co4_nats_watch_next(w, &e, NULL, SOON)) == CO4_OK) {
        wrong += atoi(e.value) <= last;
        last = atoi(e.value);
        co4_nats_entry_destroy(&e);
    }
    show("watch", err);
    co4_join(writer, NULL);
    printf("the last value is %d, %d come too late\n", last, wrong);
    while ((err = co4_nats_follow(&f, c, "KV_b", NULL, CO4_NATS_FROM_FIRST, 0, SOON)) ==
           CO4_NATS_EDISCONNECTED) {
    }
    show("follow", err);
    co4_nats_message *m;
    int next = ALL - 64;
    for (wrong = 0; next < ALL && (err = co4_nats_follow_next(f, &m, SOON)) == CO4_OK; next++) {
        wrong += atoi(m->data) != next;
        co4_nats_message_destroy(m);
        co4_sleep(2 * CO4_MS);
    }
    show("follow", err);
    printf("%d of %d are not the next one\n", wrong, 64);
    co4_task_cancel(cutter, 0);
    co4_join(cutter, NULL);
    co4_nats_follower_destroy(f);
    co4_nats_watch_destroy(w);
    co4_nats_kv_close(kv);
    co4_nats_kv_close(far);
    calm(&p, c);
    show("close", co4_nats_close(c, SOON));
    show("close", co4_nats_close(d, SOON));
    proxy_end(&p);
}

static pausable int all(const struct server *server)
{
    at_most_once(server, TO_SERVER);
    at_most_once(server, TO_CLIENT);
    requests(server);
    streams(server);
    order(server);
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
