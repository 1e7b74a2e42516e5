/* traffic.c - publishers, subscribers and requesters of the soak: nothing comes twice or damaged,
 * each wait ends. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "soak.h"

enum { PUBLISHERS = 2, SUBSCRIBERS = 2, REQUESTERS = 8, MOST = 4000000, ROOM = 1200 };

struct traffic {
    const char *near, *far;
    co4_nats *publishers[PUBLISHERS], *subscribers[SUBSCRIBERS], *asker, *answerers[2];
    co4_nats_subscription *subscriptions[SUBSCRIBERS], *questions[2];
    co4_task *publishing[PUBLISHERS], *collecting[SUBSCRIBERS], *asking[REQUESTERS], *answering[2];
    unsigned published[PUBLISHERS];
    atomic_uint refused, received, twice, damaged, next_question, codes[5], strange;
    unsigned char seen[SUBSCRIBERS][PUBLISHERS][MOST];
    atomic_uchar served[MOST];
};

struct traffic *traffic_begin(const char *near, const char *far)
{
    struct traffic *t = malloc(sizeof *t);
    if (!t)
        abort();
    memset(t, 1, sizeof *t); /* all of it is resident: what grows later is not this */
    memset(t, 0, sizeof *t);
    t->near = near;
    t->far = far;
    return t;
}

static pausable int publish(struct traffic *t, unsigned who)
{
    char data[ROOM];
    uint64_t seed = who;
    unsigned n = 0;
    for (; !soak_stop && n < MOST; n++) {
        size_t size = soak_fill(data, 20 + soak_random(&seed) % (ROOM - 20), who, n);
        t->refused += co4_nats_publish(t->publishers[who], "work", data, size, SOON) != CO4_OK;
        if (n % 8 == 0)
            co4_sleep(soak_random(&seed) % 8 * CO4_MS);
    }
    t->published[who] = n;
    return 0;
}

static pausable int collect(struct traffic *t, unsigned i)
{
    co4_nats_message *m;
    while (co4_nats_next(t->subscriptions[i], &m, CO4_NEVER) == CO4_OK) {
        unsigned who, number;
        t->received++;
        if (!soak_read(m->data, m->size, &who, &number) || who >= PUBLISHERS || number >= MOST)
            t->damaged++;
        else
            t->twice += t->seen[i][who][number]++ > 0;
        co4_nats_message_destroy(m);
    }
    return 0;
}

static pausable int answer(struct traffic *t, int i)
{
    co4_nats_message *m;
    while (co4_nats_next(t->questions[i], &m, CO4_NEVER) == CO4_OK) {
        unsigned who, number;
        if (!soak_read(m->data, m->size, &who, &number) || number >= MOST)
            t->damaged++;
        else
            t->twice += t->served[number]++ > 0;
        co4_nats_respond(t->answerers[i], m, m->data, m->size, SOON);
        co4_nats_message_destroy(m);
    }
    return 0;
}

static pausable int ask(struct traffic *t)
{
    char data[ROOM];
    unsigned number;
    while (!soak_stop && (number = t->next_question++) < MOST) {
        co4_nats_message *reply = NULL;
        size_t size = soak_fill(data, 20 + number % (ROOM - 20), 0, number);
        int err = co4_nats_request(t->asker, "question", data, size, &reply,
                                   co4_now() + 2 * CO4_SEC);
        switch (err) {
        case CO4_OK:
            t->codes[0]++;
            t->damaged += reply->size != size || memcmp(reply->data, data, size) != 0;
            break;
        case CO4_ETIMEDOUT:
            t->codes[1]++;
            break;
        case CO4_NATS_EDISCONNECTED:
            t->codes[2]++;
            break;
        case CO4_NATS_ENORESPONDERS:
            t->codes[3]++;
            break;
        default:
            t->strange++;
        }
        co4_nats_message_destroy(reply);
        co4_sleep(5 * CO4_MS);
    }
    return 0;
}

pausable void traffic_start(struct traffic *t)
{
    for (unsigned i = 0; i < SUBSCRIBERS; i++) {
        t->subscribers[i] = soak_open(i % 2 ? t->near : t->far);
        if (co4_nats_subscribe(&t->subscriptions[i], t->subscribers[i], "work", NULL, 10000,
                               CO4_NATS_DROP_OLDEST, CO4_NEVER) != CO4_OK)
            abort();
        t->collecting[i] = co4_spawn(collect(t, i));
    }
    for (int i = 0; i < 2; i++) {
        t->answerers[i] = soak_open(i % 2 ? t->near : t->far);
        if (co4_nats_subscribe(&t->questions[i], t->answerers[i], "question", "group", 1000,
                               CO4_NATS_SLOW_DOWN, CO4_NEVER) != CO4_OK)
            abort();
        t->answering[i] = co4_spawn(answer(t, i));
    }
    t->asker = soak_open(t->far);
    for (int i = 0; i < REQUESTERS; i++)
        t->asking[i] = co4_spawn(ask(t));
    for (unsigned i = 0; i < PUBLISHERS; i++) {
        t->publishers[i] = soak_open(i % 2 ? t->near : t->far);
        t->publishing[i] = co4_spawn(publish(t, i));
    }
}

/* Of one connection. */
static pausable void finish(co4_nats *c, co4_nats_subscription *s, co4_task *task)
{
    co4_nats_close(c, SOON);
    if (task)
        co4_join(task, NULL);
    co4_nats_unsubscribe(s);
}

pausable bool traffic_end(struct traffic *t)
{
    co4_nats_counts counts = { 0 };
    uint64_t lost = 0, reconnects = 0, waiting = 0;
    unsigned published = 0;
    for (int i = 0; i < PUBLISHERS; i++)
        co4_join(t->publishing[i], NULL);
    for (int i = 0; i < REQUESTERS; i++)
        co4_join(t->asking[i], NULL);
    co4_nats_count(t->asker, &counts);
    waiting = counts.requests;
    for (int i = 0; i < PUBLISHERS; i++) {
        co4_nats_count(t->publishers[i], &counts);
        lost += counts.lost;
        reconnects += counts.reconnects;
        published += t->published[i];
        finish(t->publishers[i], NULL, NULL);
    }
    for (int i = 0; i < SUBSCRIBERS; i++) {
        co4_nats_count(t->subscribers[i], &counts);
        reconnects += counts.reconnects;
        finish(t->subscribers[i], t->subscriptions[i], t->collecting[i]);
    }
    for (int i = 0; i < 2; i++)
        finish(t->answerers[i], t->questions[i], t->answering[i]);
    finish(t->asker, NULL, NULL);
    fprintf(
        stderr,
        "at most once: %u published, %u refused, %u received by %d, %llu may be lost, %u twice, "
        "%u damaged, %llu reconnects\n",
        published, t->refused, t->received, SUBSCRIBERS, (unsigned long long)lost, t->twice,
        t->damaged, (unsigned long long)reconnects);
    fprintf(
        stderr,
        "requests: %u answered, %u timed out, %u disconnected, %u nobody, %u strange, %d wait\n",
        t->codes[0], t->codes[1], t->codes[2], t->codes[3], t->strange, (int)waiting);
    bool good = t->twice == 0 && t->damaged == 0 && t->strange == 0 && waiting == 0 &&
                t->received > 0 && t->codes[0] > 0;
    free(t);
    return good;
}
