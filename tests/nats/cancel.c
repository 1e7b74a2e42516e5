/* cancel.c - tasks that are cancelled while a message is on its way to them: nothing leaks, and
 * others lose none of theirs. */
#include <co4/test.h>

#include "counted.h"

enum { READERS = 8, ROUNDS = 20, EACH = 50, ALL = ROUNDS * EACH };

static pausable co4_nats *open_one(const char *url)
{
    const char *urls[] = { url, NULL };
    co4_nats *c = NULL;
    co4_nats_options o = { .servers = urls, .attempt = PATIENT };
    int err = co4_nats_connect(&c, &o, SOON);
    if (err != CO4_OK)
        show("connect", err);
    return c;
}

static pausable int collect(co4_nats_subscription *s, struct tally *t)
{
    co4_nats_message *m;
    int err;
    while ((err = co4_nats_next(s, &m, CO4_NEVER)) == CO4_OK) {
        count_in(t, m->data, m->size);
        co4_nats_message_destroy(m);
        co4_yield();
    }
    return err;
}

static void end_subscription(co4_nats_subscription **s)
{
    co4_nats_unsubscribe(*s);
}

/* Its subscription ends with the task. */
static pausable int guest(co4_nats *c, int full)
{
    __attribute__((cleanup(end_subscription))) co4_nats_subscription *s = NULL;
    co4_nats_message *m;
    int err = co4_nats_subscribe(&s, c, "work", NULL, 2, (co4_nats_full)full, SOON);
    while (err == CO4_OK && (err = co4_nats_next(s, &m, CO4_NEVER)) == CO4_OK) {
        co4_nats_message_destroy(m);
        co4_sleep(CO4_MS / 4);
    }
    return err;
}

/* Readers that stay, and guests of all kinds that are cancelled in the middle. */
static pausable void subscribers(co4_nats *c, co4_nats *d)
{
    co4_nats_subscription *s[READERS];
    co4_task *tasks[READERS], *guests[6];
    struct tally *t = calloc(READERS, sizeof *t);
    char data[LARGEST];
    int cancelled = 0, code, missed = 0, twice = 0, damaged = 0;
    for (int i = 0; i < READERS; i++) {
        int err = co4_nats_subscribe(&s[i], c, "work", NULL, ALL, 0, SOON);
        if (err != CO4_OK)
            show("subscribe", err);
        tasks[i] = co4_spawn(collect(s[i], &t[i]));
    }
    show("flush", co4_nats_flush(c, SOON));
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < 6; i++)
            guests[i] = co4_spawn(guest(c, i % 3));
        for (int i = 0; i < EACH; i++) {
            int err = co4_nats_publish(d, "work", data, fill(data, round * EACH + i), SOON);
            if (err != CO4_OK)
                show("publish", err);
            if (i % 10 == round % 10 && i / 10 < 5)
                co4_task_cancel(guests[i / 10], 0);
            if (i % 7 == 0)
                co4_sleep(CO4_MS / 4);
        }
        co4_task_cancel(guests[5], 0);
        for (int i = 0; i < 6; i++) {
            co4_task_cancel(guests[i], 0);
            cancelled += co4_join(guests[i], &code) == CO4_ECANCELED;
        }
    }
    show("flush", co4_nats_flush(d, SOON));
    for (int i = 0; i < READERS; i++) {
        code = co4_nats_drain(s[i], SOON);
        if (code != CO4_OK)
            show("drain", code);
        co4_join(tasks[i], NULL);
        missed += missing(&t[i], ALL);
        twice += t[i].twice;
        damaged += t[i].damaged;
        co4_nats_unsubscribe(s[i]);
    }
    printf("%d guests were cancelled; %d missing, %d twice, %d damaged\n", cancelled, missed, twice,
           damaged);
    free(t);
}

static pausable int serve(co4_nats *c, co4_nats_subscription *s)
{
    co4_nats_message *m;
    while (co4_nats_next(s, &m, CO4_NEVER) == CO4_OK) {
        co4_nats_respond(c, m, m->data, m->size, SOON);
        co4_nats_message_destroy(m);
    }
    return 0;
}

static pausable int ask(co4_nats *c, int i, struct tally *t)
{
    char data[LARGEST];
    co4_nats_message *reply;
    int err = co4_nats_request(c, "echo", data, fill(data, i), &reply, SOON);
    if (err != CO4_OK)
        return err;
    err = count_in(t, reply->data, reply->size) == i ? CO4_OK : CO4_EINVAL;
    co4_nats_message_destroy(reply);
    return err;
}

/* Each second request is cancelled when its reply may come; the others get theirs. */
static pausable void requests(co4_nats *c, co4_nats *d)
{
    static co4_task *tasks[ALL];
    co4_nats_subscription *s;
    struct tally *t = calloc(1, sizeof *t);
    int kept = 0, others = 0, code;
    show("subscribe", co4_nats_subscribe(&s, d, "echo", NULL, ALL, 0, SOON));
    show("flush", co4_nats_flush(d, SOON));
    co4_task *server = co4_spawn(serve(d, s));
    for (int i = 0; i < ALL; i++) {
        tasks[i] = co4_spawn(ask(c, i, t));
        if (i % 5 == 0)
            co4_sleep(CO4_MS / 10);
        if (i % 2)
            co4_task_cancel(tasks[i - i % 3], 0); /* it may be done */
    }
    for (int i = 0; i < ALL; i++) {
        co4_join(tasks[i], &code);
        kept += code == CO4_OK;
        others += code != CO4_OK && code != CO4_ECANCELED;
    }
    co4_nats_counts counts;
    co4_nats_count(c, &counts);
    printf("each has a reply or was cancelled: %d, %d others, %d twice, %d damaged, %d wait\n",
           kept == t->all && kept > 0, others, t->twice, t->damaged, (int)counts.requests);
    show("drain", co4_nats_drain(s, SOON));
    co4_join(server, NULL);
    co4_nats_unsubscribe(s);
    free(t);
}

/* A taker that is cancelled: what was on its way to it is taken by another. */
static pausable int take(co4_nats *c)
{
    co4_nats_consumer *k = NULL;
    co4_nats_message *m;
    co4_nats_consumer_options o = { .name = "w", .ack_wait = CO4_SEC / 2, .credit = 8 };
    int err = co4_nats_consume(&k, c, "JOBS", &o, SOON);
    for (int i = 0; err == CO4_OK && (err = co4_nats_take(k, &m, SOON)) == CO4_OK; i++)
        co4_nats_message_destroy(m); /* never acknowledged */
    co4_nats_consumer_destroy(k);
    return err;
}

static pausable void jobs(co4_nats *c, co4_nats *d)
{
    struct tally *t = calloc(1, sizeof *t);
    char data[LARGEST];
    co4_nats_stream_options o = { .name = "JOBS", .retention = CO4_NATS_WORK };
    co4_nats_consumer_options w = { .name = "w", .ack_wait = CO4_SEC / 2, .credit = 8 };
    co4_nats_consumer *k = NULL;
    co4_nats_message *m;
    co4_task *takers[10];
    int code, cancelled = 0;
    show("stream", co4_nats_stream_create(c, &o, SOON));
    show("consumer", co4_nats_consume(&k, d, "JOBS", &w, SOON));
    for (int i = 0; i < 10; i++)
        takers[i] = co4_spawn(take(c));
    for (int i = 0; i < 200; i++) {
        co4_nats_outgoing job = { .subject = "JOBS", .data = data, .size = fill(data, i) };
        int err = co4_nats_store(d, &job, NULL, NULL, SOON);
        if (err != CO4_OK)
            show("store", err);
        if (i % 20 == 19)
            co4_task_cancel(takers[i / 20], 0);
    }
    for (int i = 0; i < 10; i++)
        cancelled += co4_join(takers[i], &code) == CO4_ECANCELED;
    while (missing(t, 200) > 0 && co4_nats_take(k, &m, SOON) == CO4_OK) {
        count_in(t, m->data, m->size);
        int err = co4_nats_ack_sure(k, m, SOON);
        if (err != CO4_OK)
            show("ack", err);
        co4_nats_message_destroy(m);
    }
    printf("%d takers were cancelled, %d jobs missing, %d damaged\n", cancelled, missing(t, 200),
           t->damaged);
    co4_nats_consumer_destroy(k);
    show("delete", co4_nats_stream_delete(c, "JOBS", SOON));
    free(t);
}

static pausable int all(const struct server *server)
{
    co4_nats *c = open_one(server->url), *d = open_one(server->url);
    subscribers(c, d);
    requests(c, d);
    jobs(c, d);
    show("close", co4_nats_close(c, SOON));
    show("close", co4_nats_close(d, SOON));
    return 0;
}

int main(void)
{
    struct server server = { 0 };
    setvbuf(stdout, NULL, _IOLBF, 0);
    server_start(&server);
    int err = co4_run(all(&server));
    printf("%lld objects are left\n", co4_test_pool_live());
    server_end(&server);
    return err;
}
