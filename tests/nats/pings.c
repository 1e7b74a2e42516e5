/* pings.c - what a server hears of a connection, and what its answers mean: PINGs, what a PONG
 * confirms, silence, refusals, ends. */
#include <co4/nats_stream.h>

#include "liar.h"

/* Answers PINGs until the client goes. */
static pausable void answer_pings(struct liar *l)
{
    char line[16];
    while (heard(l, "PING", line, sizeof line))
        say(l, "PONG\r\n");
    hang_up(l);
}

static pausable void hear(struct liar *l, const char *begin, int times)
{
    char line[100];
    for (int i = 0; i < times; i++)
        if (!heard(l, begin, line, sizeof line))
            printf("no %s\n", begin);
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

static pausable void publish(co4_nats *c, int times)
{
    for (int i = 0; i < times; i++)
        show("publish", co4_nats_publish(c, "a", "x", 1, SOON));
}

static pausable int flush(co4_nats *c)
{
    return co4_nats_flush(c, SOON);
}

static pausable void end(struct liar *l, co4_nats *c, co4_task *task)
{
    co4_nats_close(c, co4_now());
    co4_join(task, NULL);
    co4_close(l->listening);
}

/* ---- what is confirmed is not lost ---- */

static pausable int confirm(struct liar *l)
{
    char line[300];
    let_in(l, line, sizeof line);
    hear(l, "PING", 1);
    say(l, "PONG\r\n");
    hear(l, "PING", 1); /* the client has read the PONG before, and no PUB is behind it */
    hang_up(l);
    let_in(l, line, sizeof line);
    hear(l, "PUB a", 2);
    hear(l, "PING", 1); /* which the client sends by itself */
    say(l, "MSG nobody 99 1\r\nx\r\nPONG\r\n");
    hear(l, "PUB a", 1);
    hear(l, "PING", 1);
    hang_up(l);
    let_in(l, line, sizeof line);
    answer_pings(l);
    return 0;
}

static pausable void confirmed(void)
{
    struct liar l;
    co4_nats_counts counts;
    liar_begin(&l, "{}");
    co4_task *task = co4_spawn(confirm(&l));
    co4_nats *c = open_one(l.url, NULL);
    publish(c, 3);
    show("flush", co4_nats_flush(c, SOON));
    show("flush", co4_nats_flush(c, SOON));
    printf("%d may be lost\n", (int)until(c, CO4_NATS_DISCONNECTED).count);
    until(c, CO4_NATS_RECONNECTED);
    publish(c, 2);
    co4_sleep(CO4_SEC + 100 * CO4_MS); /* it asks once in a second, when it sends */
    publish(c, 1);
    show("flush", co4_nats_flush(c, SOON));
    printf("%d may be lost\n", (int)until(c, CO4_NATS_DISCONNECTED).count);
    co4_nats_count(c, &counts);
    printf("in all %d of %d, %d has come\n", (int)counts.lost, (int)counts.sent,
           (int)counts.received);
    end(&l, c, task);
}

/* ---- each PONG is for the oldest PING ---- */

enum { FIRST = 10, AT_ONCE = 7, MORE = 30 };

static pausable int answer_late(struct liar *l)
{
    char line[300];
    let_in(l, line, sizeof line);
    hear(l, "PING", FIRST);
    for (int i = 0; i < AT_ONCE; i++)
        say(l, "PONG\r\n");
    hear(l, "PING", MORE);
    for (int i = AT_ONCE; i < FIRST + MORE; i++)
        say(l, "PONG\r\n");
    answer_pings(l);
    return 0;
}

static pausable void many(void)
{
    struct liar l;
    co4_task *tasks[FIRST + MORE];
    int good = 0, code;
    liar_begin(&l, "{}");
    co4_task *task = co4_spawn(answer_late(&l));
    co4_nats *c = open_one(l.url, NULL);
    for (int i = 0; i < FIRST; i++)
        tasks[i] = co4_spawn(flush(c));
    for (int i = 0; i < FIRST + MORE; i++) {
        co4_join(tasks[i], &code);
        good += code == CO4_OK;
        for (int k = FIRST; i == AT_ONCE - 1 && k < FIRST + MORE; k++)
            tasks[k] = co4_spawn(flush(c));
    }
    printf("%d of %d\n", good, FIRST + MORE);
    end(&l, c, task);
}

static co4_sem asked = CO4_SEM_INIT(0);
static bool answered;

/* The first PING is the connection's own, after some silence. */
static pausable int answer_both(struct liar *l)
{
    char line[300];
    let_in(l, line, sizeof line);
    hear(l, "PING", 1);
    co4_sem_release(&asked);
    hear(l, "PING", 1);
    say(l, "PONG\r\n");
    co4_sleep(50 * CO4_MS);
    answered = true;
    say(l, "PONG\r\n");
    answer_pings(l);
    return 0;
}

static pausable void own(void)
{
    struct liar l;
    liar_begin(&l, "{}");
    co4_task *task = co4_spawn(answer_both(&l));
    co4_nats *c = open_one(l.url, &(co4_nats_options){ .ping = CO4_SEC });
    show("asked", co4_sem_acquire(&asked));
    show("flush", co4_nats_flush(c, SOON));
    printf("by its own PONG: %d\n", answered);
    end(&l, c, task);
}

/* ---- silence ---- */

static pausable int count_pings(struct liar *l, int answers)
{
    char line[300];
    int n = 0;
    let_in(l, line, sizeof line);
    while (heard(l, "PING", line, sizeof line) && ++n != answers)
        if (answers > 0)
            say(l, "PONG\r\n");
    hang_up(l);
    return n;
}

static pausable void silence(int answers)
{
    struct liar l;
    int n = 0;
    liar_begin(&l, "{}");
    co4_task *task = co4_spawn(count_pings(&l, answers));
    co4_nats *c = open_one(l.url, &(co4_nats_options){ .ping = 200 * CO4_MS });
    show("disconnected", until(c, CO4_NATS_DISCONNECTED).code);
    co4_nats_close(c, co4_now());
    co4_join(task, &n);
    printf("after %d PINGs\n", n);
    co4_close(l.listening);
}

/* Says something all the time, and reads nothing. */
static pausable int be_deaf(struct liar *l)
{
    char line[300];
    let_in(l, line, sizeof line);
    while (co4_conn_write(l->conn, "+OK\r\n", 5) >= 0 && co4_conn_flush(l->conn) == 0)
        co4_sleep(20 * CO4_MS);
    hang_up(l);
    return 0;
}

static pausable void deaf(void)
{
    static char data[100000];
    struct liar l;
    co4_nats_event e = { 0 };
    liar_begin(&l, "{}");
    co4_task *task = co4_spawn(be_deaf(&l));
    co4_nats *c = open_one(l.url, &(co4_nats_options){ .ping = 100 * CO4_MS });
    for (int64_t until = SOON; e.kind != CO4_NATS_DISCONNECTED && co4_now() < until;) {
        int err = co4_nats_publish(c, "a", data, sizeof data, co4_now() + 20 * CO4_MS);
        while (e.kind != CO4_NATS_DISCONNECTED &&
               co4_mailbox_receive_until(co4_nats_monitor(c), &e, CO4_NOW) == CO4_OK) {
        }
        if (err != CO4_OK && err != CO4_ETIMEDOUT)
            show("publish", err);
    }
    show("it does not read", e.code);
    end(&l, c, task);
}

/* ---- refusals, and ends ---- */

static pausable void let_in_badly(struct liar *l, const char *text)
{
    char line[300];
    l->conn = co4_conn_create(co4_accept(l->listening, NULL, NULL));
    say(l, l->info);
    heard(l, "PING", line, sizeof line);
    say(l, text);
}

static pausable int refuse_some(struct liar *l)
{
    char line[300];
    for (int i = 0; i < 2; i++) {
        let_in(l, line, sizeof line);
        hang_up(l);
        let_in_badly(l, "-ERR 'Authorization Violation'\r\n");
        hang_up(l);
    }
    let_in(l, line, sizeof line);
    say(l, "INFO {\"ldm\":true}\r\nINFO {\"ldm\":true}\r\n-ERR 'Slow Consumer'\r\n");
    answer_pings(l);
    return 0;
}

/* One refusal between two connections is not two in a row. */
static pausable void refused(void)
{
    struct liar l;
    co4_nats_event e = { 0 };
    liar_begin(&l, "{}");
    co4_task *task = co4_spawn(refuse_some(&l));
    co4_nats *c = open_one(l.url, NULL);
    while (!strstr(e.text, "Slow") &&
           co4_mailbox_receive_until(co4_nats_monitor(c), &e, SOON) == CO4_OK)
        printf("event %d, %s, '%s'\n", (int)e.kind, co4_strerror(e.code),
               strcmp(e.text, l.url) == 0 ? "the server" : e.text);
    end(&l, c, task);
}

static pausable int speak(struct liar *l)
{
    let_in_badly(l, "INFO [1]\r\nPONG\r\n");
    hang_up(l);
    return 0;
}

static pausable void nonsense(void)
{
    struct liar l;
    liar_begin(&l, "{}");
    co4_task *task = co4_spawn(speak(&l));
    co4_nats *c = open_one(l.url, NULL);
    end(&l, c, task);
}

static pausable int leave(struct liar *l)
{
    char line[300];
    let_in(l, line, sizeof line);
    co4_close(l->listening);
    hang_up(l);
    return 0;
}

static pausable int send_one(co4_nats *c)
{
    return co4_nats_publish(c, "a", "x", 1, SOON);
}

/* A connection that has no server any more closes by itself: who waits for room learns that. */
static pausable void given_up(void)
{
    static const char data[1000];
    struct liar l;
    co4_nats_event e = { 0 };
    int attempts = 0, code;
    liar_begin(&l, "{}");
    co4_task *task = co4_spawn(leave(&l));
    co4_nats *c = open_one(
        l.url,
        &(co4_nats_options){ .rounds = 3, .wait = 200 * CO4_MS, .output_bytes = sizeof data });
    until(c, CO4_NATS_DISCONNECTED);
    code = co4_nats_publish(c, "a", data, sizeof data, SOON);
    co4_task *sender = co4_spawn(send_one(c));
    while (e.kind != CO4_NATS_CLOSED &&
           co4_mailbox_receive_until(co4_nats_monitor(c), &e, SOON) == CO4_OK)
        attempts += e.kind == CO4_NATS_ATTEMPT_FAILED;
    printf("after %d attempts: %s\n", attempts, co4_strerror(e.code));
    show("the monitor", co4_mailbox_receive_until(co4_nats_monitor(c), &e, SOON));
    co4_join(sender, &code);
    show("a sender", code);
    show("close", co4_nats_close(c, SOON));
    co4_join(task, NULL);
}

/* ---- events, and their number ---- */

static pausable int answer_nobody(struct liar *l, int times)
{
    char line[300], to[100], text[200];
    unsigned long long number = 0;
    int slots = 0;
    let_in(l, line, sizeof line);
    say(l, "-ERR 'one'\r\n-ERR 'two'\r\n-ERR 'three'\r\n-ERR 'four'\r\n");
    for (int i = 0; i < times && heard(l, "PUB q ", line, sizeof line); i++) {
        if (sscanf(line, "PUB q %99s", to) == 1)
            number = strtoull(strrchr(to, '.') + 1, NULL, 10);
        slots = (int)(uint32_t)number > slots ? (int)(uint32_t)number : slots;
        snprintf(text, sizeof text, "HMSG %s 0 16 16\r\nNATS/1.0 503\r\n\r\n\r\n", to);
        say(l, text);
    }
    answer_pings(l);
    return slots;
}

static pausable int nobody(co4_nats *c, int times)
{
    co4_nats_message *m;
    int n = 0;
    for (int i = 0; i < times; i++)
        n += co4_nats_request(c, "q", "x", 1, &m, SOON) == CO4_NATS_ENORESPONDERS;
    return n;
}

static void show_events(co4_nats *c)
{
    co4_nats_event e;
    co4_nats_counts n;
    while (co4_mailbox_receive_until(co4_nats_monitor(c), &e, CO4_NOW) == CO4_OK)
        printf("event %d, %d %s\n", (int)e.kind, (int)e.count, e.text);
    co4_nats_count(c, &n);
    printf("%d lost, nobody %d\n", (int)n.events_lost, (int)n.no_responders);
}

/* The oldest events go. Of requests that nobody answers there is one event in a second. */
static pausable void events(void)
{
    struct liar l;
    int slots = 0, n = 0, more = 0;
    liar_begin(&l, "{\"headers\":true}");
    co4_task *task = co4_spawn(answer_nobody(&l, 21));
    co4_nats *c = open_one(l.url, &(co4_nats_options){ .events = 3 });
    printf("nobody %d\n", nobody(c, 3));
    show_events(c);
    co4_sleep(CO4_SEC + 100 * CO4_MS);
    co4_task *one = co4_spawn(nobody(c, 9)), *other = co4_spawn(nobody(c, 9));
    co4_join(one, &n);
    co4_join(other, &more);
    printf("nobody %d\n", n + more);
    show_events(c);
    co4_nats_close(c, co4_now());
    co4_join(task, &slots);
    printf("two at once, in two places: %d\n", slots <= 2); /* of a table */
    co4_close(l.listening);
}

/* ---- a drain that has no time still ends it at the server ---- */

enum { MANY = 40 }; /* that end at the same time */

/* Returns how many have ended. It may hear of one twice. */
static pausable int hear_ends(struct liar *l)
{
    char line[300];
    unsigned long long number;
    bool ended[4 * MANY] = { 0 };
    int n = 0;
    let_in(l, line, sizeof line);
    while (heard(l, "", line, sizeof line)) {
        if (strncmp(line, "PING", 4) == 0)
            say(l, "PONG\r\n");
        if (sscanf(line, "UNSUB %llu", &number) == 1 && (uint32_t)number < 4 * MANY) {
            n += !ended[(uint32_t)number];
            ended[(uint32_t)number] = true;
        }
    }
    hang_up(l);
    return n;
}

static pausable void no_time(void)
{
    struct liar l;
    co4_nats_subscription *s, *many[MANY];
    int n = 0;
    liar_begin(&l, "{}");
    co4_task *task = co4_spawn(hear_ends(&l));
    co4_nats *c = open_one(l.url, NULL);
    for (int i = 0; i < MANY; i++)
        if (co4_nats_subscribe(&many[i], c, "a", NULL, 1, 0, SOON) != CO4_OK)
            printf("not subscribed\n");
    show("subscribe", co4_nats_subscribe(&s, c, "b", NULL, 0, 0, SOON));
    show("flush", co4_nats_flush(c, SOON));
    show("drain", co4_nats_drain(s, co4_now()));
    for (int i = 0; i < MANY; i++)
        co4_nats_unsubscribe(many[i]);
    show("flush", co4_nats_flush(c, SOON)); /* it is answered behind the end */
    co4_nats_unsubscribe(s);
    co4_nats_close(c, co4_now());
    co4_join(task, &n);
    printf("%d have ended\n", n);
    co4_close(l.listening);
}

/* ---- a taker asks the next connection at once ---- */

/* Answers the next message to a subject. `number` is that of the reply's subscription: of requests
 * 0. */
static pausable void reply(struct liar *l, const char *subject, int number, const char *data)
{
    char line[300], to[128], text[300];
    if (!heard(l, subject, line, sizeof line) || sscanf(line, "PUB %*s %127s", to) != 1)
        return;
    snprintf(text, sizeof text, "MSG %s %d %zu\r\n%s\r\n", to, number, strlen(data), data);
    say(l, text);
}

static pausable int give_a_job(struct liar *l)
{
    char line[300];
    let_in(l, line, sizeof line);
    reply(l, "PUB $JS.API.CONSUMER.CREATE.S ", 0, "{\"name\":\"w\"}");
    hear(l, "PUB $JS.API.CONSUMER.MSG.NEXT.S.w ", 1);
    hang_up(l);
    let_in(l, line, sizeof line);
    reply(l, "PUB $JS.API.CONSUMER.MSG.NEXT.S.w ", 1, "a job");
    answer_pings(l);
    return 0;
}

/* The last question was for three seconds. */
static pausable void taker(void)
{
    struct liar l;
    co4_nats_consumer *k;
    co4_nats_message *m;
    liar_begin(&l, "{}");
    co4_task *task = co4_spawn(give_a_job(&l));
    co4_nats *c = open_one(l.url, NULL);
    show("consume", co4_nats_consume(&k, c, "S", NULL, SOON));
    show("take", co4_nats_take(k, &m, co4_now() + 2500 * CO4_MS));
    co4_nats_message_destroy(m);
    co4_nats_consumer_destroy(k);
    end(&l, c, task);
}

static pausable int all(void)
{
    confirmed();
    many();
    own();
    silence(0);
    silence(5);
    deaf();
    refused();
    nonsense();
    given_up();
    events();
    no_time();
    taker();
    return 0;
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    return co4_run(all());
}
