/* service.h - the tasks of a service, for those that are services inside. */
#ifndef CO4_NATS_SERVING_H
#define CO4_NATS_SERVING_H

#include "../service.h"

/* A service: in the frame of the call that serves. */
struct co4__nats_serving {
    co4_nats *c;
    struct co4__nats_admission *a;
    co4_nats_subscription *requests;
    co4_nats_service_options o; /* its strings are the caller's, for the beginning alone */
    co4_nats_service_handler *handler;
    void *arg;
    co4_sem places;
    int code; /* of the dispatcher */
    /* Called by the dispatcher, for calls in their order. Returns whether the call has ended, with
     * its code. NULL: nothing. */
    bool (*first)(struct co4__nats_serving *s, co4_nats_call *call);
    int ended; /* of itself, with this code: co4__nats_serving_ends() */
    /* It says each second that it is there, and when it is asked on this subject. NULL: no. */
    const char *asked_on;
    co4_nats_subscription *who;
    co4_future *ends; /* and ends with this; or NULL */
    struct co4__nats_about about;
    co4_nats_subscription *questions[CO4__NATS_QUESTIONS];
};

/* With o given. Returns CO4_OK or a code. */
int co4__nats_serving_init(struct co4__nats_serving *s, co4_nats *c);
/* For cleanups, also of one that was not initialized. In the frame of the first call of a service:
 * each further one may have no memory for its frame. */
void co4__nats_serving_end(struct co4__nats_serving *s);
/* Serves: with all given that is not said to be its own. */
pausable int co4__nats_serve(struct co4__nats_serving *s);

/* It ends as soon as what has come is done. */
void co4__nats_serving_ends(struct co4__nats_serving *s, int code);

/* Appends to the output, and sets *out to NULL; after an error it is still the caller's. */
pausable int co4__nats_append(struct co4_nats *c, struct co4__nats_out **out, int64_t deadline);

/* A subscription with a hook, or NULL. The caller has entered. It sets *out before it waits. */
pausable int co4__nats_subscribe(co4_nats_subscription **out, struct co4_nats *c,
                                 const char *subject, const char *queue, size_t capacity,
                                 co4_nats_full full, struct co4__nats_hook *hook, int64_t deadline);
/* A request. After it was sent `look` says, if it is not NULL, until when a reply may come; 0: none
 * comes any more, CO4_NATS_EGONE. */
pausable int co4__nats_request(co4_nats *c, const co4_nats_outgoing *m, co4_nats_message **reply,
                               int64_t (*look)(void *), void *arg, int64_t deadline);
/* Sends the end of a subscription, unless it is 0, and a PING, and waits for its PONG: then the
 * server has got all. */
pausable int co4__nats_flush(struct co4_nats *c, uint64_t ended, int64_t deadline);

#endif
