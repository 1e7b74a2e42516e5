/* kv.c - buckets of keys and values, and leases.
 *
 * The layout is that of other clients of NATS: the stream KV_<bucket>, the subjects
 * $KV.<bucket>.<key>, a header for a value that was deleted. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "streams.h"

struct co4_nats_kv {
    co4_nats *c;
    char bucket[100], stream[110];
};

struct co4_nats_watch {
    co4_nats_follower *follower;
    size_t prefix; /* the bytes of "$KV.<bucket>." */
};

enum { SUBJECT = 400 };

/* ---- buckets ---- */

/* The JSON of its stream, which the caller frees. */
static char *bucket_json(const co4_nats_kv *kv, const co4_nats_kv_options *o)
{
    char subject[SUBJECT];
    const char *const subjects[] = { subject, NULL };
    co4_nats_stream_options stream = { .name = kv->stream,
                                       .subjects = subjects,
                                       .in_memory = o->in_memory,
                                       .refuse_new = true,
                                       .replicas = o->replicas,
                                       .max_bytes = o->max_bytes,
                                       .max_age = o->max_age,
                                       .max_per_subject = o->history > 0 ? o->history : 1 };
    snprintf(subject, sizeof subject, "$KV.%s.>", kv->bucket);
    return co4__nats_stream_json(&stream, true);
}

void co4_nats_kv_close(co4_nats_kv *kv)
{
    if (!kv)
        return;
    co4_nats_release(kv->c);
    free(kv);
}

static void close_one(co4_nats_kv **kv)
{
    co4_nats_kv_close(*kv);
}

pausable int co4_nats_kv_open(co4_nats_kv **out, co4_nats *c, const char *bucket,
                              const co4_nats_kv_options *options, int64_t deadline)
{
    static const co4_nats_kv_options none;
    const co4_nats_kv_options *o = options ? options : &none;
    if (!out)
        return CO4_EINVAL;
    *out = NULL;
    if (!c || !co4__nats_is_name(bucket) || strlen(bucket) >= 100 || o->history < 0 ||
        o->history > 64 || o->max_age < 0 || o->max_bytes < 0 || o->replicas < 0)
        return CO4_EINVAL;
    __attribute__((cleanup(close_one))) co4_nats_kv *kv = NULL;
    int err = co4__nats_object(&kv, c, sizeof *kv);
    if (err != CO4_OK)
        return err;
    kv->c = c;
    snprintf(kv->bucket, sizeof kv->bucket, "%s", bucket);
    snprintf(kv->stream, sizeof kv->stream, "KV_%s", kv->bucket);
    CO4__NATS_FREED char *text = o->only_open ? NULL : bucket_json(kv, o);
    err = co4__nats_call(c, o->only_open ? "STREAM.INFO" : "STREAM.CREATE", kv->stream, NULL,
                         o->only_open ? "" : text, NULL, deadline);
    if (err == CO4_OK) {
        *out = kv;
        kv = NULL;
    }
    return err;
}

pausable int co4_nats_kv_delete_bucket(co4_nats *c, const char *bucket, int64_t deadline)
{
    char stream[140];
    if (!co4__nats_is_name(bucket))
        return CO4_EINVAL;
    snprintf(stream, sizeof stream, "KV_%s", bucket);
    return co4_nats_stream_delete(c, stream, deadline);
}

/* ---- keys ---- */

static bool is_key(const char *key)
{
    static const char most[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./";
    return co4__nats_is_subject(key) && strlen(key) < 200 && key[strspn(key, most)] == '\0';
}

static void subject_of(const co4_nats_kv *kv, const char *key, char *to)
{
    snprintf(to, SUBJECT, "$KV.%s.%s", kv->bucket, key);
}

/* ---- read ---- */

void co4_nats_entry_destroy(co4_nats_entry *e)
{
    if (!e)
        return;
    co4_nats_message_destroy(e->message);
    *e = (co4_nats_entry){ 0 };
}

static bool is_deleted(const co4_nats_message *m)
{
    size_t n = 0;
    const char *operation = co4_nats_header(m, "KV-Operation", &n);
    return operation && ((n == 3 && memcmp(operation, "DEL", 3) == 0) ||
                         (n == 5 && memcmp(operation, "PURGE", 5) == 0));
}

/* For a bucket that was deleted no answer comes, not even that nobody listens: the server's own
 * interface has subscribed to all such subjects. So after some time this asks for the bucket. */
static pausable int ask_for_last(co4_nats_kv *kv, const char *key, co4_nats_message **m,
                                 int64_t deadline)
{
    char subject[2 * SUBJECT];
    int n = snprintf(subject, sizeof subject, "$JS.API.DIRECT.GET.%s.$KV.%s.%s", kv->stream,
                     kv->bucket, key);
    (void)n;
    if (deadline == CO4_NEVER)
        return CO4_EINVAL;
    for (;;) {
        int64_t now = co4_now(), half = now + (deadline - now) / 2, second = now + CO4_SEC;
        int64_t until = deadline - now < 20 * CO4_MS ? deadline : half < second ? half : second;
        int err = co4_nats_request(kv->c, subject, NULL, 0, m, until);
        if (err == CO4_NATS_ENORESPONDERS)
            return CO4_NATS_ENOSTORE;
        if (err != CO4_ETIMEDOUT || co4_now() >= deadline)
            return err;
        co4_nats_stream_state state;
        err = co4_nats_stream_look(kv->c, kv->stream, &state, deadline);
        if (err != CO4_OK)
            return err;
    }
}

/* Reads the last value of a key, or its deletion. */
static pausable int read_last(co4_nats_kv *kv, const char *key, co4_nats_entry *e, int64_t deadline)
{
    co4_nats_message *m;
    int err = ask_for_last(kv, key, &m, deadline);
    if (err != CO4_OK)
        return err;
    int status = co4_nats_status(m);
    if (status != 0) {
        co4_nats_message_destroy(m);
        return status == 404 ? CO4_NATS_ENOTFOUND : CO4_NATS_EREFUSED;
    }
    size_t prefix = strlen(kv->bucket) + 5, bytes = 0;
    const char *revision = co4_nats_header(m, "Nats-Sequence", NULL);
    char *whole = (char *)(uintptr_t)co4_nats_header(m, "Nats-Subject", &bytes);
    if (!whole || bytes <= prefix) {
        co4_nats_message_destroy(m);
        return CO4_NATS_EPROTOCOL;
    }
    *e = (co4_nats_entry){ .key = whole + prefix,
                           .value = m->data,
                           .size = m->size,
                           .revision = revision ? strtoull(revision, NULL, 10) : 0,
                           .deleted = is_deleted(m),
                           .message = m };
    whole[bytes] = '\0'; /* in place of the end of the header's line */
    return CO4_OK;
}

pausable int co4_nats_kv_get(co4_nats_kv *kv, const char *key, co4_nats_entry *entry,
                             int64_t deadline)
{
    if (!entry)
        return CO4_EINVAL;
    *entry = (co4_nats_entry){ 0 };
    if (!kv || !is_key(key))
        return CO4_EINVAL;
    int err = read_last(kv, key, entry, deadline);
    if (err == CO4_OK && entry->deleted) {
        co4_nats_entry_destroy(entry);
        return CO4_NATS_ENOTFOUND;
    }
    return err;
}

/* ---- write ---- */

static pausable int write_value(co4_nats_kv *kv, const char *key, const co4_nats_outgoing *value,
                                const co4_nats_expected *expected, uint64_t *revision,
                                int64_t deadline)
{
    char subject[SUBJECT];
    co4_nats_stored stored;
    co4_nats_outgoing m = *value;
    subject_of(kv, key, subject);
    m.subject = subject;
    int err = co4_nats_store(kv->c, &m, expected, &stored, deadline);
    if (err == CO4_OK && revision)
        *revision = stored.number;
    return err;
}

pausable int co4_nats_kv_put(co4_nats_kv *kv, const char *key, const void *value, size_t size,
                             uint64_t *revision, int64_t deadline)
{
    if (!kv || !is_key(key))
        return CO4_EINVAL;
    co4_nats_outgoing m = { .data = value, .size = size };
    return write_value(kv, key, &m, NULL, revision, deadline);
}

pausable int co4_nats_kv_update(co4_nats_kv *kv, const char *key, const void *value, size_t size,
                                uint64_t last, uint64_t *revision, int64_t deadline)
{
    if (!kv || !is_key(key))
        return CO4_EINVAL;
    co4_nats_outgoing m = { .data = value, .size = size };
    co4_nats_expected e = { .subject_last_given = true, .subject_last = last };
    return write_value(kv, key, &m, &e, revision, deadline);
}

/* A deletion is a message, too: then the new value is an update of that message. */
pausable int co4_nats_kv_create(co4_nats_kv *kv, const char *key, const void *value, size_t size,
                                uint64_t *revision, int64_t deadline)
{
    int err = co4_nats_kv_update(kv, key, value, size, 0, revision, deadline);
    if (err != CO4_NATS_ECONFLICT)
        return err;
    co4_nats_entry e = { 0 };
    err = read_last(kv, key, &e, deadline);
    uint64_t last = e.revision;
    bool deleted = err == CO4_OK && e.deleted;
    co4_nats_entry_destroy(&e);
    if (err != CO4_OK)
        return err == CO4_NATS_ENOTFOUND ? CO4_NATS_ECONFLICT : err;
    return deleted ? co4_nats_kv_update(kv, key, value, size, last, revision, deadline)
                   : CO4_NATS_ECONFLICT;
}

pausable int co4_nats_kv_delete(co4_nats_kv *kv, const char *key, uint64_t last, int64_t deadline)
{
    static const char *const headers[] = { "KV-Operation", "DEL", NULL };
    if (!kv || !is_key(key))
        return CO4_EINVAL;
    co4_nats_outgoing m = { .headers = headers };
    co4_nats_expected e = { .subject_last_given = last > 0, .subject_last = last };
    return write_value(kv, key, &m, &e, NULL, deadline);
}

/* ---- watch ---- */

void co4_nats_watch_destroy(co4_nats_watch *w)
{
    if (!w)
        return;
    co4_nats_follower_destroy(w->follower);
    free(w);
}

static void end_watch(co4_nats_watch **w)
{
    co4_nats_watch_destroy(*w);
}

pausable int co4_nats_kv_watch(co4_nats_watch **watch, co4_nats_kv *kv, const char *keys,
                               int64_t deadline)
{
    char subject[SUBJECT];
    if (!watch)
        return CO4_EINVAL;
    *watch = NULL;
    if (!kv || !co4__nats_is_subject(keys) || strlen(keys) > 200)
        return CO4_EINVAL;
    __attribute__((cleanup(end_watch))) co4_nats_watch *w = calloc(1, sizeof *w);
    if (!w)
        return CO4_ENOMEM;
    subject_of(kv, keys, subject);
    w->prefix = strlen(kv->bucket) + 5;
    int err = co4_nats_follow(&w->follower, kv->c, kv->stream, subject, CO4_NATS_FROM_LAST, 0,
                              deadline);
    if (err == CO4_OK) {
        *watch = w;
        w = NULL;
    }
    return err;
}

pausable int co4_nats_watch_next(co4_nats_watch *w, co4_nats_entry *e, bool *current,
                                 int64_t deadline)
{
    co4_nats_message *m;
    co4_nats_origin origin = { 0 };
    if (!e)
        return CO4_EINVAL;
    *e = (co4_nats_entry){ 0 };
    if (!w)
        return CO4_EINVAL;
    int err = co4_nats_follow_next(w->follower, &m, deadline);
    if (err != CO4_OK)
        return err;
    co4_nats_origin_of(m, &origin);
    *e = (co4_nats_entry){ .key = strlen(m->subject) > w->prefix ? m->subject + w->prefix : "",
                           .value = m->data,
                           .size = m->size,
                           .revision = origin.number,
                           .deleted = is_deleted(m),
                           .message = m };
    if (current)
        *current = co4_nats_watch_is_current(w);
    return CO4_OK;
}

bool co4_nats_watch_is_current(const co4_nats_watch *w)
{
    return w && co4_nats_follow_is_current(w->follower);
}

/* ---- leases ---- */

/* Takes the lease if the key still has this revision; 0: nobody has ever had it. */
static pausable int take_at(co4_nats_lease *l, co4_nats_kv *kv, uint64_t last, int64_t deadline)
{
    int64_t begun = co4_now();
    int err = co4_nats_kv_update(kv, l->key, l->owner, strlen(l->owner), last, &l->revision,
                                 deadline);
    if (err == CO4_OK) {
        l->until = begun + l->time; /* others begin to count later */
        l->token = l->revision;
    }
    return err;
}

/* Returns when to look at the lease again. Its owner may give it back at any time, so the looks are
 * at most a second apart; the last one is shortly before the deadline. */
static int64_t next_look(int64_t time, int64_t deadline)
{
    int64_t pause = time / 4, half = (deadline - co4_now()) / 2;
    pause = pause < CO4_SEC ? pause : CO4_SEC;
    pause = pause < half ? pause : half > 10 * CO4_MS ? half : 10 * CO4_MS;
    return co4__nats_soon(deadline, pause);
}

pausable int co4_nats_lease_take(co4_nats_lease *lease, co4_nats_kv *kv, const char *key,
                                 const char *owner, int64_t time, int64_t deadline)
{
    if (!lease || !kv || !is_key(key) || strlen(key) >= sizeof lease->key || !owner ||
        strlen(owner) >= sizeof lease->owner || time <= 0)
        return CO4_EINVAL;
    time = co4__nats_time(time, CO4_SEC);
    *lease = (co4_nats_lease){ .time = time };
    snprintf(lease->key, sizeof lease->key, "%s", key);
    snprintf(lease->owner, sizeof lease->owner, "%s", owner);
    uint64_t seen = 0;
    int64_t since = 0; /* when this revision was first seen */
    for (;;) {
        co4_nats_entry e = { 0 };
        int err = read_last(kv, key, &e, co4__nats_soon(deadline, CO4__NATS_AGAIN));
        uint64_t last = e.revision;
        bool is_free = err == CO4_NATS_ENOTFOUND || e.deleted;
        co4_nats_entry_destroy(&e);
        err = err == CO4_NATS_ENOTFOUND ? CO4_OK : err;
        if (err == CO4_OK && (last != seen || since == 0)) {
            seen = last;
            since = co4_now();
        }
        if (err == CO4_OK && (is_free || co4_now() - since > time)) {
            err = take_at(lease, kv, last, co4__nats_soon(deadline, CO4__NATS_AGAIN));
            if (err == CO4_OK)
                return err;
        }
        if (err != CO4_OK && err != CO4_NATS_ECONFLICT && !co4__nats_may_pass(err))
            return err;
        if (co4_now() >= deadline)
            return CO4_ETIMEDOUT;
        err = co4_sleep_until(next_look(time, deadline));
        if (err != CO4_OK)
            return err;
    }
}

/* Stores the owner again, with an id. If this was stored before, and only its answer was lost, the
 * server finds it by the id, and the caller continues from its number. */
static pausable int renew_once(const co4_nats_lease *l, co4_nats_kv *kv, co4_nats_stored *stored,
                               int64_t deadline)
{
    char subject[SUBJECT], id[256];
    co4_nats_outgoing m = { .subject = subject, .data = l->owner, .size = strlen(l->owner) };
    co4_nats_expected e = { .id = id, .subject_last_given = true, .subject_last = l->revision };
    subject_of(kv, l->key, subject);
    snprintf(id, sizeof id, "renew.%s.%llu", l->key, (unsigned long long)l->revision);
    return co4_nats_store(kv->c, &m, &e, stored, deadline);
}

pausable int co4_nats_lease_renew(co4_nats_lease *lease, co4_nats_kv *kv, int64_t deadline)
{
    if (!lease || !kv || lease->revision == 0)
        return CO4_EINVAL;
    for (;;) {
        co4_nats_stored stored = { 0 };
        int64_t begun = co4_now();
        int err = renew_once(lease, kv, &stored, deadline);
        if (err != CO4_OK)
            return err;
        lease->revision = stored.number;
        if (!stored.duplicate) {
            lease->until = begun + lease->time;
            return CO4_OK;
        }
    }
}

pausable int co4_nats_lease_give(co4_nats_lease *lease, co4_nats_kv *kv, int64_t deadline)
{
    if (!lease || !kv || lease->revision == 0)
        return CO4_EINVAL;
    return co4_nats_kv_delete(kv, lease->key, lease->revision, deadline);
}
