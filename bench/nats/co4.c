/* co4.c - co4_nats: see measure.h. */
#define _GNU_SOURCE
#include "measure.h"

#include <co4.h>
#include <co4/nats_stream.h>
#include <co4/time.h>

#define SOON (co4_now() + 60 * CO4_SEC)

static const char *url;

static pausable co4_nats *open_one(void)
{
    const char *urls[] = { url, NULL };
    co4_nats *c = NULL;
    check(co4_nats_connect(&c, &(co4_nats_options){ .servers = urls }, SOON) == CO4_OK, "connect");
    return c;
}

static pausable co4_nats_subscription *subscribe(co4_nats *c, const char *subject, size_t room)
{
    co4_nats_subscription *s = NULL;
    check(co4_nats_subscribe(&s, c, subject, NULL, room, CO4_NATS_SLOW_DOWN, SOON) == CO4_OK &&
              co4_nats_flush(c, SOON) == CO4_OK,
          "subscribe");
    return s;
}

static pausable int receive(co4_nats_subscription *s, long n)
{
    co4_nats_message *m;
    for (long i = 0; i < n; i++) {
        check(co4_nats_next(s, &m, CO4_NEVER) == CO4_OK, "next");
        co4_nats_message_destroy(m);
    }
    return 0;
}

static pausable void pubsub(long n, size_t size)
{
    co4_nats *from = open_one(), *to = open_one();
    co4_nats_subscription *s = subscribe(to, "bench.pubsub", 65536);
    char *data = calloc(1, size + 1);
    co4_task *receiver = co4_spawn(receive(s, n));
    begin();
    for (long i = 0; i < n; i++)
        check(co4_nats_publish(from, "bench.pubsub", data, size, CO4_NEVER) == CO4_OK, "publish");
    co4_join(receiver, NULL);
    print_figures(n, NULL);
}

static pausable int respond(co4_nats *c, co4_nats_subscription *s)
{
    co4_nats_message *m;
    while (co4_nats_next(s, &m, CO4_NEVER) == CO4_OK) {
        co4_nats_respond(c, m, m->data, m->size, SOON);
        co4_nats_message_destroy(m);
    }
    return 0;
}

static pausable int ask(co4_nats *c, long n, double *times)
{
    co4_nats_message *m;
    for (long i = 0; i < n; i++) {
        double before = seconds_now();
        check(co4_nats_request(c, "bench.echo", "sixteen bytes...", 16, &m, SOON) == CO4_OK,
              "request");
        co4_nats_message_destroy(m);
        times[i] = seconds_now() - before;
    }
    return 0;
}

static pausable void requests(long n, int at_once)
{
    co4_nats *from = open_one(), *to = open_one();
    co4_task *askers[AT_ONCE];
    double *times = calloc((size_t)n, sizeof *times);
    co4_spawn(respond(to, subscribe(to, "bench.echo", 1024)));
    begin();
    for (int i = 0; i < at_once; i++)
        askers[i] = co4_spawn(ask(from, n / at_once, times + n / at_once * i));
    for (int i = 0; i < at_once; i++)
        co4_join(askers[i], NULL);
    print_figures(n / at_once * at_once, times);
}

static pausable void pull(long n)
{
    co4_nats *c = open_one();
    co4_nats_consumer *k;
    co4_nats_message *m;
    co4_nats_stream_delete(c, "BENCH", SOON);
    check(co4_nats_stream_create(
              c, &(co4_nats_stream_options){ .name = "BENCH", .in_memory = true }, SOON) == CO4_OK,
          "stream");
    for (long i = 0; i < n; i++)
        check(co4_nats_publish(c, "BENCH", "sixteen bytes...", 16, SOON) == CO4_OK, "publish");
    check(co4_nats_flush(c, SOON) == CO4_OK, "flush");
    co4_nats_consumer_options o = { .name = "bench", .credit = PULLED, .max_pending = 10000 };
    check(co4_nats_consume(&k, c, "BENCH", &o, SOON) == CO4_OK, "consume");
    begin();
    for (long i = 0; i < n; i++) {
        check(co4_nats_take(k, &m, SOON) == CO4_OK, "take");
        check(co4_nats_ack(k, m, SOON) == CO4_OK, "ack");
        co4_nats_message_destroy(m);
    }
    check(co4_nats_flush(c, SOON) == CO4_OK, "flush");
    print_figures(n, NULL);
}

static pausable int wait_long(co4_nats *c)
{
    co4_nats_message *m;
    return co4_nats_request(c, "bench.silent", "sixteen bytes...", 16, &m, SOON);
}

static pausable void waiting(long n)
{
    co4_nats *from = open_one(), *to = open_one();
    co4_nats_subscription *s = subscribe(to, "bench.silent", (size_t)n);
    co4_spawn(receive(s, n));
    co4_nats_counts counts;
    size_t before = resident_bytes();
    for (long i = 0; i < n; i++)
        check(co4_spawn(wait_long(from)) != NULL, "spawn");
    do {
        co4_sleep(CO4_SEC / 10);
        co4_nats_count(from, &counts);
    } while ((long)counts.requests < n || counts.waiting > 0);
    co4_sleep(CO4_SEC / 2);
    printf("{\"bytes\": %.0f}\n", (double)(resident_bytes() - before) / (double)n);
    fflush(stdout);
}

static pausable int run(int argc, char **argv)
{
    long n = atol(argv[3]);
    if (strcmp(argv[2], "pubsub") == 0)
        pubsub(n, argc > 4 ? (size_t)atol(argv[4]) : 16);
    else if (strcmp(argv[2], "request") == 0)
        requests(n, 1);
    else if (strcmp(argv[2], "requests") == 0)
        requests(n, AT_ONCE);
    else if (strcmp(argv[2], "pull") == 0)
        pull(n);
    else
        waiting(n);
    _exit(0); /* with connections that are open */
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    url = argv[1];
    return co4_run(run(argc, argv));
}
