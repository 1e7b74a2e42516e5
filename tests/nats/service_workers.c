/* service_workers.c - services, groups and remote actors on a runtime of four workers: what
 * handlers, the
 * connection's tasks and the ends of all do at the same time. */
#include <co4/nats_remote.h>
#include <signal.h>
#include <stdatomic.h>

#include "program.h"

enum { TASKS = 100, EACH = 10, ROUNDS = 3 };

/* What askers have got: good; refused, or nobody was there; the service's error; else. */
static atomic_int good, refused, failed, others, closed;

static void note(int code)
{
    atomic_fetch_add(code == CO4_OK                                             ? &good
                     : code == CO4_NATS_EBUSY || code == CO4_NATS_ENORESPONDERS ? &refused
                     : code == CO4_NATS_ESERVICE                                ? &failed
                                                                                : &others,
                     1);
    if (code != CO4_OK && code != CO4_NATS_EBUSY && code != CO4_NATS_ENORESPONDERS &&
        code != CO4_NATS_ESERVICE)
        show("another code", code);
}

static void reset(void)
{
    good = refused = failed = others = closed = 0;
}

static pausable void join_all(co4_task **tasks, int n)
{
    for (int i = 0; i < n; i++)
        co4_join(tasks[i], NULL);
}

/* ---- services ---- */

static pausable int echo(co4_nats_call *call, void *arg)
{
    const co4_nats_message *m = co4_nats_call_message(call);
    (void)arg;
    if (m->size % 3 == 0) {
        int err = co4_yield();
        if (err != CO4_OK)
            return err;
    }
    return co4_nats_answer(call, m->data, m->size, SOON);
}

static pausable int serve(co4_nats *c, co4_future *ready, co4_nats_service_counts *counts)
{
    co4_nats_service_options o = {
        .name = "s", .at_once = 5, .capacity = 20, .ready = ready, .counts = counts
    };
    return co4_nats_serve(c, &o, echo, NULL);
}

static pausable co4_task *start(co4_nats *c, co4_nats_service_counts *counts)
{
    co4_future *ready = co4_future_create(0);
    co4_task *task = co4_spawn(serve(c, ready, counts));
    int err = co4_future_await_until(ready, NULL, SOON);
    if (err != CO4_OK)
        show("ready", err);
    co4_future_release(ready);
    return task;
}

static pausable int ask_service(co4_nats *c, int i)
{
    char text[32];
    for (int k = 0; k < EACH; k++) {
        co4_nats_message *reply;
        int n = snprintf(text, sizeof text, "%d.%d", i, k);
        co4_nats_outgoing m = { .subject = "s", .data = text, .size = (size_t)n };
        int err = co4_nats_ask(c, &m, &reply, NULL, SOON);
        if (err == CO4_OK) {
            err = strcmp(reply->data, text) == 0 ? CO4_OK : CO4_EINVAL;
            co4_nats_message_destroy(reply);
        }
        note(err);
    }
    return CO4_OK;
}

static pausable void services(const char *url)
{
    co4_task *tasks[TASKS];
    co4_nats_service_counts a = { 0 }, b = { 0 };
    co4_nats *c = connect_to(url), *d = connect_to(url), *e = connect_to(url);
    int of_a, of_b;
    reset();
    co4_task *one = start(d, &a), *two = start(e, &b);
    for (int i = 0; i < TASKS; i++)
        tasks[i] = co4_spawn(ask_service(c, i));
    co4_sleep(5 * CO4_MS);
    co4_task_cancel(one, 0);
    co4_join(one, &of_a);
    co4_sleep(5 * CO4_MS);
    int err = co4_nats_close(e, SOON);
    co4_join(two, &of_b);
    join_all(tasks, TASKS);
    printf("services: %d asked, others %d; %s, %s, close %d\n", good + refused + failed, others,
           co4_errname(of_a), co4_errname(of_b), err);
    printf("all counted: %d\n",
           a.asked == a.answered + a.failed + a.refused + a.unanswered && a.inside == 0 &&
               b.asked == b.answered + b.failed + b.refused + b.unanswered && b.inside == 0 &&
               (int)(a.answered + b.answered) == good && (int)(a.failed + b.failed) == failed);
    co4_nats_close(c, SOON);
    co4_nats_close(d, SOON);
}

/* ---- groups ---- */

static atomic_int done[TASKS * EACH];

static pausable int do_job(co4_nats_call *call, void *arg)
{
    int i = atoi(co4_nats_call_message(call)->data);
    (void)arg;
    int err = i % 5 == 0 ? co4_sleep(CO4_MS / 10) : CO4_OK;
    if (err == CO4_OK)
        atomic_fetch_add(&done[i], 1);
    return err;
}

static pausable int work(co4_nats *c, int places, co4_nats_service_counts *counts)
{
    co4_nats_group_options o = { .name = "g", .places = places, .counts = counts };
    return co4_nats_group_work(c, &o, do_job, NULL);
}

static pausable int ask_group(co4_nats_group *g, int i)
{
    char text[32];
    for (int k = 0; k < EACH; k++) {
        co4_nats_message *reply;
        int n = snprintf(text, sizeof text, "%d", i * EACH + k);
        co4_nats_outgoing m = { .data = text, .size = (size_t)n };
        int err = co4_nats_group_ask(g, &m, &reply, NULL, SOON);
        if (err == CO4_OK)
            co4_nats_message_destroy(reply);
        note(err);
    }
    return CO4_OK;
}

static pausable int ask_once(co4_nats_group *g)
{
    co4_nats_outgoing m = { .data = "1", .size = 1 };
    co4_nats_message *reply;
    int err = co4_nats_group_ask(g, &m, &reply, NULL, SOON);
    closed += err == CO4_ECLOSED;
    return CO4_OK;
}

static pausable void groups(const char *url)
{
    co4_task *tasks[TASKS], *workers[3];
    co4_nats_service_counts counts[3] = { { 0 } };
    co4_nats *c = connect_to(url), *d = connect_to(url), *of[3];
    co4_nats_group *g, *h;
    reset();
    for (int i = 0; i < TASKS * EACH; i++)
        done[i] = 0;
    if (co4_nats_group_open(&g, c, "g", SOON) != CO4_OK ||
        co4_nats_group_open(&h, d, "g", SOON) != CO4_OK)
        return;
    for (int i = 0; i < TASKS; i++)
        tasks[i] = co4_spawn(ask_group(i % 2 ? g : h, i));
    for (int i = 0; i < 3; i++) {
        of[i] = connect_to(url);
        workers[i] = co4_spawn(work(of[i], i + 1, &counts[i]));
    }
    co4_sleep(10 * CO4_MS);
    co4_task_cancel(workers[0], 0);
    co4_sleep(5 * CO4_MS);
    int err = co4_nats_close(of[1], SOON), codes[3], once = 0, twice = 0;
    join_all(tasks, TASKS);
    co4_task_cancel(workers[2], 0);
    for (int i = 0; i < 3; i++) {
        co4_join(workers[i], &codes[i]);
        if (i != 1)
            co4_nats_close(of[i], SOON);
    }
    for (int i = 0; i < TASKS * EACH; i++) {
        once += done[i] == 1;
        twice += done[i] > 1;
    }
    printf("groups: %d asked, others %d, twice %d; %s %s %s, close %d\n", good + failed, others,
           twice, co4_errname(codes[0]), co4_errname(codes[1]), co4_errname(codes[2]), err);
    printf("those that are good are done: %d\n", once == good);
    co4_nats_group_counts a, b;
    co4_nats_group_count(g, &a);
    co4_nats_group_count(h, &b);
    printf("all counted: %d, refused or gone: %d, lost %d\n",
           a.sent + b.sent == (uint64_t)(good + failed) + a.retried + b.retried,
           a.refused + b.refused <= a.retried + b.retried, (int)(a.lost + b.lost));
    /* Closed while jobs wait. */
    reset();
    for (int i = 0; i < TASKS; i++)
        tasks[i] = co4_spawn(ask_once(i % 2 ? g : h));
    do {
        co4_sleep(CO4_MS);
        co4_nats_group_count(g, &a);
        co4_nats_group_count(h, &b);
    } while (a.waiting + b.waiting < TASKS);
    co4_nats_group_close(g);
    co4_nats_close(d, SOON);
    join_all(tasks, TASKS);
    co4_nats_group_close(h);
    co4_nats_close(c, SOON);
    printf("closed: %d\n", closed == TASKS);
}

/* ---- remote actors ---- */

struct request {
    long long add;
    co4_reply reply;
};

static int sum; /* of the actor's task */

static pausable int counter(co4_actor *self)
{
    struct request r;
    int err;
    sum = 0;
    while ((err = co4_actor_receive(self, &r)) == CO4_OK) {
        sum += (int)r.add;
        co4_actor_reply(self, r.reply, &sum);
    }
    return err == CO4_ECLOSED ? CO4_OK : err;
}

static pausable int serve_actor(co4_nats *c, co4_actor *a)
{
    co4_remote_options o = { .name = "counter",
                             CO4_REMOTE_MESSAGES(struct request, reply),
                             .answer_size = sizeof(int) };
    return co4_remote_serve(c, a, &o);
}

static pausable int ask_actor(co4_nats *c)
{
    co4_remote r = { c, "counter" };
    for (int k = 0; k < EACH; k++) {
        struct request q = { .add = 1 };
        int then, err;
        do
            err = co4_remote_ask_value(&r, &q, sizeof q, &then, sizeof then, NULL, SOON);
        while (err == CO4_NATS_ENORESPONDERS || err == CO4_NATS_EBUSY);
        note(err);
        q.add = 2;
        co4_remote_tell(&r, &q, sizeof q, SOON);
    }
    return CO4_OK;
}

static pausable void actors(const char *url)
{
    co4_task *tasks[TASKS];
    co4_remote_event e;
    co4_remote_watcher *w;
    co4_nats *c = connect_to(url), *d = connect_to(url);
    co4_actor *a = co4_actor_create(sizeof(struct request), 10000, 0);
    reset();
    co4_actor_spawn(a, counter(a));
    if (co4_remote_watch(&w, &(co4_remote){ c, "counter" }, 0, SOON) != CO4_OK)
        return;
    co4_task *service = co4_spawn(serve_actor(d, a));
    for (int i = 0; i < TASKS; i++)
        tasks[i] = co4_spawn(ask_actor(c));
    join_all(tasks, TASKS);
    show("flush", co4_nats_flush(c, SOON));
    int code, err = co4_nats_close(d, SOON);
    co4_join(service, &code);
    co4_actor_stop(a);
    show("the actor", co4_actor_join(a));
    printf("actors: %d asked, others %d, sum %d, service %d, close %d\n", good, others, sum, code,
           err);
    while (co4_mailbox_receive_until(co4_remote_events(w), &e, SOON) == CO4_OK && e.up)
        ;
    show("gone", e.code);
    co4_remote_watcher_destroy(w);
    co4_actor_release(a);
    co4_nats_close(c, SOON);
}

/* ---- ends ---- */

/* All is closed while tasks ask: each gets a code. */
static pausable int ask_until_closed(co4_nats *c, co4_nats_group *g)
{
    int err = CO4_OK;
    for (int i = 0; err != CO4_ECLOSED; i++) {
        co4_nats_message *reply = NULL;
        co4_nats_outgoing m = { .subject = i % 2 ? "s" : NULL, .data = "1", .size = 1 };
        err = i % 2 ? co4_nats_ask(c, &m, &reply, NULL, SOON)
                    : co4_nats_group_ask(g, &m, &reply, NULL, SOON);
        co4_nats_message_destroy(reply);
    }
    return CO4_OK;
}

static pausable void ends(const char *url)
{
    co4_task *tasks[TASKS];
    co4_nats *c = connect_to(url);
    co4_nats_subscription *keeps; /* the connection's memory */
    co4_nats_group *g;
    co4_nats_service_counts counts = { 0 }, of_worker = { 0 };
    int code, of_group;
    co4_task *service = start(c, &counts), *worker = co4_spawn(work(c, 2, &of_worker));
    if (co4_nats_group_open(&g, c, "g", SOON) != CO4_OK ||
        co4_nats_subscribe(&keeps, c, "k", NULL, 0, 0, SOON) != CO4_OK)
        return;
    for (int i = 0; i < TASKS; i++)
        tasks[i] = co4_spawn(ask_until_closed(c, g));
    co4_sleep(10 * CO4_MS);
    show("close", co4_nats_close(c, SOON));
    join_all(tasks, TASKS);
    co4_join(service, &code);
    co4_join(worker, &of_group);
    printf("ends: %s, %s\n", co4_errname(code), co4_errname(of_group));
    co4_nats_group_close(g);
    co4_nats_unsubscribe(keeps);
}

static pausable int all(const char *url)
{
    for (int i = 0; i < ROUNDS; i++) {
        services(url);
        groups(url);
        actors(url);
        ends(url);
    }
    return 0;
}

int main(void)
{
    struct server server = { 0 };
    setvbuf(stdout, NULL, _IOLBF, 0);
    server_start(&server);
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 4 });
    co4_runtime_start(rt);
    co4_task *task = co4_runtime_spawn(rt, all(server.url));
    co4_task_release(task);
    co4_runtime_join(rt);
    co4_runtime_destroy(rt);
    server_end(&server);
    return 0;
}
