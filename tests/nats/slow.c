/* slow.c - readers that do not read: a server closes the connection of one, its others wait with
 * it, and all of it ends. */
#include <unistd.h>

#include "counted.h"

enum { COUNT = 3000, BIG = 10000 };

static pausable void flood(co4_nats *d, const char *subject)
{
    static char data[BIG];
    for (int i = 0; i < COUNT; i++) {
        memset(data, 'a' + i % 26, sizeof data);
        snprintf(data, 20, "%d", i);
        int err = co4_nats_publish(d, subject, data, sizeof data, SOON);
        if (err != CO4_OK)
            show("publish", err);
    }
    show("flush", co4_nats_flush(d, SOON));
}

static pausable void until(co4_nats *c, co4_nats_event_kind kind)
{
    co4_nats_event e;
    while (co4_mailbox_receive_until(co4_nats_monitor(c), &e, SOON) == CO4_OK)
        if (e.kind == kind)
            return;
    printf("event %d does not come\n", (int)kind);
}

/* Reads up to the message "end". */
static pausable int read_all(co4_nats_subscription *s)
{
    static unsigned char seen[COUNT];
    co4_nats_message *m;
    int twice = 0, damaged = 0, all = 0, end = 0;
    memset(seen, 0, sizeof seen);
    while (!end && co4_nats_next(s, &m, SOON) == CO4_OK) {
        int i = atoi(m->data);
        end = strcmp(m->data, "end") == 0;
        if (!end) {
            damaged += m->size != BIG || i < 0 || i >= COUNT ||
                       m->data[BIG - 1] != (char)('a' + i % 26);
            twice += i >= 0 && i < COUNT && seen[i]++ > 0;
            all++;
        }
        co4_nats_message_destroy(m);
    }
    printf("some come: %d, not all: %d, %d twice, %d damaged, the end: %d\n", all > 0, all < COUNT,
           twice, damaged, end);
    fprintf(stderr, "%d of %d come\n", all, COUNT);
    return 0;
}

/* The connection stops until a task takes messages. The server does not wait. */
static pausable void slowed(const struct server *server)
{
    co4_nats *c = connect_to(server->url), *d = connect_to(server->url);
    co4_nats_subscription *s;
    co4_nats_message *m;
    show("subscribe", co4_nats_subscribe(&s, c, "flood", NULL, 1, CO4_NATS_SLOW_DOWN, SOON));
    show("flush", co4_nats_flush(c, SOON));
    flood(d, "flood");
    co4_sleep(2 * CO4_SEC); /* the server's deadline is less */
    show("a request", co4_nats_request(c, "x", "x", 1, &m, co4_now() + 50 * CO4_MS));
    co4_task *reader = co4_spawn(read_all(s));
    until(c, CO4_NATS_DISCONNECTED);
    until(c, CO4_NATS_RECONNECTED);
    show("flush", co4_nats_flush(c, SOON));
    int err = co4_nats_publish(d, "flood", "end", 3, SOON);
    co4_join(reader, NULL);
    show("publish", err);
    co4_nats_unsubscribe(s);
    show("close", co4_nats_close(c, SOON));
    show("close", co4_nats_close(d, SOON));
}

/* Ends of a connection whose reader waits for room. */
static pausable void ends(const struct server *server)
{
    co4_nats *c = connect_to(server->url), *d = connect_to(server->url);
    co4_nats_subscription *s, *other;
    co4_nats_message *m;
    show("subscribe", co4_nats_subscribe(&s, c, "flood", NULL, 1, CO4_NATS_SLOW_DOWN, SOON));
    show("subscribe", co4_nats_subscribe(&other, c, "other", NULL, 0, 0, SOON));
    show("flush", co4_nats_flush(c, SOON));
    flood(d, "flood");
    show("publish", co4_nats_publish(d, "other", "x", 1, SOON));
    show("nothing comes", co4_nats_next(other, &m, co4_now() + 50 * CO4_MS));
    co4_nats_unsubscribe(s);        /* who waits for it goes on */
    until(c, CO4_NATS_RECONNECTED); /* what the server had for it was too much */
    show("flush", co4_nats_flush(c, SOON));
    show("publish", co4_nats_publish(d, "other", "x", 1, SOON));
    show("it comes", co4_nats_next(other, &m, SOON));
    co4_nats_message_destroy(m);
    co4_nats_unsubscribe(other);
    show("subscribe", co4_nats_subscribe(&s, c, "flood", NULL, 1, CO4_NATS_SLOW_DOWN, SOON));
    show("flush", co4_nats_flush(c, SOON));
    flood(d, "flood");
    show("a close that waits for it", co4_nats_close(c, co4_now() + 100 * CO4_MS));
    co4_nats_unsubscribe(s);
    show("close", co4_nats_close(d, SOON));
}

static pausable int all(const struct server *server)
{
    slowed(server);
    ends(server);
    return 0;
}

int main(void)
{
    char config[] = "/tmp/co4-nats-slow.XXXXXX";
    static const char text[] = "write_deadline: \"500ms\"\nmax_pending: 4194304\n";
    int fd = mkstemp(config);
    if (fd < 0 || write(fd, text, sizeof text - 1) != sizeof text - 1)
        return 2;
    close(fd);
    struct server server = { .options = { "-c", config } };
    setvbuf(stdout, NULL, _IOLBF, 0);
    server_start(&server);
    int err = co4_run(all(&server));
    server_end(&server);
    unlink(config);
    return err;
}
