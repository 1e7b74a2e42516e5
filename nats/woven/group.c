/* group.c - the calls of groups that wait. A worker is a service with a subject of its own, which
 * announces how many places are free. ../group.c has what askers know of that. */
#include "../group.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "owned.h"
#include "service.h"

/* ---- workers ---- */

pausable int co4_nats_group_work(co4_nats *c, const co4_nats_group_options *options,
                                 co4_nats_service_handler *handler, void *arg)
{
    char prefix[160], subject[220], asked_on[220];
    if (!c || !options || !handler || !co4__nats_is_service_name(options->name) ||
        options->places < 0 || options->places > 1 << 20)
        return CO4_EINVAL;
    __attribute__((cleanup(
        co4__nats_serving_end))) struct co4__nats_serving s = { .handler = handler, .arg = arg };
    s.o.at_once = options->places > 0 ? options->places : 1;
    s.o.capacity = -1;
    s.o.ready = options->ready;
    s.o.counts = options->counts;
    int err = co4__nats_serving_init(&s, c);
    if (err != CO4_OK)
        return err;
    snprintf(prefix, sizeof prefix, CO4__NATS_GROUP "%s", options->name);
    snprintf(subject, sizeof subject, "%s.work.%s", prefix, s.a->id);
    snprintf(s.a->announcements, sizeof s.a->announcements, "%s.ready", prefix);
    s.a->places = true;
    snprintf(asked_on, sizeof asked_on, "%s.who", prefix);
    s.asked_on = asked_on;
    s.o.subject = subject;
    return co4__nats_serve(&s);
}

/* ---- askers ---- */

static void close_one(co4_nats_group **g)
{
    co4_nats_group_close(*g);
}

/* Subscribes to the announcements of all workers, and to an inbox to which they answer; and asks
 * all of them for their states. */
static pausable int listen_to(co4_nats_group *g, int64_t deadline)
{
    char subject[220];
    snprintf(subject, sizeof subject, "%s.ready", g->prefix);
    co4__nats_new_inbox(g->c, g->answers);
    int err = co4__nats_subscribe(&g->ready, g->c, subject, NULL, 1, CO4_NATS_DROP_NEWEST, &g->hook,
                                  deadline);
    if (err != CO4_OK)
        return err;
    err = co4__nats_subscribe(&g->inbox, g->c, g->answers, NULL, 1, CO4_NATS_DROP_NEWEST, &g->hook,
                              deadline);
    if (err != CO4_OK)
        return err;
    snprintf(subject, sizeof subject, "%s.who", g->prefix);
    co4_nats_outgoing m = { .subject = subject, .reply = g->answers };
    err = co4_nats_send(g->c, &m, deadline);
    return err == CO4_OK ? co4_nats_flush(g->c, deadline) : err;
}

pausable int co4_nats_group_open(co4_nats_group **out, co4_nats *c, const char *name,
                                 int64_t deadline)
{
    if (!out)
        return CO4_EINVAL;
    *out = NULL;
    if (!c || !co4__nats_is_service_name(name))
        return CO4_EINVAL;
    __attribute__((cleanup(close_one))) co4_nats_group *g = NULL;
    int err = co4__nats_group_new(&g, c, name);
    if (err == CO4_OK)
        err = listen_to(g, deadline);
    if (err == CO4_OK) {
        *out = g;
        g = NULL;
    }
    return err;
}

/* Takes a place, and sends the job there. Returns CO4_EAGAIN when another attempt may succeed.
 * *busy: the job has not been sent. */
static pausable int try_one(co4_nats_group *g, const co4_nats_outgoing *m, co4_nats_message **reply,
                            bool again, bool *busy, int64_t deadline)
{
    char subject[220];
    __attribute__((cleanup(co4__nats_turn_leave))) struct co4__nats_turn t;
    int err = co4__nats_turn_begin(&t, g, again);
    *busy = true;
    if (err == CO4_EEMPTY)
        err = co4_sem_acquire_until(&t.granted, deadline);
    if (err != CO4_OK)
        return err;
    if (!t.worker)
        return CO4_ECLOSED;
    co4_nats_outgoing job = *m;
    snprintf(subject, sizeof subject, "%s.work.%s", g->prefix, t.worker->id);
    job.subject = subject;
    t.used = true;
    *busy = false;
    err = co4__nats_request(g->c, &job, reply, co4__nats_turn_look, &t, deadline);
    if (err == CO4_OK && co4_nats_failure_of(*reply, NULL) == CO4_NATS_EBUSY)
        err = CO4_NATS_EBUSY;
    co4__nats_turn_end(&t, *reply, err);
    if (err != CO4_NATS_EBUSY && err != CO4_NATS_ENORESPONDERS)
        return err;
    co4_nats_message_destroy(*reply);
    *reply = NULL;
    return CO4_EAGAIN;
}

static void release(co4_nats_group **g)
{
    if (*g)
        co4__nats_group_release(*g);
}

pausable int co4_nats_group_ask(co4_nats_group *group, const co4_nats_outgoing *m,
                                co4_nats_message **reply, co4_nats_failure *failure,
                                int64_t deadline)
{
    bool busy = true, again = false;
    int err = CO4_EAGAIN;
    if (!reply)
        return CO4_EINVAL;
    *reply = NULL;
    if (!group || !m || m->subject || m->reply || deadline == CO4_NEVER)
        return CO4_EINVAL;
    if (failure)
        *failure = (co4_nats_failure){ 0 };
    __attribute__((cleanup(release))) co4_nats_group *g = NULL;
    co4__nats_group_retain(&g, group);
    CO4__NATS_RECEIVED *answer = NULL;
    for (; err == CO4_EAGAIN; again = true)
        err = try_one(g, m, &answer, again, &busy, deadline);
    if (err == CO4_ETIMEDOUT && busy && failure)
        failure->code = CO4_NATS_EBUSY;
    if (err == CO4_OK)
        err = co4_nats_failure_of(answer, failure);
    if (err == CO4_OK) {
        *reply = answer;
        answer = NULL;
    }
    return err;
}
