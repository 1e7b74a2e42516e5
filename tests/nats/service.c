/* service.c - co4/nats_service.h: each request that comes gets one answer, also when too many come,
 * when handlers fail, and when the service ends. */
#include <co4/nats_service.h>
#include <co4/test.h>
#include <signal.h>

#include "program.h"

static pausable co4_nats *open_with(const char *url, int rounds)
{
    const char *urls[] = { url, NULL };
    co4_nats *c = NULL;
    co4_nats_options o = {
        .servers = urls, .attempt = PATIENT, .wait = 20 * CO4_MS, .rounds = rounds, .output = 100
    };
    int err = co4_nats_connect(&c, &o, SOON);
    if (err != CO4_OK)
        show("connect", err);
    return c;
}

static pausable co4_nats *open_one(const char *url)
{
    return open_with(url, 0);
}

static void show_counts(const co4_nats_service_counts *counts)
{
    co4_nats_service_counts n;
    co4_nats_service_read(counts, &n);
    printf("asked %d: answered %d, failed %d, refused %d, unanswered %d, inside %d\n", (int)n.asked,
           (int)n.answered, (int)n.failed, (int)n.refused, (int)n.unanswered, (int)n.inside);
}

/* ---- a service that does what it is asked for ---- */

static int running, most, second;
static bool lost;

/* Needs a frame at entry, which it does not get: its task ends there. */
static pausable int deep(char byte)
{
    char bytes[300];
    memset(bytes, byte, sizeof bytes);
    int err = co4_sleep(CO4_MS);
    return bytes[7] == byte ? err : CO4_EINVAL;
}

static pausable int answer(co4_nats_call *call, co4_nats *c)
{
    const co4_nats_message *m = co4_nats_call_message(call);
    const char *headers[] = { "Kind", "echo", NULL };
    co4_nats_outgoing o = { .headers = headers, .data = m->data, .size = m->size };
    if (strncmp(m->data, "echo", 4) == 0)
        return co4_nats_answer(call, m->data, m->size, SOON);
    if (strcmp(m->data, "headers") == 0)
        return co4_nats_answer_with(call, &o, SOON);
    if (strcmp(m->data, "many headers") == 0) {
        const char *many[2 * 40 + 1] = { 0 };
        for (int i = 0; i < 2 * 40; i++)
            many[i] = "A";
        o.headers = many;
        return co4_nats_answer_with(call, &o, SOON);
    }
    if (strcmp(m->data, "twice") == 0) {
        co4_nats_answer(call, "once", 4, SOON);
        second = co4_nats_answer(call, "twice", 5, SOON);
        return CO4_OK;
    }
    if (strcmp(m->data, "text") == 0)
        return co4_nats_answer_error(call, -409, "a text\r\nof its own", SOON);
    if (strcmp(m->data, "busy") == 0)
        return co4_nats_answer_error(call, CO4_NATS_EBUSY, NULL, SOON);
    if (strcmp(m->data, "large") == 0) {
        size_t n = co4_nats_max_payload(c);
        char *data = calloc(n + 1, 1);
        int err = co4_nats_answer(call, data, n + 1, SOON);
        free(data);
        return err;
    }
    if (strcmp(m->data, "sleep") == 0)
        return co4_sleep(60 * CO4_SEC);
    if (strcmp(m->data, "held") == 0) { /* until the server is gone */
        while (!lost)
            co4_sleep(CO4_MS);
        second = co4_nats_answer(call, "late", 4, co4_now() + 50 * CO4_MS);
        return second;
    }
    if (strcmp(m->data, "short") == 0)
        return co4_sleep(20 * CO4_MS);
    if (strcmp(m->data, "memory") == 0) {
        co4_test_fail_alloc(1);
        return co4_sleep(CO4_MS);
    }
    if (strcmp(m->data, "no frame") == 0) {
        co4_test_fail_alloc(1);
        return deep('x');
    }
    return strcmp(m->data, "nothing") == 0 ? CO4_OK : atoi(m->data);
}

static pausable int handle(co4_nats_call *call, void *arg)
{
    running++;
    most = running > most ? running : most;
    int err = answer(call, arg);
    running--;
    return err;
}

static pausable int serve(co4_nats *c, const co4_nats_service_options *options, co4_future *ready,
                          co4_nats_service_counts *counts)
{
    co4_nats_service_options o = *options;
    o.ready = ready;
    o.counts = counts;
    return co4_nats_serve(c, &o, handle, c);
}

struct service {
    co4_nats_service_counts counts;
    co4_task *task;
};

static pausable void start(struct service *s, co4_nats *c, const co4_nats_service_options *o)
{
    co4_future *ready = co4_future_create(0);
    s->counts = (co4_nats_service_counts){ 0 };
    s->task = co4_spawn(serve(c, o, ready, &s->counts));
    int err = co4_future_await_until(ready, NULL, SOON);
    if (err != CO4_OK)
        show("ready", err);
    co4_future_release(ready);
}

static pausable void end(struct service *s, const char *what)
{
    int code;
    co4_task_cancel(s->task, 0);
    co4_join(s->task, &code);
    show(what, code);
    show_counts(&s->counts);
}

/* ---- askers ---- */

static pausable int ask(co4_nats *c, const char *subject, const char *text, int64_t deadline)
{
    co4_nats_outgoing m = { .subject = subject, .data = text, .size = strlen(text) };
    co4_nats_message *reply;
    int err = co4_nats_ask(c, &m, &reply, NULL, deadline);
    if (err != CO4_OK)
        return err;
    err = strncmp(text, "echo", 4) != 0 || strcmp(text, reply->data) == 0 ? CO4_OK : CO4_EINVAL;
    co4_nats_message_destroy(reply);
    return err;
}

static pausable void ask_and_show(co4_nats *c, const char *text)
{
    co4_nats_outgoing m = { .subject = "s", .data = text, .size = strlen(text) };
    co4_nats_message *reply;
    co4_nats_failure failure;
    int err = co4_nats_ask(c, &m, &reply, &failure, SOON);
    printf("%s: %s", text, co4_strerror(err));
    if (err == CO4_OK) {
        size_t n = 0;
        const char *kind = co4_nats_header(reply, "Kind", &n);
        printf(" '%s' %.*s", reply->data, (int)n, kind ? kind : "");
    } else {
        printf(" %d '%s'", failure.code, failure.text);
    }
    printf("\n");
    co4_nats_message_destroy(reply);
}

static pausable void one_by_one(co4_nats *c, co4_nats *d)
{
    static const char *const texts[] = { "echo",     "headers",      "twice",      "nothing",
                                         "-404",     "text",         "large",      "memory",
                                         "no frame", "many headers", "echo again", "-2122",
                                         "busy" };
    struct service s;
    show("nobody", ask(c, "s", "echo", SOON));
    start(&s, d, &(co4_nats_service_options){ .name = "s" });
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        ask_and_show(c, texts[i]);
    show("without a reply", co4_nats_publish(c, "s", "echo", 4, SOON));
    show("the second answer", second);
    show("the deadline", ask(c, "s", "sleep", co4_now() + CO4_SEC)); /* it was sent by then */
    end(&s, "cancelled");
    show("nobody", ask(c, "s", "echo", SOON));
}

/* ---- too many ---- */

static pausable void ask_many(co4_nats *c, const char *subject, const char *text, int n, int *codes)
{
    co4_task **tasks = calloc((size_t)n, sizeof *tasks);
    for (int i = 0; i < n; i++)
        tasks[i] = co4_spawn(ask(c, subject, text, SOON));
    for (int i = 0; i < n; i++)
        if (co4_join(tasks[i], &codes[i]) != CO4_OK && codes[i] == CO4_OK)
            codes[i] = CO4_EINVAL;
    free(tasks);
}

static int with(const int *codes, int n, int code)
{
    int found = 0;
    for (int i = 0; i < n; i++)
        found += codes[i] == code;
    return found;
}

static pausable void too_many(co4_nats *c, co4_nats *d)
{
    enum { N = 1000 };
    static int codes[N];
    struct service s;
    running = most = 0; /* one was abandoned */
    start(&s, d, &(co4_nats_service_options){ .name = "s", .at_once = 2, .capacity = 3 });
    ask_many(c, "s", "short", 50, codes);
    int good = with(codes, 50, CO4_OK), busy = with(codes, 50, CO4_NATS_EBUSY);
    printf("all have answers: %d, some of both: %d, at most %d at once\n", good + busy == 50,
           good >= 5 && busy > 0, most);
    co4_nats_service_counts n;
    co4_nats_service_read(&s.counts, &n);
    printf("counted: %d\n", (int)n.answered == good && (int)n.refused == busy);
    show("and then", ask(c, "s", "echo", SOON));
    int code;
    co4_task_cancel(s.task, 0);
    co4_join(s.task, &code);
    /* One place, and none to wait. */
    start(&s, d, &(co4_nats_service_options){ .name = "s", .at_once = 1, .capacity = -1 });
    co4_task *first = co4_spawn(ask(c, "s", "sleep", SOON));
    while (s.counts.inside == 0)
        co4_sleep(CO4_MS);
    show("the second", ask(c, "s", "echo", SOON));
    end(&s, "cancelled");
    co4_join(first, &code);
    show("the first", code);
    /* As many as there is room for. */
    most = 0;
    start(&s, d, &(co4_nats_service_options){ .name = "s", .at_once = 10, .capacity = N });
    ask_many(c, "s", "echo", N, codes);
    printf("%d of %d, at most 10 at once: %d\n", with(codes, N, CO4_OK), N, most <= 10);
    end(&s, "cancelled");
}

/* ---- ends ---- */

/* Cancelled with requests in handlers, in its mailbox, and on their way: each asker learns it. */
static pausable void cancelled(co4_nats *c, co4_nats *d)
{
    enum { N = 30 };
    static co4_task *tasks[N];
    struct service s;
    int code, failed = 0, busy = 0, nobody = 0;
    start(&s, d, &(co4_nats_service_options){ .name = "s", .at_once = 5, .capacity = 10 });
    for (int i = 0; i < N; i++)
        tasks[i] = co4_spawn(ask(c, "s", "sleep", SOON));
    while (s.counts.asked < N || running < 5)
        co4_sleep(CO4_MS);
    co4_task_cancel(s.task, 0);
    co4_join(s.task, &code);
    show("the service", code);
    for (int i = 0; i < N; i++) {
        co4_join(tasks[i], &code);
        failed += code == CO4_NATS_ESERVICE;
        busy += code == CO4_NATS_EBUSY;
        nobody += code == CO4_NATS_ENORESPONDERS;
    }
    printf("%d had begun, the others not: %d\n", failed, failed + busy + nobody == N);
    printf("counted: %d\n", (int)(s.counts.failed + s.counts.refused) == failed + busy);
}

/* The connection is closed: what has come is answered, also by handlers that ask others. */
static pausable int ask_other(co4_nats_call *call, void *arg)
{
    int err = co4_sleep(20 * CO4_MS);
    if (err == CO4_OK)
        err = ask(arg, "other", "echo", SOON);
    return err == CO4_OK ? co4_nats_answer(call, "done", 4, SOON) : err;
}

static pausable int serve_other(co4_nats *c, co4_future *ready, co4_nats_service_counts *counts)
{
    co4_nats_service_options o = {
        .name = "drained", .at_once = 3, .ready = ready, .counts = counts
    };
    return co4_nats_serve(c, &o, ask_other, c);
}

static pausable void drained(const char *url, co4_nats *c)
{
    enum { N = 20 };
    static co4_task *tasks[N];
    struct service other;
    co4_nats *d = open_one(url);
    co4_nats_service_counts counts = { 0 };
    co4_future *ready = co4_future_create(0);
    start(&other, c, &(co4_nats_service_options){ .name = "other" });
    co4_task *task = co4_spawn(serve_other(d, ready, &counts));
    co4_future_await_until(ready, NULL, SOON);
    co4_future_release(ready);
    for (int i = 0; i < N; i++)
        tasks[i] = co4_spawn(ask(c, "drained", "x", SOON));
    while (counts.asked < N)
        co4_sleep(CO4_MS);
    show("close", co4_nats_close(d, SOON));
    int code, good = 0;
    co4_join(task, &code);
    show("the service", code);
    for (int i = 0; i < N; i++) {
        co4_join(tasks[i], &code);
        good += code == CO4_OK;
    }
    printf("%d of %d\n", good, N);
    show_counts(&counts);
    end(&other, "other");
}

/* A close does not wait longer than it may. */
static pausable void closed_in_time(const char *url, co4_nats *c)
{
    struct service s;
    int code;
    co4_nats *d = open_one(url);
    start(&s, d, &(co4_nats_service_options){ .name = "s", .at_once = 1 });
    co4_task *asker = co4_spawn(ask(c, "s", "sleep", co4_now() + CO4_SEC));
    while (s.counts.inside == 0)
        co4_sleep(CO4_MS);
    show("close", co4_nats_close(d, co4_now() + 50 * CO4_MS));
    co4_join(asker, &code);
    show("the asker", code);
    end(&s, "cancelled");
}

/* ---- several ---- */

static pausable void shared(const char *url, co4_nats *c)
{
    enum { N = 200 };
    static int codes[N];
    struct service a, b, all, also; /* the last two have one name, and each gets all */
    co4_nats *d = open_one(url), *e = open_one(url);
    start(&a, d, &(co4_nats_service_options){ .name = "shared" });
    start(&b, e, &(co4_nats_service_options){ .name = "shared" });
    start(&all, e, &(co4_nats_service_options){ .name = "all", .subject = "shared", .all = true });
    start(&also, d, &(co4_nats_service_options){ .name = "all", .subject = "shared", .all = true });
    ask_many(c, "shared", "echo", N, codes);
    for (int i = 0; i < 5000 && (all.counts.asked < N || also.counts.asked < N); i++)
        co4_sleep(CO4_MS);
    while (a.counts.asked + b.counts.asked < N)
        co4_sleep(CO4_MS);
    printf("%d of %d; each once: %d, both: %d, and all: %d, %d\n", with(codes, N, CO4_OK), N,
           (int)(a.counts.asked + b.counts.asked) == N, a.counts.asked > 0 && b.counts.asked > 0,
           (int)all.counts.asked, (int)also.counts.asked);
    int code;
    co4_task_cancel(a.task, 0);
    co4_join(a.task, &code);
    ask_many(c, "shared", "echo", 10, codes);
    printf("one has ended: %d of 10\n", with(codes, 10, CO4_OK));
    show("close", co4_nats_close(d, SOON));
    show("close", co4_nats_close(e, SOON));
    co4_join(b.task, &code);
    show("the other", code);
    co4_join(also.task, NULL);
    co4_join(all.task, &code);
    show("all", code);
}

/* ---- discovery ---- */

static pausable void question(co4_nats *c, const char *subject)
{
    co4_nats_message *m;
    int err = co4_nats_request(c, subject, NULL, 0, &m, SOON);
    printf("%s: %s", subject, co4_strerror(err));
    if (err == CO4_OK)
        printf(" %d %d %d %d", strstr(m->data, "\"name\":\"found\"") != NULL,
               strstr(m->data, "\"version\":\"1.2.3\"") != NULL,
               strstr(m->data, "\"num_requests\":3") != NULL,
               strstr(m->data, "\"queue_group\":\"found\"") != NULL);
    printf("\n");
    co4_nats_message_destroy(m);
}

static const char *text_in(const char *text, const char *name)
{
    const char *at = strstr(text, name);
    return at ? at + strlen(name) : "??";
}

static uint64_t number_in(const char *text, const char *name)
{
    const char *at = strstr(text, name);
    return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

/* How long the handlers took: two have slept for 20 ms. */
static pausable void times(co4_nats *c, const char *subject)
{
    co4_nats_message *m;
    int codes[2];
    ask_many(c, "found", "short", 2, codes);
    if (co4_nats_request(c, subject, NULL, 0, &m, SOON) != CO4_OK)
        return;
    uint64_t all = number_in(m->data, "\"processing_time\":");
    uint64_t each = number_in(m->data, "\"average_processing_time\":");
    printf("all %d, each %d, of %d\n", all >= 40 * CO4_MS, each == all / 5,
           (int)number_in(m->data, "\"num_requests\":"));
    printf("it has started: %d\n", strncmp(text_in(m->data, "\"started\":\""), "20", 2) == 0);
    co4_nats_message_destroy(m);
}

static void show_failure(const char *headers)
{
    co4_nats_message m = { .headers = headers, .headers_size = strlen(headers) };
    co4_nats_failure f;
    int err = co4_nats_failure_of(&m, &f);
    printf("%s, %d '%s'\n", co4_strerror(err), f.code, f.text);
}

static void failures(void)
{
    show_failure("NATS/1.0\r\nNats-Service-Error-Code: 400\r\nNats-Service-Error: text\r\n\r\n");
    show_failure("NATS/1.0\r\nNats-Service-Error-Code: 4294967697\r\n\r\n");
    show_failure("NATS/1.0\r\nNats-Service-Error-Code: text\r\n\r\n");
    show_failure("NATS/1.0\r\nNats-Service-Error: alone\r\n\r\n");
    show_failure("NATS/1.0\r\n\r\n");
}

static pausable void discovery(co4_nats *c, co4_nats *d)
{
    struct service s;
    int codes[3];
    char name[] = "found", version[] = "1.2.3";
    co4_nats_service_options o = { .name = name, .version = version, .description = "a test" };
    start(&s, d, &o);
    memcpy(name, "other", 5); /* they were copied */
    memcpy(version, "9.9.9", 5);
    ask_many(c, "found", "echo", 3, codes);
    question(c, "$SRV.PING");
    question(c, "$SRV.INFO.found");
    question(c, "$SRV.STATS.found");
    question(c, "$SRV.PING.other");
    question(c, "$SRV.WHAT"); /* nobody knows that question */
    question(c, "$SRV.WHAT.found");
    times(c, "$SRV.STATS.found");
    end(&s, "cancelled");
    question(c, "$SRV.PING.found");
}

/* ---- the server is gone ---- */

static pausable void gone(struct server *server, co4_nats *c)
{
    struct service s, late;
    co4_nats *d = open_one(server->url), *e = open_with(server->url, -1);
    start(&s, d, &(co4_nats_service_options){ .name = "s" });
    start(&late, e, &(co4_nats_service_options){ .name = "e" });
    co4_task *asker = co4_spawn(ask(c, "s", "sleep", SOON));
    co4_task *held = co4_spawn(ask(c, "s", "held", SOON));
    while (s.counts.inside < 2)
        co4_sleep(CO4_MS);
    server_kill(server, SIGKILL);
    int code;
    co4_join(asker, &code);
    show("an asker", code);
    co4_join(held, &code);
    show("another", code);
    lost = true;
    while (s.counts.inside > 1)
        co4_sleep(CO4_MS);
    show("an answer to it", second); /* it waits for the next connection */
    show("ask", ask(c, "s", "echo", co4_now() + 20 * CO4_MS));
    co4_join(late.task, &code);
    show("a service that does not wait", code);
    show("close", co4_nats_close(e, SOON));
    co4_task *begun = co4_spawn(serve(c, &(co4_nats_service_options){ .name = "b" }, NULL, NULL));
    server_start(server);
    do
        code = ask(c, "b", "echo", SOON);
    while (code != CO4_OK);
    show("one that began meanwhile", code);
    do
        code = ask(c, "s", "echo", SOON);
    while (code != CO4_OK);
    show("and the other", code);
    co4_task_cancel(begun, 0);
    co4_join(begun, &code);
    show("cancelled", code);
    /* Closed while the server is gone: nothing waits for it. */
    co4_task *never = co4_spawn(serve(d, &(co4_nats_service_options){ .name = "n" }, NULL, NULL));
    server_kill(server, SIGKILL);
    co4_task_cancel(s.task, 0);
    co4_join(s.task, &code);
    show("cancelled", code);
    co4_nats_close(d, SOON);
    co4_join(never, &code);
    show("closed", code);
    server_start(server);
}

/* ---- wrong use ---- */

static pausable void wrong(const char *url, co4_nats *c)
{
    co4_nats_message *reply;
    co4_nats_outgoing m = { .subject = "s", .reply = "r" };
    co4_nats_failure failure;
    co4_nats_service_options o = { .name = "a.b" };
    show("a name", co4_nats_serve(c, &o, handle, NULL));
    o = (co4_nats_service_options){ .name = "" };
    show("no name", co4_nats_serve(c, &o, handle, NULL));
    o = (co4_nats_service_options){ .name = "a", .subject = "a b" };
    show("a subject", co4_nats_serve(c, &o, handle, NULL));
    o = (co4_nats_service_options){ .name = "a", .queue = "" };
    show("a queue", co4_nats_serve(c, &o, handle, NULL));
    o = (co4_nats_service_options){ .name = "a", .version = "1.0.0", .description = "\xff" };
    show("a text", co4_nats_serve(c, &o, handle, NULL));
    o = (co4_nats_service_options){ .name = "a", .at_once = -1 };
    show("at once", co4_nats_serve(c, &o, handle, NULL));
    o = (co4_nats_service_options){ .name = "a" };
    show("no handler", co4_nats_serve(c, &o, NULL, NULL));
    show("no connection", co4_nats_serve(NULL, &o, handle, NULL));
    show("no options", co4_nats_serve(c, NULL, handle, NULL));
    show("a reply", co4_nats_ask(c, &m, &reply, &failure, SOON));
    show("no message", co4_nats_ask(c, NULL, &reply, &failure, SOON));
    show("no place", co4_nats_ask(c, &m, NULL, &failure, SOON));
    show("no call", co4_nats_answer(NULL, "x", 1, SOON));
    show("no call", co4_nats_answer_error(NULL, CO4_EINVAL, NULL, SOON));
    show("no reply", co4_nats_failure_of(NULL, NULL));
    co4_nats_service_read(NULL, NULL);
    printf("%d\n", co4_nats_call_message(NULL) == NULL);
    co4_nats *d = open_one(url);
    co4_nats_subscription *keeps; /* the connection's memory */
    show("subscribe", co4_nats_subscribe(&keeps, d, "k", NULL, 0, 0, SOON));
    show("close", co4_nats_close(d, SOON));
    show("serve", co4_nats_serve(d, &o, handle, NULL));
    show("ask", ask(d, "s", "x", SOON));
    co4_nats_unsubscribe(keeps);
}

static pausable int all(struct server *server)
{
    co4_nats *c = open_one(server->url), *d = open_one(server->url);
    if (!c || !d)
        exit(1); /* a return would wait for the other */
    one_by_one(c, d);
    too_many(c, d);
    cancelled(c, d);
    drained(server->url, c);
    closed_in_time(server->url, c);
    shared(server->url, c);
    discovery(c, d);
    failures();
    wrong(server->url, c);
    gone(server, c);
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
    server_end(&server);
    return err;
}
