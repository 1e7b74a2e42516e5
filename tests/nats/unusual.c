/* unusual.c - what programs do seldom: arguments that are refused and what they leave behind,
 * subjects with empty parts, many headers, a watch whose values are removed, a lease that becomes
 * free shortly before the deadline, subscriptions that end while the server is gone. */
#include <co4/nats_remote.h>
#include <signal.h>

#include "counted.h"

/* ---- refused ---- */

static char other; /* no object of the library */
#define WRONG ((void *)&other)

static pausable void refused(co4_nats *c, co4_nats_kv *kv)
{
    co4_nats_subscription *s = WRONG;
    co4_nats_message *m = WRONG;
    co4_nats_consumer *k = WRONG;
    co4_nats_follower *f = WRONG;
    co4_nats_kv *opened = WRONG;
    co4_nats_watch *w = WRONG;
    co4_nats_group *g = WRONG;
    co4_nats_entry e = { .message = WRONG };
    const co4_remote none = { c, "" };
    show("subscribe", co4_nats_subscribe(&s, c, "a b", NULL, 0, 0, SOON));
    show("request", co4_nats_request(c, "a", "", 0, &m, CO4_NEVER));
    printf("%d %d\n", s == NULL, m == NULL);
    m = WRONG;
    show("next", co4_nats_next(NULL, &m, SOON));
    show("consume", co4_nats_consume(&k, c, "a.b", NULL, SOON));
    printf("%d %d\n", m == NULL, k == NULL);
    k = WRONG;
    show("no filter",
         co4_nats_consume(&k, c, "A", &(co4_nats_consumer_options){ .filter = "" }, SOON));
    m = WRONG;
    show("take", co4_nats_take(NULL, &m, SOON));
    printf("%d %d\n", k == NULL, m == NULL);
    show("follow", co4_nats_follow(&f, c, "a.b", NULL, CO4_NATS_FROM_FIRST, 0, SOON));
    m = WRONG;
    show("follow next", co4_nats_follow_next(NULL, &m, SOON));
    printf("%d %d\n", f == NULL, m == NULL);
    show("a slash", co4_nats_stream_delete(c, "a/b", SOON));
    show("bucket", co4_nats_kv_open(&opened, c, "a.b", NULL, SOON));
    show("watch", co4_nats_kv_watch(&w, kv, "", SOON));
    show("get", co4_nats_kv_get(kv, "..", &e, SOON));
    printf("%d %d %d\n", opened == NULL, w == NULL, e.message == NULL);
    e.message = WRONG;
    show("watch next", co4_nats_watch_next(NULL, &e, NULL, SOON));
    show("group", co4_nats_group_open(&g, c, "a b", SOON));
    printf("%d %d\n", e.message == NULL, g == NULL);
    m = WRONG;
    show("group ask", co4_nats_group_ask(NULL, NULL, &m, NULL, SOON));
    printf("%d\n", m == NULL);
    m = WRONG;
    show("remote ask", co4_remote_ask(&none, "", 0, &m, NULL, SOON));
    printf("%d\n", m == NULL);
    co4_nats_group_counts counts = { .workers = 1 };
    co4_nats_group_count(NULL, &counts);
    printf("%d\n", (int)counts.workers);
    co4_nats_message status = { .headers = "NATS/1.0 503", .headers_size = 11 };
    printf("%d", co4_nats_status(&status)); /* its last digit is of the data */
    status.headers_size++;
    printf(" %d\n", co4_nats_status(&status));
}

static void show_value(const co4_nats_message *m, const char *name)
{
    size_t n = 0;
    const char *value = co4_nats_header(m, name, &n);
    printf("%s: '%.*s'\n", name, (int)n, value ? value : "");
}

static pausable void headers(co4_nats *c)
{
    static const char text[] = "NATS/1.0\r\nLonger: no\r\nLong:  two words \r\nEmpty:\r\n\r\n";
    static const char *const bad[][2] = { { "a", "b\r\nc: d" }, { "a", "b\n" }, { "a\r\nb", "c" },
                                          { "a b", "c" },       { "", "c" },    { "a:", "c" },
                                          { "a", "b\r" },       { "a\n", "c" } };
    const co4_nats_message m = { .headers = text, .headers_size = sizeof text - 1 };
    show_value(&m, "Long");
    show_value(&m, "Lon");
    show_value(&m, "Empty");
    co4_nats_outgoing o = { .subject = "h" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *one[] = { bad[i][0], bad[i][1], NULL };
        o.headers = one;
        show("a bad header", co4_nats_send(c, &o, SOON));
    }
    const char *good[] = { "a", "b", NULL };
    size_t most = co4_nats_max_payload(c), head = strlen("NATS/1.0\r\na: b\r\n\r\n");
    char *data = calloc(most, 1);
    o = (co4_nats_outgoing){ .subject = "h", .headers = good, .data = data, .size = most - head };
    show("as large as can be", co4_nats_send(c, &o, SOON));
    o.size++;
    show("too large", co4_nats_send(c, &o, SOON));
    free(data);
    show("flush", co4_nats_flush(c, SOON));
}

static pausable void subjects(co4_nats *c)
{
    static const char *const all[] = { ".a",   "a.",   "a..b", ".", "a.>.b",
                                       "a.>b", "a>.b", "a.>",  ">", "a\x7f" };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        co4_nats_subscription *s;
        int err = co4_nats_publish(c, all[i], "", 0, SOON);
        printf("%s: %s; %s\n", all[i], co4_strerror(err),
               co4_strerror(co4_nats_subscribe(&s, c, all[i], NULL, 1, 0, SOON)));
        co4_nats_unsubscribe(s);
    }
    show("flush", co4_nats_flush(c, SOON));
    co4_nats_event e; /* the server refuses none of the others */
    while (co4_mailbox_receive_until(co4_nats_monitor(c), &e, CO4_NOW) == CO4_OK)
        if (e.kind == CO4_NATS_SERVER_ERROR)
            printf("%s\n", e.text);
}

/* Other clients refuse a message for the name of one header. */
static pausable void header_names(co4_nats *c)
{
    static const char *const all[] = { "", "a b", "a:", "a\t", "\x7f", "\xc3\xa4", "!A-z~" };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const char *headers[] = { all[i], "\xc3\xa4", NULL };
        printf("name %d: ", (int)i);
        show("send",
             co4_nats_send(c, &(co4_nats_outgoing){ .subject = "h", .headers = headers }, SOON));
    }
}

/* ---- streams ---- */

static pausable void many_headers(co4_nats *c)
{
    enum { COUNT = 50 };
    char names[COUNT][16];
    const char *headers[2 * COUNT + 1] = { 0 };
    co4_nats_follower *f;
    co4_nats_message *m;
    for (int i = 0; i < COUNT; i++) {
        snprintf(names[i], sizeof names[i], "N%d", i);
        headers[2 * i] = headers[2 * i + 1] = names[i];
    }
    show("make", co4_nats_stream_create(c, &(co4_nats_stream_options){ .name = "H" }, SOON));
    co4_nats_outgoing out = { .subject = "H", .headers = headers };
    co4_nats_expected e = { .id = "one", .last_given = true, .subject_last_given = true };
    show("store", co4_nats_store(c, &out, &e, NULL, SOON));
    show("follow", co4_nats_follow(&f, c, "H", NULL, CO4_NATS_FROM_FIRST, 0, SOON));
    show("next", co4_nats_follow_next(f, &m, SOON));
    int good = 0;
    for (int i = 0; i < COUNT; i++) {
        size_t n = 0;
        const char *value = co4_nats_header(m, names[i], &n);
        good += value && n == strlen(names[i]) && memcmp(value, names[i], n) == 0;
    }
    printf("%d of %d headers\n", good, (int)COUNT);
    co4_nats_message_destroy(m);
    co4_nats_follower_destroy(f);
}

/* Deletes all consumers of a stream. Returns how many. */
static pausable int delete_consumers(co4_nats *c, const char *stream)
{
    char subject[64];
    co4_nats_message *m;
    int n = 0;
    snprintf(subject, sizeof subject, "$JS.API.CONSUMER.NAMES.%s", stream);
    if (co4_nats_request(c, subject, NULL, 0, &m, SOON) != CO4_OK)
        return -1;
    const char *at = strstr(m->data, "\"consumers\":[");
    for (at = at ? at + 13 : ""; *at == '"' || *at == ',' || *at == '['; n++) {
        char name[64];
        at = strchr(at, '"') + 1;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, "\""), at);
        show("delete", co4_nats_consumer_delete(c, stream, name, SOON));
        at += strlen(name) + 1;
    }
    co4_nats_message_destroy(m);
    return n;
}

/* A consumer that is gone between two messages, as its taker has asked for none for long. */
static pausable void consumers_are_gone(co4_nats *c)
{
    co4_nats_consumer *k;
    co4_nats_follower *f;
    co4_nats_message *m = NULL;
    co4_nats_outgoing out = { .subject = "G", .data = "two", .size = 3 };
    show("make", co4_nats_stream_create(c, &(co4_nats_stream_options){ .name = "G" }, SOON));
    show("store", co4_nats_store(c, &(co4_nats_outgoing){ .subject = "G" }, NULL, NULL, SOON));
    show("consume", co4_nats_consume(&k, c, "G", NULL, SOON));
    show("follow", co4_nats_follow(&f, c, "G", NULL, CO4_NATS_FROM_FIRST, 0, SOON));
    show("take", co4_nats_take(k, &m, SOON));
    co4_nats_message_destroy(m);
    show("next", co4_nats_follow_next(f, &m, SOON));
    co4_nats_message_destroy(m);
    co4_sleep(3500 * CO4_MS); /* the server has answered the questions of both */
    printf("%d are gone\n", delete_consumers(c, "G"));
    for (int i = 0; i < 2; i++)
        show("take", co4_nats_take(k, &m, SOON));
    show("store", co4_nats_store(c, &out, NULL, NULL, SOON));
    show("next", co4_nats_follow_next(f, &m, SOON));
    printf("%s\n", m ? m->data : "");
    co4_nats_message_destroy(m);
    co4_nats_consumer_destroy(k);
    co4_nats_follower_destroy(f);
}

/* Nothing says that the last value has come: the rest was removed. */
static pausable void removed(co4_nats *c, co4_nats_kv *kv)
{
    enum { COUNT = 600 }; /* more than are on their way at once */
    co4_nats_watch *w;
    co4_nats_entry e;
    int failed = 0, read = 0;
    for (int i = 0; i < COUNT; i++) {
        char key[16];
        snprintf(key, sizeof key, "w.%d", i);
        failed += co4_nats_kv_put(kv, key, "v", 1, NULL, SOON) != CO4_OK;
    }
    show("watch", co4_nats_kv_watch(&w, kv, "w.*", SOON));
    show("next", co4_nats_watch_next(w, &e, NULL, SOON));
    co4_nats_entry_destroy(&e);
    show("purge", co4_nats_stream_purge(c, "KV_U", "$KV.U.w.>", 0, NULL, SOON));
    for (int64_t end = SOON; !co4_nats_watch_is_current(w) && co4_now() < end; read++)
        if (co4_nats_watch_next(w, &e, NULL, co4_now() + 50 * CO4_MS) == CO4_OK)
            co4_nats_entry_destroy(&e);
    printf("failed %d, some read %d, current %d\n", failed, read > 0, co4_nats_watch_is_current(w));
    show("put", co4_nats_kv_put(kv, "w.new", "v", 1, NULL, SOON));
    show("next", co4_nats_watch_next(w, &e, NULL, SOON));
    printf("%s\n", e.key);
    co4_nats_entry_destroy(&e);
    co4_nats_watch_destroy(w);
}

static pausable int give_later(co4_nats_lease *lease, co4_nats_kv *kv)
{
    co4_sleep(100 * CO4_MS);
    return co4_nats_lease_give(lease, kv, SOON);
}

/* The deadline is nearer than the next time at which a lease of an hour could be looked at. */
static pausable void lease(co4_nats_kv *kv)
{
    co4_nats_lease first, second;
    show("take", co4_nats_lease_take(&first, kv, "l", "first", 3600 * CO4_SEC, SOON));
    int64_t begun = co4_now();
    show("take",
         co4_nats_lease_take(&second, kv, "l", "second", 3600 * CO4_SEC, begun + 100 * CO4_MS));
    printf("not before the deadline: %d\n", co4_now() >= begun + 100 * CO4_MS);
    co4_task *giver = co4_spawn(give_later(&first, kv));
    show("take",
         co4_nats_lease_take(&second, kv, "l", "second", 3600 * CO4_SEC, co4_now() + 900 * CO4_MS));
    printf("larger: %d\n", second.token > first.token);
    co4_join(giver, NULL);
}

/* ---- a server that is gone ---- */

/* That subscriptions end takes no room from messages. */
static pausable void ended(struct server *server)
{
    enum { COUNT = 50, OUTPUT = 8 };
    const char *urls[] = { server->url, NULL };
    co4_nats_options o = {
        .servers = urls, .attempt = PATIENT, .wait = 20 * CO4_MS, .output = OUTPUT
    };
    co4_nats_subscription *s[COUNT];
    co4_nats *c;
    co4_nats_event e = { 0 };
    show("connect", co4_nats_connect(&c, &o, SOON));
    for (int i = 0; i < COUNT; i++)
        if (co4_nats_subscribe(&s[i], c, "e", NULL, 1, CO4_NATS_DROP_NEWEST, SOON) != CO4_OK)
            show("subscribe", CO4_ETIMEDOUT);
    show("flush", co4_nats_flush(c, SOON));
    server_kill(server, SIGKILL);
    while (e.kind != CO4_NATS_DISCONNECTED &&
           co4_mailbox_receive_until(co4_nats_monitor(c), &e, SOON) == CO4_OK) {
    }
    for (int i = 0; i < COUNT; i++)
        co4_nats_unsubscribe(s[i]);
    int n = 0;
    while (co4_nats_publish(c, "e", "", 0, co4_now() + 10 * CO4_MS) == CO4_OK)
        n++;
    printf("room: %d\n", n >= OUTPUT - 1);
    server_start(server);
    int err;
    while ((err = co4_nats_flush(c, SOON)) == CO4_NATS_EDISCONNECTED)
        co4_sleep(CO4_MS);
    show("flush", err);
    show("close", co4_nats_close(c, SOON));
}

/* Nor do subscriptions that begin: the next server learns of all. */
static pausable void begun(struct server *server)
{
    enum { COUNT = 50, OUTPUT = 8 };
    const char *urls[] = { server->url, NULL };
    co4_nats_options o = { .servers = urls, .wait = 20 * CO4_MS, .output = OUTPUT };
    co4_nats_subscription *s[COUNT];
    co4_nats *c;
    co4_nats_event e = { 0 };
    co4_nats_message *m;
    int begun = 0, sent = 0, came = 0, err;
    show("connect", co4_nats_connect(&c, &o, SOON));
    server_kill(server, SIGKILL);
    while (e.kind != CO4_NATS_DISCONNECTED &&
           co4_mailbox_receive_until(co4_nats_monitor(c), &e, SOON) == CO4_OK) {
    }
    for (int i = 0; i < COUNT; i++)
        begun += co4_nats_subscribe(&s[i], c, "b", NULL, 1, 0, co4_now() + CO4_SEC) == CO4_OK;
    while (sent < OUTPUT && co4_nats_publish(c, "b", "", 0, co4_now() + CO4_SEC) == CO4_OK)
        sent++;
    printf("%d have begun, and %d messages wait\n", begun, sent);
    server_start(server);
    for (int i = 0; i < COUNT; came += err == CO4_OK, i++)
        if ((err = co4_nats_next(s[i], &m, SOON)) == CO4_OK)
            co4_nats_message_destroy(m);
    printf("a message has come to %d\n", came);
    for (int i = 0; i < COUNT; i++)
        co4_nats_unsubscribe(s[i]);
    show("close", co4_nats_close(c, SOON));
}

static pausable int run(struct server *server)
{
    const char *urls[] = { server->url, NULL };
    co4_nats *c;
    co4_nats_kv *kv;
    int err = co4_nats_connect(&c, &(co4_nats_options){ .servers = urls, .attempt = PATIENT },
                               SOON);
    if (err == CO4_OK)
        err = co4_nats_kv_open(&kv, c, "U", NULL, SOON);
    if (err != CO4_OK) {
        show("connect", err);
        return 1;
    }
    refused(c, kv);
    headers(c);
    subjects(c);
    header_names(c);
    many_headers(c);
    consumers_are_gone(c);
    removed(c, kv);
    lease(kv);
    co4_nats_kv_close(kv);
    show("close", co4_nats_close(c, SOON));
    ended(server);
    begun(server);
    return 0;
}

int main(void)
{
    struct server server = { 0 };
    server_start(&server);
    int status = co4_run(run(&server));
    server_end(&server);
    return status;
}
