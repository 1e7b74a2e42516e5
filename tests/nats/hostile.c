/* hostile.c - co4/nats.h with servers that send what no server sends, and stop when it hurts. */
#include <co4/nats_kv.h>

#include "liar.h"

static pausable int ask(co4_nats *c)
{
    co4_nats_message *m = NULL;
    int err = co4_nats_request(c, "q", "x", 1, &m, SOON);
    if (err == CO4_OK)
        printf("reply %s\n", m->data);
    co4_nats_message_destroy(m);
    return err;
}

/* ---- replies that are none ---- */

/* "PUB q <inbox> 1": the inbox. */
static pausable void hear_inbox(struct liar *l, char *inbox)
{
    char line[200];
    if (!heard(l, "PUB q ", line, sizeof line) || sscanf(line, "PUB q %99s", inbox) != 1)
        printf("no request\n");
}

static pausable int reply_badly(struct liar *l)
{
    char line[300], inbox[100], text[500];
    let_in(l, line, sizeof line);
    hear_inbox(l, inbox);
    snprintf(text, sizeof text, "MSG a 0 3\r\none\r\nMSG %s.x 0 3\r\ntwo\r\n", inbox);
    say(l, text);
    inbox[1] = 'X'; /* as long as ours */
    snprintf(text, sizeof text, "MSG %s 0 5\r\nthree\r\n", inbox);
    say(l, text);
    inbox[1] = 'I';
    snprintf(text, sizeof text, "MSG %s 0 4\r\nfour\r\nMSG %s 0 4\r\nfive\r\n", inbox, inbox);
    say(l, text);
    hear_inbox(l, inbox); /* the next call is a flush: the second that waits at the same time */
    heard(l, "PING", line, sizeof line);
    snprintf(text, sizeof text, "MSG %.*s2 0 1\r\nx\r\n", (int)(strrchr(inbox, '.') + 1 - inbox),
             inbox);
    say(l, text);
    heard(l, "PUB q ", line, sizeof line);
    hang_up(l);
    return 0;
}

static pausable int flush(co4_nats *c)
{
    return co4_nats_flush(c, SOON);
}

static pausable void replies(void)
{
    struct liar l;
    int code = 0;
    liar_begin(&l, "{}");
    co4_task *task = co4_spawn(reply_badly(&l));
    co4_nats *c = open_one(l.url, NULL);
    printf("takes %d\n", (int)co4_nats_max_payload(c)); /* it has not said */
    show("a request", ask(c));
    co4_task *asker = co4_spawn(ask(c)), *flusher = co4_spawn(flush(c));
    co4_sleep(50 * CO4_MS);
    co4_nats_publish(c, "q", "x", 1, SOON);
    co4_join(flusher, &code);
    show("a flush is ended by no message", code);
    co4_join(asker, &code);
    show("a request", code);
    co4_join(task, NULL);
    show("close", co4_nats_close(c, SOON));
    co4_close(l.listening);
}

/* The first request is not waited for any more when its reply comes. The status of the other reply
 * says that nobody listens, but there are data. */
static pausable int reply_late(struct liar *l)
{
    char line[300], first[100], second[100], text[500];
    let_in(l, line, sizeof line);
    hear_inbox(l, first);
    hear_inbox(l, second);
    snprintf(text, sizeof text,
             "MSG %s 0 4\r\nlate\r\nHMSG %s 0 16 17\r\nNATS/1.0 503\r\n\r\nx\r\n", first, second);
    say(l, text);
    while (heard(l, "", line, sizeof line)) {
    }
    hang_up(l);
    return 0;
}

static pausable void late(void)
{
    struct liar l;
    co4_nats_message *m;
    liar_begin(&l, "{\"headers\":true}");
    co4_task *task = co4_spawn(reply_late(&l));
    co4_nats *c = open_one(l.url, NULL);
    show("a request", co4_nats_request(c, "q", "x", 1, &m, co4_now() + 20 * CO4_MS));
    show("a request", ask(c));
    co4_nats_close(c, co4_now());
    co4_join(task, NULL);
    co4_close(l.listening);
}

/* ---- lines that make no sense end the connection ---- */

static pausable int speak_badly(struct liar *l, const char *const *texts)
{
    char line[300];
    for (; *texts; texts++) {
        let_in(l, line, sizeof line);
        say(l, *texts);
        while (heard(l, "", line, sizeof line)) {
        }
        hang_up(l);
    }
    let_in(l, line, sizeof line);
    while (heard(l, "", line, sizeof line)) {
    }
    hang_up(l);
    return 0;
}

static pausable void nonsense(void)
{
    static const char *const texts[] = { "HELLO\r\n",
                                         "MSG\r\n",
                                         "MSG \r\n",
                                         "MSG a 1 -1\r\n",
                                         "MSG a 1 99999999999999999999999\r\n",
                                         "MSG a 1 18446744073709551615\r\n",
                                         "MSG a 1 67108865\r\n",
                                         "MSG a b c d e f g\r\n",
                                         "HMSG a 1 5 4\r\nabcd\r\n",
                                         "HMSG a 1 18446744073709551615 4\r\nabcd\r\n",
                                         "MSG a 1 4\r\nabcdefgh\r\n",
                                         "MSG a 1 4\r\nabcdef+OK\r\n",
                                         "MSG a 1 18446744073709551618\r\nab\r\n",
                                         "HMSG a 1 r 12 12 12\r\nNATS/1.0\r\n\r\n\r\n",
                                         "INFO\r\n",
                                         "INFO [1]\r\n",
                                         NULL };
    struct liar l;
    liar_begin(&l, "{\"max_payload\":9223372036854775807,\"headers\":true}");
    co4_task *task = co4_spawn(speak_badly(&l, texts));
    co4_nats *c = open_one(l.url, &(co4_nats_options){ .wait = CO4_MS });
    co4_nats_event e;
    int n = 0, protocol = 0;
    while (texts[n + 1] && co4_mailbox_receive_until(co4_nats_monitor(c), &e, SOON) == CO4_OK)
        if (e.kind == CO4_NATS_DISCONNECTED) {
            n++;
            protocol += e.code == CO4_NATS_EPROTOCOL;
        }
    printf("%d lost, %d by nonsense\n", n, protocol);
    co4_nats_close(c, co4_now());
    co4_task_cancel(task, 0);
    co4_join(task, NULL);
    co4_close(l.listening);
}

/* ---- half a message, and a close ---- */

static pausable int stop_in_it(struct liar *l)
{
    char line[300];
    let_in(l, line, sizeof line);
    say(l, "MSG a 1 10\r\nabc");
    while (heard(l, "", line, sizeof line)) {
    }
    hang_up(l);
    return 0;
}

static pausable void half(void)
{
    struct liar l;
    liar_begin(&l, "{}");
    co4_task *task = co4_spawn(stop_in_it(&l));
    co4_nats *c = open_one(l.url, NULL);
    co4_task *asker = co4_spawn(ask(c));
    int code = CO4_OK;
    co4_sleep(20 * CO4_MS);
    show("close in the middle", co4_nats_close(c, co4_now() + 20 * CO4_MS));
    co4_join(asker, &code);
    show("a request", code);
    co4_join(task, NULL);
    co4_close(l.listening);
}

/* ---- the end of a subscription ---- */

/* Hears up to a PING: whether the subject is subscribed then. */
static pausable bool subscribed(struct liar *l, bool before)
{
    char line[300];
    while (heard(l, "", line, sizeof line) && strncmp(line, "PING", 4) != 0)
        before = strncmp(line, "SUB a ", 6) == 0  ? true
                 : strncmp(line, "UNSUB", 5) == 0 ? false
                                                  : before;
    return before;
}

static pausable int hear_end(struct liar *l)
{
    char line[300];
    let_in(l, line, sizeof line);
    printf("subscribed: %d\n", subscribed(l, false));
    say(l, "PONG\r\n");
    printf("when the PING comes: %d\n", subscribed(l, true));
    hang_up(l);
    let_in(l, line, sizeof line);
    printf("by the next connection: %d\n", subscribed(l, false));
    say(l, "PONG\r\n");
    while (heard(l, "", line, sizeof line)) {
    }
    hang_up(l);
    return 0;
}

static pausable void draining(void)
{
    struct liar l;
    co4_nats_subscription *s = NULL;
    liar_begin(&l, "{}");
    co4_task *task = co4_spawn(hear_end(&l));
    co4_nats *c = open_one(l.url, NULL);
    show("subscribe", co4_nats_subscribe(&s, c, "a", NULL, 0, 0, SOON));
    show("flush", co4_nats_flush(c, SOON));
    show("drain", co4_nats_drain(s, SOON));
    show("flush", co4_nats_flush(c, SOON));
    co4_nats_unsubscribe(s);
    co4_nats_close(c, co4_now());
    co4_join(task, NULL);
    co4_close(l.listening);
}

/* ---- a server that was learned takes the user of the first ---- */

static pausable int show_user(struct liar *l)
{
    char line[400], *user;
    let_in(l, line, sizeof line);
    user = strstr(line, "\"user\":");
    printf("%.*s\n", user ? 22 : 2, user ? user : "no");
    while (heard(l, "", line, sizeof line)) {
    }
    hang_up(l);
    return 0;
}

static pausable void learned(void)
{
    struct liar l, other;
    char info[200], url[100];
    liar_begin(&other, "{}");
    snprintf(info, sizeof info, "{\"connect_urls\":[\"%s\",7,\"http://x\"]}", other.url);
    liar_begin(&l, info);
    snprintf(url, sizeof url, "nats://me:pw@%s", l.url);
    co4_task *task = co4_spawn(show_user(&other));
    co4_task *first = co4_spawn(show_user(&l));
    co4_nats *c = open_one(url, NULL);
    co4_shutdown(co4_conn_fd(l.conn), 2);
    co4_join(first, NULL);
    co4_close(l.listening);
    co4_nats_event e = { 0 };
    while (e.kind != CO4_NATS_RECONNECTED &&
           co4_mailbox_receive_until(co4_nats_monitor(c), &e, SOON) == CO4_OK) {
    }
    co4_nats_close(c, co4_now());
    co4_join(task, NULL);
    printf("the other: %d\n", strcmp(e.text, other.url) == 0);
    co4_close(other.listening);
}

/* ---- a stored value without its subject ---- */

enum { VALUES = 5 };

static pausable int store_badly(struct liar *l)
{
    static const char *const headers[] = { "NATS/1.0\r\nNats-Subject: a\r\n\r\n",
                                           "NATS/1.0\r\nNats-Subject:\r\n\r\n", "NATS/1.0\r\n\r\n",
                                           "Nats-Subject: $KV.b.key", "NATS/1.0 408\r\n\r\n" };
    char line[400], inbox[100], text[500];
    let_in(l, line, sizeof line);
    heard(l, "PUB $JS", line, sizeof line);
    sscanf(line, "PUB %*s %99s", inbox);
    snprintf(text, sizeof text, "MSG %s 0 2\r\n{}\r\n", inbox);
    say(l, text);
    for (size_t i = 0; i < VALUES; i++) {
        heard(l, "PUB $JS", line, sizeof line);
        sscanf(line, "PUB %*s %99s", inbox);
        size_t n = strlen(headers[i]);
        snprintf(text, sizeof text, "HMSG %s 0 %zu %zu\r\n%sx\r\n", inbox, n, n + 1, headers[i]);
        say(l, text);
    }
    while (heard(l, "", line, sizeof line)) {
    }
    hang_up(l);
    return 0;
}

static pausable void values(void)
{
    struct liar l;
    co4_nats_kv *kv = NULL;
    co4_nats_entry e;
    liar_begin(&l, "{\"headers\":true}");
    co4_task *task = co4_spawn(store_badly(&l));
    co4_nats *c = open_one(l.url, NULL);
    show("open", co4_nats_kv_open(&kv, c, "b", NULL, SOON));
    for (int i = 0; i < VALUES; i++) {
        show("get", co4_nats_kv_get(kv, "key", &e, SOON));
        co4_nats_entry_destroy(&e);
    }
    co4_nats_close(c, co4_now());
    co4_join(task, NULL);
    show("get from a closed one", co4_nats_kv_get(kv, "key", &e, SOON));
    co4_nats_kv_close(kv);
    co4_close(l.listening);
}

/* ---- a server that takes less than before ---- */

static pausable int shrink(struct liar *l)
{
    char line[300];
    let_in(l, line, sizeof line);
    say(l, "INFO {\"max_payload\":10}\r\n");
    heard(l, "PING", line, sizeof line);
    say(l, "PONG\r\n");
    while (heard(l, "", line, sizeof line)) {
    }
    hang_up(l);
    return 0;
}

static pausable void shrinks(void)
{
    struct liar l;
    liar_begin(&l, "{\"headers\":true,\"max_payload\":1000}");
    co4_task *task = co4_spawn(shrink(&l));
    co4_nats *c = open_one(l.url, NULL);
    const char *const headers[] = { "A", "b", NULL };
    show("flush", co4_nats_flush(c, SOON));
    show("too large now", co4_nats_publish(c, "a", "12345678901", 11, SOON));
    show("no headers now",
         co4_nats_send(c, &(co4_nats_outgoing){ .subject = "a", .headers = headers }, SOON));
    co4_nats_close(c, co4_now());
    co4_join(task, NULL);
    co4_close(l.listening);
}

/* ---- it ends each connection at once ---- */

static pausable int hang_up_always(struct liar *l, int *count)
{
    char line[300];
    for (let_in(l, line, sizeof line); l->conn; let_in(l, line, sizeof line)) {
        hang_up(l);
        ++*count;
    }
    return 0;
}

/* Rounds begin 75 to 125 ms after each other. */
static pausable void impatient(void)
{
    struct liar l;
    int count = 0;
    liar_begin(&l, "{}");
    co4_task *task = co4_spawn(hang_up_always(&l, &count));
    co4_nats *c = open_one(l.url, &(co4_nats_options){ .wait = 100 * CO4_MS });
    co4_sleep(600 * CO4_MS);
    co4_task_cancel(task, 0);
    co4_join(task, NULL);
    printf("connections: %s\n", count < 2 ? "no more" : count < 12 ? "some" : "all the time");
    co4_nats_abort(c);
    co4_close(l.listening);
}

static pausable int all(void)
{
    replies();
    late();
    nonsense();
    half();
    draining();
    learned();
    values();
    shrinks();
    impatient();
    return 0;
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    return co4_run(all());
}
