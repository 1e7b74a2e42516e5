/* kept.c - jobs that were acknowledged before a server was killed: some servers have forgotten that
 * they had removed them. They are given to nobody, and can be removed. */
#include <signal.h>

#include "counted.h"

enum { JOBS = 200, DONE = 150 };

/* Takes some, and acknowledges all but one. */
static pausable void take_some(co4_nats_consumer *k, int count, int keep, struct tally *t)
{
    co4_nats_message *m;
    for (int i = 0; i < count; i++) {
        int err = co4_nats_take(k, &m, SOON);
        if (err == CO4_OK) {
            count_in(t, m->data, m->size);
            err = i == keep ? CO4_OK : co4_nats_ack_sure(k, m, SOON);
            co4_nats_message_destroy(m);
        }
        if (err != CO4_OK)
            show("take", err);
    }
}

static pausable int all(struct server *server)
{
    struct tally *t = calloc(1, sizeof *t);
    char data[LARGEST];
    co4_nats *c = connect_to(server->url);
    co4_nats_consumer *k;
    co4_nats_consumer_state state = { 0 };
    co4_nats_stream_state stream = { 0 };
    co4_nats_stream_options o = { .name = "JOBS", .retention = CO4_NATS_WORK };
    co4_nats_consumer_options w = { .name = "w", .ack_wait = 3 * CO4_SEC, .credit = 1 };
    show("stream", co4_nats_stream_create(c, &o, SOON));
    for (int i = 0; i < JOBS; i++) {
        co4_nats_outgoing m = { .subject = "JOBS", .data = data, .size = fill(data, i) };
        int err = co4_nats_store(c, &m, NULL, NULL, SOON);
        if (err != CO4_OK)
            show("store", err);
    }
    show("consume", co4_nats_consume(&k, c, "JOBS", &w, SOON));
    take_some(k, DONE, 100, t);
    show("look", co4_nats_consumer_look(c, "JOBS", "w", &state, SOON));
    printf("done %d, given %d, at work %d, pending %d\n", (int)state.done, (int)state.given,
           (int)state.working, (int)state.pending);
    co4_sleep(CO4_SEC / 2); /* the server writes what it knows of the consumer */
    server_kill(server, SIGKILL);
    server_start(server);
    int err;
    while ((err = co4_nats_stream_look(c, "JOBS", &stream, SOON)) == CO4_NATS_EDISCONNECTED) {
    }
    show("look", err);
    fprintf(stderr, "%d messages after the kill\n", (int)stream.messages);
    while (missing(t, JOBS) > 0 || t->seen[100] < 2)
        take_some(k, 1, -1, t);
    co4_sleep(CO4_SEC / 10);
    show("look", co4_nats_consumer_look(c, "JOBS", "w", &state, SOON));
    printf("done %d, at work %d, pending %d\n", (int)state.done, (int)state.working,
           (int)state.pending);
    show("look", co4_nats_stream_look(c, "JOBS", &stream, SOON));
    uint64_t removed = 0;
    show("purge", co4_nats_stream_purge(c, "JOBS", NULL, state.done + 1, &removed, SOON));
    printf("as many were removed as were left: %d\n", removed == stream.messages);
    fprintf(stderr, "%d removed\n", (int)removed);
    show("look", co4_nats_stream_look(c, "JOBS", &stream, SOON));
    printf("%d are left\n", (int)stream.messages);
    for (int i = 0; i < 3; i++) {
        co4_nats_outgoing m = { .subject = "JOBS", .data = data, .size = fill(data, JOBS + i) };
        show("store", co4_nats_store(c, &m, NULL, NULL, SOON));
    }
    show("purge", co4_nats_stream_purge(c, "JOBS", NULL, state.done + 3, &removed, SOON));
    printf("%d of the next are removed\n", (int)removed);
    show("purge", co4_nats_stream_purge(c, "JOBS", "JOBS", 0, &removed, SOON));
    printf("%d of its subject are removed\n", (int)removed);
    printf("%d missing, %d damaged\n", missing(t, JOBS), t->damaged);
    co4_nats_consumer_destroy(k);
    show("close", co4_nats_close(c, SOON));
    free(t);
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
