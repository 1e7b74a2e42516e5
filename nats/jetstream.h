/* jetstream.h - the JSON of streams, consumers and key-value buckets. */
#ifndef CO4_NATS_JETSTREAM_H
#define CO4_NATS_JETSTREAM_H

#include <jansson.h>

#include "internal.h"

/* Reads the answer of a request. Returns CO4_OK and the JSON, which the caller releases; or the
 * code of the server's error. */
int co4__nats_answer(struct co4_nats *c, const co4_nats_message *m, json_t **answer);
/* An unsigned member, 0 if there is none. */
uint64_t co4__nats_number(const json_t *object, const char *name);

/* Texts that the caller frees; NULL: out of memory. */
char *co4__nats_stream_json(const co4_nats_stream_options *o, bool is_bucket);
char *co4__nats_purge_json(const char *filter, uint64_t before);
char *co4__nats_consumer_json(const char *stream, const co4_nats_consumer_options *o);

/* The headers of a message and those for what is expected, in an array that the caller frees; NULL:
 * out of memory. Numbers are written to `last` and `subject_last`, of 24 bytes each. */
const char **co4__nats_headers(const char *const *own, const co4_nats_expected *e, char *last,
                               char *subject_last);

/* Returns CO4_OK if a consumer's configuration is that of the options; CO4_NATS_EEXISTS: it is
 * another one; CO4_ENOMEM. */
int co4__nats_is_consumer(const json_t *config, const co4_nats_consumer_options *o);

/* Reads where a message comes from, and which number its consumer has given it. Returns CO4_OK or
 * CO4_EINVAL. */
int co4__nats_origin(const co4_nats_message *m, co4_nats_origin *origin, uint64_t *of_consumer);

/* Whether a later call may succeed after this code: the server is being started again, say. */
bool co4__nats_may_pass(int code);

/* What JSON can have: other bytes would be left out. */
bool co4__nats_is_text(const char *text);
/* Names are parts of subjects. */
bool co4__nats_is_name(const char *name);

#endif
