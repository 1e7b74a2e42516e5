/* nats_uneven.c - how long jobs of uneven lengths wait for a worker, by three ways to share them
 * out: a queue group of core NATS, which gives a job to any worker, a work group, and the consumers
 * of a stream, which ask for the next job.
 *
 *   co4nats_uneven [JOBS [LOAD]]     a line for each: mean, p50, p99 and the longest, in ms
 *
 * Four workers do one job each at a time. A job takes 1 ms, one in twenty 50 ms. They come at
 * random moments, as often as keeps LOAD (0.6) of the workers busy, by two connections. A job only
 * sleeps, so this measures how jobs are shared out, and not the machine. The program starts a
 * nats-server of its own. */
#include <co4.h>
#include <co4/nats_group.h>
#include <co4/nats_stream.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tests/nats/server.h"

enum { WORKERS = 4, ASKERS = 2, MOST = 100000 };

static const int64_t SHORT = CO4_MS, LONG = 50 * CO4_MS;

struct job {
    int64_t begun, takes;
};

static double waits[MOST];
static int jobs = 4000, done;
static double load = 0.6;

/* Splitmix: the same jobs at the same moments for all. */
static unsigned long long seed;

static double chance(void)
{
    unsigned long long x = seed += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return (double)((x ^ (x >> 31)) >> 11) / 9007199254740992.0;
}

static void check(const char *what, int err)
{
    if (err == CO4_OK)
        return;
    fprintf(stderr, "%s: %s\n", what, co4_strerror(err));
    exit(1);
}

/* ---- workers ---- */

static pausable int work_on(const co4_nats_message *m)
{
    struct job j;
    memcpy(&j, m->data, sizeof j);
    waits[done++] = (double)(co4_now() - j.begun) / (double)CO4_MS;
    return co4_sleep(j.takes);
}

static pausable int serve_job(co4_nats_call *call, void *arg)
{
    (void)arg;
    return work_on(co4_nats_call_message(call));
}

static pausable int take_job(const co4_nats_message *m, void *arg)
{
    (void)arg;
    return work_on(m);
}

static pausable int by_queue(co4_nats *c, co4_future *ready)
{
    co4_nats_service_options o = { .name = "q", .at_once = 1, .capacity = MOST, .ready = ready };
    return co4_nats_serve(c, &o, serve_job, NULL);
}

static pausable int by_group(co4_nats *c, co4_future *ready)
{
    return co4_nats_group_work(c, &(co4_nats_group_options){ .name = "g", .ready = ready },
                               serve_job, NULL);
}

static pausable int by_stream(co4_nats *c, co4_future *ready)
{
    co4_nats_consumer *k;
    co4_nats_consumer_options o = { .name = "w", .max_pending = 10000 };
    check("consume", co4_nats_consume(&k, c, "JOBS", &o, co4_now() + CO4_SEC));
    check("ready", (co4_future_complete)(ready, NULL, 0));
    int err = co4_nats_work(k, take_job, NULL);
    co4_nats_consumer_destroy(k);
    return err;
}

/* ---- askers ---- */

static pausable int ask_queue(co4_nats *c, const co4_nats_outgoing *m, co4_nats_message **reply)
{
    co4_nats_outgoing all = *m;
    all.subject = "q";
    return co4_nats_ask(c, &all, reply, NULL, co4_now() + 60 * CO4_SEC);
}

static pausable int ask_stream(co4_nats *c, const co4_nats_outgoing *m)
{
    co4_nats_outgoing all = *m;
    all.subject = "JOBS";
    return co4_nats_store(c, &all, NULL, NULL, co4_now() + 60 * CO4_SEC);
}

static pausable int ask(int how, co4_nats *c, co4_nats_group *g, int64_t takes)
{
    struct job j = { co4_now(), takes };
    co4_nats_outgoing m = { .data = &j, .size = sizeof j };
    co4_nats_message *reply = NULL;
    int err = how == 0   ? ask_queue(c, &m, &reply)
              : how == 1 ? co4_nats_group_ask(g, &m, &reply, NULL, co4_now() + 60 * CO4_SEC)
                         : ask_stream(c, &m);
    check("ask", err);
    co4_nats_message_destroy(reply);
    return err;
}

static pausable int ask_all(int how, co4_nats **c, co4_nats_group **g)
{
    double mean = (0.95 * (double)SHORT + 0.05 * (double)LONG) / WORKERS / load;
    double next = (double)co4_now();
    seed = 1;
    for (int i = 0; i < jobs; i++) {
        next += -mean * log(1 - chance());
        int64_t takes = chance() < 0.05 ? LONG : SHORT;
        co4_sleep_until((int64_t)next);
        int err = co4_scope_spawn(co4_scope_here(), ask(how, c[i % 2], g[i % 2], takes));
        check("spawn", err);
    }
    return CO4_OK;
}

/* ---- one way ---- */

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void report(const char *name)
{
    double sum = 0;
    for (int i = 0; i < done; i++)
        sum += waits[i];
    qsort(waits, (size_t)done, sizeof *waits, compare);
    printf("%-14s mean %7.2f  p50 %7.2f  p99 %7.2f  longest %7.2f ms\n", name, sum / done,
           waits[done / 2], waits[done * 99 / 100], waits[done - 1]);
}

static pausable co4_nats *open_one(const char *url)
{
    const char *urls[] = { url, NULL };
    co4_nats *c;
    check("connect",
          co4_nats_connect(&c, &(co4_nats_options){ .servers = urls }, co4_now() + 5 * CO4_SEC));
    return c;
}

static pausable int one_way(const char *url, int how)
{
    static const char *const names[] = { "queue group", "work group", "stream" };
    co4_nats *c[WORKERS], *a[ASKERS];
    co4_nats_group *g[ASKERS] = { NULL };
    co4_task *tasks[WORKERS];
    done = 0;
    for (int i = 0; i < WORKERS; i++) {
        co4_future *ready = co4_future_create(0);
        c[i] = open_one(url);
        tasks[i] = how == 0   ? co4_spawn(by_queue(c[i], ready))
                   : how == 1 ? co4_spawn(by_group(c[i], ready))
                              : co4_spawn(by_stream(c[i], ready));
        check("ready", co4_future_await(ready, NULL));
        co4_future_release(ready);
    }
    for (int i = 0; i < ASKERS; i++) {
        a[i] = open_one(url);
        check("open", co4_nats_group_open(&g[i], a[i], "g", co4_now() + 5 * CO4_SEC));
    }
    check("run", co4_scope_run(0, ask_all(how, a, g)));
    while (done < jobs)
        co4_sleep(CO4_MS);
    report(names[how]);
    for (int i = 0; i < WORKERS; i++) {
        co4_task_cancel(tasks[i], 0);
        co4_join(tasks[i], NULL);
        co4_nats_close(c[i], co4_now() + 5 * CO4_SEC);
    }
    for (int i = 0; i < ASKERS; i++) {
        co4_nats_group_counts n;
        co4_nats_group_count(g[i], &n);
        if (how == 1)
            printf("%14s asker %d: sent %llu, refused %llu, lost %llu\n", "", i,
                   (unsigned long long)n.sent, (unsigned long long)n.refused,
                   (unsigned long long)n.lost);
        co4_nats_group_close(g[i]);
        co4_nats_close(a[i], co4_now() + 5 * CO4_SEC);
    }
    return CO4_OK;
}

static pausable int all(const char *url)
{
    co4_nats *c = open_one(url);
    co4_nats_stream_options o = { .name = "JOBS", .retention = CO4_NATS_WORK, .in_memory = true };
    check("stream", co4_nats_stream_create(c, &o, co4_now() + 5 * CO4_SEC));
    for (int how = 0; how < 3; how++)
        one_way(url, how);
    return co4_nats_close(c, co4_now() + 5 * CO4_SEC);
}

int main(int argc, char **argv)
{
    struct server server = { 0 };
    if (argc > 1)
        jobs = atoi(argv[1]);
    if (argc > 2)
        load = atof(argv[2]);
    if (jobs < 1 || jobs > MOST || load <= 0 || load >= 1)
        return 2;
    server_start(&server);
    int err = co4_run(all(server.url));
    server_end(&server);
    return err;
}
