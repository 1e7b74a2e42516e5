/* scaling.c - co4_nats with n of everything, and with 2 n: twice as many cost twice as much in all.
 * Counted are basic blocks of the libraries, on one thread, beside a real server. */
#include <co4.h>
#include <co4/nats_group.h>
#include <co4/nats_kv.h>
#include <co4/time.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "../../scaling/scaling.h"
#include "../server.h"

#define SOON (co4_now() + 60 * CO4_SEC)
/* The server's answers come in parts, now more of them, now less. */
#define ABOUT_LINEAR 2.6

static struct server server;

static scenario *measured_one;

/* How often a task looks for an answer that is on its way is chance: the least of three counts. */
static void least_of_three(long n)
{
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < 3; i++) {
        uint64_t blocks_of_it = cost(measured_one, n);
        least = blocks_of_it < least ? blocks_of_it : least;
    }
    measured = least;
}

static int grows_about(const char *what, scenario *run, long n)
{
    measured_one = run;
    return grows(what, least_of_three, n, ABOUT_LINEAR);
}

/* One call after the other: most of what is counted are looks for the answer. */
static int grows_in_turn(const char *what, scenario *run, long n)
{
    measured_one = run;
    return grows(what, least_of_three, n, 3.2);
}

/* Here it cannot fail. */
static void must(const char *what, int code)
{
    if (code == CO4_OK)
        return;
    printf("%s: %s\n", what, co4_strerror(code));
    exit(1);
}

static pausable co4_nats *open_one(void)
{
    const char *urls[] = { server.url, NULL };
    co4_nats *c = NULL;
    co4_nats_options o = { .servers = urls, .wait = 10 * CO4_MS, .output = 1u << 20 };
    must("connect", co4_nats_connect(&c, &o, SOON));
    return c;
}

/* ---- messages ---- */

static pausable void pass(long n)
{
    co4_nats *c = open_one();
    co4_nats_subscription *s;
    co4_nats_message *m;
    must("subscribe", co4_nats_subscribe(&s, c, "x", NULL, (size_t)n, 0, SOON));
    measure_begin();
    for (long i = 0; i < n; i++)
        must("publish", co4_nats_publish(c, "x", "data", 4, SOON));
    for (long i = 0; i < n; i++) {
        must("next", co4_nats_next(s, &m, SOON));
        co4_nats_message_destroy(m);
    }
    measure_end();
    co4_nats_unsubscribe(s);
    co4_nats_close(c, SOON);
}

static void messages(long n)
{
    co4_run(pass(n));
}

/* ---- subscriptions, and a connection that is made again ---- */

static pausable void subscribe_all(long n, bool again)
{
    co4_nats *c = open_one();
    co4_nats_subscription **all = calloc((size_t)n, sizeof *all);
    co4_nats_event e;
    char subject[32];
    measure_begin();
    for (long i = 0; i < n; i++) {
        snprintf(subject, sizeof subject, "many.%ld", i);
        must("subscribe", co4_nats_subscribe(&all[i], c, subject, NULL, 1, 0, SOON));
    }
    must("flush", co4_nats_flush(c, SOON));
    measure_end();
    if (again) {
        measured = 0;
        server_kill(&server, SIGKILL);
        do
            must("event", co4_mailbox_receive_until(co4_nats_monitor(c), &e, SOON));
        while (e.kind != CO4_NATS_DISCONNECTED);
        server_start(&server);
        measure_begin();
        do
            must("event", co4_mailbox_receive_until(co4_nats_monitor(c), &e, SOON));
        while (e.kind != CO4_NATS_RECONNECTED);
        must("flush", co4_nats_flush(c, SOON));
        measure_end();
    }
    measure_begin();
    for (long i = 0; i < n && !again; i++)
        co4_nats_unsubscribe(all[i]);
    if (!again)
        must("flush", co4_nats_flush(c, SOON));
    measure_end();
    for (long i = 0; i < n && again; i++)
        co4_nats_unsubscribe(all[i]);
    co4_nats_close(c, SOON);
    free(all);
}

static void subscriptions(long n)
{
    co4_run(subscribe_all(n, false));
}

static void reconnections(long n)
{
    co4_run(subscribe_all(n, true));
}

/* ---- requests at the same time: each has its reply; each is cut off ---- */

static pausable int respond(co4_nats *c, co4_nats_subscription *s)
{
    co4_nats_message *m;
    while (co4_nats_next(s, &m, CO4_NEVER) == CO4_OK) {
        co4_nats_respond(c, m, "", 0, SOON);
        co4_nats_message_destroy(m);
    }
    return CO4_OK;
}

static pausable int ask(co4_nats *c, const char *subject)
{
    co4_nats_message *m;
    int err = co4_nats_request(c, subject, "", 0, &m, SOON);
    if (err == CO4_OK)
        co4_nats_message_destroy(m);
    return err;
}

static pausable void ask_all(long n, const char *subject, int expected)
{
    co4_nats *c = open_one();
    co4_nats_subscription *s, *silent;
    co4_task **all = calloc((size_t)n, sizeof *all);
    co4_nats_counts counts;
    must("subscribe", co4_nats_subscribe(&s, c, "answers", NULL, (size_t)n, 0, SOON));
    must("subscribe", co4_nats_subscribe(&silent, c, "silent", NULL, 1, 0, SOON));
    co4_task *server_task = co4_spawn(respond(c, s));
    measure_begin();
    for (long i = 0; i < n; i++)
        all[i] = co4_spawn(ask(c, subject));
    if (expected != CO4_OK) {
        do {
            co4_sleep(10 * CO4_MS);
            co4_nats_count(c, &counts);
        } while (counts.waiting > 0);
        must("flush", co4_nats_flush(c, SOON));
        server_kill(&server, SIGKILL);
    }
    for (long i = 0; i < n; i++) {
        int code;
        co4_join(all[i], &code);
        if (code != expected)
            must("request", code ? code : CO4_EINVAL);
    }
    measure_end();
    if (expected != CO4_OK)
        server_start(&server);
    co4_nats_unsubscribe(silent);
    co4_nats_close(c, SOON);
    co4_join(server_task, NULL);
    co4_nats_unsubscribe(s);
    free(all);
}

static void requests(long n)
{
    co4_run(ask_all(n, "answers", CO4_OK));
}

static void cut_off(long n)
{
    co4_run(ask_all(n, "silent", CO4_NATS_EDISCONNECTED));
}

static pausable int flush(co4_nats *c)
{
    return co4_nats_flush(c, SOON);
}

static pausable void flush_all(long n)
{
    co4_nats *c = open_one();
    co4_task **all = calloc((size_t)n, sizeof *all);
    measure_begin();
    for (long i = 0; i < n; i++)
        all[i] = co4_spawn(flush(c));
    for (long i = 0; i < n; i++)
        co4_join(all[i], NULL);
    measure_end();
    co4_nats_close(c, SOON);
    free(all);
}

static void flushes(long n)
{
    co4_run(flush_all(n));
}

/* ---- streams and keys ---- */

static pausable void take_all(long n)
{
    co4_nats *c = open_one();
    co4_nats_consumer *k;
    co4_nats_follower *f;
    co4_nats_message *m;
    co4_nats_stream_options s = { .name = "S", .in_memory = true };
    must("make", co4_nats_stream_create(c, &s, SOON));
    measure_begin();
    for (long i = 0; i < n; i++)
        must("store",
             co4_nats_store(c, &(co4_nats_outgoing){ .subject = "S", .data = "x", .size = 1 }, NULL,
                            NULL, SOON));
    must("consume",
         co4_nats_consume(&k, c, "S", &(co4_nats_consumer_options){ .credit = 10 }, SOON));
    for (long i = 0; i < n; i++) {
        must("take", co4_nats_take(k, &m, SOON));
        must("ack", co4_nats_ack(k, m, SOON));
        co4_nats_message_destroy(m);
    }
    must("follow", co4_nats_follow(&f, c, "S", NULL, CO4_NATS_FROM_FIRST, 0, SOON));
    for (long i = 0; i < n; i++) {
        must("follow", co4_nats_follow_next(f, &m, SOON));
        co4_nats_message_destroy(m);
    }
    measure_end();
    co4_nats_follower_destroy(f);
    co4_nats_consumer_destroy(k);
    must("delete", co4_nats_stream_delete(c, "S", SOON));
    co4_nats_close(c, SOON);
}

static void streams(long n)
{
    co4_run(take_all(n));
}

static pausable void put_all(long n)
{
    co4_nats *c = open_one();
    co4_nats_kv *kv;
    co4_nats_watch *w;
    char key[32];
    bool current = false;
    must("open", co4_nats_kv_open(&kv, c, "B", &(co4_nats_kv_options){ .in_memory = true }, SOON));
    measure_begin();
    for (long i = 0; i < n; i++) {
        co4_nats_entry e;
        snprintf(key, sizeof key, "key.%ld", i);
        must("put", co4_nats_kv_put(kv, key, "x", 1, NULL, SOON));
        must("get", co4_nats_kv_get(kv, key, &e, SOON));
        co4_nats_entry_destroy(&e);
    }
    must("watch", co4_nats_kv_watch(&w, kv, ">", SOON));
    while (!current) {
        co4_nats_entry e;
        must("watch", co4_nats_watch_next(w, &e, &current, SOON));
        co4_nats_entry_destroy(&e);
    }
    measure_end();
    co4_nats_watch_destroy(w);
    co4_nats_kv_close(kv);
    must("delete", co4_nats_kv_delete_bucket(c, "B", SOON));
    co4_nats_close(c, SOON);
}

static void keys(long n)
{
    co4_run(put_all(n));
}

/* ---- services and groups ---- */

static pausable int answer(co4_nats_call *call, void *arg)
{
    (void)call;
    (void)arg;
    return co4_yield();
}

static pausable int serve(co4_nats *c, long n, co4_future *ready)
{
    co4_nats_service_options o = {
        .name = "answers", .at_once = 10, .capacity = (int)n, .ready = ready
    };
    return co4_nats_serve(c, &o, answer, NULL);
}

static pausable int work(co4_nats *c, co4_future *ready)
{
    co4_nats_group_options o = { .name = "g", .places = 10, .ready = ready };
    return co4_nats_group_work(c, &o, answer, NULL);
}

static pausable int give(co4_nats_group *g, int64_t deadline)
{
    co4_nats_message *m;
    co4_nats_outgoing job = { .data = "x", .size = 1 };
    int err = co4_nats_group_ask(g, &job, &m, NULL, deadline);
    if (err == CO4_OK)
        co4_nats_message_destroy(m);
    return err;
}

/* n wait at the same time: in the service's mailbox, in the group's queue. */
static pausable void serve_all(long n, bool group)
{
    co4_nats *c = open_one();
    co4_nats_group *g;
    co4_future *ready = co4_future_create(0);
    co4_task **all = calloc((size_t)n, sizeof *all);
    co4_task *service = group ? co4_spawn(work(c, ready)) : co4_spawn(serve(c, n, ready));
    must("ready", co4_future_await(ready, NULL));
    co4_future_release(ready);
    must("open", co4_nats_group_open(&g, c, "g", SOON));
    measure_begin();
    for (long i = 0; i < n; i++)
        all[i] = group ? co4_spawn(give(g, SOON)) : co4_spawn(ask(c, "answers"));
    for (long i = 0; i < n; i++) {
        int code;
        must("join", co4_join(all[i], &code));
        must("ask", code);
    }
    measure_end();
    co4_nats_group_close(g);
    co4_nats_close(c, SOON);
    co4_join(service, NULL);
    free(all);
}

static void services(long n)
{
    co4_run(serve_all(n, false));
}

static void jobs(long n)
{
    co4_run(serve_all(n, true));
}

/* An asker knows n workers, whose places change, and which have all gone: a job tries each. */
static pausable void know_all(long n)
{
    co4_nats *c = open_one();
    co4_nats_group *g;
    co4_nats_group_counts counts;
    char text[64];
    must("open", co4_nats_group_open(&g, c, "g", SOON));
    measure_begin();
    for (long i = 0; i < 3 * n; i++) {
        int size = snprintf(text, sizeof text, "worker%ld %ld %ld 100 0", i % n, i / n + 1,
                            (i * 7919 + i / n) % 100 + 1);
        must("publish", co4_nats_publish(c, "co4.group.g.ready", text, (size_t)size, SOON));
    }
    must("flush", co4_nats_flush(c, SOON));
    co4_task *job = co4_spawn(give(g, SOON));
    do {
        co4_sleep(20 * CO4_MS);
        co4_nats_group_count(g, &counts);
    } while (counts.gone < (uint64_t)n);
    measure_end();
    co4_task_cancel(job, 0);
    co4_join(job, NULL);
    co4_nats_group_close(g);
    co4_nats_close(c, SOON);
}

static void workers(long n)
{
    co4_run(know_all(n));
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    server_start(&server);
    int failed = grows_about("messages", messages, 4000) |
                 grows_about("subscriptions", subscriptions, 2000) |
                 grows_about("a connection again", reconnections, 2000) |
                 grows_about("requests", requests, 2000) |
                 grows_about("requests that are cut off", cut_off, 2000) |
                 grows_about("flushes", flushes, 2000) | grows_in_turn("streams", streams, 500) |
                 grows_in_turn("keys", keys, 500) | grows_about("services", services, 2000) |
                 grows_about("jobs of a group", jobs, 2000) |
                 grows_about("workers of a group", workers, 2000);
    server_end(&server);
    return failed;
}
