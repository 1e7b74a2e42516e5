/* service.c - the tasks of a service.
 *
 * One task dispatches: when a place is free, it takes a request from the service's mailbox and
 * starts a task for it. Each handler is a task of a scope: it has ended before the service does.
 * All that a request needs when its task ends, also for lack of memory, is in the call, which is
 * not part of a frame: the end of the call answers, and gives back the place.
 *
 * Rejected: a task for each request at once, and a semaphore in it: the requests that wait would
 * cost tasks, and not only their bytes. */
#include "service.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../group.h"
#include "connection.h"

#include "co4/group.h"
#include "co4/time.h"

/* ---- answers ---- */

static pausable int send_answer(co4_nats_call *call, const co4_nats_outgoing *m, int code,
                                const char *text, int64_t deadline)
{
    int err;
    if (call->answered)
        return CO4_ESTATE;
    if (!call->m->reply) {
        call->answered = call->sent = true;
        return CO4_OK;
    }
    CO4__NATS_FREED struct co4__nats_out *out = co4__nats_call_encode(call, m, code, text, &err);
    if (!out)
        return err;
    err = co4__nats_append(call->a->c, &out, deadline);
    call->answered = call->sent = err == CO4_OK;
    return err;
}

pausable int co4_nats_answer_with(co4_nats_call *call, const co4_nats_outgoing *m, int64_t deadline)
{
    if (!call || !m || m->subject || m->reply)
        return CO4_EINVAL;
    return send_answer(call, m, CO4_OK, NULL, deadline);
}

pausable int co4_nats_answer(co4_nats_call *call, const void *data, size_t size, int64_t deadline)
{
    co4_nats_outgoing m = { .data = data, .size = size };
    return co4_nats_answer_with(call, &m, deadline);
}

pausable int co4_nats_answer_error(co4_nats_call *call, int code, const char *text,
                                   int64_t deadline)
{
    if (!call || code >= 0)
        return CO4_EINVAL;
    int err = send_answer(call, NULL, code, text, deadline);
    if (err == CO4_OK)
        call->failed = true;
    return err;
}

/* Answers for a handler that has returned without an answer. */
static pausable void finish(co4_nats_call *call, int code)
{
    static const co4_nats_outgoing empty;
    co4_shield_begin();
    int err = send_answer(call, code < 0 ? NULL : &empty, call->code, co4_strerror(code),
                          co4_now() + CO4__NATS_ANSWER);
    co4_shield_end();
    call->answered = true; /* after a failure it is not tried again, … */
    (void)err;             /* … and counts as unanswered */
}

/* ---- tasks ---- */

static pausable int job(const struct co4__nats_serving *s, co4_nats_call *call)
{
    if (co4_defer(co4__nats_call_end, call) != CO4_OK) {
        co4__nats_call_end(call);
        return CO4_ENOMEM;
    }
    int code = s->handler(call, s->arg);
    /* CO4_NATS_EBUSY would say that no handler has begun, and a group would give the job to the
     * next worker. Here it comes from another service, which the handler has asked. */
    call->code = code == CO4_NATS_EBUSY ? CO4_NATS_ESERVICE : code;
    co4__nats_call_leave(call);
    if (!call->answered)
        finish(call, code);
    return CO4_OK;
}

/* Starts the task of a request. If there is no memory for it, the asker gets that code. */
static int start(struct co4__nats_serving *s, co4_nats_message *m)
{
    co4_nats_call *call = co4__nats_call_new(s->a, m, &s->places);
    int err = CO4_ENOMEM;
    if (call && s->first && s->first(s, call)) {
        co4__nats_call_end(call);
        return CO4_OK;
    }
    if (call)
        err = co4_scope_spawn(co4_scope_here(), job(s, call));
    if (call && err != CO4_OK) {
        call->code = err;
        co4__nats_call_end(call);
    } else if (!call) {
        co4__nats_refuse(s->a, m, err, true);
        co4_sem_release(&s->places);
    }
    return err == CO4_ECANCELED ? err : CO4_OK;
}

/* ---- what it says of itself ---- */

void co4__nats_serving_ends(struct co4__nats_serving *s, int code)
{
    s->ended = code;
    co4_mailbox_close(s->requests->mailbox);
    if (s->who)
        co4_mailbox_close(s->who->mailbox);
}

/* Announces the service each second, and when somebody asks, until that mailbox is closed. */
static pausable void beat_until_closed(struct co4__nats_serving *s)
{
    int chosen = 0;
    while (chosen == 0 || chosen == CO4_ETIMEDOUT) {
        co4_nats_message *m = NULL;
        co4_case cases[] = { CO4_CASE(co4_mailbox_source(s->who->mailbox), &m),
                             CO4_CASE(s->ends ? co4_future_source(s->ends) : NULL, NULL) };
        if (atomic_load(&s->c->state) == CO4__NATS_UP)
            co4__nats_announce(s->a, NULL, false);
        int64_t next = co4_now() + CO4__NATS_BEAT;
        while ((chosen = co4_select_until(cases, 2, CO4_SELECT_IN_ORDER, next)) == 0) {
            co4__nats_announce(s->a, m->reply, false);
            co4_nats_message_destroy(m);
        }
        if (chosen == 1 || chosen == CO4_ENDED(1))
            co4__nats_serving_ends(s, cases[1].code < 0 ? cases[1].code : CO4_ECLOSED);
    }
}

/* After a close has begun, the announcements continue until the handlers have ended. Otherwise
 * askers would take the service to be gone. */
static pausable int beat(struct co4__nats_serving *s)
{
    beat_until_closed(s);
    co4__nats_admission_end(s->a);
    for (int i = 0; co4__nats_admission_inside(s->a) > 0; i++) {
        if (i % 50 == 0)
            co4__nats_announce(s->a, NULL, false);
        if (co4_sleep(CO4__NATS_BEAT / 50) != CO4_OK)
            break;
    }
    return CO4_OK;
}

static void answer_question(struct co4__nats_serving *s, int question, co4_nats_message *m)
{
    co4_nats_service_counts counts;
    int err;
    co4_nats_service_read(s->a->counts, &counts);
    char *text = m->reply ? co4__nats_about_json(&s->about, question, &counts, &err) : NULL;
    if (text)
        co4__nats_try_publish(s->c, m->reply, text);
    free(text);
    co4_nats_message_destroy(m);
}

/* Answers what tools ask on $SRV, until all those mailboxes are closed. */
static pausable int answer_questions(struct co4__nats_serving *s)
{
    co4_nats_message *m = NULL;
    co4_case cases[CO4__NATS_QUESTIONS];
    for (int i = 0; i < CO4__NATS_QUESTIONS; i++)
        cases[i] = (co4_case)CO4_CASE(co4_mailbox_source(s->questions[i]->mailbox), &m);
    for (int left = CO4__NATS_QUESTIONS; left > 0;) {
        int chosen = co4_select(cases, CO4__NATS_QUESTIONS);
        if (chosen >= 0 && m) {
            answer_question(s, chosen, m);
        } else if (CO4_ENDED(chosen) >= 0 && CO4_ENDED(chosen) < CO4__NATS_QUESTIONS) {
            cases[CO4_ENDED(chosen)].source = NULL;
            left--;
        } else {
            break; /* it is cancelled */
        }
    }
    return CO4_OK;
}

/* Waits until the server knows the service. While the connection is down it does not flush, as a
 * close would wait for that. */
static pausable int make_known(struct co4__nats_serving *s)
{
    int err = CO4_ETIMEDOUT;
    while (err == CO4_ETIMEDOUT || err == CO4_NATS_EDISCONNECTED) {
        bool up = atomic_load(&s->c->state) == CO4__NATS_UP;
        err = up ? co4__nats_flush(s->c, 0, co4_now() + CO4_SEC) : co4_sleep(20 * CO4_MS);
        if (!up && err == CO4_OK)
            err = co4__nats_drains(s->c) ? CO4_ECLOSED : CO4_ETIMEDOUT;
    }
    if (err == CO4_OK)
        (co4_future_complete)(s->o.ready, NULL, 0);
    return CO4_OK;
}

static pausable int dispatch(struct co4__nats_serving *s)
{
    co4_nats_message *m;
    int err = CO4_OK;
    if (s->who)
        err = co4_scope_spawn(co4_scope_here(), beat(s));
    if (s->o.ready && err == CO4_OK)
        err = co4_scope_spawn(co4_scope_here(), make_known(s));
    if (s->o.version && err == CO4_OK)
        err = co4_scope_spawn(co4_scope_here(), answer_questions(s));
    while (err == CO4_OK) {
        err = co4_sem_acquire(&s->places);
        if (err == CO4_OK)
            err = co4_mailbox_receive(co4_nats_mailbox(s->requests), &m);
        if (err == CO4_OK)
            err = start(s, m);
    }
    s->code = err;
    if (err != CO4_ECLOSED)
        co4_scope_cancel(co4_scope_here(), 0);
    return err;
}

/* ---- begin and end ---- */

/* Subscribes to each question by itself. With $SRV.* there would be a subscriber for questions that
 * no service answers, and their askers would wait in vain. */
static pausable int ask_for_questions(struct co4__nats_serving *s, int64_t deadline)
{
    char subject[200];
    int err = CO4_OK;
    for (int i = 0; i < CO4__NATS_QUESTIONS && err == CO4_OK; i++) {
        co4__nats_about_subject(&s->about, i, subject, sizeof subject);
        err = co4__nats_subscribe(&s->questions[i], s->c, subject, NULL, 64, CO4_NATS_DROP_OLDEST,
                                  NULL, deadline);
        if (err == CO4_OK)
            co4__nats_is_service(s->questions[i]);
    }
    return err;
}

/* Subscribes. While the connection is down this succeeds, and the server learns of it later. */
static pausable int begin(struct co4__nats_serving *s)
{
    int err = s->o.version ? co4__nats_about_begin(&s->about, s->a->id, &s->o) : CO4_OK;
    if (err != CO4_OK)
        return err;
    err = co4__nats_subscribe(&s->requests, s->c, s->o.subject, s->o.queue, (size_t)s->a->most,
                              CO4_NATS_DROP_NEWEST, &s->a->hook, co4_now() + CO4__NATS_ANSWER);
    if (err != CO4_OK)
        return err;
    co4__nats_is_service(s->requests);
    if (s->asked_on) { /* before the first announcement */
        err = co4__nats_subscribe(&s->who, s->c, s->asked_on, NULL, 64, CO4_NATS_DROP_OLDEST, NULL,
                                  co4_now() + CO4__NATS_ANSWER);
        if (err != CO4_OK)
            return err;
        co4__nats_is_service(s->who);
    }
    if (s->o.version)
        err = ask_for_questions(s, co4_now() + CO4__NATS_ANSWER);
    return err;
}

void co4__nats_serving_end(struct co4__nats_serving *s)
{
    co4_nats_message *m;
    if (!s->c)
        return;
    co4__nats_admission_end(s->a);
    if (s->requests)
        co4__nats_end(s->requests, true);
    /* What has come in has no handler, and gets none. */
    while (s->requests && co4_mailbox_receive_until(s->requests->mailbox, &m, CO4_NOW) == CO4_OK)
        co4__nats_refuse(s->a, m, CO4_NATS_EBUSY, true);
    for (int i = 0; i < CO4__NATS_QUESTIONS; i++)
        co4_nats_unsubscribe(s->questions[i]);
    co4__nats_about_end(&s->about);
    co4_nats_unsubscribe(s->who);
    co4_nats_unsubscribe(s->requests);
    co4__nats_admission_leave(s->a, s->ended ? s->ended : CO4_ECLOSED);
    if (s->a->announcements[0])
        co4__nats_announce(s->a, NULL, true);
    co4__nats_admission_release(s->a);
    co4__nats_service_end(s->c);
    co4_nats_release(s->c);
}

/* Accepts no more requests, and waits for those that the server has sent already: they are refused,
 * and not dropped. */
static pausable void stop(struct co4__nats_serving *s)
{
    co4__nats_admission_end(s->a);
    if (s->a->announcements[0])
        co4__nats_announce(s->a, NULL, false);
    if (atomic_load(&s->c->state) != CO4__NATS_UP)
        return;
    for (int i = 0; i < CO4__NATS_QUESTIONS && s->questions[i]; i++)
        co4__nats_end(s->questions[i], true);
    co4_shield_begin();
    int err = co4_nats_drain(s->requests, co4_now() + CO4_SEC);
    co4_shield_end();
    (void)err; /* after a failure, requests that were under way are lost */
}

pausable int co4__nats_serve(struct co4__nats_serving *s)
{
    s->code = CO4_ENOMEM;
    int err = begin(s);
    if (err != CO4_OK)
        return err;
    err = co4_scope_run(CO4_SCOPE_KEEP_GOING, dispatch(s));
    err = s->code == CO4_ENOMEM && err != CO4_OK ? err : s->code;
    if (err != CO4_ECLOSED || s->ended != CO4_OK) {
        stop(s);
        return err != CO4_ECLOSED ? err : s->ended;
    }
    return atomic_load(&s->c->state) == CO4__NATS_CLOSED ? s->c->why : CO4_OK;
}

int co4__nats_serving_init(struct co4__nats_serving *s, co4_nats *c)
{
    int64_t at_once = s->o.at_once > 0 ? s->o.at_once : 64;
    int64_t waiting = s->o.capacity > 0 ? s->o.capacity : s->o.capacity < 0 ? 0 : 1024;
    int err = at_once + waiting > 1 << 24 ? CO4_EINVAL : co4__nats_enter(c);
    if (err != CO4_OK)
        return err;
    s->places = (co4_sem)CO4_SEM_INIT((int)at_once);
    s->a = co4__nats_admission_new(c, (int)(at_once + waiting), s->o.counts);
    err = s->a ? co4__nats_service_begin(c) : CO4_ENOMEM;
    if (err == CO4_OK) {
        s->c = c;
    } else {
        co4__nats_admission_release(s->a);
        co4_nats_release(c);
    }
    return err;
}

pausable int co4_nats_serve(co4_nats *c, const co4_nats_service_options *options,
                            co4_nats_service_handler *handler, void *arg)
{
    if (!c || !options || !handler || !co4__nats_is_service_name(options->name) ||
        (options->subject && !co4__nats_is_subject(options->subject)) ||
        (options->queue && !co4__nats_is_subject(options->queue)) || options->at_once < 0 ||
        (options->subject && strlen(options->subject) > CO4__NATS_LINE / 2) ||
        (options->queue && strlen(options->queue) > CO4__NATS_LINE / 4))
        return CO4_EINVAL;
    __attribute__((cleanup(co4__nats_serving_end))) struct co4__nats_serving s = {
        .o = *options, .handler = handler, .arg = arg
    };
    s.o.subject = options->subject ? options->subject : options->name;
    s.o.queue = options->all ? NULL : options->queue ? options->queue : options->name;
    int err = co4__nats_serving_init(&s, c);
    return err == CO4_OK ? co4__nats_serve(&s) : err;
}

/* ---- ask ---- */

pausable int co4_nats_ask(co4_nats *c, const co4_nats_outgoing *m, co4_nats_message **reply,
                          co4_nats_failure *failure, int64_t deadline)
{
    if (!reply)
        return CO4_EINVAL;
    *reply = NULL;
    if (failure)
        *failure = (co4_nats_failure){ 0 };
    CO4__NATS_RECEIVED *answer = NULL;
    int err = co4_nats_request_with(c, m, &answer, deadline);
    if (err == CO4_OK)
        err = co4_nats_failure_of(answer, failure);
    if (err == CO4_OK) {
        *reply = answer;
        answer = NULL;
    }
    return err;
}
