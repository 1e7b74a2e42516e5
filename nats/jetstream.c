/* jetstream.c - the JSON of streams and consumers, and what messages of streams say. */
#include "jetstream.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "co4/time.h"

bool co4__nats_is_name(const char *name)
{
    return co4__nats_is_subject(name) && !strpbrk(name, ".*>/\\") && strlen(name) < 128;
}

bool co4__nats_is_text(const char *text)
{
    json_t *value = json_string(text);
    bool good = value != NULL;
    json_decref(value);
    return good;
}

/* ---- answers ---- */

uint64_t co4__nats_number(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    return json_is_integer(value) && json_integer_value(value) > 0
               ? (uint64_t)json_integer_value(value)
               : 0;
}

bool co4__nats_may_pass(int code)
{
    return code == CO4_ETIMEDOUT || code == CO4_NATS_EDISCONNECTED || code == CO4_NATS_ENOSTORE;
}

/* The server's numbers of errors. */
static int code_of(uint64_t code, uint64_t number)
{
    switch (number) {
    case 10058: /* a stream of that name has another configuration */
    case 10148: /* a consumer */
    case 10105:
        return CO4_NATS_EEXISTS;
    case 10071: /* wrong last sequence */
    case 10070: /* wrong last id */
        return CO4_NATS_ECONFLICT;
    case 10002: /* a limit of the account */
    case 10023: /* no resources */
    case 10028:
    case 10047:
    case 10077: /* a limit of the stream */
    case 10039: /* no JetStream */
    case 10076:
        return CO4_NATS_ENOSTORE;
    default:
        return code == 404 ? CO4_NATS_ENOTFOUND : CO4_NATS_EREFUSED;
    }
}

int co4__nats_answer(struct co4_nats *c, const co4_nats_message *m, json_t **answer)
{
    json_t *all = json_loadb(m->data, m->size, 0, NULL), *error;
    *answer = NULL;
    if (!json_is_object(all)) {
        json_decref(all);
        return CO4_NATS_EPROTOCOL;
    }
    error = json_object_get(all, "error");
    if (!json_is_object(error)) {
        *answer = all;
        return CO4_OK;
    }
    const char *text = json_string_value(json_object_get(error, "description"));
    int code = code_of(co4__nats_number(error, "code"), co4__nats_number(error, "err_code"));
    pthread_mutex_lock(&c->lock);
    snprintf(c->refusal, sizeof c->refusal, "%s", text ? text : "");
    pthread_mutex_unlock(&c->lock);
    json_decref(all);
    return code;
}

void co4_nats_refusal(co4_nats *c, char *text, size_t room)
{
    if (!text || room == 0)
        return;
    text[0] = '\0';
    if (!c)
        return;
    pthread_mutex_lock(&c->lock);
    snprintf(text, room, "%s", c->refusal);
    pthread_mutex_unlock(&c->lock);
}

/* ---- requests ---- */

static void put_number(json_t *o, const char *name, int64_t value, int64_t otherwise, int *err)
{
    co4__nats_put(o, name, json_integer(value > 0 ? value : otherwise), err);
}

static void append_text(json_t *array, const char *text, int *err)
{
    if (json_array_append_new(array, json_string(text)) != 0)
        *err = CO4_ENOMEM;
}

char *co4__nats_stream_json(const co4_nats_stream_options *o, bool is_bucket)
{
    static const char *const retentions[] = { "limits", "workqueue", "interest" };
    int err = CO4_OK;
    json_t *all = json_object(), *subjects = json_array();
    co4__nats_put_text(all, "name", o->name, &err);
    for (const char *const *s = o->subjects; s && *s; s++)
        append_text(subjects, *s, &err);
    if (!o->subjects || !*o->subjects)
        append_text(subjects, o->name, &err);
    co4__nats_put(all, "subjects", subjects, &err);
    co4__nats_put_text(all, "retention", retentions[o->retention], &err);
    co4__nats_put_text(all, "storage", o->in_memory ? "memory" : "file", &err);
    co4__nats_put_text(all, "discard", o->refuse_new ? "new" : "old", &err);
    put_number(all, "num_replicas", o->replicas, 1, &err);
    put_number(all, "max_consumers", 0, -1, &err);
    put_number(all, "max_msgs", o->max_messages, -1, &err);
    put_number(all, "max_bytes", o->max_bytes, -1, &err);
    put_number(all, "max_msgs_per_subject", o->max_per_subject, -1, &err);
    put_number(all, "max_age", o->max_age, 0, &err);
    put_number(all, "duplicate_window", o->duplicates,
               o->max_age > 0 && o->max_age < 120 * CO4_SEC ? o->max_age : 120 * CO4_SEC, &err);
    if (is_bucket) {
        co4__nats_put(all, "allow_rollup_hdrs", json_true(), &err);
        co4__nats_put(all, "deny_delete", json_true(), &err);
        co4__nats_put(all, "allow_direct", json_true(), &err);
    }
    return co4__nats_text_of(all, &err);
}

static json_t *consumer_config(const co4_nats_consumer_options *o, int *err)
{
    json_t *config = json_object();
    if (o->name)
        co4__nats_put_text(config, "durable_name", o->name, err);
    else
        put_number(config, "inactive_threshold", 300 * CO4_SEC, 0, err);
    co4__nats_put_text(config, "ack_policy", "explicit", err);
    co4__nats_put_text(config, "deliver_policy", o->only_new ? "new" : "all", err);
    co4__nats_put_text(config, "replay_policy", "instant", err);
    put_number(config, "ack_wait", o->ack_wait, 30 * CO4_SEC, err);
    put_number(config, "max_deliver", o->max_deliver, -1, err);
    put_number(config, "max_ack_pending", o->max_pending, 1000, err);
    if (o->filter)
        co4__nats_put_text(config, "filter_subject", o->filter, err);
    return config;
}

char *co4__nats_consumer_json(const char *stream, const co4_nats_consumer_options *o)
{
    int err = CO4_OK;
    json_t *all = json_object();
    co4__nats_put_text(all, "stream_name", stream, &err);
    co4__nats_put(all, "config", consumer_config(o, &err), &err);
    co4__nats_put_text(all, "action", "create", &err); /* from 2.10 on: not an update */
    return co4__nats_text_of(all, &err);
}

int co4__nats_is_consumer(const json_t *config, const co4_nats_consumer_options *o)
{
    int err = CO4_OK;
    json_t *wanted = consumer_config(o, &err), *value;
    const char *name;
    bool same = json_is_object(config) && (o->filter || !json_object_get(config, "filter_subject"));
    json_object_foreach(wanted, name, value)
    {
        same = same && json_equal(value, json_object_get(config, name));
    }
    json_decref(wanted);
    return err != CO4_OK ? err : same ? CO4_OK : CO4_NATS_EEXISTS;
}

char *co4__nats_purge_json(const char *filter, uint64_t before)
{
    int err = CO4_OK;
    json_t *all = json_object();
    if (filter)
        co4__nats_put_text(all, "filter", filter, &err);
    if (before > 0 && before <= INT64_MAX)
        co4__nats_put(all, "seq", json_integer((json_int_t)before), &err);
    return co4__nats_text_of(all, &err);
}

/* ---- store ---- */

const char **co4__nats_headers(const char *const *own, const co4_nats_expected *e, char *last,
                               char *subject_last)
{
    size_t n = 0;
    while (own && own[n])
        n++;
    const char **all = malloc((n + 7) * sizeof *all);
    if (!all)
        return NULL;
    if (n > 0)
        memcpy(all, own, n * sizeof *all);
    if (e && e->id) {
        all[n++] = "Nats-Msg-Id";
        all[n++] = e->id;
    }
    if (e && e->last_given) {
        snprintf(last, 24, "%llu", (unsigned long long)e->last);
        all[n++] = "Nats-Expected-Last-Sequence";
        all[n++] = last;
    }
    if (e && e->subject_last_given) {
        snprintf(subject_last, 24, "%llu", (unsigned long long)e->subject_last);
        all[n++] = "Nats-Expected-Last-Subject-Sequence";
        all[n++] = subject_last;
    }
    all[n] = NULL;
    return all;
}

/* ---- where a message comes from ---- */

/* $JS.ACK.<stream>.<consumer>.<given>.<number>.<of the consumer>.<time>.<pending>, or with a domain
 * and an account behind ACK, and a token at the end. */
int co4__nats_origin(const co4_nats_message *m, co4_nats_origin *origin, uint64_t *of_consumer)
{
    enum { MOST = 12 };
    const char *tokens[MOST];
    int n = 0;
    if (!m || !origin || !m->reply || strncmp(m->reply, "$JS.ACK.", 8) != 0)
        return CO4_EINVAL;
    for (const char *at = m->reply + 8; at && n < MOST; n++) {
        tokens[n] = at;
        at = strchr(at, '.');
        at = at ? at + 1 : NULL;
    }
    int first = n == 7 ? 2 : n >= 9 ? 4 : -1;
    if (first < 0)
        return CO4_EINVAL;
    *origin = (co4_nats_origin){ .given = strtoull(tokens[first], NULL, 10),
                                 .number = strtoull(tokens[first + 1], NULL, 10),
                                 .time = strtoll(tokens[first + 3], NULL, 10),
                                 .pending = strtoull(tokens[first + 4], NULL, 10) };
    *of_consumer = strtoull(tokens[first + 2], NULL, 10);
    return CO4_OK;
}

int co4_nats_origin_of(const co4_nats_message *m, co4_nats_origin *origin)
{
    uint64_t of_consumer;
    return co4__nats_origin(m, origin, &of_consumer);
}
