/* streams.h - what the files about streams share: requests to the server, and consumers. */
#ifndef CO4_NATS_STREAMS_H
#define CO4_NATS_STREAMS_H

#include "jetstream.h"
#include "owned.h"

#include "co4/time.h"

/* How long the server keeps the request of a taker. */
#define CO4__NATS_TIME (3 * CO4_SEC)

struct co4_nats_consumer {
    co4_nats *c;
    co4_nats_subscription *inbox;
    char *stream, *name;
    char subject[64]; /* of the inbox */
    int credit;       /* how many messages it asks for */
    int asked;        /* how many of them have not come */
    int64_t asked_until, ack_wait;
    bool rests;    /* no request was sent: the next one comes in a moment */
    bool in_order; /* it is a follower's, which begins anew with each connection */
};

/* Makes a request of the server's interface, on the subject $JS.API.<verb>.<stream> or
 * $JS.API.<verb>.<stream>.<consumer>; the consumer may be NULL. `text` is its JSON; NULL is
 * CO4_ENOMEM. The caller releases the answer; `answer` is NULL if nobody wants it. */
pausable int co4__nats_call(co4_nats *c, const char *verb, const char *stream, const char *consumer,
                            const char *text, json_t **answer, int64_t deadline);
/* Subscribes to a new inbox, which has room for so many messages and learns of new connections. */
pausable int co4__nats_open_inbox(co4_nats_consumer *k, size_t room, int64_t deadline);
/* Asks the server to make a consumer, of this name or (NULL) of one that the server chooses. Sets
 * k->name. The caller releases the answer, also after a code. */
pausable int co4__nats_make_consumer(co4_nats_consumer *k, const char *name, const char *text,
                                     json_t **answer, int64_t deadline);
/* Takes a message, and asks for `credit` if none was asked for. */
pausable int co4__nats_take(co4_nats_consumer *k, int credit, co4_nats_message **m,
                            int64_t deadline);
#endif
