/* cluster.c - two servers that know each other: one ends, politely or not, and its clients go to
 * the other. Nothing comes twice, and what may be lost is counted. */
#include <signal.h>
#include <unistd.h>

#include "counted.h"

enum { EACH = 200, ROUNDS = 6, ALL = EACH * ROUNDS };

static struct server servers[2];
static char routes[2][64], config[] = "/tmp/co4-nats-cluster.XXXXXX";

static void start_both(void)
{
    static const char text[] = "lame_duck_duration: \"30s\"\nlame_duck_grace_period: \"300ms\"\n";
    static const char *names[2] = { "one", "two" };
    int fd = mkstemp(config);
    if (fd < 0 || write(fd, text, sizeof text - 1) != sizeof text - 1)
        abort();
    close(fd);
    for (int i = 0; i < 2; i++)
        snprintf(routes[i], sizeof routes[i], "nats://127.0.0.1:%d", server_free_port());
    for (int i = 0; i < 2; i++) {
        servers[i] = (struct server){ .without_streams = true,
                                      .options = { "-n", names[i], "-c", config, "--cluster_name",
                                                   "both", "--cluster", routes[i], "--routes",
                                                   routes[!i] } };
        server_start(&servers[i]);
    }
}

static pausable co4_nats *open_one(const char *url)
{
    const char *urls[] = { url, NULL }; /* the other is learned */
    co4_nats *c = NULL;
    co4_nats_options o = {
        .servers = urls, .attempt = PATIENT, .wait = 20 * CO4_MS, .in_order = true
    };
    int err = co4_nats_connect(&c, &o, SOON);
    if (err != CO4_OK)
        show("connect", err);
    return c;
}

static pausable co4_nats_event until(co4_nats *c, co4_nats_event_kind kind)
{
    co4_nats_event e;
    while (co4_mailbox_receive_until(co4_nats_monitor(c), &e, SOON) == CO4_OK)
        if (e.kind == kind)
            return e;
    printf("event %d does not come\n", (int)kind);
    return (co4_nats_event){ 0 };
}

/* Waits until what one publishes comes to the other: the servers have found each other, and know
 * the subscription. */
static pausable void meet(co4_nats *c, co4_nats *d)
{
    co4_nats_subscription *s = NULL;
    co4_nats_message *m = NULL;
    int err = co4_nats_subscribe(&s, d, "meet", NULL, 0, 0, SOON);
    for (int i = 0; err == CO4_OK && i < 600; i++) {
        err = co4_nats_publish(c, "meet", "x", 1, SOON);
        if (err == CO4_OK && co4_nats_next(s, &m, co4_now() + 50 * CO4_MS) == CO4_OK)
            break;
    }
    printf("they meet: %d\n", m != NULL);
    co4_nats_message_destroy(m);
    co4_nats_unsubscribe(s);
}

static pausable int collect(co4_nats_subscription *s, struct tally *t)
{
    co4_nats_message *m;
    while (co4_nats_next(s, &m, CO4_NEVER) == CO4_OK) {
        count_in(t, m->data, m->size);
        co4_nats_message_destroy(m);
    }
    return 0;
}

static pausable void publish(co4_nats *c, int from)
{
    char data[LARGEST];
    for (int i = from; i < from + EACH; i++) {
        int err = co4_nats_publish(c, "work", data, fill(data, i), SOON);
        if (err != CO4_OK)
            show("publish", err);
        if (i % 10 == 0)
            co4_sleep(CO4_MS);
    }
}

static bool is_at(co4_nats_event e, int i)
{
    return strstr(servers[i].url, e.text) != NULL;
}

static pausable void flush(co4_nats *c)
{
    int err;
    while ((err = co4_nats_flush(c, SOON)) == CO4_NATS_EDISCONNECTED) {
    }
    if (err != CO4_OK)
        show("flush", err);
}

/* The publisher's server ends; then, when it is there again, so does the other. The subscriber
 * stays for the first part. */
static pausable int all(void)
{
    struct tally *t = calloc(1, sizeof *t);
    co4_nats *c = open_one(servers[0].url), *d = open_one(servers[1].url);
    co4_nats_subscription *s;
    meet(c, d);
    show("subscribe", co4_nats_subscribe(&s, d, "work", NULL, ALL, 0, SOON));
    co4_task *reader = co4_spawn(collect(s, t));
    flush(d);
    meet(c, d);
    publish(c, 0);

    kill(servers[0].pid, SIGUSR2); /* it is about to end */
    until(c, CO4_NATS_LAME_DUCK);
    printf("a lame duck is announced\n");
    publish(c, EACH);
    co4_nats_event e = until(c, CO4_NATS_RECONNECTED);
    printf("the other: %d\n", is_at(e, 1));
    publish(c, 2 * EACH);
    flush(c);
    server_kill(&servers[0], SIGKILL);
    server_start(&servers[0]);
    co4_nats *third = open_one(servers[0].url);
    meet(third, d);
    show("close", co4_nats_close(third, SOON));

    server_kill(&servers[1], SIGKILL); /* both are there */
    publish(c, 3 * EACH);
    e = until(c, CO4_NATS_RECONNECTED);
    printf("the first: %d\n", is_at(e, 0));
    e = until(d, CO4_NATS_RECONNECTED);
    printf("the first: %d\n", is_at(e, 0));
    flush(c);
    flush(d);
    publish(c, 4 * EACH);
    server_start(&servers[1]);
    publish(c, 5 * EACH);
    flush(c);
    show("drain", co4_nats_drain(s, SOON));
    co4_join(reader, NULL);
    int late = 0; /* what was published when both were there, and on */
    for (int i = 4 * EACH; i < ALL; i++)
        late += t->seen[i] == 0;
    printf("%d twice, %d damaged, %d of the last missing\n", t->twice, t->damaged, late);
    co4_nats_counts counts;
    co4_nats_count(c, &counts);
    fprintf(stderr, "%d missing, %d may be lost by the publisher\n", missing(t, ALL),
            (int)counts.lost);
    co4_nats_unsubscribe(s);
    show("close", co4_nats_close(c, SOON));
    show("close", co4_nats_close(d, SOON));
    free(t);
    return 0;
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    start_both();
    int err = co4_run(all());
    server_end(&servers[0]);
    server_end(&servers[1]);
    unlink(config);
    return err;
}
