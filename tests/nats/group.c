/* group.c - co4/nats_group.h: each job is done once, by the worker that has room, also when workers
 * come and go; and when that is not known, the code says so. */
#include <co4/nats_group.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

/* ---- workers ---- */

enum { N = 400 };
static int done[N]; /* how often */
static int running, most;

static pausable int do_job(const char *text)
{
    int i = atoi(text);
    if (strcmp(text, "sleep") == 0)
        return co4_sleep(60 * CO4_SEC);
    if (strcmp(text, "slow") == 0) /* longer than a silent worker is taken to be there */
        return co4_sleep(4 * CO4_SEC);
    if (strcmp(text, "short") == 0)
        return co4_sleep(30 * CO4_MS);
    if (i < 0)
        return i;
    int err = co4_sleep(i % 7 * CO4_MS / 4);
    if (err == CO4_OK)
        done[i]++;
    return err;
}

static pausable int handle(co4_nats_call *call, void *arg)
{
    (void)arg;
    running++;
    most = running > most ? running : most;
    const char *text = co4_nats_call_message(call)->data;
    int err = strcmp(text, "not me") == 0 ? co4_nats_answer_error(call, CO4_NATS_EBUSY, NULL, SOON)
                                          : do_job(text);
    running--;
    return err;
}

static pausable int work(co4_nats *c, int places, co4_future *ready,
                         co4_nats_service_counts *counts)
{
    co4_nats_group_options o = { .name = "g", .places = places, .ready = ready, .counts = counts };
    return co4_nats_group_work(c, &o, handle, NULL);
}

struct worker {
    co4_nats *c;
    co4_nats_service_counts counts;
    co4_task *task;
};

static pausable void start(struct worker *w, const char *url, int places)
{
    co4_future *ready = co4_future_create(0);
    *w = (struct worker){ .c = connect_to(url) };
    w->task = co4_spawn(work(w->c, places, ready, &w->counts));
    int err = co4_future_await_until(ready, NULL, SOON);
    if (err != CO4_OK)
        show("ready", err);
    co4_future_release(ready);
}

static pausable int stop(struct worker *w)
{
    int code;
    co4_task_cancel(w->task, 0);
    co4_join(w->task, &code);
    int err = co4_nats_close(w->c, SOON);
    if (err != CO4_OK)
        show("close", err);
    return code;
}

/* ---- askers ---- */

static pausable int ask(co4_nats_group *g, const char *text, int64_t deadline)
{
    co4_nats_outgoing m = { .data = text, .size = strlen(text) };
    co4_nats_message *reply;
    int err = co4_nats_group_ask(g, &m, &reply, NULL, deadline);
    if (err == CO4_OK)
        co4_nats_message_destroy(reply);
    return err;
}

static pausable int ask_for(co4_nats_group *g, int i)
{
    char text[16];
    snprintf(text, sizeof text, "%d", i);
    return ask(g, text, SOON);
}

static pausable co4_nats_group *open_group(co4_nats *c)
{
    co4_nats_group *g;
    int err = co4_nats_group_open(&g, c, "g", SOON);
    if (err != CO4_OK)
        show("open", err);
    return g;
}

static pausable void many(const char *url)
{
    static co4_task *tasks[N];
    struct worker w[4];
    co4_nats *c = connect_to(url), *d = connect_to(url);
    for (int i = 0; i < 2; i++)
        start(&w[i], url, i + 1);
    co4_nats_group *g = open_group(c), *h = open_group(d);
    for (int i = 0; i < N; i++)
        tasks[i] = co4_spawn(ask_for(i % 2 ? g : h, i));
    for (int i = 2; i < 4; i++) /* these come while jobs wait */
        start(&w[i], url, i + 1);
    int good = 0, once = 0, code;
    for (int i = 0; i < N; i++) {
        co4_join(tasks[i], &code);
        good += code == CO4_OK;
        once += done[i] == 1;
    }
    printf("%d of %d, once %d, at most 10 at once: %d\n", good, N, once, most > 2 && most <= 10);
    co4_nats_group_counts a, b;
    co4_nats_group_count(g, &a);
    co4_nats_group_count(h, &b);
    uint64_t answered = 0, refused = 0;
    for (int i = 0; i < 4; i++) {
        answered += w[i].counts.answered;
        refused += w[i].counts.refused;
        printf("worker %d: %s\n", i, w[i].counts.answered > 0 ? "some" : "none");
    }
    printf("answered %d, refused as counted: %d, sent: %d, workers %d, lost %d, waiting %d\n",
           (int)answered, refused == a.refused + b.refused, a.sent + b.sent == answered + refused,
           (int)a.workers, (int)(a.lost + b.lost), (int)(a.waiting + b.waiting));
    /* With one asker no other one is faster. */
    for (int i = 0; i < 4; i++)
        while (w[i].counts.inside > 0)
            co4_sleep(CO4_MS);
    co4_sleep(10 * CO4_MS);
    co4_nats_group_count(g, &b);
    for (int i = 0; i < N; i++)
        tasks[i] = co4_spawn(ask_for(g, i));
    for (int i = 0; i < N; i++)
        co4_join(tasks[i], NULL);
    co4_nats_group_count(g, &a);
    printf("refused by one asker's own: %d\n", (int)(a.refused - b.refused));
    for (int i = 0; i < 4; i++)
        stop(&w[i]);
    co4_nats_group_close(g);
    co4_nats_group_close(h);
    show("close", co4_nats_close(c, SOON));
    show("close", co4_nats_close(d, SOON));
}

static pausable size_t wait_for_workers(co4_nats_group *g, size_t wanted)
{
    co4_nats_group_counts n;
    for (int64_t until = SOON;;) {
        co4_nats_group_count(g, &n);
        if (n.workers == wanted || co4_now() > until)
            return n.workers;
        co4_sleep(CO4_MS);
    }
}

/* More workers than the group's tables begin with: each is one, however often it speaks. */
static pausable void crowd(const char *url)
{
    enum { CROWD = 40, JOBS = 200 };
    static struct worker w[CROWD];
    static co4_task *tasks[JOBS];
    co4_nats *c = connect_to(url);
    co4_nats_group *g = open_group(c);
    co4_nats_group_counts n;
    int good = 0, code;
    for (int i = 0; i < CROWD; i++)
        start(&w[i], url, 1);
    size_t come = wait_for_workers(g, CROWD);
    for (int i = 0; i < JOBS; i++)
        tasks[i] = co4_spawn(ask_for(g, i));
    for (int i = 0; i < JOBS; i++) {
        co4_join(tasks[i], &code);
        good += code == CO4_OK;
    }
    co4_nats_group_count(g, &n);
    printf("%zu workers, %d of %d, then %zu workers, refused %d\n", come, good, JOBS, n.workers,
           (int)n.refused);
    for (int i = 0; i < CROWD; i++)
        stop(&w[i]);
    printf("%zu workers are left\n", wait_for_workers(g, 0));
    co4_nats_group_close(g);
    show("close", co4_nats_close(c, SOON));
}

/* A worker with a long job gets no other; a free one does. */
static pausable void least_loaded(const char *url, co4_nats *c)
{
    struct worker a, b;
    int code, good = 0;
    co4_nats_group_counts n = { 0 };
    start(&a, url, 1);
    co4_nats_group *g = open_group(c);
    co4_task *slow = co4_spawn(ask(g, "sleep", SOON));
    while (a.counts.inside == 0)
        co4_sleep(CO4_MS);
    co4_task *waits = co4_spawn(ask(g, "1", SOON));
    show("no room", ask(g, "2", co4_now() + 20 * CO4_MS));
    start(&b, url, 1);
    co4_join(waits, &code);
    show("a worker has come", code);
    for (int i = 0; i < 50; i++)
        good += ask_for(g, i) == CO4_OK;
    printf("%d of 50 by the other: %d\n", good, (int)b.counts.answered == 51);
    co4_task *cancelled = co4_spawn(ask(g, "sleep", SOON));
    while (b.counts.inside == 0)
        co4_sleep(CO4_MS);
    co4_task *queued = co4_spawn(ask(g, "sleep", SOON));
    while (n.waiting == 0) {
        co4_yield();
        co4_nats_group_count(g, &n);
    }
    co4_task_cancel(queued, 0);
    co4_join(queued, &code);
    show("cancelled in the queue", code);
    show("b", stop(&b));
    co4_join(cancelled, &code);
    show("its job", code);
    show("a", stop(&a));
    co4_join(slow, &code);
    show("its job", code);
    do {
        co4_sleep(CO4_MS);
        co4_nats_group_count(g, &n);
    } while (n.workers > 0);
    printf("workers %d, room %d, waiting %d, gone %d\n", (int)n.workers, (int)n.room,
           (int)n.waiting, (int)n.gone);
    co4_nats_outgoing m = { .data = "short", .size = 5 };
    co4_nats_message *reply;
    co4_nats_failure failure;
    show("nobody", co4_nats_group_ask(g, &m, &reply, &failure, co4_now() + 20 * CO4_MS));
    printf("nobody has got it: %d\n", failure.code == CO4_NATS_EBUSY);
    co4_nats_group_close(g);
}

static pausable void codes(const char *url, co4_nats *c)
{
    struct worker a;
    char busy[16];
    start(&a, url, 2);
    co4_nats_group *g = open_group(c);
    co4_nats_outgoing m = { .data = "-17", .size = 3 };
    co4_nats_message *reply;
    co4_nats_failure failure;
    show("fails", co4_nats_group_ask(g, &m, &reply, &failure, SOON));
    printf("%d %d\n", failure.code, reply == NULL);
    snprintf(busy, sizeof busy, "%d", CO4_NATS_EBUSY);
    show("another service is busy", ask(g, busy, SOON)); /* once: the handler had begun */
    co4_nats_group_counts n, before;
    int err;
    do {
        err = ask(g, "not me", co4_now() + 50 * CO4_MS);
        co4_nats_group_count(g, &before); /* the deadline may pass when it is asked once more */
    } while (err == CO4_ETIMEDOUT && before.refused == 0); /* or before the answer has come */
    show("the handler is busy", err);
    show("and then", ask(g, "1", SOON));
    show("the deadline", ask(g, "sleep", co4_now() + 50 * CO4_MS));
    /* What cannot be sent takes no place: there is one. */
    co4_nats_outgoing large = { .size = co4_nats_max_payload(c) + 1 };
    large.data = calloc(large.size, 1);
    for (int i = 0; i < 3; i++)
        show("too large", co4_nats_group_ask(g, &large, &reply, NULL, co4_now() + 100 * CO4_MS));
    free((void *)(uintptr_t)large.data);
    co4_nats_group_count(g, &n);
    printf("lost at least one: %d, refused at least once: %d, answered %d\n", n.lost > before.lost,
           n.refused > 0,
           (int)(n.sent - n.retried - n.lost - (before.sent - before.retried - before.lost)));
    show("a", stop(&a));
    co4_nats_group_close(g);
}

/* ---- ends ---- */

static pausable void ends(const char *url)
{
    struct worker a;
    int code;
    co4_nats *c = connect_to(url);
    co4_nats_group_counts n = { 0 };
    start(&a, url, 1);
    co4_nats_group *g = open_group(c), *h = open_group(c);
    co4_task *has = co4_spawn(ask(g, "short", SOON));
    while (a.counts.inside == 0)
        co4_sleep(CO4_MS);
    co4_task *waits = co4_spawn(ask(g, "1", SOON)), *other = co4_spawn(ask(h, "sleep", SOON));
    while (n.waiting == 0) {
        co4_yield();
        co4_nats_group_count(g, &n);
    }
    co4_nats_group_close(g);
    co4_join(waits, &code);
    show("waited when the group was closed", code);
    co4_join(has, &code);
    show("a worker had it", code);
    while (a.counts.inside == 0)
        co4_sleep(CO4_MS);
    waits = co4_spawn(ask(h, "1", SOON));
    /* The worker's connection is closed: what it has is done. */
    co4_task *short_one;
    co4_task_cancel(other, 0);
    co4_join(other, &code);
    show("cancelled", code);
    show("a", stop(&a));
    start(&a, url, 2);
    co4_join(waits, &code);
    show("waited", code);
    short_one = co4_spawn(ask(h, "short", SOON));
    while (a.counts.inside == 0)
        co4_sleep(CO4_MS);
    show("close", co4_nats_close(a.c, SOON));
    co4_join(a.task, &code);
    show("the worker", code);
    co4_join(short_one, &code);
    show("its job", code);
    waits = co4_spawn(ask(h, "1", SOON));
    co4_yield();
    show("close", co4_nats_close(c, SOON));
    co4_join(waits, &code);
    show("waited when the connection was closed", code);
    show("and then", ask(h, "1", SOON));
    co4_nats_group_close(h);
}

/* ---- faults ---- */

static char *self, *url_of_all;

/* A worker in a process of its own. */
static int start_process(void)
{
    int pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        execl(self, self, url_of_all, (char *)NULL);
        _exit(127);
    }
    return pid;
}

static void end_process(int pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

static pausable void killed(co4_nats *c)
{
    static const int signals[] = { SIGKILL, SIGSTOP };
    for (int i = 0; i < 2; i++) {
        int pid = start_process(), code;
        co4_nats_group *g = open_group(c);
        co4_nats_group_counts n = { 0 };
        co4_task *job = co4_spawn(ask(g, "sleep", co4_now() + 300 * CO4_SEC));
        while (n.sent == 0) {
            co4_sleep(CO4_MS);
            co4_nats_group_count(g, &n);
        }
        show("flush", co4_nats_flush(c, SOON)); /* the server has sent it on */
        co4_sleep(200 * CO4_MS);
        kill(pid, signals[i]);
        co4_join(job, &code);
        show(i == 0 ? "killed" : "stopped", code);
        struct worker a;
        start(&a, url_of_all, 1);
        show("the next", ask(g, "1", SOON));
        show("a", stop(&a));
        end_process(pid);
        co4_nats_group_close(g);
    }
}

/* The server has seen the end of the last worker: until then it sends jobs there, and those are
 * lost. */
static pausable void until_nobody_is_there(co4_nats *c)
{
    co4_nats_message *m;
    int err;
    while ((err = co4_nats_request(c, "co4.group.g.who", NULL, 0, &m, co4_now() + 50 * CO4_MS)) !=
           CO4_NATS_ENORESPONDERS)
        if (err != CO4_ETIMEDOUT)
            show("the end of all workers", err);
}

/* Killed with room: no worker has got the job, the next one gets it. */
static pausable void killed_idle(co4_nats *c)
{
    int pid = start_process();
    co4_nats_group *g = open_group(c);
    co4_nats_group_counts n = { 0 };
    struct worker a;
    while (n.workers == 0) {
        co4_sleep(CO4_MS);
        co4_nats_group_count(g, &n);
    }
    end_process(pid);
    until_nobody_is_there(c);
    start(&a, url_of_all, 1);
    int good = 0;
    for (int i = 0; i < 20; i++)
        good += ask_for(g, i) == CO4_OK;
    printf("%d of 20\n", good);
    co4_nats_group_count(g, &n);
    printf("gone at least one: %d, lost %d\n", n.gone > 0 || n.retried == 0, (int)n.lost);
    show("a", stop(&a));
    co4_nats_group_close(g);
}

static pausable void restart(struct server *server, co4_nats *c)
{
    static co4_task *tasks[N];
    static int result[N];
    struct worker a, b;
    int known = 0, twice = 0, undone = 0;
    memset(done, 0, sizeof done);
    start(&a, server->url, 2);
    start(&b, server->url, 2);
    co4_nats_group *g = open_group(c);
    for (int i = 0; i < N; i++)
        tasks[i] = co4_spawn(ask_for(g, i));
    while (done[N / 4] == 0)
        co4_sleep(CO4_MS);
    server_kill(server, SIGKILL);
    server_start(server);
    for (int i = 0; i < N; i++) {
        co4_join(tasks[i], &result[i]);
        known += result[i] == CO4_OK || result[i] == CO4_NATS_EDISCONNECTED ||
                 result[i] == CO4_NATS_EGONE;
        twice += done[i] > 1;
        undone += done[i] == 0 && result[i] == CO4_OK;
    }
    co4_nats_group_counts n;
    co4_nats_group_count(g, &n);
    int lost = 0;
    for (int i = 0; i < N; i++)
        lost += result[i] != CO4_OK;
    printf("%d of %d with an answer or a code, twice %d, not done %d, lost as counted: %d\n", known,
           N, twice, undone, (int)n.lost == lost);
    show("and then", ask(g, "1", SOON));
    show("a", stop(&a));
    show("b", stop(&b));
    co4_nats_event e = { 0 };
    while (co4_mailbox_receive_until(co4_nats_monitor(c), &e, CO4_NOW) == CO4_OK) {
    }
    server_kill(server, SIGKILL);
    while (e.kind != CO4_NATS_DISCONNECTED &&
           co4_mailbox_receive_until(co4_nats_monitor(c), &e, SOON) == CO4_OK) {
    }
    show("ask", ask(g, "1", co4_now() + 50 * CO4_MS));
    co4_nats_group *h;
    show("open", co4_nats_group_open(&h, c, "g", co4_now() + 50 * CO4_MS));
    co4_task *late = co4_spawn(work(c, 1, NULL, NULL));
    co4_yield();
    server_start(server);
    int code;
    show("a worker that began meanwhile", ask(g, "1", SOON));
    co4_task_cancel(late, 0);
    co4_join(late, &code);
    show("cancelled", code);
    co4_nats_group_count(NULL, &n);
    printf("no group: %d\n", (int)n.workers);
    co4_nats_group_close(g);
}

/* ---- what a worker says, and when ---- */

static pausable int close_it(co4_nats *c)
{
    return co4_nats_close(c, SOON);
}

/* The answer counts its own place as free. A worker whose connection is being closed says that it
 * is there until its handlers have ended. */
static pausable void said(const char *url)
{
    struct worker w;
    co4_nats *c = connect_to(url);
    co4_nats_message *reply;
    int some = -1, places = -1, code;
    start(&w, url, 2);
    co4_nats_group *g = open_group(c);
    co4_nats_outgoing m = { .data = "short", .size = 5 };
    show("ask", co4_nats_group_ask(g, &m, &reply, NULL, SOON));
    const char *said = co4_nats_header(reply, "Co4-Ready", NULL);
    if (said && sscanf(said, "%*u %d %d", &some, &places) != 2)
        printf("it says %s\n", said);
    printf("%d of %d\n", some, places);
    co4_nats_message_destroy(reply);
    co4_task *asker = co4_spawn(ask(g, "slow", SOON));
    while (running == 0)
        co4_sleep(CO4_MS);
    co4_task *closer = co4_spawn(close_it(w.c));
    co4_join(asker, &code);
    show("its last job", code);
    co4_join(closer, &code);
    show("close", code);
    co4_join(w.task, NULL);
    co4_nats_group_close(g);
    show("close", co4_nats_close(c, SOON));
}

/* ---- wrong use ---- */

static pausable void wrong(const char *url, co4_nats *c)
{
    co4_nats_group *g;
    co4_nats_group_options o = { .name = "a.b" };
    co4_nats_message *reply;
    co4_nats_outgoing m = { .subject = "s" }, good = { .data = "x", .size = 1 };
    show("a name", co4_nats_group_work(c, &o, handle, NULL));
    o = (co4_nats_group_options){ .name = "a", .places = -1 };
    show("places", co4_nats_group_work(c, &o, handle, NULL));
    o.places = 1;
    show("no handler", co4_nats_group_work(c, &o, NULL, NULL));
    show("no options", co4_nats_group_work(c, NULL, handle, NULL));
    show("no connection", co4_nats_group_work(NULL, &o, handle, NULL));
    show("a name", co4_nats_group_open(&g, c, "a b", SOON));
    show("no name", co4_nats_group_open(&g, c, NULL, SOON));
    show("no connection", co4_nats_group_open(&g, NULL, "a", SOON));
    show("no place", co4_nats_group_open(NULL, c, "a", SOON));
    g = open_group(c);
    show("a subject", co4_nats_group_ask(g, &m, &reply, NULL, SOON));
    show("no message", co4_nats_group_ask(g, NULL, &reply, NULL, SOON));
    show("no place", co4_nats_group_ask(g, &good, NULL, NULL, SOON));
    show("no deadline", co4_nats_group_ask(g, &good, &reply, NULL, CO4_NEVER));
    show("no group", co4_nats_group_ask(NULL, &good, &reply, NULL, SOON));
    co4_nats_group_close(g);
    co4_nats_group_close(NULL);
    co4_nats *d = connect_to(url);
    co4_nats_subscription *keeps; /* the connection's memory */
    show("subscribe", co4_nats_subscribe(&keeps, d, "k", NULL, 0, 0, SOON));
    show("close", co4_nats_close(d, SOON));
    show("work", co4_nats_group_work(d, &o, handle, NULL));
    show("open", co4_nats_group_open(&g, d, "g", SOON));
    co4_nats_unsubscribe(keeps);
}

static pausable int all(struct server *server)
{
    co4_nats *c = connect_to(server->url);
    if (!c)
        return 1;
    said(server->url);
    many(server->url);
    crowd(server->url);
    least_loaded(server->url, c);
    codes(server->url, c);
    ends(server->url);
    killed(c);
    killed_idle(c);
    wrong(server->url, c);
    restart(server, c);
    show("close", co4_nats_close(c, SOON));
    return 0;
}

static pausable int be_worker(const char *url)
{
    return work(connect_to(url), 1, NULL, NULL);
}

int main(int argc, char **argv)
{
    struct server server = { 0 };
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc > 1)
        return co4_run(be_worker(argv[1])) < 0;
    server_start(&server);
    self = argv[0];
    url_of_all = server.url;
    int err = co4_run(all(&server));
    server_end(&server);
    return err;
}
