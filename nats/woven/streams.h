/* streams.h - what the files about streams share: requests to the server, and consumers. */
#ifndef CO4_NATS_STREAMS_H
#define CO4_NATS_STREAMS_H

#include <stdlib.h>

#include "jetstream.h"

#include "co4/time.h"

/* How long the server keeps the request of a taker. */
#define CO4__NATS_TIME (3 * CO4_SEC)

struct co4_nats_consumer {
    co4_nats *c;
    co4_nats_subscription *inbox;
    char *stream, *name, *subject; /* of the inbox */
    int credit, asked;             /* messages that were asked for, and have not come */
    int64_t asked_until, ack_wait;
    bool rests;    /* nothing was asked for: the next question comes in a moment */
    bool in_order; /* a follower's, which begins anew with each connection */
};

/* The inbox learns of new connections. */
void co4__nats_asks(co4_nats_subscription *inbox);

/* A text of JSON, which is freed at the end of its block, also when a call ends for lack of
 * memory. */
#define CO4__NATS_TEXT __attribute__((cleanup(co4__nats_free_text))) char
static inline void co4__nats_free_text(char **text)
{
    free(*text);
}

/* Makes a request of the server's interface; a text that is NULL is CO4_ENOMEM. The caller releases
 * the answer. */
pausable int co4__nats_call(co4_nats *c, const char *subject, const char *text, json_t **answer,
                            int64_t deadline);
/* The same, when no more than the code is wanted. */
pausable int co4__nats_command(co4_nats *c, const char *subject, const char *text,
                               int64_t deadline);
/* Asks for the consumer. Returns CO4_OK if it is there; a code. */
pausable int co4__nats_look_for(const co4_nats_consumer *k, json_t **answer, int64_t deadline);
/* Takes a message, and asks for `credit` if none was asked for. */
pausable int co4__nats_take(co4_nats_consumer *k, int credit, co4_nats_message **m,
                            int64_t deadline);
/* The subject of a new inbox, which the caller frees; NULL: out of memory. */
char *co4__nats_inbox(co4_nats *c);

#endif
