/* stall.c - a network through which nothing passes, slowly passes, or which refuses: each wait
 * ends, and what was ended is said. */
#include "counted.h"

/* A server that says nothing for three pings is gone, and so is one that does not let a client in
 * during an attempt: both are longer than any pause of a machine with much to do. */
static pausable co4_nats *open_one(const char *url)
{
    const char *urls[] = { url, NULL };
    co4_nats *c = NULL;
    co4_nats_options o = {
        .servers = urls, .wait = 20 * CO4_MS, .ping = CO4_SEC, .attempt = 5 * CO4_SEC, .output = 64
    };
    int err = co4_nats_connect(&c, &o, SOON);
    if (err != CO4_OK)
        show("connect", err);
    return c;
}

/* Waits for an event. Returns its code. */
static pausable int until(co4_nats *c, co4_nats_event_kind kind)
{
    co4_nats_event e;
    while (co4_mailbox_receive_until(co4_nats_monitor(c), &e, SOON) == CO4_OK)
        if (e.kind == kind)
            return e.code;
    printf("event %d does not come\n", (int)kind);
    return CO4_OK;
}

static pausable int flush(co4_nats *c)
{
    return co4_nats_flush(c, SOON);
}

static pausable int ask(co4_nats *c)
{
    co4_nats_message *m;
    int err = co4_nats_request(c, "echo", "x", 1, &m, SOON);
    if (err == CO4_OK)
        co4_nats_message_destroy(m);
    return err;
}

static pausable int echo(co4_nats *c, co4_nats_subscription *s)
{
    co4_nats_message *m;
    while (co4_nats_next(s, &m, CO4_NEVER) == CO4_OK) {
        co4_nats_respond(c, m, m->data, m->size, SOON);
        co4_nats_message_destroy(m);
    }
    return 0;
}

static pausable void stalls(struct proxy *p)
{
    co4_nats *c = open_one(p->url);
    int code;
    proxy_stall(p, true);
    co4_task *flusher = co4_spawn(flush(c)), *asker = co4_spawn(ask(c));
    show("disconnected", until(c, CO4_NATS_DISCONNECTED));
    co4_join(flusher, &code);
    show("a flush", code);
    co4_join(asker, &code);
    show("a request", code);
    show("an attempt", until(c, CO4_NATS_ATTEMPT_FAILED));
    show("publish", co4_nats_publish(c, "a", "x", 1, SOON));
    proxy_stall(p, false);
    until(c, CO4_NATS_RECONNECTED);
    show("flush", co4_nats_flush(c, SOON));
    show("close", co4_nats_close(c, SOON));
}

/* The server has sent the half of a message. */
static pausable void half(struct proxy *p, const struct server *server)
{
    static char data[20000];
    co4_nats *c = open_one(p->url), *d = open_one(server->url);
    co4_nats_subscription *s;
    co4_nats_message *m;
    int code;
    show("subscribe", co4_nats_subscribe(&s, c, "half", NULL, 0, 0, SOON));
    show("flush", co4_nats_flush(c, SOON));
    memset(data, 'x', sizeof data);
    proxy_stall_at(p, TO_CLIENT, "MSG half 1 20000\r\nxxxx");
    show("publish", co4_nats_publish(d, "half", data, sizeof data, SOON));
    show("flush", co4_nats_flush(d, SOON)); /* before it the server has sent it on */
    co4_task *flusher = co4_spawn(flush(c));
    show("disconnected", until(c, CO4_NATS_DISCONNECTED));
    co4_join(flusher, &code);
    show("a flush", code);
    proxy_stall(p, false);
    until(c, CO4_NATS_RECONNECTED);
    show("flush", co4_nats_flush(c, SOON));
    show("nothing has come", co4_nats_next(s, &m, co4_now()));
    show("publish", co4_nats_publish(d, "half", data, sizeof data, SOON));
    show("the next", co4_nats_next(s, &m, SOON));
    co4_nats_message_destroy(m);
    co4_nats_unsubscribe(s);
    show("close", co4_nats_close(c, SOON));
    show("close", co4_nats_close(d, SOON));
}

/* The server takes nothing: neither does the output, after a while. */
static pausable void full(struct proxy *p)
{
    co4_nats *c = open_one(p->url);
    static char data[100000];
    int err, n = 0;
    memset(data, 'x', sizeof data);
    proxy_stall(p, true);
    while ((err = co4_nats_publish(c, "full", data, sizeof data, co4_now() + 100 * CO4_MS)) ==
           CO4_OK)
        n++;
    show("the output is full", err);
    until(c, CO4_NATS_DISCONNECTED);
    proxy_stall(p, false);
    until(c, CO4_NATS_RECONNECTED);
    show("a flush of what was lost before", co4_nats_flush(c, SOON));
    show("the next", co4_nats_flush(c, SOON));
    co4_nats_counts counts;
    co4_nats_count(c, &counts);
    printf("%d wait, all are accounted for: %d\n", (int)counts.waiting,
           counts.sent + counts.lost >= (uint64_t)n);
    show("close", co4_nats_close(c, SOON));
}

static pausable int close_it(co4_nats *c)
{
    return co4_nats_close(c, CO4_NEVER);
}

static pausable void closes(struct proxy *p)
{
    co4_nats *c = open_one(p->url), *d = open_one(p->url), *none;
    int code = CO4_OK;
    proxy_stall(p, true);
    show("publish", co4_nats_publish(c, "a", "x", 1, SOON));
    show("close", co4_nats_close(c, co4_now() + 20 * CO4_MS));
    co4_task *closer = co4_spawn(close_it(d));
    co4_sleep(20 * CO4_MS);
    co4_task_cancel(closer, 0);
    co4_join(closer, &code);
    show("a close that is cancelled", code);
    const char *urls[] = { p->url, NULL };
    co4_nats_options o = { .servers = urls, .attempt = 10 * CO4_SEC };
    show("connect", co4_nats_connect(&none, &o, co4_now() + 50 * CO4_MS));
    o.attempt = 50 * CO4_MS;
    show("connect", co4_nats_connect(&none, &o, SOON));
    proxy_stall(p, false);
}

static pausable void delays(struct proxy *p, const struct server *server)
{
    enum { N = 50 };
    co4_task *tasks[N];
    co4_nats *d = open_one(server->url);
    co4_nats_subscription *s;
    show("subscribe", co4_nats_subscribe(&s, d, "echo", NULL, 0, 0, SOON));
    show("flush", co4_nats_flush(d, SOON));
    co4_task *server_task = co4_spawn(echo(d, s));
    proxy_delay(p, 30);
    co4_nats *c = open_one(p->url);
    int good = 0, code;
    for (int i = 0; i < N; i++)
        tasks[i] = co4_spawn(ask(c));
    for (int i = 0; i < N; i++)
        good += co4_join(tasks[i], &code) == CO4_OK && code == CO4_OK;
    printf("%d slow replies\n", good);
    show("close", co4_nats_close(c, SOON));
    proxy_delay(p, 0);
    show("drain", co4_nats_drain(s, SOON));
    co4_join(server_task, NULL);
    co4_nats_unsubscribe(s);
    show("close", co4_nats_close(d, SOON));
}

static pausable void accepts_again(struct proxy *p)
{
    co4_sleep(50 * CO4_MS);
    proxy_refuse(p, false);
}

/* The first connect makes as many rounds as the next. */
static pausable void rounds(struct proxy *p)
{
    co4_nats *c;
    const char *urls[] = { p->url, NULL };
    co4_nats_options o = { .servers = urls, .rounds = 1 << 30, .wait = 5 * CO4_MS };
    show("connect for 50 ms", co4_nats_connect(&c, &o, co4_now() + 50 * CO4_MS));
    co4_task *task = co4_spawn(accepts_again(p));
    show("connect", co4_nats_connect(&c, &o, SOON));
    co4_join(task, NULL);
    show("close", co4_nats_close(c, SOON));
    proxy_refuse(p, true);
}

static pausable void refuses(struct proxy *p)
{
    co4_nats *c = open_one(p->url), *none;
    const char *urls[] = { p->url, NULL };
    co4_nats_options o = { .servers = urls };
    proxy_refuse(p, true);
    show("connect", co4_nats_connect(&none, &o, SOON));
    rounds(p);
    proxy_cut(p);
    show("disconnected", until(c, CO4_NATS_DISCONNECTED));
    for (int i = 0; i < 3; i++)
        show("an attempt", until(c, CO4_NATS_ATTEMPT_FAILED));
    proxy_refuse(p, false);
    until(c, CO4_NATS_RECONNECTED);
    show("flush", co4_nats_flush(c, SOON));
    show("close", co4_nats_close(c, SOON));
}

static pausable int all(const struct server *server)
{
    struct proxy p;
    proxy_start(&p, server->port);
    stalls(&p);
    half(&p, server);
    full(&p);
    closes(&p);
    delays(&p, server);
    refuses(&p);
    proxy_end(&p);
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
