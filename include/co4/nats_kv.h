/* co4/nats_kv.h - values by keys that all machines see, and leases, by JetStream.
 *
 *     co4_nats_kv *kv;
 *     uint64_t revision;
 *     int err = co4_nats_kv_open(&kv, c, "settings", NULL, co4_now() + 10 * CO4_SEC);
 *     if (err == CO4_OK)
 *         err = co4_nats_kv_put(kv, "color", "red", 3, &revision, co4_now() + 10 * CO4_SEC);
 *     co4_nats_kv_close(kv);
 *
 * A bucket is a stream (nats_stream.h) that keeps the last values of each key. Each change has a
 * number, the revision, which only grows. A change that is given the last revision it knows takes
 * place only if there was none since: so of several that compete, one wins. */
#ifndef CO4_NATS_KV_H
#define CO4_NATS_KV_H

#include "nats_stream.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Unless a function says otherwise:
 *
 * Returns: CO4_OK or a code: those of nats.h and nats_stream.h. CO4_EINVAL also for a bad key: keys
 *     have letters, digits and -_=./, and do not begin or end with a dot, nor have two
 *     in a row.
 * Pauses: until the server has answered.
 * Blocks: never.
 * Cancellation: CO4_ECANCELED; the server may have done it.
 * Thread safety: any task.
 * Ownership: what is passed stays the caller's. After a code what is to be returned through a
 *     pointer is NULL or empty, and may be freed.
 * Since: 0.2. */

typedef struct co4_nats_kv co4_nats_kv;

/* What is 0 has no limit, or is as the comment says. No number may be negative. */
typedef struct co4_nats_kv_options {
    int history;     /* values of a key that are kept; 0: 1; at most 64 */
    int64_t max_age; /* of a value, in ns */
    int64_t max_bytes;
    bool in_memory; /* lost with the server */
    int replicas;   /* 0: 1 */
    bool only_open; /* CO4_NATS_ENOTFOUND, if there is none */
} co4_nats_kv_options;

/* Opens a bucket, and makes it if there is none.
 *
 * Returns: as above; CO4_NATS_EEXISTS: it has other options.
 * Ownership: it is the caller's, until co4_nats_kv_close(). */
CO4_MUST_USE pausable int co4_nats_kv_open(co4_nats_kv **kv, co4_nats *c, const char *bucket,
                                           const co4_nats_kv_options *options, int64_t deadline);
void co4_nats_kv_close(co4_nats_kv *kv); /* the bucket stays. NULL does nothing */
pausable int co4_nats_kv_delete_bucket(co4_nats *c, const char *bucket, int64_t deadline);

/* ---- values ---- */

/* A value that was read. */
typedef struct co4_nats_entry {
    const char *key;
    const char *value; /* with a '\0' behind the last byte */
    size_t size;
    uint64_t revision;
    bool deleted;              /* by a watch: there is no value any more */
    co4_nats_message *message; /* which has the strings */
} co4_nats_entry;

/* Frees what an entry has. An empty one may be freed. */
void co4_nats_entry_destroy(co4_nats_entry *entry);

/* Reads the last value. CO4_NATS_ENOTFOUND: there is none.
 *
 * Ownership: the entry is the caller's, until co4_nats_entry_destroy(). */
CO4_MUST_USE pausable int co4_nats_kv_get(co4_nats_kv *kv, const char *key, co4_nats_entry *entry,
                                          int64_t deadline);

/* put: in any case. create: if there is none. update: if `last` is its revision. Otherwise create
 * and update are CO4_NATS_ECONFLICT. `revision` may be NULL. */
CO4_MUST_USE pausable int co4_nats_kv_put(co4_nats_kv *kv, const char *key, const void *value,
                                          size_t size, uint64_t *revision, int64_t deadline);
CO4_MUST_USE pausable int co4_nats_kv_create(co4_nats_kv *kv, const char *key, const void *value,
                                             size_t size, uint64_t *revision, int64_t deadline);
CO4_MUST_USE pausable int co4_nats_kv_update(co4_nats_kv *kv, const char *key, const void *value,
                                             size_t size, uint64_t last, uint64_t *revision,
                                             int64_t deadline);
/* Deletes the value: `last` 0: in any case; else if that is its revision. */
CO4_MUST_USE pausable int co4_nats_kv_delete(co4_nats_kv *kv, const char *key, uint64_t last,
                                             int64_t deadline);

/* ---- watch ---- */

typedef struct co4_nats_watch co4_nats_watch;

/* Watches keys: "color", "colors.*", ">" for all. First come the values that are there, then each
 * change, in order, also over lost connections.
 *
 * Ownership: the watch is the caller's, until co4_nats_watch_destroy(). One task reads it. */
CO4_MUST_USE pausable int co4_nats_kv_watch(co4_nats_watch **watch, co4_nats_kv *kv,
                                            const char *keys, int64_t deadline);
/* Waits for the next entry. *current: whether all that was there at first has been read; may be
 * NULL.
 *
 * Returns: as above; CO4_ETIMEDOUT. CO4_NEVER is a deadline. */
CO4_MUST_USE pausable int co4_nats_watch_next(co4_nats_watch *watch, co4_nats_entry *entry,
                                              bool *current, int64_t deadline);
/* Whether all that was there at first has been read, or was removed: also where there was nothing.
 * Of what was removed a call of co4_nats_watch_next() learns, after some silence. */
bool co4_nats_watch_is_current(const co4_nats_watch *watch);
void co4_nats_watch_destroy(co4_nats_watch *watch); /* NULL does nothing */

/* ---- leases ---- */

/* A lease: of all who want it, one has it, as long as it renews it. The token of each holder is
 * larger than that of the one before. What a holder writes elsewhere has to carry it, and the
 * store refuses a smaller token than the last: a holder may have lost the lease without
 * knowing. */
typedef struct co4_nats_lease {
    uint64_t token;
    uint64_t revision; /* the library's */
    int64_t until;     /* by co4_now(): until then nobody else takes it */
    int64_t time;
    char key[128];
    char owner[64];
} co4_nats_lease;

/* Takes a lease for `time` ns. Waits while somebody else has it and renews it. A lease whose holder
 * has not renewed it for `time`, as this taker sees it, is free. All takers of a key give the same
 * time. While the server is gone it waits for it.
 *
 * Returns: as above; CO4_ETIMEDOUT. CO4_NEVER is a deadline. */
CO4_MUST_USE pausable int co4_nats_lease_take(co4_nats_lease *lease, co4_nats_kv *kv,
                                              const char *key, const char *owner, int64_t time,
                                              int64_t deadline);
/* Renews it; to be called every third of `time`, say.
 *
 * Returns: as above; CO4_NATS_ECONFLICT: somebody else has it. */
CO4_MUST_USE pausable int co4_nats_lease_renew(co4_nats_lease *lease, co4_nats_kv *kv,
                                               int64_t deadline);
/* Gives it back, if it is still there. */
pausable int co4_nats_lease_give(co4_nats_lease *lease, co4_nats_kv *kv, int64_t deadline);

#ifdef __cplusplus
}
#endif

#endif
