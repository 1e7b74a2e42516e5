/* service.h - the tasks of a service, for those that are services inside. */
#ifndef CO4_NATS_SERVING_H
#define CO4_NATS_SERVING_H

#include "../service.h"

/* A service: in the frame of the call that serves. */
struct co4__nats_serving {
    co4_nats *c;
    struct co4__nats_admission *a;
    co4_nats_subscription *requests;
    co4_nats_service_options o; /* its strings are the caller's or constant */
    co4_nats_service_handler *handler;
    void *arg;
    co4_sem places;
    int code; /* of the dispatcher */
    /* A task of its own, in the same scope; or NULL. */
    pausable int (*beside)(struct co4__nats_serving *s);
    const char *asked_on; /* for that: a subject, whose subscription is `who`; or NULL */
    co4_nats_subscription *who;
    struct co4__nats_about about;
    co4_nats_subscription *questions[3];
};

/* With o given. Returns CO4_OK, and then one of the two below has to be called; or a code. */
int co4__nats_serving_init(struct co4__nats_serving *s, co4_nats *c, int most, int at_once);
void co4__nats_serving_drop(struct co4__nats_serving *s);
/* Serves: with c, a, o, handler, arg, beside and more given. Takes over the reference to `a`. */
pausable int co4__nats_serve(struct co4__nats_serving *s);

/* Appends to the output, or frees it. */
pausable int co4__nats_append(struct co4_nats *c, struct co4__nats_out *out, int64_t deadline);

/* A subscription with a hook, which is taken over in any case. The caller has entered. It sets
 * *out before it waits. */
pausable int co4__nats_subscribe(co4_nats_subscription **out, struct co4_nats *c,
                                 const char *subject, const char *queue, size_t capacity,
                                 co4_nats_full full, struct co4__nats_hook *hook, int64_t deadline);
/* A request. After it was sent `look` says, if it is not NULL, until when a reply may come; 0: none
 * comes any more, CO4_NATS_EGONE. */
pausable int co4__nats_request(co4_nats *c, const co4_nats_outgoing *m, co4_nats_message **reply,
                               int64_t (*look)(void *), void *arg, int64_t deadline);
/* Waits until the server has got all. */
pausable int co4__nats_flush(struct co4_nats *c, int64_t deadline);

#endif
