/* plain.c - NATS's own client in C, with its threads: see measure.h. */
#define _GNU_SOURCE
#include "measure.h"

#include <nats/nats.h>
#include <pthread.h>
#include <semaphore.h>

static const char *url;

static natsConnection *open_one(void)
{
    natsConnection *c = NULL;
    check(natsConnection_ConnectTo(&c, url) == NATS_OK, "connect");
    return c;
}

static long expected, got;
static sem_t all;

static void receive(natsConnection *c, natsSubscription *s, natsMsg *m, void *closure)
{
    (void)c, (void)s, (void)closure;
    natsMsg_Destroy(m);
    if (++got == expected)
        sem_post(&all);
}

static void respond(natsConnection *c, natsSubscription *s, natsMsg *m, void *closure)
{
    (void)s, (void)closure;
    natsConnection_Publish(c, natsMsg_GetReply(m), natsMsg_GetData(m), natsMsg_GetDataLength(m));
    natsMsg_Destroy(m);
}

static void subscribe(natsConnection *c, const char *subject, natsMsgHandler handler)
{
    natsSubscription *s;
    check(natsConnection_Subscribe(&s, c, subject, handler, NULL) == NATS_OK &&
              natsSubscription_SetPendingLimits(s, -1, -1) == NATS_OK &&
              natsConnection_Flush(c) == NATS_OK,
          "subscribe");
}

static void pubsub(long n, int size)
{
    natsConnection *from = open_one(), *to = open_one();
    char *data = calloc(1, (size_t)size + 1);
    expected = n;
    sem_init(&all, 0, 0);
    subscribe(to, "bench.pubsub", receive);
    begin();
    for (long i = 0; i < n; i++)
        check(natsConnection_Publish(from, "bench.pubsub", data, size) == NATS_OK, "publish");
    natsConnection_Flush(from);
    sem_wait(&all);
    print_figures(n, NULL);
}

struct asker {
    natsConnection *c;
    long n;
    double *times;
};

static void *ask(void *data)
{
    struct asker *a = data;
    for (long i = 0; i < a->n; i++) {
        natsMsg *m;
        double before = seconds_now();
        check(natsConnection_Request(&m, a->c, "bench.echo", "sixteen bytes...", 16, 60000) ==
                  NATS_OK,
              "request");
        natsMsg_Destroy(m);
        a->times[i] = seconds_now() - before;
    }
    return NULL;
}

static void requests(long n, int at_once)
{
    natsConnection *from = open_one(), *to = open_one();
    pthread_t threads[AT_ONCE];
    struct asker askers[AT_ONCE];
    double *times = calloc((size_t)n, sizeof *times);
    subscribe(to, "bench.echo", respond);
    begin();
    for (int i = 0; i < at_once; i++) {
        askers[i] = (struct asker){ from, n / at_once, times + n / at_once * i };
        check(pthread_create(&threads[i], NULL, ask, &askers[i]) == 0, "thread");
    }
    for (int i = 0; i < at_once; i++)
        pthread_join(threads[i], NULL);
    print_figures(n / at_once * at_once, times);
}

static void pull(long n)
{
    natsConnection *c = open_one();
    jsCtx *js;
    jsStreamConfig stream;
    jsSubOptions options;
    natsSubscription *s;
    const char *subjects[] = { "BENCH" };
    check(natsConnection_JetStream(&js, c, NULL) == NATS_OK, "JetStream");
    js_DeleteStream(js, "BENCH", NULL, NULL);
    jsStreamConfig_Init(&stream);
    stream.Name = "BENCH";
    stream.Subjects = subjects;
    stream.SubjectsLen = 1;
    stream.Storage = js_MemoryStorage;
    check(js_AddStream(NULL, js, &stream, NULL, NULL) == NATS_OK, "stream");
    for (long i = 0; i < n; i++)
        check(natsConnection_Publish(c, "BENCH", "sixteen bytes...", 16) == NATS_OK, "publish");
    check(natsConnection_Flush(c) == NATS_OK, "flush");
    jsSubOptions_Init(&options);
    options.Config.AckPolicy = js_AckExplicit;
    options.Config.MaxAckPending = 10000;
    check(js_PullSubscribe(&s, js, "BENCH", "bench", NULL, &options, NULL) == NATS_OK, "subscribe");
    begin();
    for (long i = 0; i < n;) {
        natsMsgList list;
        check(natsSubscription_Fetch(&list, s, PULLED, 60000, NULL) == NATS_OK, "fetch");
        for (int k = 0; k < list.Count; k++, i++)
            check(natsMsg_Ack(list.Msgs[k], NULL) == NATS_OK, "ack");
        natsMsgList_Destroy(&list);
    }
    check(natsConnection_Flush(c) == NATS_OK, "flush");
    print_figures(n, NULL);
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    url = argv[1];
    long n = atol(argv[3]);
    if (strcmp(argv[2], "pubsub") == 0)
        pubsub(n, argc > 4 ? atoi(argv[4]) : 16);
    else if (strcmp(argv[2], "request") == 0)
        requests(n, 1);
    else if (strcmp(argv[2], "requests") == 0)
        requests(n, AT_ONCE);
    else if (strcmp(argv[2], "pull") == 0)
        pull(n);
    else
        return 3; /* a thread for each request */
    _exit(0);
}
