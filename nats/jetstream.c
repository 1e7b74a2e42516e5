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

static void set_number(json_t *o, const char *name, int64_t value, int64_t otherwise)
{
    json_object_set_new(o, name, json_integer(value > 0 ? value : otherwise));
}

static char *text_of(json_t *o)
{
    char *text = json_dumps(o, JSON_COMPACT);
    json_decref(o);
    return text;
}

char *co4__nats_stream_json(const co4_nats_stream_options *o)
{
    static const char *const retentions[] = { "limits", "workqueue", "interest" };
    json_t *all = json_object(), *subjects = json_array();
    json_object_set_new(all, "name", json_string(o->name));
    for (const char *const *s = o->subjects; s && *s; s++)
        json_array_append_new(subjects, json_string(*s));
    if (json_array_size(subjects) == 0)
        json_array_append_new(subjects, json_string(o->name));
    json_object_set_new(all, "subjects", subjects);
    json_object_set_new(all, "retention", json_string(retentions[o->retention]));
    json_object_set_new(all, "storage", json_string(o->in_memory ? "memory" : "file"));
    json_object_set_new(all, "discard", json_string(o->refuse_new ? "new" : "old"));
    set_number(all, "num_replicas", o->replicas, 1);
    set_number(all, "max_consumers", 0, -1);
    set_number(all, "max_msgs", o->max_messages, -1);
    set_number(all, "max_bytes", o->max_bytes, -1);
    set_number(all, "max_msgs_per_subject", o->max_per_subject, -1);
    set_number(all, "max_age", o->max_age, 0);
    set_number(all, "duplicate_window", o->duplicates,
               o->max_age > 0 && o->max_age < 120 * CO4_SEC ? o->max_age : 120 * CO4_SEC);
    return text_of(all);
}

static json_t *consumer_config(const co4_nats_consumer_options *o)
{
    json_t *config = json_object();
    if (o->name)
        json_object_set_new(config, "durable_name", json_string(o->name));
    else
        set_number(config, "inactive_threshold", 300 * CO4_SEC, 0);
    json_object_set_new(config, "ack_policy", json_string("explicit"));
    json_object_set_new(config, "deliver_policy", json_string(o->only_new ? "new" : "all"));
    json_object_set_new(config, "replay_policy", json_string("instant"));
    set_number(config, "ack_wait", o->ack_wait, 30 * CO4_SEC);
    set_number(config, "max_deliver", o->max_deliver, -1);
    set_number(config, "max_ack_pending", o->max_pending, 1000);
    if (o->filter)
        json_object_set_new(config, "filter_subject", json_string(o->filter));
    return config;
}

char *co4__nats_consumer_json(const char *stream, const co4_nats_consumer_options *o)
{
    json_t *all = json_object();
    json_object_set_new(all, "stream_name", json_string(stream));
    json_object_set_new(all, "config", consumer_config(o));
    json_object_set_new(all, "action", json_string("create")); /* from 2.10 on: not an update */
    return text_of(all);
}

bool co4__nats_is_consumer(const json_t *config, const co4_nats_consumer_options *o)
{
    json_t *wanted = consumer_config(o), *value;
    const char *name;
    bool same = json_is_object(config) && (o->filter || !json_object_get(config, "filter_subject"));
    json_object_foreach(wanted, name, value)
    {
        same = same && json_equal(value, json_object_get(config, name));
    }
    json_decref(wanted);
    return same;
}

char *co4__nats_purge_json(const char *filter, uint64_t before)
{
    json_t *all = json_object();
    if (filter)
        json_object_set_new(all, "filter", json_string(filter));
    if (before > 0 && before <= INT64_MAX)
        json_object_set_new(all, "seq", json_integer((json_int_t)before));
    return text_of(all);
}

/* ---- where a message comes from ---- */

/* $JS.ACK.<stream>.<consumer>.<given>.<number>.<of the consumer>.<time>.<pending>, or with a domain
 * and an account behind ACK, and a token at the end. */
int co4_nats_origin_of(const co4_nats_message *m, co4_nats_origin *origin)
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
    return CO4_OK;
}
