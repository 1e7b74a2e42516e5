/* calls.c - the calls of nats.h that wait. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "connection.h"
#include "service.h"

#include "co4/time.h"

/* A call that is under way has a reference to its connection. */
static void leave(struct co4_nats **c)
{
    co4_nats_release(*c);
}

/* This variable comes before the call enters: if there is no memory for the call's frame, it has no
 * reference to give back. */
#define HELD __attribute__((cleanup(leave))) struct co4_nats *held = NULL

/* Gives back what a message was charged, unless it has come into the output. */
struct charge {
    struct co4_nats *c;
    struct co4__nats_out *out; /* NULL: it is in the output */
};

static void give_back(struct charge *a)
{
    if (!a->out)
        return;
    co4__nats_room_give(a->c, a->out->charged);
    a->out->charged = 0;
}

static pausable int wait_for_room(struct co4_nats *c, struct co4__nats_out *out, int64_t deadline)
{
    __attribute__((cleanup(co4__nats_room_leave))) struct co4__nats_room_wait w;
    co4__nats_room_wait(&w, c, out->size);
    int err = co4_sem_acquire_until(&w.granted, deadline);
    if (err == CO4_OK) {
        out->charged = w.charged;
        w.charged = 0;
    }
    return err;
}

pausable int co4__nats_append(struct co4_nats *c, struct co4__nats_out **out, int64_t deadline)
{
    __attribute__((cleanup(give_back))) struct charge a = { c, *out };
    int err = co4__nats_room_try(c, *out) ? CO4_OK : wait_for_room(c, *out, deadline);
    if (err == CO4_OK)
        err = co4_mailbox_send_until(c->output, out, deadline);
    if (err == CO4_OK)
        a.out = *out = NULL;
    return err;
}

static struct co4__nats_out *control(enum co4__nats_out_kind kind, uint64_t number)
{
    struct co4__nats_out *out = malloc(sizeof *out);
    if (out)
        *out = (struct co4__nats_out){ .kind = kind, .number = number };
    return out;
}

/* ---- connections ---- */

void co4_nats_abort(co4_nats *c)
{
    if (!c)
        return;
    co4__nats_stop(c);
    if (c->task) {
        co4_task_cancel(c->task, 0);
        co4_task_release(c->task);
    }
    co4_nats_release(c);
}

static void give_up(struct co4_nats **c)
{
    co4_nats_abort(*c);
}

/* Returns whether the task has ended before it began, without memory for its first frame. */
static bool has_failed(struct co4_nats *c)
{
    return co4_task_state_of(c->task) == CO4_TASK_STOPPED && !atomic_load(&c->begun);
}

pausable int co4_nats_connect(co4_nats **out, const co4_nats_options *options, int64_t deadline)
{
    if (!out)
        return CO4_EINVAL;
    *out = NULL;
    /* The end is in a cleanup, as this call may end for lack of memory. */
    __attribute__((cleanup(give_up))) struct co4_nats *c = NULL;
    int err = co4__nats_new(&c, options);
    if (err != CO4_OK)
        return err;
    c->servers.current = c->options.in_order ? c->servers.count - 1
                                             : (size_t)(c->random % c->servers.count);
    err = co4__nats_try_rounds(c, &c->conn, c->options.rounds > 0 ? c->options.rounds : 1, false,
                               deadline);
    if (err != CO4_OK)
        return err;
    atomic_store(&c->state, CO4__NATS_UP);
    atomic_fetch_add(&c->references, 1);
    c->task = co4_spawn(co4__nats_task(c));
    /* Waits until it is known whether the task has taken the reference. A yield needs no memory. */
    co4_shield_begin();
    for (int i = 0; err == CO4_OK && c->task && !atomic_load(&c->begun) && !has_failed(c); i++)
        err = i < 1000 ? co4_yield() : co4_sleep(CO4_MS);
    co4_shield_end();
    if (!c->task || has_failed(c)) {
        co4_nats_release(c);
        return CO4_ENOMEM;
    }
    if (err == CO4_OK) {
        *out = c;
        c = NULL;
    }
    return err;
}

/* Tells the server that all subscriptions end. */
static void end_subscriptions(struct co4_nats *c)
{
    uint32_t slot = 0;
    uint64_t number;
    pthread_mutex_lock(&c->lock);
    size_t count = c->subscriptions.count + c->control.count;
    uint64_t *more = realloc(c->control.ended, (count + 1) * sizeof *more);
    if (more) {
        c->control.ended = more;
        c->control.room = count + 1;
        while (co4__nats_table_next(&c->subscriptions, &slot, &number))
            more[c->control.count++] = number;
    }
    pthread_mutex_unlock(&c->lock);
    co4__nats_control(c);
}

pausable int co4__nats_flush(struct co4_nats *c, uint64_t ended, int64_t deadline)
{
    __attribute__((cleanup(co4__nats_wait_leave))) struct co4__nats_wait w;
    int err = co4__nats_wait_begin(&w, c, true);
    CO4__NATS_FREED struct co4__nats_out *out = err == CO4_OK ? control(CO4__NATS_PING, w.number)
                                                              : NULL;
    if (!out)
        return CO4_ENOMEM;
    out->ended = ended;
    err = co4__nats_append(c, &out, deadline);
    if (err == CO4_OK)
        err = co4_sem_acquire_until(&w.done, deadline);
    if (err != CO4_OK)
        return err;
    w.number = 0;
    return w.code;
}

/* Messages may have been lost before a flush began. The first flush that ends afterwards returns
 * that. */
static int report_lost(struct co4_nats *c, int err)
{
    if (err != CO4_OK && err != CO4_NATS_EDISCONNECTED)
        return err;
    pthread_mutex_lock(&c->lock);
    if (c->lost_unasked)
        err = CO4_NATS_EDISCONNECTED;
    c->lost_unasked = false;
    pthread_mutex_unlock(&c->lock);
    return err;
}

/* Returns whether there were messages that were not sent. */
static bool drop_output(struct co4_nats *c)
{
    struct co4__nats_out *out;
    bool any = false;
    while (co4_mailbox_receive_until(c->output, &out, CO4_NOW) == CO4_OK) {
        any = any || (out && out->kind == CO4__NATS_MESSAGE && out->number == 0);
        co4__nats_out_free(c, out);
    }
    return any;
}

/* For a close that ends for lack of memory: it ends the connection's task, and the connection stays
 * the caller's. */
static void end_close(struct co4_nats **c)
{
    if (*c && (*c)->task)
        co4_task_cancel((*c)->task, 0);
}

pausable int co4_nats_close(co4_nats *connection, int64_t deadline)
{
    if (!connection)
        return CO4_OK;
    __attribute__((cleanup(end_close))) struct co4_nats *c = connection;
    int err = CO4_OK;
    if (co4__nats_drain_begin(c)) {
        if (atomic_load(&c->state) == CO4__NATS_UP) {
            end_subscriptions(c);
            err = co4__nats_flush(c, 0, deadline);
        }
        co4__nats_drain_services(c);
        int end = co4_sem_acquire_until(&c->served, deadline);
        err = err == CO4_OK ? end : err;
    }
    if (co4__nats_stop(c) == CO4__NATS_UP) {
        end_subscriptions(c);
        int end = co4__nats_flush(c, 0, deadline);
        err = err == CO4_OK ? end : err;
    }
    co4_shield_begin();
    co4_task_cancel(c->task, 0);
    co4_join(c->task, NULL);
    co4_shield_end();
    c->task = NULL;
    if (drop_output(c) && err == CO4_OK)
        err = CO4_NATS_EDISCONNECTED;
    err = c->why != CO4_OK ? c->why : err;
    co4_nats_release(c);
    c = NULL;
    return err;
}

/* ---- publish ---- */

pausable int co4_nats_send(co4_nats *c, const co4_nats_outgoing *m, int64_t deadline)
{
    HELD;
    int code = co4__nats_hold(&held, c);
    if (code != CO4_OK)
        return code;
    CO4__NATS_FREED struct co4__nats_out *out = co4__nats_encode(held, m, m ? m->reply : NULL,
                                                                 &code);
    return out ? co4__nats_append(held, &out, deadline) : code;
}

pausable int co4_nats_publish(co4_nats *c, const char *subject, const void *data, size_t size,
                              int64_t deadline)
{
    co4_nats_outgoing m = { .subject = subject, .data = data, .size = size };
    return co4_nats_send(c, &m, deadline);
}

pausable int co4_nats_flush(co4_nats *c, int64_t deadline)
{
    HELD;
    int err = co4__nats_hold(&held, c);
    return err == CO4_OK ? report_lost(held, co4__nats_flush(held, 0, deadline)) : err;
}

/* ---- subscribe ---- */

static co4_nats_subscription *new_subscription(struct co4_nats *c, const char *subject,
                                               const char *queue, size_t capacity,
                                               co4_nats_full full, struct co4__nats_hook *hook,
                                               int *code)
{
    co4_nats_subscription *s = calloc(1, sizeof *s);
    *code = CO4_ENOMEM;
    if (!s)
        return NULL;
    s->c = c;
    atomic_fetch_add(&c->references, 1);
    atomic_init(&s->references, 1);
    s->hook = hook;
    if (hook)
        hook->begin(hook);
    s->full = full;
    s->subject = strdup(subject);
    s->queue = queue ? strdup(queue) : NULL;
    s->mailbox = co4_mailbox_create(sizeof(co4_nats_message *), capacity ? capacity : 1024);
    if (s->subject && (s->queue || !queue) && s->mailbox)
        *code = CO4_OK;
    if (*code == CO4_OK) {
        pthread_mutex_lock(&c->lock);
        s->number = co4__nats_table_add(&c->subscriptions, s);
        pthread_mutex_unlock(&c->lock);
        if (s->number == 0)
            *code = CO4_ENOMEM;
    }
    if (*code == CO4_OK)
        return s;
    co4__nats_subscription_release(s);
    return NULL;
}

pausable int co4__nats_subscribe(co4_nats_subscription **out, struct co4_nats *c,
                                 const char *subject, const char *queue, size_t capacity,
                                 co4_nats_full full, struct co4__nats_hook *hook, int64_t deadline)
{
    int code;
    *out = NULL;
    co4_nats_subscription *s = new_subscription(c, subject, queue, capacity, full, hook, &code);
    if (!s)
        return code;
    pthread_mutex_lock(&c->lock);
    bool closed = atomic_load(&c->state) == CO4__NATS_CLOSED; /* else its mailbox will be closed */
    bool tell = c->known && !closed; /* else the next server learns of all subscriptions */
    pthread_mutex_unlock(&c->lock);
    code = closed ? CO4_ECLOSED : CO4_OK;
    CO4__NATS_FREED struct co4__nats_out *line = tell ? control(CO4__NATS_SUBSCRIBE, s->number)
                                                      : NULL;
    *out = s; /* before the wait, which may end for lack of memory */
    if (tell)
        code = line ? co4__nats_append(c, &line, deadline) : CO4_ENOMEM;
    if (code != CO4_OK) {
        *out = NULL;
        co4_nats_unsubscribe(s);
    }
    return code;
}

static void unsubscribe(co4_nats_subscription **s)
{
    co4_nats_unsubscribe(*s);
}

pausable int co4_nats_subscribe(co4_nats_subscription **out, co4_nats *c, const char *subject,
                                const char *queue, size_t capacity, co4_nats_full full,
                                int64_t deadline)
{
    if (!out)
        return CO4_EINVAL;
    *out = NULL;
    if (!co4__nats_is_subject(subject) || (queue && !co4__nats_is_subject(queue)) ||
        full > CO4_NATS_SLOW_DOWN)
        return CO4_EINVAL;
    if (strlen(subject) + (queue ? strlen(queue) : 0) + 64 > CO4__NATS_LINE)
        return CO4_NATS_ETOOBIG;
    HELD;
    int code = co4__nats_hold(&held, c);
    if (code != CO4_OK)
        return code;
    __attribute__((cleanup(unsubscribe))) co4_nats_subscription *s = NULL;
    code = co4__nats_subscribe(&s, held, subject, queue, capacity, full, NULL, deadline);
    *out = s;
    s = NULL;
    return code;
}

pausable int co4_nats_next(co4_nats_subscription *s, co4_nats_message **m, int64_t deadline)
{
    if (!m)
        return CO4_EINVAL;
    *m = NULL;
    if (!s)
        return CO4_EINVAL;
    return co4_mailbox_receive_until(s->mailbox, m, deadline);
}

/* UNSUB and PING are one entry of the output, behind all that was published before. The server
 * sends what it has for the subscription, and then answers the PING. */
pausable int co4_nats_drain(co4_nats_subscription *s, int64_t deadline)
{
    if (!s)
        return CO4_EINVAL;
    HELD;
    int err = co4__nats_hold(&held, s->c);
    if (err != CO4_OK)
        return err;
    err = co4__nats_flush(held, s->number, deadline);
    co4__nats_end(s, err != CO4_OK); /* after a failure, the server may not have got the UNSUB */
    return err;
}

/* ---- requests ---- */

static bool is_sent(const struct co4__nats_wait *w)
{
    pthread_mutex_lock(&w->c->lock);
    bool sent = w->sent;
    pthread_mutex_unlock(&w->c->lock);
    return sent;
}

/* Waits for the reply, as long as `look` returns a time until which it may come. */
static pausable int wait_while(struct co4__nats_wait *w, int64_t (*look)(void *), void *arg,
                               int64_t deadline)
{
    int err = CO4_ETIMEDOUT;
    while (err == CO4_ETIMEDOUT && co4_now() < deadline) {
        int64_t until = is_sent(w) ? look(arg) : co4_now() + CO4_SEC;
        if (until == 0)
            return CO4_NATS_EGONE;
        err = co4_sem_acquire_until(&w->done, until < deadline ? until : deadline);
    }
    return err;
}

pausable int co4__nats_request(co4_nats *c, const co4_nats_outgoing *m, co4_nats_message **reply,
                               int64_t (*look)(void *), void *arg, int64_t deadline)
{
    if (!reply)
        return CO4_EINVAL;
    *reply = NULL;
    if ((m && m->reply) || deadline == CO4_NEVER) /* a reply may be lost */
        return CO4_EINVAL;
    HELD;
    int err = co4__nats_hold(&held, c);
    if (err != CO4_OK)
        return err;
    __attribute__((cleanup(co4__nats_wait_leave))) struct co4__nats_wait w;
    err = co4__nats_wait_begin(&w, held, false);
    if (err != CO4_OK)
        return err;
    w.subject = m ? m->subject : NULL;
    char inbox[64];
    snprintf(inbox, sizeof inbox, "%s%llu", held->inbox, (unsigned long long)w.number);
    CO4__NATS_FREED struct co4__nats_out *out = co4__nats_encode(held, m, inbox, &err);
    if (!out)
        return err;
    out->number = w.number;
    err = co4__nats_append(held, &out, deadline);
    if (err == CO4_OK)
        err = look ? wait_while(&w, look, arg, deadline) : co4_sem_acquire_until(&w.done, deadline);
    if (err != CO4_OK)
        return err;
    w.number = 0;
    *reply = w.reply;
    return w.code;
}

pausable int co4_nats_request_with(co4_nats *c, const co4_nats_outgoing *m,
                                   co4_nats_message **reply, int64_t deadline)
{
    return co4__nats_request(c, m, reply, NULL, NULL, deadline);
}

pausable int co4_nats_request(co4_nats *c, const char *subject, const void *data, size_t size,
                              co4_nats_message **reply, int64_t deadline)
{
    co4_nats_outgoing m = { .subject = subject, .data = data, .size = size };
    return co4_nats_request_with(c, &m, reply, deadline);
}

pausable int co4_nats_respond(co4_nats *c, const co4_nats_message *request, const void *data,
                              size_t size, int64_t deadline)
{
    if (!request || !request->reply)
        return CO4_EINVAL;
    return co4_nats_publish(c, request->reply, data, size, deadline);
}
