/* streams.c - the calls of nats_stream.h that make and change streams, and store messages in them;
 * and co4__nats_call(), the request of the server's interface that all files about streams make.
 * consumers.c has the calls that read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "streams.h"

pausable int co4__nats_call(co4_nats *c, const char *verb, const char *stream, const char *consumer,
                            const char *text, json_t **answer, int64_t deadline)
{
    char subject[400];
    json_t *all;
    CO4__NATS_RECEIVED *reply = NULL;
    if (answer)
        *answer = NULL;
    if (!text)
        return CO4_ENOMEM;
    snprintf(subject, sizeof subject, "$JS.API.%s.%s%s%s", verb, stream, consumer ? "." : "",
             consumer ? consumer : "");
    int err = co4_nats_request(c, subject, text, strlen(text), &reply, deadline);
    if (err != CO4_OK)
        return err == CO4_NATS_ENORESPONDERS ? CO4_NATS_ENOSTORE : err;
    err = co4__nats_answer(c, reply, &all);
    if (answer)
        *answer = all;
    else
        json_decref(all);
    return err;
}

/* ---- streams ---- */

static bool has_negative(const co4_nats_stream_options *o)
{
    return o->replicas < 0 || o->max_messages < 0 || o->max_bytes < 0 || o->max_age < 0 ||
           o->max_per_subject < 0 || o->duplicates < 0;
}

pausable int co4_nats_stream_create(co4_nats *c, const co4_nats_stream_options *o, int64_t deadline)
{
    if (!c || !o || !co4__nats_is_name(o->name) || o->retention > CO4_NATS_INTEREST ||
        has_negative(o))
        return CO4_EINVAL;
    for (const char *const *s = o->subjects; s && *s; s++)
        if (!co4__nats_is_text(*s))
            return CO4_EINVAL;
    CO4__NATS_FREED char *text = co4__nats_stream_json(o, false);
    int err = co4__nats_call(c, "STREAM.CREATE", o->name, NULL, text, NULL, deadline);
    if (err == CO4_NATS_EEXISTS)
        err = co4__nats_call(c, "STREAM.UPDATE", o->name, NULL, text, NULL, deadline);
    return err;
}

pausable int co4_nats_stream_delete(co4_nats *c, const char *name, int64_t deadline)
{
    if (!c || !co4__nats_is_name(name))
        return CO4_EINVAL;
    return co4__nats_call(c, "STREAM.DELETE", name, NULL, "", NULL, deadline);
}

pausable int co4_nats_stream_look(co4_nats *c, const char *name, co4_nats_stream_state *state,
                                  int64_t deadline)
{
    json_t *answer;
    if (!c || !state || !co4__nats_is_name(name))
        return CO4_EINVAL;
    int err = co4__nats_call(c, "STREAM.INFO", name, NULL, "", &answer, deadline);
    if (err != CO4_OK)
        return err;
    const json_t *all = json_object_get(answer, "state");
    *state = (co4_nats_stream_state){ .messages = co4__nats_number(all, "messages"),
                                      .bytes = co4__nats_number(all, "bytes"),
                                      .first = co4__nats_number(all, "first_seq"),
                                      .last = co4__nats_number(all, "last_seq"),
                                      .consumers = (int)co4__nats_number(all, "consumer_count") };
    json_decref(answer);
    return CO4_OK;
}

pausable int co4_nats_stream_purge(co4_nats *c, const char *name, const char *filter,
                                   uint64_t before, uint64_t *removed, int64_t deadline)
{
    json_t *answer;
    if (!c || !co4__nats_is_name(name) ||
        (filter && (!co4__nats_is_subject(filter) || !co4__nats_is_text(filter))))
        return CO4_EINVAL;
    CO4__NATS_FREED char *text = co4__nats_purge_json(filter, before);
    int err = co4__nats_call(c, "STREAM.PURGE", name, NULL, text, &answer, deadline);
    if (err == CO4_OK && removed)
        *removed = co4__nats_number(answer, "purged");
    json_decref(answer);
    return err;
}

/* ---- store ---- */

pausable int co4_nats_store(co4_nats *c, const co4_nats_outgoing *m,
                            const co4_nats_expected *expected, co4_nats_stored *stored,
                            int64_t deadline)
{
    CO4__NATS_RECEIVED *reply = NULL;
    int err;
    if (!c || !m || m->reply)
        return CO4_EINVAL;
    if (m->headers || expected) {
        char last[24], subject_last[24];
        co4_nats_outgoing all = *m;
        CO4__NATS_FREED const char **headers = co4__nats_headers(m->headers, expected, last,
                                                                 subject_last);
        if (!headers)
            return CO4_ENOMEM;
        all.headers = headers[0] ? headers : NULL;
        err = co4_nats_request_with(c, &all, &reply, deadline);
    } else {
        err = co4_nats_request_with(c, m, &reply, deadline);
    }
    json_t *answer = NULL;
    if (err == CO4_OK)
        err = co4__nats_answer(c, reply, &answer);
    if (err == CO4_OK && stored)
        *stored = (co4_nats_stored){ .number = co4__nats_number(answer, "seq"),
                                     .duplicate = json_is_true(
                                         json_object_get(answer, "duplicate")) };
    json_decref(answer);
    return err == CO4_NATS_ENORESPONDERS ? CO4_NATS_ENOTFOUND : err;
}
