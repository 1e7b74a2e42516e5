/* service.c - services: admission, calls, and what they report of themselves. woven/service.c has
 * the tasks.
 *
 * A service accepts a request if fewer than `most` are inside, which wait for a handler or have
 * one. The connection's reader decides that when the request comes, and refuses the others itself.
 * So requests are refused even while no worker is free to run the service, and the service's
 * mailbox has room for each request that was accepted. */
#include "service.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "co4/time.h"

enum { HEADERS = 64, TEXT = 120 };

/* Changes a count atomically: the caller may read its counts at any time. */
static void count(uint64_t *n, int64_t by)
{
    __atomic_fetch_add(n, (uint64_t)by, __ATOMIC_RELAXED);
}

void co4_nats_service_read(const co4_nats_service_counts *counts, co4_nats_service_counts *copy)
{
    if (!counts || !copy)
        return;
    const uint64_t *from = &counts->asked;
    uint64_t *to = &copy->asked;
    for (size_t i = 0; i < sizeof *counts / sizeof *from; i++)
        to[i] = __atomic_load_n(&from[i], __ATOMIC_RELAXED);
}

bool co4__nats_is_service_name(const char *name)
{
    return name && *name && strlen(name) < 128 &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") ==
               strlen(name);
}

/* ---- admission ---- */

static bool take(struct co4__nats_hook *hook, co4_nats_subscription *s, co4_nats_message *m)
{
    struct co4__nats_admission *a = (struct co4__nats_admission *)hook;
    pthread_mutex_lock(&a->lock);
    bool in = !a->ended && a->inside < a->most;
    a->inside += in;
    count(&a->counts->asked, 1);
    if (in)
        count(&a->counts->inside, 1);
    pthread_mutex_unlock(&a->lock);
    int err = in ? co4_mailbox_send_until(s->mailbox, &m, CO4_NOW) : CO4_EFULL;
    if (err != CO4_OK) /* or the service has just ended, and its mailbox is closed */
        co4__nats_refuse(a, m, err == CO4_ENOMEM ? err : CO4_NATS_EBUSY, in);
    return true;
}

static void begin_hook(struct co4__nats_hook *hook)
{
    struct co4__nats_admission *a = (struct co4__nats_admission *)hook;
    atomic_fetch_add_explicit(&a->references, 1, memory_order_relaxed);
}

static void end_hook(struct co4__nats_hook *hook)
{
    co4__nats_admission_release((struct co4__nats_admission *)hook);
}

struct co4__nats_admission *co4__nats_admission_new(struct co4_nats *c, int most,
                                                    co4_nats_service_counts *counts)
{
    struct co4__nats_admission *a = calloc(1, sizeof *a);
    if (!a)
        return NULL;
    a->hook = (struct co4__nats_hook){ take, begin_hook, end_hook, NULL };
    a->c = c;
    a->most = most;
    a->counts = counts ? counts : &a->own;
    atomic_init(&a->references, 1);
    pthread_mutex_init(&a->lock, NULL);
    snprintf(a->id, sizeof a->id, "%.22s%u", c->inbox + 7,
             atomic_fetch_add_explicit(&c->named, 1, memory_order_relaxed));
    return a;
}

void co4__nats_admission_release(struct co4__nats_admission *a)
{
    if (!a || atomic_fetch_sub_explicit(&a->references, 1, memory_order_acq_rel) != 1)
        return;
    pthread_mutex_destroy(&a->lock);
    free(a);
}

void co4__nats_admission_end(struct co4__nats_admission *a)
{
    pthread_mutex_lock(&a->lock);
    a->ended = true;
    pthread_mutex_unlock(&a->lock);
}

void co4__nats_admission_leave(struct co4__nats_admission *a, int why)
{
    pthread_mutex_lock(&a->lock);
    a->ended = true;
    a->why = why;
    a->counts = &a->own;
    pthread_mutex_unlock(&a->lock);
}

/* ---- what a worker of a group says ---- */

/* Writes the state, "<number> <free> <places> <code>". The highest number holds. With 0 places the
 * worker takes no more jobs; with -1 it has ended, with the code. */
static void say_state(struct co4__nats_admission *a, bool gone, char *text, size_t room)
{
    pthread_mutex_lock(&a->lock);
    uint64_t state = ++a->state;
    int some = a->ended ? 0 : a->most - a->inside, places = a->ended ? 0 : a->most;
    int why = a->why;
    pthread_mutex_unlock(&a->lock);
    some = gone ? 0 : some;
    snprintf(text, room, "%" PRIu64 " %d %d %d", state, some, gone ? -1 : places, why);
}

void co4__nats_announce(struct co4__nats_admission *a, const char *to, bool gone)
{
    char state[64], text[128];
    say_state(a, gone, state, sizeof state);
    snprintf(text, sizeof text, "%s %s", a->id, state);
    co4__nats_try_publish(a->c, to ? to : a->announcements,
                          text); /* if it is lost, the next one comes soon */
}

int co4__nats_admission_inside(struct co4__nats_admission *a)
{
    pthread_mutex_lock(&a->lock);
    int inside = a->inside;
    pthread_mutex_unlock(&a->lock);
    return inside;
}

/* ---- answers ---- */

/* Encodes an answer to the subject `reply`; without `m` it is an error. */
static struct co4__nats_out *encode(struct co4__nats_admission *a, const char *reply,
                                    const co4_nats_outgoing *m, int code, const char *text,
                                    int *err)
{
    const char *headers[HEADERS + 8];
    char number[24], state[64], line[TEXT];
    co4_nats_outgoing all = m ? *m : (co4_nats_outgoing){ 0 };
    int n = 0;
    for (; all.headers && all.headers[n]; n++) {
        if (n == HEADERS) {
            *err = CO4_EINVAL;
            return NULL;
        }
        headers[n] = all.headers[n];
    }
    if (!m) {
        snprintf(line, sizeof line, "%s", text ? text : co4_strerror(code));
        for (char *p = line; *p; p++)
            *p = (unsigned char)*p < ' ' ? ' ' : *p;
        snprintf(number, sizeof number, "%lld", -(long long)code);
        headers[n++] = "Nats-Service-Error";
        headers[n++] = line;
        headers[n++] = "Nats-Service-Error-Code";
        headers[n++] = number;
    }
    if (a->places) {
        say_state(a, false, state, sizeof state);
        headers[n++] = CO4__NATS_READY;
        headers[n++] = state;
    }
    headers[n] = NULL;
    all.subject = reply;
    all.headers = n > 0 ? headers : NULL;
    return co4__nats_encode(a->c, &all, NULL, err);
}

/* Returns whether it will be sent. */
static bool try_answer(struct co4__nats_admission *a, const char *reply, int code)
{
    int err;
    if (!reply)
        return true;
    struct co4__nats_out *out = encode(a, reply, NULL, code, NULL, &err);
    return co4__nats_try_append(a->c, out) == CO4_OK;
}

void co4__nats_refuse(struct co4__nats_admission *a, co4_nats_message *m, int code, bool inside)
{
    pthread_mutex_lock(&a->lock);
    a->inside -= inside;
    if (inside)
        count(&a->counts->inside, -1);
    pthread_mutex_unlock(&a->lock);
    bool sent = try_answer(a, m->reply, code);
    pthread_mutex_lock(&a->lock);
    count(sent ? &a->counts->refused : &a->counts->unanswered, 1);
    pthread_mutex_unlock(&a->lock);
    if (!sent)
        co4__nats_event(a->c, CO4_NATS_SLOW_CONSUMER, code, 1, m->subject);
    co4_nats_message_destroy(m);
}

void co4__nats_is_service(co4_nats_subscription *s)
{
    pthread_mutex_lock(&s->c->lock);
    s->service = true;
    bool ends = s->c->draining;
    pthread_mutex_unlock(&s->c->lock);
    if (ends) /* a close has begun just now */
        co4_mailbox_close(s->mailbox);
}

void co4__nats_try_publish(struct co4_nats *c, const char *subject, const char *text)
{
    int code;
    co4_nats_outgoing m = { .subject = subject, .data = text, .size = strlen(text) };
    struct co4__nats_out *out = co4__nats_encode(c, &m, NULL, &code);
    code = co4__nats_try_append(c, out);
    (void)code; /* it need not be sent */
}

/* ---- calls ---- */

co4_nats_call *co4__nats_call_new(struct co4__nats_admission *a, co4_nats_message *m,
                                  co4_sem *places)
{
    co4_nats_call *call = calloc(1, sizeof *call);
    if (!call)
        return NULL;
    *call = (co4_nats_call){
        .a = a, .m = m, .places = places, .begun = co4_now(), .code = CO4_ENOMEM
    };
    return call;
}

void co4__nats_call_leave(co4_nats_call *call)
{
    if (call->outside)
        return;
    call->outside = true;
    pthread_mutex_lock(&call->a->lock);
    bool news = call->answered || call->a->inside == call->a->most;
    call->a->inside--;
    count(&call->a->counts->inside, -1);
    pthread_mutex_unlock(&call->a->lock);
    /* All askers learn of the free place before the one who gets the answer. Otherwise that one
     * would have the place each time. */
    if (call->a->places && news)
        co4__nats_announce(call->a, NULL, false);
}

struct co4__nats_out *co4__nats_call_encode(co4_nats_call *call, const co4_nats_outgoing *m,
                                            int code, const char *text, int *err)
{
    return encode(call->a, call->m->reply, m, code, text, err);
}

void co4__nats_call_end(void *ended)
{
    co4_nats_call *call = ended;
    struct co4__nats_admission *a = call->a;
    co4__nats_call_leave(call);
    if (!call->answered)
        call->sent = try_answer(a, call->m->reply, call->code < 0 ? call->code : CO4_ENOMEM);
    pthread_mutex_lock(&a->lock);
    co4_nats_service_counts *counts = a->counts;
    count(!call->sent                      ? &counts->unanswered
          : call->code == CO4_NATS_EBUSY   ? &counts->refused
          : call->failed || call->code < 0 ? &counts->failed
                                           : &counts->answered,
          1);
    count(&counts->time, co4_now() - call->begun);
    pthread_mutex_unlock(&a->lock);
    if (call->answer)
        co4_future_cancel(call->answer, 0); /* an answer that comes later has no effect */
    co4_future_release(call->answer);
    co4_nats_message_destroy(call->m);
    co4_sem_release(call->places);
    free(call);
}

const co4_nats_message *co4_nats_call_message(const co4_nats_call *call)
{
    return call ? call->m : NULL;
}

int co4_nats_failure_of(const co4_nats_message *reply, co4_nats_failure *failure)
{
    size_t n = 0, m = 0;
    co4_nats_failure none = { 0 };
    failure = failure ? failure : &none;
    *failure = none;
    const char *text = co4_nats_header(reply, "Nats-Service-Error", &n);
    const char *number = co4_nats_header(reply, "Nats-Service-Error-Code", &m);
    if (!text && !number)
        return CO4_OK;
    if (text)
        snprintf(failure->text, sizeof failure->text, "%.*s", (int)n, text);
    long code = number ? strtol(number, NULL, 10) : 0; /* the end of the line ends it */
    if (code > -INT32_MAX && code < INT32_MAX)
        failure->code = (int)(code > 0 ? -code : code);
    return failure->code == CO4_NATS_EBUSY ? CO4_NATS_EBUSY : CO4_NATS_ESERVICE;
}

/* ---- discovery ---- */

enum { PING, INFO, STATS };

/* Returns whether there is no memory for it. */
static bool lacks(char **to, const char *from)
{
    *to = from ? strdup(from) : NULL;
    return from && !*to;
}

int co4__nats_about_begin(struct co4__nats_about *about, const char *id,
                          const co4_nats_service_options *o)
{
    time_t now = time(NULL);
    struct tm utc;
    int missing = lacks(&about->name, o->name) + lacks(&about->subject, o->subject) +
                  lacks(&about->queue, o->queue) + lacks(&about->version, o->version) +
                  lacks(&about->description, o->description);
    if (missing > 0)
        return CO4_ENOMEM;
    about->id = id;
    strftime(about->started, sizeof about->started, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    int err = CO4_OK;
    free(co4__nats_about_json(about, 3 * INFO, NULL, &err)); /* it fails if a text is not UTF-8 */
    return err;
}

void co4__nats_about_end(struct co4__nats_about *about)
{
    free(about->name);
    free(about->subject);
    free(about->queue);
    free(about->version);
    free(about->description);
    *about = (struct co4__nats_about){ 0 };
}

void co4__nats_about_subject(const struct co4__nats_about *about, int question, char *to,
                             size_t room)
{
    static const char *const verbs[] = { "PING", "INFO", "STATS" };
    bool name = question % 3 > 0, id = question % 3 > 1;
    snprintf(to, room, "$SRV.%s%s%s%s%s", verbs[question / 3], name ? "." : "",
             name ? about->name : "", id ? "." : "", id ? about->id : "");
}

static void set(json_t *o, const char *name, const char *value, int *err)
{
    co4__nats_put_text(o, name, value ? value : "", err);
}

static void set_count(json_t *o, const char *name, uint64_t value, int *err)
{
    co4__nats_put(o, name, json_integer((json_int_t)value), err);
}

static void set_endpoint(json_t *all, const struct co4__nats_about *about,
                         const co4_nats_service_counts *n, int *err)
{
    json_t *endpoints = json_array(), *one = json_object();
    set(one, "name", about->name, err);
    set(one, "subject", about->subject, err);
    set(one, "queue_group", about->queue, err);
    if (n) {
        uint64_t handled = n->answered + n->failed;
        set_count(one, "num_requests", n->asked, err);
        set_count(one, "num_errors", n->failed + n->refused + n->unanswered, err);
        set(one, "last_error", "", err);
        set_count(one, "processing_time", n->time, err);
        set_count(one, "average_processing_time", handled ? n->time / handled : 0, err);
    } else {
        co4__nats_put(one, "metadata", json_object(), err);
    }
    if (json_array_append_new(endpoints, one) != 0 && *err == CO4_OK)
        *err = CO4_ENOMEM;
    co4__nats_put(all, "endpoints", endpoints, err);
}

char *co4__nats_about_json(const struct co4__nats_about *about, int question,
                           const co4_nats_service_counts *counts, int *err)
{
    static const char *const types[] = { "ping", "info", "stats" };
    int verb = question / 3;
    char type[64];
    json_t *all = json_object();
    *err = CO4_OK;
    snprintf(type, sizeof type, "io.nats.micro.v1.%s_response", types[verb]);
    set(all, "type", type, err);
    set(all, "name", about->name, err);
    set(all, "id", about->id, err);
    set(all, "version", about->version, err);
    co4__nats_put(all, "metadata", json_object(), err);
    if (verb == INFO)
        set(all, "description", about->description, err);
    if (verb == STATS)
        set(all, "started", about->started, err);
    if (verb != PING)
        set_endpoint(all, about, verb == STATS ? counts : NULL, err);
    return co4__nats_text_of(all, err);
}
