/* service.h - the tasks of a service, also for workers of groups and for served actors. */
#ifndef CO4_NATS_SERVING_H
#define CO4_NATS_SERVING_H

#include "../service.h"

/* A service. It is in the frame of the call that serves. */
struct co4__nats_serving {
    co4_nats *c;
    struct co4__nats_admission *a;
    co4_nats_subscription *requests;
    co4_nats_service_options o; /* its strings are the caller's, and used at the beginning only */
    co4_nats_service_handler *handler;
    void *arg;
    co4_sem places;
    int code; /* with which the dispatcher has ended */
    /* The dispatcher calls this for each call, in their order; may be NULL. Returns whether the
     * call has ended, with its code. */
    bool (*first)(struct co4__nats_serving *s, co4_nats_call *call);
    int ended; /* the code of co4__nats_serving_ends() */
    /* The service announces itself each second, and when it is asked on this subject. NULL: it does
     * not. */
    const char *asked_on;
    co4_nats_subscription *who;
    co4_future *ends; /* the service ends when this is completed; or NULL */
    struct co4__nats_about about;
    co4_nats_subscription *questions[CO4__NATS_QUESTIONS];
};

/* The caller has set `o`. Returns CO4_OK or a code. */
int co4__nats_serving_init(struct co4__nats_serving *s, co4_nats *c);
/* For cleanups, also of a service that was not initialized. The cleanup is in the first call of a
 * service, as there may be no memory for the frame of a further one. */
void co4__nats_serving_end(struct co4__nats_serving *s);
/* Serves until the service ends. Returns the code of co4_nats_serve(). */
pausable int co4__nats_serve(struct co4__nats_serving *s);

/* The service accepts no more requests, and ends as soon as those that have come are done. */
void co4__nats_serving_ends(struct co4__nats_serving *s, int code);

/* Puts a message into the output, and sets *out to NULL. After an error the message is still the
 * caller's. */
pausable int co4__nats_append(struct co4_nats *c, struct co4__nats_out **out, int64_t deadline);

/* Subscribes, with a hook or NULL. The caller has entered the connection. Sets *out before it
 * waits. */
pausable int co4__nats_subscribe(co4_nats_subscription **out, struct co4_nats *c,
                                 const char *subject, const char *queue, size_t capacity,
                                 co4_nats_full full, struct co4__nats_hook *hook, int64_t deadline);
/* Makes a request. After it was sent, `look` (or NULL) returns until when a reply may come; 0: no
 * reply will come, and the request ends with CO4_NATS_EGONE. */
pausable int co4__nats_request(co4_nats *c, const co4_nats_outgoing *m, co4_nats_message **reply,
                               int64_t (*look)(void *), void *arg, int64_t deadline);
/* Sends the end of a subscription, unless it is 0, and a PING, and waits for its PONG: then the
 * server has got all. */
pausable int co4__nats_flush(struct co4_nats *c, uint64_t ended, int64_t deadline);

#endif
