/* connection.c - the tasks of a connection.
 *
 * One task reads: it delivers messages to mailboxes and to calls that wait for a reply, and never
 * waits for a task of the program, unless a subscription has asked for that. While the connection
 * is up, a second task writes. It takes what publishers have put into the output, as much as there
 * is, and sends it at once: under load one system call carries many messages, and an idle
 * connection sends each at once. When the connection is lost, the reader ends the writer, connects
 * again, tells the server of all subscriptions, and starts another one.
 *
 * Messages that the writer has taken are sent at most once. When the connection is lost, those
 * count as lost that no PONG has confirmed: the writer sends a PING every second in which it
 * writes. What is still in the output waits for the next connection.
 *
 * Concurrency: the reader and the writer may run on different workers. What both use is under the
 * connection's lock (internal.h). The connection below belongs to the reader. The writer uses its
 * output alone, and has ended before the reader closes it.
 *
 * Rejected: the C client of NATS. Its calls hold a lock while they write to a socket, connect and
 * shake hands, so each of them would need a thread that may block, and each message two wakes. A
 * request took 2 ms by way of it and 1 ms by itself, as its flusher waits for 1 ms; it takes 0.1 ms
 * here. A message of 16 bytes took 0.6 us of processor time instead of 0.15 us. */
#include <stdlib.h>
#include <string.h>

#include "connection.h"

#include "co4/group.h"
#include "co4/io.h"
#include "co4/time.h"

enum { BATCH = 32, UNSENT = 65536 };

/* ---- writing ---- */

static bool put_text(co4_conn *conn, const char *text, size_t bytes)
{
    return co4_conn_put(conn, text, bytes) >= 0;
}

/* Writes the line of a subscription, unless the server knows it already. Called under the lock. */
static bool put_subscription(struct co4_nats *c, co4_conn *conn, uint64_t number)
{
    co4_nats_subscription *s = co4__nats_table_find(&c->subscriptions, number);
    if (!s || s->drained || s->epoch == c->epoch)
        return true;
    s->epoch = c->epoch;
    return co4_conn_printf(conn, "SUB %s %s%s%llu\r\n", s->subject, s->queue ? s->queue : "",
                           s->queue ? " " : "", (unsigned long long)number) >= 0;
}

/* Writes the lines of a batch of subscriptions, from *slot on. Then others get the lock. */
static bool put_some_subscriptions(struct co4_nats *c, co4_conn *conn, uint32_t *slot, bool *more)
{
    uint64_t number;
    bool good = true;
    pthread_mutex_lock(&c->lock);
    for (int i = 0; good && *more && i < BATCH; i++) {
        *more = co4__nats_table_next(&c->subscriptions, slot, &number) != NULL;
        good = !*more || put_subscription(c, conn, number);
    }
    pthread_mutex_unlock(&c->lock);
    return good;
}

/* Writes the lines of all subscriptions, and of the inbox of requests. A task that subscribes
 * meanwhile puts its line into the output. */
static bool put_subscriptions(struct co4_nats *c, co4_conn *conn)
{
    uint32_t slot = 0;
    pthread_mutex_lock(&c->lock);
    c->epoch++;
    c->known = true;
    atomic_store(&c->woken, false); /* the last writer may have taken its wake, and then ended */
    c->control.count = 0;
    c->control.pongs = c->control.pings = 0;
    c->pings.count = 0;
    c->asked = co4_now();
    pthread_mutex_unlock(&c->lock);
    bool more = true, good = co4_conn_printf(conn, "SUB %s* 0\r\n", c->inbox) >= 0;
    while (good && more)
        good = put_some_subscriptions(c, conn, &slot, &more);
    return good;
}

/* Notes a PING, which the next PONG answers that has no older PING. Called under the lock. */
static bool note_ping(struct co4_nats *c, uint64_t number)
{
    if (c->pings.count == c->pings.room) {
        size_t room = c->pings.room ? 2 * c->pings.room : 16;
        struct co4__nats_ping *more = malloc(room * sizeof *more);
        if (!more)
            return false;
        for (size_t i = 0; i < c->pings.count; i++)
            more[i] = c->pings.all[(c->pings.first + i) % c->pings.room];
        free(c->pings.all);
        c->pings.all = more;
        c->pings.room = room;
        c->pings.first = 0;
    }
    c->pings.all[(c->pings.first + c->pings.count++) % c->pings.room] = (struct co4__nats_ping){
        number, c->put
    };
    c->asked = co4_now();
    return true;
}

/* Has the writer send a PING or a PONG. */
static void ask(struct co4_nats *c, bool ping)
{
    pthread_mutex_lock(&c->lock);
    c->control.pings += ping;
    c->control.pongs += !ping;
    pthread_mutex_unlock(&c->lock);
}

/* Tells the server of a batch of subscriptions that have ended. */
static bool put_some_ends(struct co4_nats *c, co4_conn *conn, bool *more)
{
    uint64_t numbers[BATCH];
    size_t n = 0;
    bool good = true;
    pthread_mutex_lock(&c->lock);
    while (n < BATCH && c->control.count > 0)
        numbers[n++] = c->control.ended[--c->control.count];
    *more = c->control.count > 0;
    pthread_mutex_unlock(&c->lock);
    for (size_t i = 0; good && i < n; i++)
        good = co4_conn_printf(conn, "UNSUB %llu\r\n", (unsigned long long)numbers[i]) >= 0;
    return good;
}

/* Writes what `control` asks for. */
static bool put_control(struct co4_nats *c, co4_conn *conn)
{
    bool good = true, more = true;
    atomic_store(&c->woken, false); /* first: a request that comes after this look wakes again */
    pthread_mutex_lock(&c->lock);
    for (; good && c->control.pongs > 0; c->control.pongs--)
        good = put_text(conn, "PONG\r\n", 6);
    for (; good && c->control.pings > 0; c->control.pings--)
        good = note_ping(c, 0) && put_text(conn, "PING\r\n", 6);
    pthread_mutex_unlock(&c->lock);
    while (good && more)
        good = put_some_ends(c, conn, &more);
    return good;
}

/* Tells the server that a subscription ends. The PING that confirms this comes behind it. */
static bool put_end(struct co4_nats *c, co4_conn *conn, uint64_t number)
{
    pthread_mutex_lock(&c->lock);
    co4_nats_subscription *s = co4__nats_table_find(&c->subscriptions, number);
    if (s)
        s->drained = true;
    pthread_mutex_unlock(&c->lock);
    return !s || co4_conn_printf(conn, "UNSUB %llu\r\n", (unsigned long long)number) >= 0;
}

/* Notes that the message of a wait is sent. False: the call waits no more, or there is no memory to
 * note the PING, and then the wait has ended. */
static bool wait_is_sent(struct co4_nats *c, uint64_t number, bool ping)
{
    pthread_mutex_lock(&c->lock);
    struct co4__nats_wait *w = co4__nats_table_find(&c->waits, number);
    bool sent = w && (!ping || note_ping(c, number));
    if (sent) {
        w->sent = true;
    } else if (w) {
        co4__nats_table_remove(&c->waits, number);
        co4__nats_wait_ends(w, CO4_ENOMEM, NULL);
    }
    pthread_mutex_unlock(&c->lock);
    return sent;
}

static void count_put(struct co4_nats *c, const struct co4__nats_out *out)
{
    c->put.all++;
    c->put.unasked += out->number == 0;
}

/* Writes a message into the connection's output buffer, and frees it. Counts it in *messages, and
 * adds what it was charged to *charged. */
static bool put(struct co4_nats *c, co4_conn *conn, struct co4__nats_out *out, unsigned *messages,
                size_t *charged)
{
    bool good = true;
    if (!out)
        return true;
    switch (out->kind) {
    case CO4__NATS_MESSAGE:
        if (out->number != 0 && !wait_is_sent(c, out->number, false))
            break; /* nobody waits for the reply any more */
        good = put_text(conn, out->bytes, out->size);
        count_put(c, out);
        (*messages)++;
        break;
    case CO4__NATS_SUBSCRIBE:
        pthread_mutex_lock(&c->lock);
        good = put_subscription(c, conn, out->number);
        pthread_mutex_unlock(&c->lock);
        break;
    case CO4__NATS_PING:
        if (wait_is_sent(c, out->number, true))
            good = put_end(c, conn, out->ended) && put_text(conn, "PING\r\n", 6);
        break;
    }
    *charged += out->charged;
    free(out);
    return good;
}

/* What the writer has taken out of the output. Those from `at` on are not written yet. */
struct batch {
    struct co4_nats *c;
    struct co4__nats_out *all[BATCH];
    size_t at, got;
    size_t charged; /* the room of those that were written, and may not have been sent */
};

static void give(struct batch *b)
{
    co4__nats_room_give(b->c, b->charged);
    b->charged = 0;
}

/* The writer ends, perhaps for lack of memory. Calls that wait for what it still has get a code. */
static void drop(struct batch *b)
{
    for (; b->at < b->got; b->at++) {
        struct co4__nats_out *out = b->all[b->at];
        struct co4__nats_wait *w = NULL;
        if (!out)
            continue;
        pthread_mutex_lock(&b->c->lock);
        if (out->kind != CO4__NATS_SUBSCRIBE && out->number != 0)
            w = co4__nats_table_remove(&b->c->waits, out->number);
        if (w)
            co4__nats_wait_ends(w, CO4_NATS_EDISCONNECTED, NULL);
        pthread_mutex_unlock(&b->c->lock);
        if (out->kind == CO4__NATS_MESSAGE)
            count_put(b->c, out); /* no PONG will confirm it, so it counts as lost */
        co4__nats_out_free(b->c, out);
    }
    give(b);
}

/* Writes messages while there are some and the buffer is not too large, and sends the buffer. */
static pausable bool write_some(struct co4_nats *c, co4_conn *conn, struct batch *b)
{
    unsigned messages = 0;
    bool good = true;
    if (co4_now() - c->asked > CO4_SEC) /* its PONG confirms what was sent */
        ask(c, true);
    do {
        good = good && put_control(c, conn);
        for (; b->at < b->got; b->at++) /* also after a failure, as put() frees them */
            good = put(c, conn, b->all[b->at], &messages, &b->charged) && good;
        b->at = b->got = 0;
    } while (good && co4_conn_unsent(conn) < UNSENT &&
             co4_mailbox_receive_many_until(c->output, b->all, BATCH, &b->got, CO4_NOW) == CO4_OK);
    /* A server that accepts nothing for that long is gone. */
    if (co4_conn_flush_until(conn, co4_now() + 2 * c->options.ping) != 0)
        return false;
    atomic_fetch_add_explicit(&c->sent, messages, memory_order_relaxed);
    return good;
}

static pausable int writer(struct co4_nats *c, co4_conn *conn)
{
    __attribute__((cleanup(drop))) struct batch b = { .c = c };
    while (co4_mailbox_receive_many(c->output, b.all, BATCH, &b.got) == CO4_OK) {
        bool good = write_some(c, conn, &b);
        give(&b);
        if (!good) {
            co4_shutdown(co4_conn_fd(conn), SHUT_RDWR); /* the reader sees its end */
            break;
        }
    }
    return CO4_OK;
}

/* ---- reading ---- */

/* The server has answered the oldest PING. */
static void ponged(struct co4_nats *c)
{
    struct co4__nats_wait *w = NULL;
    pthread_mutex_lock(&c->lock);
    if (c->pings.count > 0) {
        c->confirmed = c->pings.all[c->pings.first].put;
        w = co4__nats_table_remove(&c->waits, c->pings.all[c->pings.first].number);
        c->pings.first = (c->pings.first + 1) % c->pings.room;
        c->pings.count--;
    }
    if (w)
        co4__nats_wait_ends(w, CO4_OK, NULL);
    pthread_mutex_unlock(&c->lock);
}

static void ask_writer(struct co4_nats *c, bool ping)
{
    ask(c, ping);
    co4__nats_control(c);
}

static void release(co4_nats_subscription **s)
{
    if (*s)
        co4__nats_subscription_release(*s);
}

/* Delivers a message, and sets *m to NULL. If nobody gets the message, it stays the caller's. */
static pausable int deliver(struct co4_nats *c, uint64_t number, co4_nats_message **m)
{
    atomic_fetch_add_explicit(&c->received, 1, memory_order_relaxed);
    if (number == 0) {
        co4__nats_replied(c, *m);
        *m = NULL;
        return CO4_OK;
    }
    __attribute__((cleanup(release)))
    co4_nats_subscription *s = co4__nats_subscription_of(c, number);
    if (!s)
        return CO4_OK; /* it has ended meanwhile */
    int err = co4__nats_deliver(s, *m);
    if (err == CO4_EFULL) {
        err = co4_mailbox_send(s->mailbox, m);
        if (err != CO4_OK)
            return err == CO4_ECANCELED ? err : CO4_OK;
    }
    *m = NULL;
    return CO4_OK;
}

/* Returns the code for a read that has failed. */
static int lost_by(ssize_t n)
{
    return n == CO4_ETIMEDOUT ? CO4_NATS_ESTALE : co4__nats_code_of((int)n, CO4_NATS_EDISCONNECTED);
}

/* It does not use co4_conn_read_exact_until(), which does not say why it has read less. */
static pausable int read_payload(co4_conn *conn, char *to, size_t payload, int64_t deadline)
{
    while (payload > 0) {
        ssize_t n = co4_conn_read_until(conn, to, payload, deadline);
        if (n <= 0)
            return lost_by(n);
        to += n;
        payload -= (size_t)n;
    }
    return CO4_OK;
}

static pausable int read_message(struct co4_nats *c, co4_conn *conn, const char *line, size_t bytes)
{
    uint64_t number = 0;
    char *to;
    size_t payload;
    int code;
    CO4__NATS_RECEIVED *m = co4__nats_message_begin(line, bytes, &number, &to, &payload, &code);
    if (!m)
        return code;
    code = read_payload(conn, to, payload, co4_now() + 2 * c->options.ping);
    if (code == CO4_OK)
        code = co4__nats_message_end(m);
    return code == CO4_OK ? deliver(c, number, &m) : code;
}

static int read_news(struct co4_nats *c, const char *json, size_t bytes)
{
    bool was = c->info.lame_duck;
    int err = co4__nats_info_read(&c->info, json, bytes, &c->servers,
                                  c->servers.all[c->servers.current].tls);
    if (err == CO4_OK) { /* it may have other options now */
        atomic_store(&c->max_payload, c->info.max_payload);
        atomic_store(&c->headers, c->info.headers);
    }
    if (err == CO4_OK && c->info.lame_duck && !was)
        co4__nats_event(c, CO4_NATS_LAME_DUCK, CO4_OK, 0, NULL);
    return err;
}

/* Handles one line. Returns CO4_OK, or why the connection cannot go on. */
static pausable int read_one(struct co4_nats *c, co4_conn *conn, char *line, size_t bytes)
{
    if (strncmp(line, "MSG ", 4) == 0 || strncmp(line, "HMSG ", 5) == 0)
        return read_message(c, conn, line, bytes);
    if (strncmp(line, "PING", 4) == 0)
        ask_writer(c, false);
    else if (strncmp(line, "PONG", 4) == 0)
        ponged(c);
    else if (strncmp(line, "INFO ", 5) == 0)
        return read_news(c, line + 5, bytes - 5);
    else if (strncmp(line, "-ERR", 4) == 0)
        co4__nats_event(c, CO4_NATS_SERVER_ERROR, co4__nats_refused(line), 0, line);
    else if (strncmp(line, "+OK", 3) != 0)
        return CO4_NATS_EPROTOCOL;
    return CO4_OK;
}

/* Reads until the connection is lost. Returns why. */
static pausable int read_all(struct co4_nats *c, co4_conn *conn)
{
    char *line;
    int unanswered = 0, code = CO4_OK;
    while (code == CO4_OK) {
        ssize_t n = co4_conn_read_line_until(conn, &line, CO4__NATS_INPUT_LINE,
                                             co4_now() + c->options.ping);
        if (n > 0) {
            unanswered = 0;
            code = read_one(c, conn, line, (size_t)n);
        } else if (n == CO4_ETIMEDOUT) {
            if (unanswered++ >= 2)
                return CO4_NATS_ESTALE;
            ask_writer(c, true);
        } else {
            return lost_by(n);
        }
    }
    return code;
}

/* ---- the task ---- */

/* The scope ends both tasks when one of them ends, also for lack of memory. */
static pausable int serve_both(struct co4_nats *c, co4_conn *conn)
{
    int err = co4_scope_spawn(co4_scope_here(), writer(c, conn));
    if (err != CO4_OK)
        return err;
    int down = CO4__NATS_DOWN;
    atomic_compare_exchange_strong(&c->state, &down, CO4__NATS_UP);
    co4__nats_tell_askers(c);
    return read_all(c, conn);
}

/* The connection is lost. Returns how many messages the server may not have. */
static uint64_t count_lost(struct co4_nats *c)
{
    pthread_mutex_lock(&c->lock);
    c->known = false;
    uint64_t lost = c->put.all - c->confirmed.all;
    if (c->put.unasked != c->confirmed.unasked)
        c->lost_unasked = true;
    c->put = c->confirmed = (struct co4__nats_counted){ 0, 0 };
    pthread_mutex_unlock(&c->lock);
    atomic_fetch_add_explicit(&c->lost, lost, memory_order_relaxed);
    return lost;
}

/* Runs reader and writer while the connection is up. Returns the code with which it was lost. */
static pausable int serve(struct co4_nats *c, co4_conn *conn)
{
    if (!put_subscriptions(c, conn))
        return CO4_ENOMEM;
    int err = co4_conn_flush_until(conn, co4_now() + c->options.attempt);
    if (err != CO4_OK)
        return co4__nats_code_of(err, CO4_NATS_EDISCONNECTED);
    atomic_store(&c->max_payload, c->info.max_payload);
    atomic_store(&c->headers, c->info.headers);
    int up = CO4__NATS_UP, why = co4_scope_run(0, serve_both(c, conn));
    atomic_compare_exchange_strong(&c->state, &up, CO4__NATS_DOWN);
    return why;
}

/* Returns whether all servers have refused the user twice in a row. */
static bool is_refused(const struct co4_nats *c)
{
    for (size_t i = 0; i < c->servers.count; i++)
        if (c->servers.all[i].refused < 2)
            return false;
    return true;
}

/* Returns whether all servers end each connection soon after they have accepted it. */
static bool is_kicked(struct co4_nats *c)
{
    bool soon = co4_now() - c->since < c->options.wait;
    c->short_ones = soon ? c->short_ones + 1 : 0;
    return c->short_ones >= c->servers.count;
}

pausable int co4__nats_try_rounds(struct co4_nats *c, co4_conn **conn, int rounds, bool waits,
                                  int64_t deadline)
{
    int64_t wait = c->options.wait;
    int err = CO4_NATS_ECONNECT;
    for (int round = 0; rounds == 0 || round < rounds; round++) {
        if (round > 0 || waits) {
            int64_t until = co4_now() + wait - wait / 4 +
                            (int64_t)(co4__nats_random(&c->random) % (uint64_t)(wait / 2 + 1));
            if (until >= deadline)
                return CO4_ETIMEDOUT;
            if (co4_sleep_until(until) == CO4_ECANCELED)
                return CO4_ECANCELED;
        }
        err = co4__nats_try_servers(c, conn, deadline);
        if (err == CO4_OK || err == CO4_ECANCELED || co4_now() >= deadline)
            return err;
        if (is_refused(c))
            return CO4_NATS_EAUTH;
    }
    return err;
}

/* The connection is closed for good: ends all waits, and closes all mailboxes. */
static void close_all(struct co4_nats *c, int why)
{
    uint32_t slot = 0;
    uint64_t number;
    co4_nats_subscription *s;
    atomic_store(&c->state, CO4__NATS_CLOSED);
    co4_mailbox_close(c->output);
    co4__nats_room_close(c);
    co4__nats_waits_fail(c, true, CO4_ECLOSED);
    pthread_mutex_lock(&c->lock);
    while ((s = co4__nats_table_next(&c->subscriptions, &slot, &number)) != NULL) {
        co4_mailbox_close(s->mailbox);
        if (s->hook && s->hook->closed)
            s->hook->closed(s->hook);
    }
    pthread_mutex_unlock(&c->lock);
    co4__nats_event(c, CO4_NATS_CLOSED, why, 0, NULL);
    co4_mailbox_close(c->events);
}

static void end_task(struct co4_nats **c)
{
    co4_conn_destroy((*c)->conn);
    (*c)->conn = NULL;
    close_all(*c, (*c)->why);
    co4_nats_release(*c);
}

/* The system would go on to send what it has, and the server might get it after messages of the
 * next connection. It counts as lost. */
static void drop_unsent(co4_conn *conn)
{
    struct linger none = { .l_onoff = 1 };
    co4_setsockopt(co4_conn_fd(conn), SOL_SOCKET, SO_LINGER, &none, sizeof none);
}

/* The end is in a cleanup, as the task may end for lack of memory. */
pausable int co4__nats_task(struct co4_nats *connection)
{
    __attribute__((cleanup(end_task))) struct co4_nats *c = connection;
    atomic_store(&c->begun, true);
    int why = CO4_OK;
    c->why = CO4_ENOMEM;
    co4__nats_server_event(c, CO4_NATS_CONNECTED, CO4_OK, 0);
    for (;;) {
        c->since = co4_now();
        why = serve(c, c->conn);
        if (why != CO4_ECANCELED)
            drop_unsent(c->conn);
        co4_conn_destroy(c->conn);
        c->conn = NULL;
        uint64_t lost = count_lost(c);
        if (why == CO4_ECANCELED) /* by a close: calls that still wait get CO4_ECLOSED */
            break;
        co4__nats_waits_fail(c, false, CO4_NATS_EDISCONNECTED);
        co4__nats_server_event(c, CO4_NATS_DISCONNECTED, why, lost);
        why = co4__nats_try_rounds(c, &c->conn, c->options.rounds, is_kicked(c), CO4_NEVER);
        if (why != CO4_OK)
            break;
        atomic_fetch_add(&c->reconnects, 1);
        co4__nats_server_event(c, CO4_NATS_RECONNECTED, CO4_OK, 0);
    }
    c->why = why == CO4_ECANCELED ? CO4_OK : why;
    return CO4_OK;
}
