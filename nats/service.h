/* service.h - what the files of services share. */
#ifndef CO4_NATS_SERVICE_INTERNAL_H
#define CO4_NATS_SERVICE_INTERNAL_H

#include "internal.h"

/* How long an answer that the service makes waits for room in the output. */
#define CO4__NATS_ANSWER (5 * CO4_SEC)

/* Decides which requests a service accepts. The connection's reader asks it, so it works while all
 * workers are busy, too. The service and its subscription have references to it. */
struct co4__nats_admission {
    struct co4__nats_hook hook; /* first */
    struct co4_nats *c;         /* the service and the subscription keep it */
    atomic_int references;

    pthread_mutex_t lock; /* guards, for moments: */
    int most, inside; /* requests that wait or have a handler: the limit, and how many there are */
    bool ended;       /* no further request is accepted */
    co4_nats_service_counts own, *counts;

    /* What the service says of itself; constant. */
    char announcements[176]; /* the subject; or "" */
    bool places;             /* a worker of a group: its answers report its state, too */
    char id[40];
    int why;        /* guarded: the code with which the service ends */
    uint64_t state; /* guarded: the number of the last state that was reported */
};

struct co4_nats_call {
    struct co4__nats_admission *a;
    co4_nats_message *m;
    co4_sem *places;
    co4_future *answer; /* of an actor; or NULL */
    int64_t begun;
    int code;                    /* with which it has ended */
    bool answered, sent, failed; /* failed: it was answered with an error */
    bool outside;                /* it does not count as `inside` any more */
};

struct co4__nats_admission *co4__nats_admission_new(struct co4_nats *c, int most,
                                                    co4_nats_service_counts *counts);
void co4__nats_admission_release(struct co4__nats_admission *a);
/* From here on no request is accepted. */
void co4__nats_admission_end(struct co4__nats_admission *a);
/* The service has ended: the counts are not the caller's any more. */
void co4__nats_admission_leave(struct co4__nats_admission *a, int why);

/* Makes a call for a message that was accepted, and takes over the message. NULL: out of memory. */
co4_nats_call *co4__nats_call_new(struct co4__nats_admission *a, co4_nats_message *m,
                                  co4_sem *places);
/* For co4_defer(): the handler has ended. Answers if it has not, and the output has room. */
void co4__nats_call_end(void *call);
/* The call gives back its place, before its answer, which reports the free place already. */
void co4__nats_call_leave(co4_nats_call *call);
/* Encodes an answer, or (`m` is NULL) an error with this code. Returns NULL with *err. */
struct co4__nats_out *co4__nats_call_encode(co4_nats_call *call, const co4_nats_outgoing *m,
                                            int code, const char *text, int *err);
/* Answers a message with the code, without a handler, and frees it. `inside`: it was accepted. */
void co4__nats_refuse(struct co4__nats_admission *a, co4_nats_message *m, int code, bool inside);
/* A close waits for the service of this subscription. */
void co4__nats_is_service(co4_nats_subscription *s);
/* Publishes a text if the output has room. */
void co4__nats_try_publish(struct co4_nats *c, const char *subject, const char *text);

/* Sends the state of the service to the subject `to`; NULL: to all. `gone`: it has ended. */
void co4__nats_announce(struct co4__nats_admission *a, const char *to, bool gone);
int co4__nats_admission_inside(struct co4__nats_admission *a);
/* The header of answers, and its value: "<state> <free> <places> <code>". */
#define CO4__NATS_READY "Co4-Ready"

/* ---- discovery ---- */

/* There are three verbs. Each is asked of all services, of those with a name, or of one service. */
enum { CO4__NATS_QUESTIONS = 9 };

struct co4__nats_about {
    char *name, *subject, *queue, *version, *description; /* or NULL */
    const char *id;                                       /* the admission's */
    char started[32];
};
/* Returns CO4_OK; CO4_ENOMEM; CO4_EINVAL: a text is not UTF-8. In any case the caller ends it. */
int co4__nats_about_begin(struct co4__nats_about *about, const char *id,
                          const co4_nats_service_options *o);
void co4__nats_about_end(struct co4__nats_about *about);
/* The subject of a question. */
void co4__nats_about_subject(const struct co4__nats_about *about, int question, char *to,
                             size_t room);
/* The answer to a question, which the caller frees. NULL: *err says why. */
char *co4__nats_about_json(const struct co4__nats_about *about, int question,
                           const co4_nats_service_counts *counts, int *err);

bool co4__nats_is_service_name(const char *name);

#endif
