/* consumers.c - the calls of nats_stream.h that read: consumers, and those that take and settle.
 *
 * A consumer has an inbox, to which the server sends the messages that a taker has asked for. The
 * taker asks for no more than it is ready for. It asks again when these have come, or after a time
 * in which the server has forgotten the request, or the connection was lost. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "streams.h"

#include "co4/group.h"
#include "co4/time.h"

/* ---- consumers ---- */

static bool is_status(const co4_nats_message *m)
{
    return m->size == 0 && m->headers && co4_nats_status(m) != 0;
}

/* Gives back the messages that nobody has taken, so that others get them at once. If the output has
 * no room, the server gives them to others later. */
static void give_back(co4_nats_consumer *k)
{
    co4_nats_message *m;
    int code;
    while (k->inbox &&
           co4_mailbox_receive_until(co4_nats_mailbox(k->inbox), &m, CO4_NOW) == CO4_OK) {
        co4_nats_outgoing no = { .subject = m->reply, .data = "-NAK", .size = 4 };
        struct co4__nats_out *out = is_status(m) ? NULL : co4__nats_encode(k->c, &no, NULL, &code);
        if (out)
            co4__nats_try_append(k->c, out);
        co4_nats_message_destroy(m);
    }
}

void co4_nats_consumer_destroy(co4_nats_consumer *k)
{
    if (!k)
        return;
    give_back(k);
    co4_nats_unsubscribe(k->inbox);
    co4_nats_release(k->c);
    free(k->stream);
    free(k->name);
    free(k);
}

static void end_consumer(co4_nats_consumer **k)
{
    co4_nats_consumer_destroy(*k);
}

pausable int co4__nats_open_inbox(co4_nats_consumer *k, size_t room, int64_t deadline)
{
    co4__nats_new_inbox(k->c, k->subject);
    int err = co4_nats_subscribe(&k->inbox, k->c, k->subject, NULL, room, CO4_NATS_DROP_NEWEST,
                                 deadline);
    if (err == CO4_OK) {
        pthread_mutex_lock(&k->c->lock);
        k->inbox->asks = true;
        pthread_mutex_unlock(&k->c->lock);
    }
    return err;
}

pausable int co4__nats_make_consumer(co4_nats_consumer *k, const char *name, const char *text,
                                     json_t **answer, int64_t deadline)
{
    int err = co4__nats_call(k->c, name ? "CONSUMER.DURABLE.CREATE" : "CONSUMER.CREATE", k->stream,
                             name, text, answer, deadline);
    if (err != CO4_OK)
        return err;
    const char *given = json_string_value(json_object_get(*answer, "name"));
    k->name = given ? strdup(given) : NULL;
    return k->name ? CO4_OK : given ? CO4_ENOMEM : CO4_NATS_EPROTOCOL;
}

/* Joins the others of that name. Returns CO4_NATS_ENOTFOUND if there are none. */
static pausable int join_consumer(co4_nats_consumer *k, const co4_nats_consumer_options *o,
                                  int64_t deadline)
{
    json_t *answer;
    k->name = strdup(o->name);
    int err = k->name
                  ? co4__nats_call(k->c, "CONSUMER.INFO", k->stream, k->name, "", &answer, deadline)
                  : CO4_ENOMEM;
    if (err == CO4_OK) {
        err = co4__nats_is_consumer(json_object_get(answer, "config"), o);
        json_decref(answer);
    }
    if (err != CO4_OK) {
        free(k->name);
        k->name = NULL;
    }
    return err;
}

pausable int co4_nats_consume(co4_nats_consumer **consumer, co4_nats *c, const char *stream,
                              const co4_nats_consumer_options *options, int64_t deadline)
{
    static const co4_nats_consumer_options none;
    const co4_nats_consumer_options *o = options ? options : &none;
    if (!consumer)
        return CO4_EINVAL;
    *consumer = NULL;
    if (!c || !co4__nats_is_name(stream) || (o->name && !co4__nats_is_name(o->name)) ||
        o->credit < 0 || o->ack_wait < 0 || o->max_deliver < 0 || o->max_pending < 0 ||
        (o->filter && (!co4__nats_is_subject(o->filter) || !co4__nats_is_text(o->filter))))
        return CO4_EINVAL;
    __attribute__((cleanup(end_consumer))) co4_nats_consumer *k = NULL;
    int err = co4__nats_object(&k, c, sizeof *k);
    if (err != CO4_OK)
        return err;
    k->c = c;
    k->credit = o->credit > 0 ? o->credit : 1;
    k->ack_wait = co4__nats_time(o->ack_wait, 30 * CO4_SEC);
    k->stream = strdup(stream);
    if (!k->stream)
        return CO4_ENOMEM;
    /* There is room for what was asked for, and for what a new connection asks for again. */
    err = co4__nats_open_inbox(k, 4 * (size_t)k->credit + 16, deadline);
    if (err == CO4_OK)
        err = o->name ? join_consumer(k, o, deadline) : CO4_NATS_ENOTFOUND;
    if (err == CO4_NATS_ENOTFOUND) {
        json_t *answer;
        CO4__NATS_FREED char *text = co4__nats_consumer_json(stream, o);
        err = co4__nats_make_consumer(k, o->name, text, &answer, deadline);
        json_decref(answer);
    }
    if (err == CO4_OK) {
        *consumer = k;
        k = NULL;
    }
    return err;
}

pausable int co4_nats_consumer_look(co4_nats *c, const char *stream, const char *name,
                                    co4_nats_consumer_state *state, int64_t deadline)
{
    json_t *answer;
    if (!c || !state || !co4__nats_is_name(stream) || !co4__nats_is_name(name))
        return CO4_EINVAL;
    int err = co4__nats_call(c, "CONSUMER.INFO", stream, name, "", &answer, deadline);
    if (err != CO4_OK)
        return err;
    const json_t *done = json_object_get(answer, "ack_floor");
    const json_t *given = json_object_get(answer, "delivered");
    *state = (co4_nats_consumer_state){ .done = co4__nats_number(done, "stream_seq"),
                                        .given = co4__nats_number(given, "stream_seq"),
                                        .working = co4__nats_number(answer, "num_ack_pending"),
                                        .pending = co4__nats_number(answer, "num_pending"),
                                        .takers = (int)co4__nats_number(answer, "num_waiting") };
    json_decref(answer);
    return CO4_OK;
}

pausable int co4_nats_consumer_delete(co4_nats *c, const char *stream, const char *name,
                                      int64_t deadline)
{
    if (!c || !co4__nats_is_name(stream) || !co4__nats_is_name(name))
        return CO4_EINVAL;
    return co4__nats_call(c, "CONSUMER.DELETE", stream, name, "", NULL, deadline);
}

/* ---- take ---- */

/* Lets a moment pass before the next request. */
static void rest(co4_nats_consumer *k)
{
    k->asked = 1;
    k->rests = true;
    k->asked_until = co4_now() + CO4_SEC / 10;
}

/* Asks for messages. While the connection is down it sends no request, which would be answered
 * later, together with further ones. */
static pausable int ask(co4_nats_consumer *k, int count, int64_t deadline)
{
    int state = atomic_load(&k->c->state);
    if (state == CO4__NATS_DOWN) {
        rest(k);
        return CO4_OK;
    }
    char subject[400], text[100];
    snprintf(subject, sizeof subject, "$JS.API.CONSUMER.MSG.NEXT.%s.%s", k->stream, k->name);
    int n = snprintf(text, sizeof text, "{\"batch\":%d,\"expires\":%lld}", count,
                     (long long)CO4__NATS_TIME);
    co4_nats_outgoing m = {
        .subject = subject, .reply = k->subject, .data = text, .size = (size_t)n
    };
    k->asked = count;
    k->rests = false;
    k->asked_until = co4_now() + CO4__NATS_TIME + CO4_SEC / 10;
    int err = co4_nats_send(k->c, &m, deadline);
    if (err != CO4_OK)
        k->asked = 0;
    return err;
}

/* Reads a status that has come in place of a message. Returns CO4_OK if the taker can continue. */
static int read_status(co4_nats_consumer *k, const co4_nats_message *m)
{
    int status = co4_nats_status(m);
    if (status == 100)
        return CO4_OK;
    k->asked = 0;
    if (status == CO4__NATS_RECONNECTED)
        return k->in_order ? CO4_NATS_EDISCONNECTED : CO4_OK;
    if (status == 503)
        return k->in_order ? CO4_NATS_ENOTFOUND : CO4_NATS_ENORESPONDERS;
    if (status == 409 && strstr(m->headers, "Deleted"))
        return CO4_NATS_ENOTFOUND;
    if (status == 409) /* for example too many takers: it is tried again, but not at once */
        rest(k);
    return status == 404 || status == 408 || status == 409 ? CO4_OK : CO4_NATS_EREFUSED;
}

/* The consumer does not answer: it was deleted, or the server is not ready yet. Returns CO4_OK if a
 * later request may be answered. */
static pausable int is_gone(co4_nats_consumer *k, int64_t deadline)
{
    int err = co4__nats_call(k->c, "CONSUMER.INFO", k->stream, k->name, "", NULL,
                             co4__nats_soon(deadline, CO4__NATS_AGAIN));
    rest(k);
    return co4__nats_may_pass(err) ? CO4_OK : err;
}

/* A server answers each request at the latest when its time ends. If no answer has come, the
 * consumer may have been deleted, which some servers do not say. */
static pausable int ask_again(co4_nats_consumer *k, int count, int64_t deadline)
{
    if (k->asked > 0 && co4_now() < k->asked_until)
        return CO4_OK;
    if (k->asked > 0 && !k->rests && atomic_load(&k->c->state) == CO4__NATS_UP)
        return is_gone(k, deadline);
    return ask(k, count, deadline);
}

pausable int co4__nats_take(co4_nats_consumer *k, int credit, co4_nats_message **m,
                            int64_t deadline)
{
    int err = CO4_OK;
    while (err == CO4_OK) {
        err = co4_mailbox_receive_until(co4_nats_mailbox(k->inbox), m, CO4_NOW);
        if (err == CO4_EEMPTY) {
            err = ask_again(k, credit, deadline);
            if (err == CO4_OK)
                err = co4_nats_next(k->inbox, m,
                                    k->asked_until < deadline ? k->asked_until : deadline);
        }
        if (err == CO4_ETIMEDOUT && (deadline == CO4_NEVER || co4_now() < deadline)) {
            err = CO4_OK;
            continue;
        }
        if (err != CO4_OK)
            return err;
        if (!is_status(*m)) {
            k->asked--;
            return CO4_OK;
        }
        err = read_status(k, *m);
        co4_nats_message_destroy(*m);
        *m = NULL;
        if (err == CO4_NATS_ENORESPONDERS)
            err = is_gone(k, deadline);
    }
    return err;
}

pausable int co4_nats_take(co4_nats_consumer *k, co4_nats_message **m, int64_t deadline)
{
    if (!m)
        return CO4_EINVAL;
    *m = NULL;
    if (!k)
        return CO4_EINVAL;
    return co4__nats_take(k, k->credit, m, deadline);
}

/* ---- what has become of a message ---- */

static pausable int answer(co4_nats_consumer *k, const co4_nats_message *m, const char *text,
                           int64_t deadline)
{
    if (!k || !m || !m->reply)
        return CO4_EINVAL;
    return co4_nats_publish(k->c, m->reply, text, strlen(text), deadline);
}

pausable int co4_nats_ack(co4_nats_consumer *k, const co4_nats_message *m, int64_t deadline)
{
    return answer(k, m, "+ACK", deadline);
}

pausable int co4_nats_ack_sure(co4_nats_consumer *k, const co4_nats_message *m, int64_t deadline)
{
    co4_nats_message *reply;
    if (!k || !m || !m->reply)
        return CO4_EINVAL;
    int err = co4_nats_request(k->c, m->reply, "+ACK", 4, &reply, deadline);
    if (err == CO4_OK)
        co4_nats_message_destroy(reply);
    return err == CO4_NATS_ENORESPONDERS ? CO4_NATS_ENOTFOUND : err;
}

pausable int co4_nats_retry(co4_nats_consumer *k, const co4_nats_message *m, int64_t after,
                            int64_t deadline)
{
    char text[64] = "-NAK";
    if (after > 0)
        snprintf(text, sizeof text, "-NAK {\"delay\":%lld}", (long long)after);
    return answer(k, m, text, deadline);
}

pausable int co4_nats_working(co4_nats_consumer *k, const co4_nats_message *m, int64_t deadline)
{
    return answer(k, m, "+WPI", deadline);
}

pausable int co4_nats_reject(co4_nats_consumer *k, const co4_nats_message *m, int64_t deadline)
{
    return answer(k, m, "+TERM", deadline);
}

/* ---- work ---- */

struct work {
    co4_nats_consumer *k;
    co4_nats_handler *handler;
    void *arg;
    co4_sem places;
    pthread_mutex_t lock;
    struct job *all; /* guarded: the jobs, also those whose tasks had no memory to begin */
};

/* A message that a handler has. */
struct job {
    struct job *next, **back;
    struct work *w;
    co4_nats_message *m;
    co4_sem ended;
    int code;
};

static pausable int call_handler(struct job *j)
{
    j->code = j->w->handler(j->m, j->w->arg);
    co4_sem_release(&j->ended);
    return CO4_OK;
}

/* Tells the server what a handler has returned. */
static pausable void settle(const struct work *w, const co4_nats_message *m, int code)
{
    int64_t deadline = co4_now() + w->k->ack_wait;
    if (code >= 0)
        co4_nats_ack(w->k, m, deadline);
    else if (code == CO4_NATS_EREFUSED)
        co4_nats_reject(w->k, m, deadline);
    else
        co4_nats_retry(w->k, m, 0, deadline);
}

/* Waits for the handler, and meanwhile tells the server that it works. The handler is a task of a
 * scope, so it has ended before the job's frame goes, also for lack of memory. */
static pausable int wait_for(struct job *j)
{
    int64_t half = j->w->k->ack_wait / 2;
    int err = co4_scope_spawn(co4_scope_here(), call_handler(j));
    while (err == CO4_OK &&
           (err = co4_sem_acquire_until(&j->ended, co4_now() + half)) == CO4_ETIMEDOUT)
        err = co4_nats_working(j->w->k, j->m, co4_now() + half) == CO4_ECANCELED ? CO4_ECANCELED
                                                                                 : CO4_OK;
    return err;
}

/* Takes over the message. NULL: out of memory. */
static struct job *new_job(struct work *w, co4_nats_message *m)
{
    struct job *j = calloc(1, sizeof *j);
    if (!j)
        return NULL;
    *j = (struct job){ .w = w, .m = m, .ended = CO4_SEM_INIT(0), .code = CO4_ENOMEM };
    pthread_mutex_lock(&w->lock);
    j->next = w->all;
    j->back = &w->all;
    if (j->next)
        j->next->back = &j->next;
    w->all = j;
    pthread_mutex_unlock(&w->lock);
    return j;
}

static void end_job(struct job **job)
{
    struct job *j = *job;
    struct work *w = j->w;
    pthread_mutex_lock(&w->lock);
    *j->back = j->next;
    if (j->next)
        j->next->back = j->back;
    pthread_mutex_unlock(&w->lock);
    co4_nats_message_destroy(j->m);
    free(j);
    co4_sem_release(&w->places);
}

static void end_work(struct work *w)
{
    for (struct job *j = w->all, *next; j; j = next) {
        next = j->next;
        co4_nats_message_destroy(j->m);
        free(j);
    }
    pthread_mutex_destroy(&w->lock);
}

static pausable int job(struct job *begun)
{
    __attribute__((cleanup(end_job))) struct job *j = begun;
    int err = co4_scope_run(0, wait_for(j));
    co4_shield_begin();
    settle(j->w, j->m, err == CO4_OK || j->code >= 0 ? j->code : err); /* a done job stays done */
    co4_shield_end();
    return CO4_OK;
}

/* Returns a message that this process does not handle: another one gets it at once. */
static pausable void give_away(co4_nats_consumer *k, const co4_nats_message *m)
{
    co4_shield_begin();
    co4_nats_retry(k, m, 0, co4_now() + CO4_SEC);
    co4_shield_end();
}

static pausable int jobs(struct work *w)
{
    CO4__NATS_RECEIVED *m = NULL;
    for (;;) {
        int err = co4_sem_acquire(&w->places);
        if (err == CO4_OK)
            err = co4__nats_take(w->k, (int)co4_sem_permits(&w->places) + 1, &m, CO4_NEVER);
        if (err != CO4_OK)
            return err;
        co4_nats_message *its = m;
        struct job *j = new_job(w, its);
        if (!j) {
            give_away(w->k, its);
            return CO4_ENOMEM;
        }
        m = NULL;
        err = co4_scope_spawn(co4_scope_here(), job(j));
        if (err != CO4_OK) { /* it is cancelled, for example */
            give_away(w->k, its);
            return err;
        }
    }
}

pausable int co4_nats_work(co4_nats_consumer *k, co4_nats_handler *handler, void *arg)
{
    if (!k || !handler)
        return CO4_EINVAL;
    __attribute__((cleanup(end_work))) struct work w = {
        k, handler, arg, CO4_SEM_INIT(k->credit), PTHREAD_MUTEX_INITIALIZER, NULL
    };
    return co4_scope_run(0, jobs(&w));
}
