/* group.h - what an asker of a group knows of its workers. */
#ifndef CO4_NATS_GROUP_INTERNAL_H
#define CO4_NATS_GROUP_INTERNAL_H

#include "internal.h"

#include "co4/time.h"

/* A worker says at least each second that it is there. After three it is taken to be gone. */
#define CO4__NATS_BEAT   CO4_SEC
#define CO4__NATS_SILENT (3 * CO4_SEC)

enum { CO4__NATS_ID = 40 };

struct co4__nats_worker {
    char id[CO4__NATS_ID];
    uint64_t state;                /* the number of the last state */
    int places, mine;              /* all; jobs of this asker */
    int said, some;                /* free: by the last state, without later jobs; as it seems */
    int64_t seen;                  /* when it last said something */
    bool gone;                     /* in no list; it stays until `mine` is 0 */
    uint64_t rank;                 /* in the heap */
    size_t at;                     /* in the heap, + 1; 0: it has no room */
    struct co4__nats_worker *next; /* of its bucket */
    struct co4__nats_worker *older, *newer; /* by `seen` */
};

/* A job that waits for room, or has a place. It is in the frame of its call. */
struct co4__nats_turn {
    co4_nats_group *g;
    struct co4__nats_worker *worker; /* the place */
    co4_sem granted;                 /* a permit: it has left the queue */
    bool queued;
    bool used; /* a worker may have the job */
    struct co4__nats_turn *before, *behind;
};

struct co4_nats_group {
    struct co4__nats_hook hook; /* first */
    struct co4_nats *c;
    atomic_int references; /* the owner's, two of subscriptions, each call's */
    co4_nats_subscription *ready, *inbox;
    char prefix[160], answers[64]; /* subjects */

    pthread_mutex_t lock; /* guards the rest */
    bool closed;
    struct co4__nats_worker **buckets, **heap;
    size_t room, workers, ranked; /* of both arrays; in the buckets; in the heap */
    struct co4__nats_worker *oldest, *newest;
    struct co4__nats_turn *first, *last;
    uint64_t random;
    co4_nats_group_counts counts;
};

/* Subjects: <prefix><name>.ready, .who and .work.<id>. */
#define CO4__NATS_GROUP "co4.group."

/* Enters the connection. Returns CO4_OK, or a code, and then *g is NULL. */
int co4__nats_group_new(co4_nats_group **g, struct co4_nats *c, const char *name);
/* A reference for a variable with a cleanup. */
void co4__nats_group_retain(co4_nats_group **held, co4_nats_group *g);
void co4__nats_group_release(co4_nats_group *g);

/* Takes a place, or queues: then `granted` will get a permit. `again`: it was refused, and goes
 * before those that have not had their turn. Returns CO4_OK, CO4_EEMPTY or CO4_ECLOSED. */
int co4__nats_turn_begin(struct co4__nats_turn *t, co4_nats_group *g, bool again);
/* For cleanups: gives up the place, if there is one, or leaves the queue. */
void co4__nats_turn_leave(struct co4__nats_turn *t);
/* The answer has come, or not: NULL. Gives back the place; `code` is that of the request. */
void co4__nats_turn_end(struct co4__nats_turn *t, const co4_nats_message *reply, int code);
/* Returns until when the worker of a request that was sent is taken to be there; 0: it is gone. */
int64_t co4__nats_turn_look(void *turn);

#endif
