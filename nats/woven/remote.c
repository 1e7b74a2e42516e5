/* remote.c - actors under a name, those who ask them, and those who watch them.
 *
 * A served actor is a service, whose dispatcher gives the messages to the actor in their order. A
 * message is done then; a question becomes a task that waits for the actor's answer. The service
 * announces itself each second, as workers of a group do (../group.c), but on another subject.
 *
 * Several processes may serve one name. A watch remembers two of them: the first, whose end it
 * reports, and the last of the others, which then takes its place. So each announcement costs O(1),
 * however many there are. */
#include "../group.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "owned.h"
#include "service.h"

/* Served actors announce themselves on <this><name>, and answer questions on <this><name>.who. */
#define ALIVE "co4.alive."

static bool is_name(const char *name)
{
    return co4__nats_is_subject(name) && !strpbrk(name, "*>") && strlen(name) < 128;
}

static bool is_remote(const co4_remote *r)
{
    return r && r->c && is_name(r->name);
}

/* ---- tell and ask ---- */

pausable int co4_remote_tell(const co4_remote *r, const void *data, size_t size, int64_t deadline)
{
    return is_remote(r) ? co4_nats_publish(r->c, r->name, data, size, deadline) : CO4_EINVAL;
}

pausable int co4_remote_ask(const co4_remote *r, const void *data, size_t size,
                            co4_nats_message **reply, co4_nats_failure *failure, int64_t deadline)
{
    if (!reply)
        return CO4_EINVAL;
    *reply = NULL;
    if (!is_remote(r))
        return CO4_EINVAL;
    co4_nats_failure own = { 0 }, *said = failure ? failure : &own;
    co4_nats_outgoing m = { .subject = r->name, .data = data, .size = size };
    int err = co4_nats_ask(r->c, &m, reply, said, deadline);
    return err == CO4_NATS_ESERVICE && said->code == CO4_NATS_ESIZE ? CO4_NATS_ESIZE : err;
}

pausable int co4_remote_ask_value(const co4_remote *r, const void *data, size_t size, void *answer,
                                  size_t answer_size, co4_nats_failure *failure, int64_t deadline)
{
    co4_nats_message *reply;
    if (!answer && answer_size > 0)
        return CO4_EINVAL;
    int err = co4_remote_ask(r, data, size, &reply, failure, deadline);
    if (err != CO4_OK)
        return err;
    err = reply->size == answer_size ? CO4_OK : CO4_NATS_ESIZE;
    if (err == CO4_OK && answer_size > 0)
        memcpy(answer, reply->data, answer_size);
    co4_nats_message_destroy(reply);
    return err;
}

/* ---- serve ---- */

struct served {
    co4_actor *actor;
    co4_remote_options o;
};

/* Gives the bytes to the actor. `reply` is that of the message, or NULL. */
static int give(const struct served *v, co4_nats_call *call, char *bytes)
{
    static const co4_reply none;
    const co4_nats_message *m = call->m;
    memcpy(bytes, m->data, m->size);
    if (v->o.no_questions)
        return m->reply ? CO4_EINVAL : (co4_actor_send_until)(v->actor, bytes, m->size, CO4_NOW);
    memcpy(bytes + v->o.reply_at, &none, sizeof none);
    if (!m->reply)
        return (co4_actor_send_until)(v->actor, bytes, m->size, CO4_NOW);
    return (co4_actor_request)(v->actor, bytes, m->size,
                               (co4_reply *)(void *)(bytes + v->o.reply_at), v->o.answer_size,
                               &call->answer);
}

/* Gives a message to the actor. Returns whether the call is done, and waits for no answer. */
static bool pass_on(struct co4__nats_serving *s, co4_nats_call *call)
{
    struct served *v = s->arg;
    int err = CO4_NATS_ESIZE;
    if (call->m->size == v->o.msg_size) {
        char *bytes = malloc(v->o.msg_size); /* aligned for any message */
        err = bytes ? give(v, call, bytes) : CO4_ENOMEM;
        free(bytes);
    }
    if (err == CO4_ECLOSED) /* the actor accepts no more messages */
        co4__nats_serving_ends(s, CO4_ECLOSED);
    call->code = err == CO4_EFULL ? CO4_NATS_EBUSY : err;
    return call->code != CO4_OK || !call->answer;
}

static pausable int wait_for_answer(co4_nats_call *call, void *arg)
{
    const struct served *v = arg;
    size_t size = v->o.answer_size;
    CO4__NATS_FREED void *answer = size > 0 ? malloc(size) : NULL;
    if (size > 0 && !answer)
        return CO4_ENOMEM;
    int err = CO4_OK;
    do /* an actor may never answer; when the connection is closed, nobody waits for it */
        err = (co4_future_await_until)(call->answer, answer, size, co4_now() + CO4_SEC);
    while (err == CO4_ETIMEDOUT && atomic_load(&call->a->c->state) < CO4__NATS_CLOSED &&
           (co4_future_await_until)(call->answer, answer, size, CO4_NOW) == CO4_EEMPTY);
    return err == CO4_OK ? co4_nats_answer(call, answer, size, co4_now() + CO4__NATS_ANSWER) : err;
}

static bool fits(const co4_remote_options *o)
{
    return is_name(o->name) && o->msg_size > 0 && o->at_once >= 0 && o->at_once <= 1 << 20 &&
           o->capacity <= 1 << 23 &&
           (o->no_questions ||
            (o->msg_size >= sizeof(co4_reply) && o->reply_at <= o->msg_size - sizeof(co4_reply) &&
             o->reply_at % _Alignof(co4_reply) == 0));
}

static void release(co4_future **f)
{
    co4_future_release(*f);
}

pausable int co4_remote_serve(co4_nats *c, co4_actor *actor, const co4_remote_options *options)
{
    char who[170];
    if (!c || !actor || !options || !fits(options))
        return CO4_EINVAL;
    struct served v = { actor, *options };
    __attribute__((cleanup(co4__nats_serving_end))) struct co4__nats_serving s = {
        .handler = wait_for_answer, .arg = &v, .first = pass_on
    };
    s.o = (co4_nats_service_options){ .subject = options->name,
                                      .queue = options->name,
                                      .at_once = options->at_once,
                                      .capacity = options->capacity,
                                      .ready = options->ready,
                                      .counts = options->counts };
    int err = co4__nats_serving_init(&s, c);
    if (err != CO4_OK)
        return err;
    snprintf(s.a->announcements, sizeof s.a->announcements, ALIVE "%s", options->name);
    snprintf(who, sizeof who, ALIVE "%s.who", options->name);
    s.asked_on = who;
    __attribute__((cleanup(release))) co4_future *end = options->stays ? NULL
                                                                       : co4_actor_end(actor);
    s.ends = end;
    return co4__nats_serve(&s);
}

/* ---- watch ---- */

/* A process that serves the name. */
struct one {
    char id[CO4__NATS_ID];
    int64_t until; /* when it is taken to be gone, unless it announces itself again */
};

struct watching {
    co4_nats *c;
    co4_nats_subscription *alive;
    int64_t silence;
    struct one first, other; /* with an empty id: none */
    int64_t begun;
    int code; /* of the last process that has ended */
    bool known, up;
};

static void end_first(struct watching *w, int code)
{
    w->code = code;
    w->first = w->other;
    w->other = (struct one){ .id = "" };
    if (w->first.until <= co4_now())
        w->first.id[0] = '\0';
}

static void hear(struct watching *w, const co4_nats_message *m)
{
    struct one said = { .until = co4_now() + w->silence };
    unsigned long long state;
    int some, places, code = 0;
    if (sscanf(m->data, "%39s %llu %d %d %d", said.id, &state, &some, &places, &code) < 4)
        return;
    bool is_first = strcmp(said.id, w->first.id) == 0;
    if (places < 0 && is_first)
        end_first(w, code < 0 ? code : CO4_ECLOSED);
    else if (places < 0 && strcmp(said.id, w->other.id) == 0)
        w->other = (struct one){ .id = "" };
    else if (places >= 0 && (is_first || !w->first.id[0]))
        w->first = said;
    else if (places >= 0)
        w->other = said;
}

/* Returns whether the state has changed, or is known for the first time; then *e has it. */
static bool is_news(struct watching *w, co4_remote_event *e)
{
    bool up = w->first.id[0] != '\0';
    if (up == w->up && (w->known || (!up && co4_now() < w->begun + w->silence)))
        return false;
    w->known = true;
    w->up = up;
    *e = (co4_remote_event){ .up = up, .code = up ? CO4_OK : w->code };
    return true;
}

/* Waits for an event. Returns CO4_OK, CO4_ECLOSED or CO4_ECANCELED. */
static pausable int next_event(struct watching *w, co4_remote_event *e)
{
    while (!is_news(w, e)) {
        co4_nats_message *m;
        int64_t until = w->first.id[0] ? w->first.until
                        : !w->known    ? w->begun + w->silence
                                       : CO4_NEVER;
        int err = co4_nats_next(w->alive, &m, until);
        if (err == CO4_OK) {
            hear(w, m);
            co4_nats_message_destroy(m);
        } else if (err == CO4_ETIMEDOUT) {
            end_first(w, atomic_load(&w->c->state) == CO4__NATS_UP ? CO4_NATS_EGONE
                                                                   : CO4_NATS_EDISCONNECTED);
        } else {
            return err;
        }
    }
    return CO4_OK;
}

/* Subscribes to the announcements, and asks for one. */
static pausable int begin(struct watching *w, const co4_remote *r, int64_t deadline)
{
    char subject[170];
    w->c = r->c;
    w->silence = co4__nats_time(w->silence, CO4__NATS_SILENT);
    w->begun = co4_now();
    w->code = CO4_NATS_EGONE;
    snprintf(subject, sizeof subject, ALIVE "%s", r->name);
    int err = co4_nats_subscribe(&w->alive, r->c, subject, NULL, 256, CO4_NATS_DROP_OLDEST,
                                 deadline);
    if (err != CO4_OK)
        return err;
    snprintf(subject, sizeof subject, ALIVE "%s.who", r->name);
    return co4_nats_publish(r->c, subject, NULL, 0, deadline);
}

static void end_watching(struct watching *w)
{
    co4_nats_unsubscribe(w->alive);
}

pausable int co4_remote_gone(const co4_remote *r, int64_t silence)
{
    if (!is_remote(r))
        return CO4_EINVAL;
    __attribute__((cleanup(end_watching))) struct watching w = { .silence = silence };
    co4_remote_event e = { .up = true };
    int err = begin(&w, r, co4_now() + CO4__NATS_ANSWER);
    while (err == CO4_OK && e.up)
        err = next_event(&w, &e);
    return err == CO4_OK ? e.code : err;
}

int co4_remote_child_start(co4_child *child, void *arg)
{
    const co4_remote_child *r = arg;
    return r ? co4_child_spawn(child, co4_remote_gone(&r->remote, r->silence)) : CO4_EINVAL;
}

/* ---- a watch with a task ---- */

struct co4_remote_watcher {
    struct watching w;
    co4_mailbox *events;
    co4_task *task;
};

static void put(co4_mailbox *events, const co4_remote_event *e)
{
    co4_remote_event old;
    while (co4_mailbox_send_until(events, e, CO4_NOW) == CO4_EFULL) {
        int err = co4_mailbox_receive_until(events, &old, CO4_NOW);
        (void)err; /* if a receiver was faster, there is room */
    }
}

static void close_events(co4_mailbox **events)
{
    co4_mailbox_close(*events);
}

static pausable int watch(struct co4_remote_watcher *w)
{
    __attribute__((cleanup(close_events))) co4_mailbox *events = w->events;
    co4_remote_event e;
    int err;
    while ((err = next_event(&w->w, &e)) == CO4_OK)
        put(events, &e);
    if (err == CO4_ECLOSED)
        put(events, &(co4_remote_event){ .code = CO4_ECLOSED });
    return CO4_OK;
}

static void free_watcher(co4_remote_watcher **watcher)
{
    co4_remote_watcher *w = *watcher;
    if (!w)
        return;
    co4_nats_unsubscribe(w->w.alive);
    co4_mailbox_destroy(w->events);
    free(w);
}

pausable int co4_remote_watch(co4_remote_watcher **watcher, const co4_remote *r, int64_t silence,
                              int64_t deadline)
{
    if (!watcher)
        return CO4_EINVAL;
    *watcher = NULL;
    if (!is_remote(r))
        return CO4_EINVAL;
    __attribute__((cleanup(free_watcher))) co4_remote_watcher *w = calloc(1, sizeof *w);
    if (!w)
        return CO4_ENOMEM;
    w->w.silence = silence;
    w->events = co4_mailbox_create(sizeof(co4_remote_event), 64);
    int err = w->events ? begin(&w->w, r, deadline) : CO4_ENOMEM;
    if (err != CO4_OK)
        return err;
    w->task = co4_spawn(watch(w));
    if (!w->task)
        return CO4_ENOMEM;
    *watcher = w;
    w = NULL;
    return CO4_OK;
}

co4_mailbox *co4_remote_events(co4_remote_watcher *w)
{
    return w ? w->events : NULL;
}

pausable int co4_remote_watcher_destroy(co4_remote_watcher *watcher)
{
    __attribute__((cleanup(free_watcher))) co4_remote_watcher *w = watcher;
    if (!w)
        return CO4_OK;
    co4_shield_begin();
    co4_task_cancel(w->task, 0);
    co4_join(w->task, NULL);
    co4_shield_end();
    return CO4_OK;
}
