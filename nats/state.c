/* state.c - what tasks of all workers share of a connection: waits, subscriptions, events. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "jetstream.h"

#include "co4/time.h"

/* ---- the connection ---- */

static void free_options(co4_nats_options *o)
{
    free((void *)(uintptr_t)o->name);
    free((void *)(uintptr_t)o->user);
    free((void *)(uintptr_t)o->password);
    free((void *)(uintptr_t)o->token);
    free((void *)(uintptr_t)o->credentials);
}

/* Replaces the caller's text by a copy; NULL stays. Returns whether there is no memory for it. */
static bool lacks(const char **text)
{
    const char *from = *text;
    *text = from ? strdup(from) : NULL;
    return from && !*text;
}

/* Copies all strings, and sets what has a default. Returns CO4_OK or CO4_ENOMEM. */
static int copy_options(co4_nats_options *to, const co4_nats_options *from)
{
    *to = *from;
    to->servers = NULL;
    to->wait = co4__nats_time(to->wait, 2 * CO4_SEC);
    to->attempt = co4__nats_time(to->attempt, 2 * CO4_SEC);
    to->ping = co4__nats_time(to->ping, 20 * CO4_SEC);
    to->output = to->output > 0 ? to->output : 4096;
    to->output_bytes = to->output_bytes > 0 ? to->output_bytes : 8u << 20;
    to->events = to->events > 0 ? to->events : 64;
    int missing = lacks(&to->name) + lacks(&to->user) + lacks(&to->password) + lacks(&to->token) +
                  lacks(&to->credentials);
    return missing > 0 ? CO4_ENOMEM : CO4_OK;
}

int64_t co4__nats_time(int64_t time, int64_t otherwise)
{
    const int64_t most = (int64_t)365 * 24 * 60 * 60 * CO4_SEC;
    return time <= 0 ? otherwise : time < most ? time : most;
}

int64_t co4__nats_soon(int64_t deadline, int64_t time)
{
    int64_t soon = co4_now() + time;
    return soon < deadline ? soon : deadline;
}

uint64_t co4__nats_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

static void name_inbox(struct co4_nats *c)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    unsigned char random[22 + 8];
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        for (size_t i = 0; i < sizeof random; i++)
            random[i] = (unsigned char)((uint64_t)co4_now() >> (i % 8 * 8)) ^
                        (unsigned char)((uintptr_t)c >> (i % 6 * 8));
    char *at = c->inbox + snprintf(c->inbox, sizeof c->inbox, "_INBOX.");
    for (int i = 0; i < 22; i++)
        *at++ = digits[random[i] % 62];
    memcpy(at, ".", 2);
    memcpy(&c->random, random + 22, sizeof c->random);
    c->random |= 1;
}

/* The inbox of requests is "<base>.", so others begin with the base and no dot. */
void co4__nats_new_inbox(struct co4_nats *c, char *name)
{
    snprintf(name, 64, "%.29sp.%u", c->inbox,
             atomic_fetch_add_explicit(&c->named, 1, memory_order_relaxed));
}

int co4__nats_new(struct co4_nats **out, const co4_nats_options *options)
{
    static const co4_nats_options none;
    static const char *const local[] = { "nats://127.0.0.1:4222", NULL };
    const char *const *url = options && options->servers && options->servers[0] ? options->servers
                                                                                : local;
    struct co4_nats *c = calloc(1, sizeof *c);
    co4__nats_code(CO4_OK);
    *out = c;
    if (!c)
        return CO4_ENOMEM;
    pthread_mutex_init(&c->lock, NULL);
    atomic_init(&c->references, 1);
    atomic_init(&c->state, CO4__NATS_DOWN);
    atomic_init(&c->max_payload, 1u << 20);
    int err = copy_options(&c->options, options ? options : &none);
    c->room.most = c->options.output_bytes;
    name_inbox(c);
    for (; *url && err == CO4_OK; url++)
        err = co4__nats_servers_add(&c->servers, *url, false);
    if (err != CO4_OK)
        return err;
    c->output = co4_mailbox_create(sizeof(struct co4__nats_out *), c->options.output);
    c->events = co4_mailbox_create(sizeof(co4_nats_event), c->options.events);
    return c->output && c->events ? CO4_OK : CO4_ENOMEM;
}

void co4_nats_release(co4_nats *c)
{
    struct co4__nats_out *out;
    if (!c || atomic_fetch_sub_explicit(&c->references, 1, memory_order_acq_rel) != 1)
        return;
    while (c->output && co4_mailbox_receive_until(c->output, &out, CO4_NOW) == CO4_OK)
        co4__nats_out_free(c, out);
    co4_mailbox_destroy(c->output);
    co4_conn_destroy(c->conn);
    co4_mailbox_destroy(c->events);
    co4__nats_table_free(&c->subscriptions);
    co4__nats_table_free(&c->waits);
    co4__nats_servers_free(&c->servers);
    co4__nats_info_free(&c->info);
    co4_tls_config_release(c->tls);
    free_options(&c->options);
    free(c->pings.all);
    free(c->control.ended);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

co4_nats *co4_nats_retain(co4_nats *c)
{
    if (c)
        atomic_fetch_add_explicit(&c->references, 1, memory_order_relaxed);
    return c;
}

int co4__nats_enter(struct co4_nats *c)
{
    if (!c)
        return CO4_EINVAL;
    if (atomic_load_explicit(&c->state, memory_order_acquire) >= CO4__NATS_CLOSING)
        return CO4_ECLOSED;
    atomic_fetch_add_explicit(&c->references, 1, memory_order_relaxed);
    return CO4_OK;
}

int co4__nats_stop(struct co4_nats *c)
{
    int state = atomic_load(&c->state);
    while (state < CO4__NATS_CLOSING &&
           !atomic_compare_exchange_weak(&c->state, &state, CO4__NATS_CLOSING)) {
    }
    return state;
}

int co4__nats_hold(struct co4_nats **held, struct co4_nats *c)
{
    int err = co4__nats_enter(c);
    *held = err == CO4_OK ? c : NULL;
    return err;
}

int co4__nats_object(void *object, struct co4_nats *c, size_t bytes)
{
    int err = co4__nats_enter(c);
    void *memory = err == CO4_OK ? calloc(1, bytes) : NULL;
    memcpy(object, &memory, sizeof memory);
    if (err != CO4_OK || memory)
        return err;
    co4_nats_release(c);
    return CO4_ENOMEM;
}

void co4_nats_count(co4_nats *c, co4_nats_counts *counts)
{
    if (!counts)
        return;
    *counts = (co4_nats_counts){ 0 };
    if (!c)
        return;
    pthread_mutex_lock(&c->lock);
    size_t requests = c->waits.count;
    pthread_mutex_unlock(&c->lock);
    *counts = (co4_nats_counts){ .sent = atomic_load(&c->sent),
                                 .received = atomic_load(&c->received),
                                 .dropped = atomic_load(&c->dropped),
                                 .lost = atomic_load(&c->lost),
                                 .reconnects = atomic_load(&c->reconnects),
                                 .events_lost = atomic_load(&c->events_lost),
                                 .no_responders = atomic_load(&c->unanswered),
                                 .waiting = co4_mailbox_len(c->output),
                                 .requests = requests };
}

size_t co4_nats_max_payload(co4_nats *c)
{
    return c ? atomic_load(&c->max_payload) : 0;
}

/* ---- events ---- */

co4_mailbox *co4_nats_monitor(co4_nats *c)
{
    return c ? c->events : NULL;
}

void co4__nats_event(struct co4_nats *c, co4_nats_event_kind kind, int code, uint64_t count,
                     const char *text)
{
    co4_nats_event old, e = { .kind = kind, .code = code, .count = count };
    snprintf(e.text, sizeof e.text, "%s", text ? text : "");
    e.text[strcspn(e.text, "\r\n")] = '\0';
    while (co4_mailbox_send_until(c->events, &e, CO4_NOW) == CO4_EFULL)
        if (co4_mailbox_receive_until(c->events, &old, CO4_NOW) == CO4_OK)
            atomic_fetch_add_explicit(&c->events_lost, 1, memory_order_relaxed);
}

/* ---- waits: tests/model/nats_wait.pml ---- */

int co4__nats_wait_begin(struct co4__nats_wait *w, struct co4_nats *c, bool flush)
{
    *w = (struct co4__nats_wait){ .c = c, .done = CO4_SEM_INIT(0), .flush = flush };
    pthread_mutex_lock(&c->lock);
    w->number = co4__nats_table_add(&c->waits, w);
    pthread_mutex_unlock(&c->lock);
    return w->number ? CO4_OK : CO4_ENOMEM;
}

void co4__nats_wait_ends(struct co4__nats_wait *w, int code, co4_nats_message *reply)
{
    w->code = code;
    w->reply = reply;
    co4_sem_release(&w->done); /* the wait may be gone as soon as the lock is free */
}

void co4__nats_wait_leave(struct co4__nats_wait *w)
{
    if (!w->c || w->number == 0)
        return;
    pthread_mutex_lock(&w->c->lock);
    co4__nats_table_remove(&w->c->waits, w->number);
    pthread_mutex_unlock(&w->c->lock);
    w->number = 0;
    co4_nats_message_destroy(w->reply);
    w->reply = NULL;
}

void co4__nats_waits_fail(struct co4_nats *c, bool all, int code)
{
    uint32_t slot = 0;
    uint64_t number;
    for (;;) {
        struct co4__nats_wait *w;
        pthread_mutex_lock(&c->lock);
        while ((w = co4__nats_table_next(&c->waits, &slot, &number)) != NULL && !all && !w->sent) {
        }
        if (w) {
            co4__nats_table_remove(&c->waits, number);
            co4__nats_wait_ends(w, code, NULL);
        }
        pthread_mutex_unlock(&c->lock);
        if (!w)
            return;
    }
}

/* Counts a request that nobody has answered. Sends an event at most once a second: a program may
 * ask often, and the mailbox of events has to keep others, too. */
static void no_responders(struct co4_nats *c, const char *subject)
{
    int64_t now = co4_now();
    atomic_fetch_add_explicit(&c->unanswered, 1, memory_order_relaxed);
    c->no_responders.count++;
    if (now < c->no_responders.next)
        return;
    co4__nats_event(c, CO4_NATS_NO_RESPONDERS, CO4_NATS_ENORESPONDERS, c->no_responders.count,
                    subject);
    c->no_responders.next = now + CO4_SEC;
    c->no_responders.count = 0;
}

void co4__nats_replied(struct co4_nats *c, co4_nats_message *m)
{
    char *end = NULL;
    size_t prefix = strlen(c->inbox);
    unsigned long long number = strncmp(m->subject, c->inbox, prefix) == 0
                                    ? strtoull(m->subject + prefix, &end, 10)
                                    : 0; /* this server sends what it likes */
    pthread_mutex_lock(&c->lock);
    struct co4__nats_wait *w = number == 0 || *end ? NULL : co4__nats_table_find(&c->waits, number);
    w = w && !w->flush ? co4__nats_table_remove(&c->waits, number) : NULL;
    bool nobody = w && m->size == 0 && co4_nats_status(m) == 503;
    if (nobody)
        no_responders(c, w->subject);
    if (w)
        co4__nats_wait_ends(w, nobody ? CO4_NATS_ENORESPONDERS : CO4_OK, nobody ? NULL : m);
    pthread_mutex_unlock(&c->lock);
    if (!w || nobody) /* without a wait, it is a second reply, or one that comes too late */
        co4_nats_message_destroy(m);
}

/* ---- subscriptions ---- */

co4_nats_subscription *co4__nats_subscription_of(struct co4_nats *c, uint64_t number)
{
    pthread_mutex_lock(&c->lock);
    co4_nats_subscription *s = co4__nats_table_find(&c->subscriptions, number);
    if (s)
        atomic_fetch_add_explicit(&s->references, 1, memory_order_relaxed);
    pthread_mutex_unlock(&c->lock);
    return s;
}

void co4__nats_subscription_release(co4_nats_subscription *s)
{
    if (atomic_fetch_sub_explicit(&s->references, 1, memory_order_acq_rel) != 1)
        return;
    co4_nats_message *m;
    while (s->mailbox && co4_mailbox_receive_until(s->mailbox, &m, CO4_NOW) == CO4_OK)
        co4_nats_message_destroy(m);
    co4_mailbox_destroy(s->mailbox);
    if (s->hook)
        s->hook->end(s->hook);
    co4_nats_release(s->c);
    free(s->subject);
    free(s->queue);
    free(s);
}

static void drop(co4_nats_subscription *s, co4_nats_message *m)
{
    co4_nats_message_destroy(m);
    atomic_fetch_add_explicit(&s->dropped, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&s->c->dropped, 1, memory_order_relaxed);
    if (!atomic_exchange(&s->dropping, true))
        co4__nats_event(s->c, CO4_NATS_SLOW_CONSUMER, CO4_OK, 0, s->subject);
}

int co4__nats_deliver(co4_nats_subscription *s, co4_nats_message *m)
{
    if (s->hook && s->hook->take(s->hook, s, m))
        return CO4_OK;
    int err = co4_mailbox_send_until(s->mailbox, &m, CO4_NOW);
    if (err == CO4_OK) {
        atomic_store_explicit(&s->dropping, false, memory_order_relaxed);
        return CO4_OK;
    }
    if (err == CO4_EFULL && s->full == CO4_NATS_SLOW_DOWN)
        return CO4_EFULL;
    while (err == CO4_EFULL && s->full == CO4_NATS_DROP_OLDEST) {
        co4_nats_message *old;
        if (co4_mailbox_receive_until(s->mailbox, &old, CO4_NOW) == CO4_OK)
            drop(s, old);
        err = co4_mailbox_send_until(s->mailbox, &m, CO4_NOW);
        if (err == CO4_OK)
            return CO4_OK;
    }
    if (err == CO4_ECLOSED)
        co4_nats_message_destroy(m);
    else
        drop(s, m);
    return CO4_OK;
}

static co4_nats_message *status_message(int status)
{
    static const char line[] = "HMSG - 1 16 16\r\n";
    char text[24], *to;
    uint64_t number;
    size_t payload;
    int code;
    co4_nats_message *m = co4__nats_message_begin(line, sizeof line - 1, &number, &to, &payload,
                                                  &code);
    if (!m)
        return NULL;
    snprintf(text, sizeof text, "NATS/1.0 %03d\r\n\r\n\r\n", status);
    memcpy(to, text, payload);
    co4__nats_message_end(m);
    return m;
}

void co4__nats_tell_askers(struct co4_nats *c)
{
    uint32_t slot = 0;
    uint64_t number;
    for (;;) {
        co4_nats_subscription *s;
        pthread_mutex_lock(&c->lock);
        while ((s = co4__nats_table_next(&c->subscriptions, &slot, &number)) != NULL && !s->asks) {
        }
        if (s)
            atomic_fetch_add_explicit(&s->references, 1, memory_order_relaxed);
        pthread_mutex_unlock(&c->lock);
        if (!s)
            return;
        co4_nats_message *m = status_message(CO4__NATS_RECONNECTED);
        /* If the mailbox is full, the taker has messages, and asks again after them. */
        if (m && co4_mailbox_send_until(s->mailbox, &m, CO4_NOW) != CO4_OK)
            co4_nats_message_destroy(m);
        co4__nats_subscription_release(s);
    }
}

co4_mailbox *co4_nats_mailbox(co4_nats_subscription *s)
{
    return s ? s->mailbox : NULL;
}

uint64_t co4_nats_dropped(co4_nats_subscription *s)
{
    return s ? atomic_load(&s->dropped) : 0;
}

void co4__nats_control(struct co4_nats *c)
{
    struct co4__nats_out *wake = NULL;
    /* One wake is enough. While there is no server, more of them would fill the output. */
    if (atomic_exchange(&c->woken, true))
        return;
    int err = co4_mailbox_send_until(c->output, &wake, CO4_NOW);
    (void)err; /* if the output is full, the writer runs anyway */
}

/* Notes the end of a subscription, of which the writer tells the server. */
static void tell_end(struct co4_nats *c, uint64_t number)
{
    pthread_mutex_lock(&c->lock);
    if (c->control.count == c->control.room) {
        size_t room = c->control.room ? 2 * c->control.room : 16;
        uint64_t *more = realloc(c->control.ended, room * sizeof *more);
        if (more) {
            c->control.ended = more;
            c->control.room = room;
        }
    }
    /* Without memory for the note, the server continues to send, and nobody gets it. */
    if (c->control.count < c->control.room)
        c->control.ended[c->control.count++] = number;
    pthread_mutex_unlock(&c->lock);
    co4__nats_control(c);
}

void co4__nats_end(co4_nats_subscription *s, bool tell)
{
    pthread_mutex_lock(&s->c->lock);
    bool was_there = co4__nats_table_remove(&s->c->subscriptions, s->number) != NULL;
    pthread_mutex_unlock(&s->c->lock);
    if (was_there && tell && atomic_load(&s->c->state) < CO4__NATS_CLOSED)
        tell_end(s->c, s->number);
    co4_mailbox_close(s->mailbox);
}

/* ---- services ---- */

int co4__nats_service_begin(struct co4_nats *c)
{
    pthread_mutex_lock(&c->lock);
    bool open = !c->draining && atomic_load(&c->state) < CO4__NATS_CLOSING;
    c->services += open;
    pthread_mutex_unlock(&c->lock);
    return open ? CO4_OK : CO4_ECLOSED;
}

void co4__nats_service_end(struct co4_nats *c)
{
    pthread_mutex_lock(&c->lock);
    bool last = --c->services == 0 && c->draining;
    pthread_mutex_unlock(&c->lock);
    if (last)
        co4_sem_release(&c->served);
}

bool co4__nats_drain_begin(struct co4_nats *c)
{
    pthread_mutex_lock(&c->lock);
    c->draining = true;
    bool any = c->services > 0;
    pthread_mutex_unlock(&c->lock);
    return any;
}

bool co4__nats_drains(struct co4_nats *c)
{
    pthread_mutex_lock(&c->lock);
    bool drains = c->draining;
    pthread_mutex_unlock(&c->lock);
    return drains || atomic_load(&c->state) >= CO4__NATS_CLOSING;
}

void co4__nats_drain_services(struct co4_nats *c)
{
    uint32_t slot = 0;
    uint64_t number;
    co4_nats_subscription *s;
    pthread_mutex_lock(&c->lock);
    while ((s = co4__nats_table_next(&c->subscriptions, &slot, &number)) != NULL)
        if (s->service)
            co4_mailbox_close(s->mailbox);
    pthread_mutex_unlock(&c->lock);
}

void co4_nats_unsubscribe(co4_nats_subscription *s)
{
    if (!s)
        return;
    co4__nats_end(s, true);
    co4__nats_subscription_release(s);
}
