/* co4/nats_service.h - services: requests that are answered by tasks, and so many at once.
 *
 *     static pausable int sum(co4_nats_call *call, void *arg)
 *     {
 *         char text[32];
 *         int a, b;
 *         (void)arg;
 *         if (sscanf(co4_nats_call_message(call)->data, "%d %d", &a, &b) != 2)
 *             return CO4_EINVAL;                        the asker gets that as an error
 *         int n = snprintf(text, sizeof text, "%d", a + b);
 *         return co4_nats_answer(call, text, (size_t)n, co4_now() + CO4_SEC);
 *     }
 *     …
 *     err = co4_nats_serve(c, &(co4_nats_service_options){ .name = "sum" }, sum, NULL);
 *
 * Processes that serve the same name share its requests: a request goes to one of them, to any. A
 * group (nats_group.h) gives each to the one that is least loaded.
 *
 * A request that has come to a service gets one answer: that of its handler, an error, or a
 * refusal, when too many are there. An asker that gets none until its deadline does not know
 * whether the request has come: it may be lost on its way, and so may be the answer. Errors have
 * the headers of other NATS services, so other clients understand them, and are understood.
 *
 * A server that limits its users has to permit the subject, and $SRV.> where there is a version. */
#ifndef CO4_NATS_SERVICE_H
#define CO4_NATS_SERVICE_H

#include "future.h"
#include "nats.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Codes, beside those of nats.h. */
#define CO4_NATS_ESERVICE (-2121) /* the service answers with an error: co4_nats_failure */
#define CO4_NATS_EBUSY    (-2122) /* refused: no handler has begun, another service may be free */

/* Unless a function says otherwise:
 *
 * Returns: CO4_OK or a code: those of nats.h.
 * Blocks: never.
 * Cancellation: CO4_ECANCELED.
 * Thread safety: any task.
 * Ownership: what is passed stays the caller's. After a code what is to be returned through a
 *     pointer is NULL or empty, and may be freed.
 * Since: 0.2. */

/* ---- serve ---- */

/* A request that a handler answers. */
typedef struct co4_nats_call co4_nats_call;

/* A handler of requests. Without an answer CO4_OK answers with an empty message, and a negative
 * code with an error: CO4_NATS_EBUSY, of another service that it has asked, with CO4_NATS_ESERVICE,
 * as the asker would take it to mean that no handler has begun. It is cancelled with its
 * service. */
typedef pausable int co4_nats_service_handler(co4_nats_call *call, void *arg);

/* Numbers of a service. Each request is counted in `asked`, and then in one of the others. */
typedef struct co4_nats_service_counts {
    uint64_t asked;
    uint64_t answered;
    uint64_t failed;     /* their handlers have returned a negative code, or ran out of memory */
    uint64_t refused;    /* for lack of room, or as the service was cancelled */
    uint64_t unanswered; /* the answer could not be sent */
    uint64_t inside;     /* they wait for a handler, or have one */
    uint64_t time;       /* of all handlers, in ns */
} co4_nats_service_counts;

/* What is 0 or NULL is as the comment says. */
typedef struct co4_nats_service_options {
    const char *name;    /* letters, digits, - and _ */
    const char *subject; /* which may have wildcards; NULL: the name */
    const char *queue;   /* NULL: the name */
    bool all;            /* no queue group: each process gets each request */
    int at_once;         /* handlers at the same time; 0: 64 */
    int capacity;        /* requests that wait for a handler; 0: 1024; negative: none */
    /* A version such as "1.0.0": the service answers the questions of tools, on $SRV.PING, INFO and
     * STATS, for which its texts are UTF-8. NULL: it does not. */
    const char *version;
    const char *description;
    co4_future *ready; /* of size 0: completed when the server knows the service; or NULL */
    co4_nats_service_counts *counts; /* kept up to date while it serves; or NULL */
} co4_nats_service_options;

/* Serves until it is cancelled, or the connection is closed. A close lets it answer what has come,
 * up to the deadline of the close: handlers may send, and ask others, until then. It waits for
 * those that take longer, whose calls are CO4_ECLOSED. When it is cancelled, so are its handlers,
 * and their askers get an error; requests that wait are refused.
 *
 * Returns: CO4_OK after co4_nats_close(); CO4_ECANCELED; the code with which the connection has
 *     ended by itself; at the beginning CO4_EINVAL, CO4_ENOMEM, CO4_ECLOSED; CO4_ETIMEDOUT: the
 *     output is full.
 * Pauses: until then, and for a second at most after a cancellation.
 * Ownership: the options are copied; `ready` and `counts` stay until it returns. */
pausable int co4_nats_serve(co4_nats *c, const co4_nats_service_options *options,
                            co4_nats_service_handler *handler, void *arg);

/* Copies the numbers of a service that runs. NULL does nothing. */
void co4_nats_service_read(const co4_nats_service_counts *counts, co4_nats_service_counts *copy);

/* The request.
 *
 * Returns: the message; NULL for NULL.
 * Ownership: the call's, until the handler returns. */
const co4_nats_message *co4_nats_call_message(const co4_nats_call *call);

/* Answers. For a message whose sender waits for no answer it does nothing. Of `m` the subject and
 * the reply are NULL, and it has at most 32 headers.
 *
 * Returns: as above; CO4_ETIMEDOUT: the output is full; CO4_NATS_ETOOBIG; CO4_ESTATE: it was
 *     answered before.
 * Pauses: while the output is full.
 * Thread safety: the handler's task. */
pausable int co4_nats_answer(co4_nats_call *call, const void *data, size_t size, int64_t deadline);
pausable int co4_nats_answer_with(co4_nats_call *call, const co4_nats_outgoing *m,
                                  int64_t deadline);
/* Answers with an error: a negative code, and a text; NULL: that of co4_strerror(). With
 * CO4_NATS_EBUSY it says that nothing was begun: a group gives the job to the next worker.
 *
 * Returns: as above.
 * Pauses: while the output is full.
 * Thread safety: the handler's task. */
pausable int co4_nats_answer_error(co4_nats_call *call, int code, const char *text,
                                   int64_t deadline);

/* ---- ask ---- */

/* What a service says of its error. */
typedef struct co4_nats_failure {
    int code;       /* negative: of a handler here what it has returned; 0: it is no number */
    char text[120]; /* a longer one is cut */
} co4_nats_failure;

/* Asks a service: sends a request, and waits for the answer. `failure` may be NULL; without an
 * error of the service it becomes empty.
 *
 * Returns: as co4_nats_request(); CO4_NATS_ESERVICE; CO4_NATS_EBUSY.
 * Pauses: until the answer has come.
 * Ownership: *reply is the caller's. */
CO4_MUST_USE pausable int co4_nats_ask(co4_nats *c, const co4_nats_outgoing *m,
                                       co4_nats_message **reply, co4_nats_failure *failure,
                                       int64_t deadline);

/* Whether a reply is an error of a service. `failure` may be NULL.
 *
 * Returns: CO4_OK: it is none; CO4_NATS_ESERVICE; CO4_NATS_EBUSY. */
int co4_nats_failure_of(const co4_nats_message *reply, co4_nats_failure *failure);

#ifdef __cplusplus
}
#endif

#endif
