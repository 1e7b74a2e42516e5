/* co4/nats_group.h - work groups: each job goes to the worker that is least loaded.
 *
 *     co4_nats_group_work(c, &(co4_nats_group_options){ .name = "sum", .places = 4 }, sum, NULL);
 *
 * and in other processes, or the same:
 *
 *     co4_nats_group *g;
 *     co4_nats_message *reply;
 *     int err = co4_nats_group_open(&g, c, "sum", co4_now() + CO4_SEC);
 *     if (err == CO4_OK)
 *         err = co4_nats_group_ask(g, &job, &reply, NULL, co4_now() + 10 * CO4_SEC);
 *
 * A worker says for how many jobs it has room: when it has had none, in each answer, and each
 * second. A job goes to the worker with the most room; while there is none, it waits here. A queue
 * group gives it to any worker, also to one with a long job.
 *
 * A job is given to one worker at most once. A worker that has no room for it, as another asker was
 * faster, refuses it at once; one that has ended does not get it: then it goes to the next. When
 * an answer does not come, nobody knows whether the job was done, and the code says that. Work that
 * has to survive belongs into a stream: nats_stream.h.
 *
 * A server that limits its users has to permit the subjects co4.group.<name>.> */
#ifndef CO4_NATS_GROUP_H
#define CO4_NATS_GROUP_H

#include "nats_service.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A code, beside those of nats.h and nats_service.h. */
#define CO4_NATS_EGONE (-2123) /* nothing comes from it for 3 s: whether it was done is not known */

/* Unless a function says otherwise:
 *
 * Returns: CO4_OK or a code: those of nats.h.
 * Blocks: never.
 * Cancellation: CO4_ECANCELED.
 * Thread safety: any task.
 * Ownership: what is passed stays the caller's. After a code what is to be returned through a
 *     pointer is NULL or empty, and may be freed.
 * Since: 0.2. */

/* ---- workers ---- */

/* What is 0 or NULL is as the comment says. */
typedef struct co4_nats_group_options {
    const char *name;                /* of the group: letters, digits, - and _ */
    int places;                      /* jobs at the same time; 0: 1 */
    co4_future *ready;               /* of size 0: completed when it can get jobs; or NULL */
    co4_nats_service_counts *counts; /* kept up to date while it works; or NULL */
} co4_nats_group_options;

/* Works: runs a task for each job, until it is cancelled or the connection is closed. It ends as
 * co4_nats_serve() does, and says before that it has no room any more.
 *
 * Returns: as co4_nats_serve().
 * Pauses: as co4_nats_serve().
 * Ownership: the options are copied; `ready` and `counts` stay until it returns. */
pausable int co4_nats_group_work(co4_nats *c, const co4_nats_group_options *options,
                                 co4_nats_service_handler *handler, void *arg);

/* ---- askers ---- */

typedef struct co4_nats_group co4_nats_group;

/* Opens a group for asking, and asks which workers there are. One for all tasks of a process will
 * do: jobs wait in their order.
 *
 * Returns: as above; CO4_ETIMEDOUT; CO4_NATS_EDISCONNECTED.
 * Pauses: until the server knows of it, not until there are workers.
 * Ownership: the group is the caller's, until co4_nats_group_close(). */
CO4_MUST_USE pausable int co4_nats_group_open(co4_nats_group **group, co4_nats *c, const char *name,
                                              int64_t deadline);

/* Gives a job to the worker with the most room, and waits for its answer. Of `m` the subject and
 * the reply are NULL. `failure` may be NULL.
 *
 * Returns: as co4_nats_ask(). CO4_ETIMEDOUT: there was no room, or no answer; failure->code is
 *     CO4_NATS_EBUSY if no worker has got it. CO4_NATS_EGONE, CO4_NATS_EDISCONNECTED: it is not
 *     known whether it was done. CO4_ECLOSED: also when the group is closed meanwhile. CO4_EINVAL:
 *     also for CO4_NEVER.
 * Pauses: until there is room, and then until the answer has come.
 * Ownership: *reply is the caller's. */
CO4_MUST_USE pausable int co4_nats_group_ask(co4_nats_group *group, const co4_nats_outgoing *m,
                                             co4_nats_message **reply, co4_nats_failure *failure,
                                             int64_t deadline);

/* Numbers of a group, as this asker sees it. */
typedef struct co4_nats_group_counts {
    size_t workers, room; /* that it knows; places that it takes to be free */
    size_t waiting;       /* jobs that wait for room */
    uint64_t sent;        /* jobs to workers, those that were sent again included */
    uint64_t refused;     /* by workers without room */
    uint64_t retried;     /* sent again, as a worker has refused it or has ended */
    uint64_t gone;        /* workers that have ended */
    uint64_t lost;        /* jobs without an answer */
} co4_nats_group_counts;
/* NULL: zeros. */
void co4_nats_group_count(co4_nats_group *group, co4_nats_group_counts *counts);

/* Ends it. Jobs that wait for room are CO4_ECLOSED; those that a worker has go on. NULL does
 * nothing. */
void co4_nats_group_close(co4_nats_group *group);

#ifdef __cplusplus
}
#endif

#endif
