/* takes.c - what takers and workers of a stream tell the server of each message, once, and what the
 * server tells them. */
#include <co4/nats_kv.h>

#include "store.h"

static char heard_all[8000]; /* what the server has heard: the client goes on meanwhile */

static void note(const char *what, const char *text)
{
    size_t n = strlen(heard_all);
    snprintf(heard_all + n, sizeof heard_all - n, "    %s '%s'\n", what, text);
}

static pausable void end(struct store *s, co4_nats *c, co4_task *task)
{
    co4_nats_close(c, co4_now());
    co4_join(task, NULL);
    co4_close(s->l.listening);
    printf("%s", heard_all);
    heard_all[0] = '\0';
}

/* Lets a client in, that makes a consumer. */
static pausable void begin(struct store *s)
{
    char line[300];
    let_in(&s->l, line, sizeof line);
    hear(s, "$JS.API.CONSUMER.CREATE.S");
    answer(s, "{\"name\":\"w\"}");
}

static pausable void rest(struct store *s)
{
    char line[300];
    while (heard(&s->l, "PING", line, sizeof line))
        say(&s->l, "PONG\r\n");
    hang_up(&s->l);
}

static pausable void show_next(struct store *s)
{
    note("asks for", hear(s, "$JS.API.CONSUMER.MSG.NEXT.S.w"));
}

/* ---- takers ---- */

static pausable int tell(struct store *s)
{
    char text[300];
    begin(s);
    show_next(s);
    give(s, "S.w.1.1.1.0.0", "a job");
    for (int i = 0; i < 5; i++)
        note("hears", hear(s, "$JS.ACK.S.w.1.1.1.0.0"));
    note("is asked", hear(s, "$JS.ACK.S.w.1.1.1.0.0"));
    answer(s, "");
    note("is asked", hear(s, "$JS.ACK.S.w.1.1.1.0.0"));
    snprintf(text, sizeof text, "HMSG %s 0 16 16\r\nNATS/1.0 503\r\n\r\n\r\n", s->reply);
    say(&s->l, text); /* nobody listens */
    show_next(s);
    show_next(s); /* the first one was lost, as it seems */
    give(s, "S.w.1.2.2.0.0", "another");
    show_next(s);
    snprintf(text, sizeof text, "HMSG a %lld 33 33\r\nNATS/1.0 409 Consumer Deleted\r\n\r\n",
             s->sid);
    say(&s->l, text);
    say(&s->l, "\r\n");
    rest(s);
    return 0;
}

static pausable void taker(void)
{
    struct store s = { 0 };
    co4_nats_consumer *k;
    co4_nats_message *m;
    liar_begin(&s.l, "{\"headers\":true}");
    co4_task *task = co4_spawn(tell(&s));
    co4_nats *c = open_one(s.l.url, NULL);
    show("consume", co4_nats_consume(&k, c, "S", NULL, SOON));
    show("take", co4_nats_take(k, &m, SOON));
    show("working", co4_nats_working(k, m, SOON));
    show("retry", co4_nats_retry(k, m, 0, SOON));
    show("retry later", co4_nats_retry(k, m, 5, SOON));
    show("reject", co4_nats_reject(k, m, SOON));
    show("ack", co4_nats_ack(k, m, SOON));
    show("flush", co4_nats_flush(c, SOON));
    show("ack", co4_nats_ack_sure(k, m, SOON));
    show("ack", co4_nats_ack_sure(k, m, SOON));
    co4_nats_message_destroy(m);
    show("take", co4_nats_take(k, &m, SOON));
    co4_nats_message_destroy(m);
    show("take", co4_nats_take(k, &m, SOON));
    co4_nats_consumer_destroy(k);
    end(&s, c, task);
}

/* ---- workers ---- */

/* Gives a job, and hears what has become of it, before it is asked for another. */
static pausable void give_one(struct store *s, int number, const char *data)
{
    char origin[64], words[100] = "";
    const char *text = "";
    snprintf(origin, sizeof origin, "S.w.1.%d.%d.0.0", number, number);
    give(s, origin, data);
    while (strncmp(text, "{\"batch\"", 8) != 0 && *(text = hear(s, "$JS."))) {
        bool same = strcmp(s->subject + strlen("$JS.ACK."), origin) == 0;
        size_t n = strlen(words);
        if (same && (n == 0 || strcmp(words + n - 4, text) != 0 || strcmp(text, "+WPI") != 0))
            snprintf(words + n, sizeof words - n, "%s%s", n > 0 ? ", " : "", text);
    }
    note(data, words);
    note("asks for", text);
}

static pausable int work(struct store *s, co4_task **worker)
{
    const char *text;
    int acks = 0, naks = 0;
    begin(s);
    show_next(s);
    give(s, "S.w.1.1.1.0.0", "hold");
    give(s, "S.w.1.2.2.0.0", "hold, and do it");
    give_one(s, 3, "0");
    give_one(s, 4, "-2114"); /* CO4_NATS_EREFUSED */
    give_one(s, 5, "-1");
    give_one(s, 6, "long");
    co4_task_cancel(*worker, 0);
    while (acks + naks < 2 && *(text = hear(s, "$JS.ACK."))) {
        acks += strcmp(text, "+ACK") == 0;
        naks += strcmp(text, "-NAK") == 0;
    }
    note("done, and to be done:", acks == 1 && naks == 1 ? "one each" : "wrong");
    rest(s);
    return 0;
}

static pausable int handle(const co4_nats_message *m, void *arg)
{
    (void)arg;
    if (strcmp(m->data, "long") == 0)
        return co4_sleep(500 * CO4_MS);
    if (strncmp(m->data, "hold", 4) != 0)
        return atoi(m->data);
    int err = co4_sleep(60 * CO4_SEC);
    return m->data[4] ? CO4_OK : err;
}

static pausable void worker(void)
{
    struct store s = { 0 };
    co4_nats_consumer *k;
    co4_task *task = NULL;
    int code = 0;
    co4_nats_consumer_options o = { .credit = 3, .ack_wait = 400 * CO4_MS };
    liar_begin(&s.l, "{}");
    co4_task *server = co4_spawn(work(&s, &task));
    co4_nats *c = open_one(s.l.url, NULL);
    show("consume", co4_nats_consume(&k, c, "S", &o, SOON));
    task = co4_spawn(co4_nats_work(k, handle, NULL));
    co4_join(task, &code);
    show("work", code);
    show("flush", co4_nats_flush(c, SOON));
    co4_nats_consumer_destroy(k);
    end(&s, c, server);
}

/* ---- what the server says ---- */

static const struct {
    int code, number;
} errors[] = { { 400, 10058 }, { 400, 10148 }, { 400, 10105 }, { 400, 10071 }, { 400, 10070 },
               { 500, 10023 }, { 500, 10028 }, { 500, 10047 }, { 503, 10077 }, { 503, 10039 },
               { 503, 10076 }, { 404, 10014 }, { 400, 1 },     { 0, 0 } };
enum { ERRORS = sizeof errors / sizeof *errors };

static pausable int err_often(struct store *s)
{
    char text[200];
    let_in(&s->l, text, sizeof text);
    for (int i = 0; i < ERRORS; i++) {
        hear(s, "s");
        snprintf(text, sizeof text,
                 "{\"error\":{\"code\":%d,\"err_code\":%d,\"description\":\"number %d\"}}",
                 errors[i].code, errors[i].number, i);
        answer(s, text);
    }
    hear(s, "$JS.API.CONSUMER.INFO.S.w");
    answer(s, "{\"ack_floor\":{\"stream_seq\":1,\"consumer_seq\":2},"
              "\"delivered\":{\"stream_seq\":3,\"consumer_seq\":4},"
              "\"num_ack_pending\":5,\"num_pending\":6,\"num_waiting\":7}");
    hear(s, "$JS.API.STREAM.INFO.S");
    answer(s, "{\"state\":{\"messages\":1,\"bytes\":2,\"first_seq\":3,\"last_seq\":4,"
              "\"consumer_count\":5}}");
    hear(s, "$JS.API.STREAM.PURGE.S");
    answer(s, "{\"purged\":8}");
    hear(s, "$JS.API.STREAM.INFO.S");
    snprintf(text, sizeof text, "HMSG %s 0 16 16\r\nNATS/1.0 503\r\n\r\n\r\n", s->reply);
    say(&s->l, text); /* it has no store */
    hear(s, "$JS.API.STREAM.CREATE.KV_b");
    answer(s, "{}");
    hear(s, "$JS.API.DIRECT.GET.KV_b.");
    snprintf(text, sizeof text, "HMSG %s 0 16 16\r\nNATS/1.0 503\r\n\r\n\r\n", s->reply);
    say(&s->l, text);
    hear(s, "$JS.API.DIRECT.GET.KV_b.");
    snprintf(text, sizeof text, "HMSG %s 0 16 16\r\nNATS/1.0 503\r\n\r\n\r\n", s->reply);
    say(&s->l, text); /* not yet */
    hear(s, "$JS.API.DIRECT.GET.KV_b.");
    snprintf(text, sizeof text, "HMSG %s 0 16 16\r\nNATS/1.0 404\r\n\r\n\r\n", s->reply);
    say(&s->l, text);
    hear(s, "$KV.b.lease");
    answer(s, "{\"seq\":9}");
    rest(s);
    return 0;
}

static pausable void says(void)
{
    struct store s = { 0 };
    char text[100];
    co4_nats_outgoing m = { .subject = "s" };
    co4_nats_consumer_state k = { 0 };
    co4_nats_stream_state state = { 0 };
    uint64_t removed = 0;
    liar_begin(&s.l, "{\"headers\":true}");
    co4_task *task = co4_spawn(err_often(&s));
    co4_nats *c = open_one(s.l.url, NULL);
    for (int i = 0; i < ERRORS; i++) {
        int err = co4_nats_store(c, &m, NULL, NULL, SOON);
        co4_nats_refusal(c, text, sizeof text);
        printf("%d: %s, '%s'\n", errors[i].number, co4_strerror(err), text);
    }
    show("look", co4_nats_consumer_look(c, "S", "w", &k, SOON));
    printf("%d %d %d %d %d\n", (int)k.done, (int)k.given, (int)k.working, (int)k.pending, k.takers);
    show("look", co4_nats_stream_look(c, "S", &state, SOON));
    printf("%d %d %d %d %d\n", (int)state.messages, (int)state.bytes, (int)state.first,
           (int)state.last, state.consumers);
    show("purge", co4_nats_stream_purge(c, "S", NULL, 0, &removed, SOON));
    printf("%d\n", (int)removed);
    show("look", co4_nats_stream_look(c, "S", &state, SOON));
    co4_nats_kv *kv;
    co4_nats_entry e;
    show("open", co4_nats_kv_open(&kv, c, "b", NULL, SOON));
    show("get", co4_nats_kv_get(kv, "key", &e, SOON));
    co4_nats_lease lease;
    show("take", co4_nats_lease_take(&lease, kv, "lease", "me", CO4_SEC, SOON));
    printf("%d\n", (int)lease.token);
    co4_nats_kv_close(kv);
    end(&s, c, task);
}

static pausable int all(void)
{
    taker();
    worker();
    says();
    return 0;
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    return co4_run(all());
}
