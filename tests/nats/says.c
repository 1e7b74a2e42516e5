/* says.c - what a client says to a server, to the byte: who it is, where it goes, what it asks for
 * streams, consumers and buckets. */
#include <co4/nats_kv.h>
#include <unistd.h>

#include "liar.h"
#include "nkeys.h"

/* ---- who it is ---- */

static pausable int show_connect(struct liar *l)
{
    char line[1000], *version;
    let_in(l, line, sizeof line);
    line[strcspn(line, "\r\n")] = '\0';
    version = strstr(line, "\"version\"");
    printf("%.*s …%s\n", version ? (int)(version - line) : 0, line,
           version ? strchr(version, ',') : line);
    while (heard(l, "", line, sizeof line)) {
    }
    hang_up(l);
    return 0;
}

static pausable void connect_as(struct liar *l, const char *before, const char *behind,
                                const co4_nats_options *o)
{
    char url[200];
    snprintf(url, sizeof url, "%s%s%s", before, l->url, behind);
    co4_task *task = co4_spawn(show_connect(l));
    co4_nats *c = open_one(url, o);
    co4_nats_close(c, co4_now());
    co4_join(task, NULL);
}

static pausable void who(void)
{
    struct liar l;
    co4_nats_options o = { .name = "a name", .no_echo = true };
    liar_begin(&l, "{\"headers\":true}");
    connect_as(&l, "", "", &o);
    o = (co4_nats_options){ .user = "me", .password = "secret" };
    connect_as(&l, "nats://", "/", &o);
    connect_as(&l, "nats://m%65:p%40@", "//", &o); /* that of the address comes first */
    connect_as(&l, "nats://me:p@ss%4@", "", NULL);
    connect_as(&l, "nats://a%20token@", "", NULL);
    connect_as(&l, "", "", &(co4_nats_options){ .token = "another" });
    co4_close(l.listening);
}

static pausable int say_info(struct liar *l)
{
    char line[100];
    l->conn = co4_conn_create(co4_accept(l->listening, NULL, NULL));
    say(l, l->info);
    while (heard(l, "", line, sizeof line))
        printf("%s", line);
    hang_up(l);
    return 0;
}

static pausable void refused(void)
{
    static const char *const urls[] = {
        "127.0.0.1:0",  "127.0.0.1:65536", "127.0.0.1:4222x",      "[::1]x80", "[::1", "",
        "nats://a b:1", "http://a",        "127.0.0.1:99999999999"
    };
    co4_nats *c;
    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
        const char *one[] = { urls[i], NULL };
        show(urls[i], co4_nats_connect(&c, &(co4_nats_options){ .servers = one }, SOON));
    }
    struct liar l;
    liar_begin(&l, "{}");
    const char *one[] = { l.url, NULL };
    co4_task *task = co4_spawn(say_info(&l));
    show("a name that is no text",
         co4_nats_connect(&c, &(co4_nats_options){ .servers = one, .name = "\xff" }, SOON));
    co4_join(task, NULL);
    co4_close(l.listening);
}

/* ---- files of users ---- */

static pausable int try_file(const char *path)
{
    struct liar l;
    co4_nats *c;
    liar_begin(&l, "{\"nonce\":\"abc\"}");
    const char *one[] = { l.url, NULL };
    co4_task *task = co4_spawn(say_info(&l));
    int err = co4_nats_connect(&c, &(co4_nats_options){ .servers = one, .credentials = path },
                               SOON);
    co4_join(task, NULL);
    co4_close(l.listening);
    return err;
}

/* Makes the file, and its path of a template. */
static void write_file(char *path, const char *before, const char *text, const char *behind)
{
    int fd = mkstemp(path);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    if (!file || fprintf(file, "%s%s%s", before, text, behind) < 0 || fclose(file) != 0)
        abort();
}

static pausable void file_with(const char *what, const char *before, const char *text,
                               const char *behind)
{
    char path[] = "/tmp/co4-nats-says.XXXXXX";
    write_file(path, before, text, behind);
    show(what, try_file(path));
    remove(path);
}

static int next_descriptor(void)
{
    int fd = dup(0);
    close(fd);
    return fd;
}

/* What makes no sense is not sent to a server. */
static pausable void files(void)
{
    static const char begin[] = "-----BEGIN USER NKEY SEED-----\n";
    struct nkey user, account;
    char text[128];
    int next = next_descriptor();
    nkey_make(&user, NKEY_USER);
    nkey_make(&account, NKEY_ACCOUNT);
    file_with("the seed of an account", "", account.seed_text, "\n");
    file_with("a seed and more", "", user.seed_text, "\nA");
    file_with("no end", begin, user.seed_text, "\n");
    file_with("nothing", begin, "", "---");
    file_with("two", "", user.seed_text, user.seed_text);
    snprintf(text, sizeof text, "%s", user.seed_text);
    text[10] = text[10] == 'A' ? 'B' : 'A';
    file_with("another letter", "", text, "\n");
    snprintf(text, sizeof text, "%.10s1%s", user.seed_text, user.seed_text + 10);
    file_with("no letter", "", text, "\n");
    file_with("an empty file", "", "", "");
    printf("all are closed: %d\n", next_descriptor() == next);
}

/* ---- where it goes ---- */

/* Takes the first, and tells it of others, and of fewer; then nobody is there any more. */
static pausable int tell(struct liar *l, const char *const *news)
{
    char line[300], text[300];
    let_in(l, line, sizeof line);
    for (; *news; news++) {
        snprintf(text, sizeof text, "INFO {\"connect_urls\":[%s]}\r\n", *news);
        say(l, text);
    }
    say(l, "PING\r\n");
    heard(l, "PONG", line, sizeof line); /* it has read that */
    co4_close(l->listening);
    hang_up(l);
    return 0;
}

static pausable void attempts(const char *first, const char *const *news)
{
    struct liar l;
    co4_nats_event e = { 0 };
    liar_begin(&l, "{}");
    const char *urls[] = { first ? first : l.url, l.url, l.url, NULL };
    co4_nats_options o = { .servers = urls, .in_order = true, .rounds = 1 };
    co4_nats *c = NULL;
    co4_task *task = co4_spawn(tell(&l, news));
    show("connect", co4_nats_connect(&c, &o, SOON));
    co4_join(task, NULL);
    while (e.kind != CO4_NATS_CLOSED &&
           co4_mailbox_receive_until(co4_nats_monitor(c), &e, SOON) == CO4_OK)
        if (e.kind == CO4_NATS_ATTEMPT_FAILED)
            printf("tries %s\n", strcmp(e.text, l.url) == 0 ? "the first" : e.text);
    co4_nats_close(c, co4_now());
}

static pausable void where(void)
{
    static const char *const none[] = { NULL };
    static const char *const some[] = {
        "\"127.0.0.1:1\",\"127.0.0.1:2\",\"[::1]:3\",\"127.0.0.1:1\"",
        "\"127.0.0.1:2\",\"[::1]:3\"", "", NULL
    };
    attempts(NULL, none);
    attempts("127.0.0.1:9", none);
    attempts(NULL, some);
    attempts("127.0.0.1:9", some);
}

/* The server that it has moves when others before it are forgotten. */
static pausable int tell_second(struct liar *l, const char *url)
{
    char line[300], text[300];
    let_in(l, line, sizeof line);
    snprintf(text, sizeof text, "INFO {\"connect_urls\":[\"%s\"]}\r\nPING\r\n", url);
    say(l, text);
    heard(l, "PONG", line, sizeof line);
    co4_close(l->listening);
    hang_up(l);
    return 0;
}

static pausable int lead(struct liar *l)
{
    char line[300];
    let_in(l, line, sizeof line);
    co4_close(l->listening);
    hang_up(l);
    return 0;
}

static pausable void moved(void)
{
    struct liar first, second;
    char info[200];
    co4_nats_event e = { 0 };
    liar_begin(&second, "{}");
    snprintf(info, sizeof info, "{\"connect_urls\":[\"127.0.0.1:1\",\"%s\"]}", second.url);
    liar_begin(&first, info);
    co4_task *leads = co4_spawn(lead(&first)), *tells = co4_spawn(tell_second(&second, second.url));
    co4_nats *c = open_one(first.url, &(co4_nats_options){ .rounds = 1 });
    co4_join(leads, NULL);
    co4_join(tells, NULL);
    while (e.kind != CO4_NATS_CLOSED &&
           co4_mailbox_receive_until(co4_nats_monitor(c), &e, SOON) == CO4_OK)
        printf("event %d %s\n", (int)e.kind,
               strcmp(e.text, first.url) == 0    ? "the first"
               : strcmp(e.text, second.url) == 0 ? "the second"
                                                 : e.text);
    co4_nats_close(c, co4_now());
}

/* ---- what it asks for ---- */

static void show_text(const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        printf(text[i] == '\r' ? "\\r" : text[i] == '\n' ? "\\n" : "%c", text[i]);
    printf("\n");
}

/* Shows each message, and answers it with what the next call needs. */
static pausable int show_all(struct liar *l, const char *const *answers)
{
    char line[500], subject[200], reply[100], *at;
    let_in(l, line, sizeof line);
    while (heard(l, "", line, sizeof line)) {
        bool headers = line[0] == 'H';
        if (strncmp(line, "PING", 4) == 0)
            say(l, "PONG\r\n");
        int head = 0, all = 0;
        if (strncmp(line + headers, "PUB ", 4) != 0 ||
            sscanf(line + headers, headers ? "PUB %199s %99s %d %d" : "PUB %199s %99s %d", subject,
                   reply, headers ? &head : &all, &all) < 3)
            continue;
        at = malloc((size_t)all + 2);
        co4_conn_read_exact(l->conn, at, (size_t)all + 2);
        printf("%s\n    ", subject);
        show_text(at, (size_t)all + 2);
        free(at);
        const char *text = *answers ? *answers++ : "{}";
        snprintf(line, sizeof line, "MSG %s 0 %zu\r\n%s\r\n", reply, strlen(text), text);
        say(l, line);
    }
    hang_up(l);
    return 0;
}

static pausable void streams(co4_nats *c)
{
    static const char *const subjects[] = { "a", "b.*", NULL };
    co4_nats_stream_options o = { .name = "S" };
    show("make", co4_nats_stream_create(c, &o, SOON));
    o = (co4_nats_stream_options){ .name = "S",
                                   .subjects = subjects,
                                   .retention = CO4_NATS_INTEREST,
                                   .in_memory = true,
                                   .refuse_new = true,
                                   .replicas = 3,
                                   .max_messages = 4,
                                   .max_bytes = 5,
                                   .max_age = 6 * CO4_SEC,
                                   .max_per_subject = 7 };
    show("make", co4_nats_stream_create(c, &o, SOON));
    o.duplicates = 8;
    show("make", co4_nats_stream_create(c, &o, SOON));
    show("purge", co4_nats_stream_purge(c, "S", "a", 9, NULL, SOON));
    show("purge", co4_nats_stream_purge(c, "S", NULL, 0, NULL, SOON));
    co4_nats_kv *kv = NULL;
    co4_nats_kv_options k = { .history = 1, .max_age = 500 * CO4_MS, .max_bytes = 3 };
    show("open", co4_nats_kv_open(&kv, c, "b", NULL, SOON));
    co4_nats_kv_close(kv);
    k.in_memory = true;
    k.replicas = 3;
    show("open", co4_nats_kv_open(&kv, c, "b", &k, SOON));
    co4_nats_kv_close(kv);
}

static pausable void messages(co4_nats *c)
{
    static const char *const headers[] = { "Own", "1", NULL };
    co4_nats_outgoing m = { .subject = "s", .data = "data", .size = 4 };
    co4_nats_expected e = { .id = "one", .last_given = true, .last = 3 };
    show("store", co4_nats_store(c, &m, NULL, NULL, SOON));
    show("store", co4_nats_store(c, &m, &e, NULL, SOON));
    m.headers = headers;
    e = (co4_nats_expected){ .subject_last_given = true, .subject_last = 4 };
    show("store", co4_nats_store(c, &m, &e, NULL, SOON));
    show("store", co4_nats_store(c, &m, &(co4_nats_expected){ 0 }, NULL, SOON));
    m.headers = (const char *const[]){ NULL };
    show("store", co4_nats_store(c, &m, NULL, NULL, SOON));
}

static pausable void take(co4_nats *c, co4_nats_consumer *k)
{
    co4_nats_message *m;
    int err = co4_nats_take(k, &m, co4_now() + 20 * CO4_MS);
    co4_nats_flush(c, SOON); /* it was asked for before */
    show("take", err);
}

static pausable void consumers(co4_nats *c)
{
    co4_nats_consumer *k;
    co4_nats_follower *f;
    show("consume", co4_nats_consume(&k, c, "S", NULL, SOON));
    take(c, k);
    co4_nats_consumer_destroy(k);
    co4_nats_consumer_options o = { .name = "w",
                                    .filter = "a",
                                    .credit = 2,
                                    .ack_wait = 3,
                                    .max_deliver = 4,
                                    .max_pending = 5,
                                    .only_new = true };
    show("consume", co4_nats_consume(&k, c, "S", &o, SOON));
    take(c, k);
    co4_nats_consumer_destroy(k);
    for (int from = CO4_NATS_FROM_FIRST; from <= CO4_NATS_FROM_NUMBER; from++) {
        show("follow", co4_nats_follow(&f, c, "S", from == CO4_NATS_FROM_LAST ? "a" : NULL,
                                       (co4_nats_from)from, 5, SOON));
        co4_nats_follower_destroy(f);
    }
}

static pausable void asks(void)
{
    static const char *const answers[] = { "{}",
                                           "{\"error\":{\"code\":400,\"err_code\":10058}}",
                                           "{}",
                                           "{}",
                                           "{}",
                                           "{}",
                                           "{}",
                                           "{}",
                                           "{}",
                                           "{}",
                                           "{}",
                                           "{}",
                                           "{}",
                                           "{\"name\":\"x\"}",
                                           "{}",
                                           "{\"error\":{\"code\":404}}",
                                           "{\"name\":\"w\"}",
                                           "{}",
                                           "{\"name\":\"f\"}",
                                           "{\"name\":\"f\"}",
                                           "{\"name\":\"f\"}",
                                           "{\"name\":\"f\"}",
                                           NULL };
    struct liar l;
    liar_begin(&l, "{\"headers\":true}");
    co4_task *task = co4_spawn(show_all(&l, answers));
    co4_nats *c = open_one(l.url, NULL);
    streams(c);
    messages(c);
    consumers(c);
    co4_nats_close(c, co4_now());
    co4_join(task, NULL);
    co4_close(l.listening);
}

static pausable int all(void)
{
    who();
    refused();
    files();
    where();
    moved();
    asks();
    return 0;
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    return co4_run(all());
}
