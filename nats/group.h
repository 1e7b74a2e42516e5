/* group.h - what an asker of a group knows of its workers. */
#ifndef CO4_NATS_GROUP_INTERNAL_H
#define CO4_NATS_GROUP_INTERNAL_H

#include "internal.h"

#include "co4/time.h"

/* A worker announces itself at least once a second. After three seconds of silence askers take it
 * to be gone. */
#define CO4__NATS_BEAT   CO4_SEC
#define CO4__NATS_SILENT (3 * CO4_SEC)

enum { CO4__NATS_ID = 40 };

struct co4__nats_worker {
    char id[CO4__NATS_ID];
    uint64_t state;                /* the number of the last state */
    int places, mine;              /* how many jobs it takes; how many are of this asker */
    int said;                      /* free places by its last state, without jobs that came later */
    int some;                      /* free places as far as this asker knows */
    int64_t seen;                  /* when it last announced itself or answered */
    bool gone;                     /* it is in no list, and is freed when `mine` is 0 */
    uint64_t rank;                 /* by which the heap is ordered */
    size_t at;                     /* its index in the heap, + 1; 0: it has no free place */
    struct co4__nats_worker *next; /* in its bucket */
    struct co4__nats_worker *older, *newer; /* by `seen` */
};

/* A job that waits for room, or has a place. It is in the frame of its call. */
struct co4__nats_turn {
    co4_nats_group *g;
    struct co4__nats_worker *worker; /* where it has a place; NULL: it has none */
    co4_sem granted;                 /* gets a permit when the job leaves the queue */
    bool queued;
    bool used; /* the job may have been sent to the worker */
    struct co4__nats_turn *before, *behind;
};

struct co4_nats_group {
    struct co4__nats_hook hook; /* first */
    struct co4_nats *c;
    atomic_int references; /* of the owner, two subscriptions, and each call */
    co4_nats_subscription *ready, *inbox;
    char prefix[160], answers[64]; /* subjects */

    pthread_mutex_t lock; /* guards the rest */
    bool closed;
    struct co4__nats_worker **buckets, **heap;
    size_t room;            /* of both arrays */
    size_t workers, ranked; /* how many are in the buckets, and in the heap */
    struct co4__nats_worker *oldest, *newest;
    struct co4__nats_turn *first, *last;
    uint64_t random;
    co4_nats_group_counts counts;
};

/* Subjects: <prefix><name>.ready, .who and .work.<id>. */
#define CO4__NATS_GROUP "co4.group."

/* Enters the connection. Returns CO4_OK, or a code, and then *g is NULL. */
int co4__nats_group_new(co4_nats_group **g, struct co4_nats *c, const char *name);
/* Takes a reference, and sets a variable that has a cleanup. */
void co4__nats_group_retain(co4_nats_group **held, co4_nats_group *g);
void co4__nats_group_release(co4_nats_group *g);

/* Takes a place and returns CO4_OK, or queues the job and returns CO4_EEMPTY: `granted` will get a
 * permit. `again`: a worker has refused the job, so it goes before those that still wait for their
 * first turn. CO4_ECLOSED: the group is closed. */
int co4__nats_turn_begin(struct co4__nats_turn *t, co4_nats_group *g, bool again);
/* For cleanups: gives up the place, if there is one, or leaves the queue. */
void co4__nats_turn_leave(struct co4__nats_turn *t);
/* Gives back the place after the request, which has ended with `code`, and with a reply or NULL. */
void co4__nats_turn_end(struct co4__nats_turn *t, const co4_nats_message *reply, int code);
/* Returns until when the worker may be silent before it is taken to be gone; 0: it is gone. */
int64_t co4__nats_turn_look(void *turn);

#endif
