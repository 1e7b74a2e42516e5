/* service.h - what the files of services share. */
#ifndef CO4_NATS_SERVICE_INTERNAL_H
#define CO4_NATS_SERVICE_INTERNAL_H

#include "internal.h"

/* How long an answer that the service makes waits for room in the output. */
#define CO4__NATS_ANSWER (5 * CO4_SEC)

/* Who may come in: decided by the connection's reader, so also while all workers are busy. It goes
 * with the last reference: the service's, and that of its subscription. */
struct co4__nats_admission {
    struct co4__nats_hook hook; /* first */
    struct co4_nats *c;         /* the references below keep it */
    atomic_int references;

    pthread_mutex_t lock; /* guards, for moments: */
    int most, inside;     /* requests that wait or have a handler */
    bool ended;           /* nobody comes in any more */
    co4_nats_service_counts own, *counts;

    /* What the service says of itself; constant. */
    char announcements[176]; /* the subject; or "" */
    bool places;             /* a worker of a group: its answers say how many are free, too */
    char id[40];
    int why;        /* guarded: with what it ends */
    uint64_t state; /* guarded: the number of the last state that was said */
};

struct co4_nats_call {
    struct co4__nats_admission *a;
    co4_nats_message *m;
    co4_sem *places;
    co4_future *answer; /* of an actor; or NULL */
    int64_t begun;
    int code;                    /* what it has ended with */
    bool answered, sent, failed; /* failed: it was answered with an error */
    bool outside;                /* it has left its place */
};

struct co4__nats_admission *co4__nats_admission_new(struct co4_nats *c, int most,
                                                    co4_nats_service_counts *counts);
void co4__nats_admission_release(struct co4__nats_admission *a);
/* Nobody comes in any more. */
void co4__nats_admission_end(struct co4__nats_admission *a);
/* The service has ended: the counts are not the caller's any more. */
void co4__nats_admission_leave(struct co4__nats_admission *a, int why);

/* A call for a message that has come in, which it takes over. NULL: out of memory, the asker has
 * got that. */
co4_nats_call *co4__nats_call_new(struct co4__nats_admission *a, co4_nats_message *m,
                                  co4_sem *places);
/* The handler has ended: for co4_defer(). Answers, if nobody has, and there is room. */
void co4__nats_call_end(void *call);
/* It leaves its place: the answer says so. */
void co4__nats_call_leave(co4_nats_call *call);
/* An answer, or with a code an error; NULL with *err. */
struct co4__nats_out *co4__nats_call_encode(co4_nats_call *call, const co4_nats_outgoing *m,
                                            int code, const char *text, int *err);
/* A message goes without a handler: its sender gets the code. Frees it. `inside`: it was let in. */
void co4__nats_refuse(struct co4__nats_admission *a, co4_nats_message *m, int code, bool inside);
/* A close waits for the service of this subscription. */
void co4__nats_is_service(co4_nats_subscription *s);
/* Publishes, if there is room in the output. */
void co4__nats_try_publish(struct co4_nats *c, const char *subject, const char *text);

/* What the worker of a group says of itself, to `to`, or to all: NULL. `gone`: it has ended. */
void co4__nats_announce(struct co4__nats_admission *a, const char *to, bool gone);
int co4__nats_admission_inside(struct co4__nats_admission *a);
/* The header of answers, and its value: "<state> <free> <places> <code>". */
#define CO4__NATS_READY "Co4-Ready"

/* ---- discovery ---- */

/* Three verbs, each of all services, of those of a name, and of one alone. */
enum { CO4__NATS_QUESTIONS = 9 };

struct co4__nats_about {
    char *name, *subject, *queue, *version, *description; /* or NULL */
    const char *id;                                       /* the admission's */
    char started[32];
};
/* Returns CO4_OK, CO4_ENOMEM, or CO4_EINVAL: a text is not UTF-8. In any case it is ended. */
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
