/* co4/nats_stream.h - streams that are kept: work that survives its workers, by JetStream.
 *
 *     co4_nats_consumer *jobs;
 *     co4_nats_message *m;
 *     int err = co4_nats_consume(&jobs, c, "JOBS", &(co4_nats_consumer_options){ .name = "w" },
 *                                co4_now() + 10 * CO4_SEC);
 *     while (err == CO4_OK && (err = co4_nats_take(jobs, &m, CO4_NEVER)) == CO4_OK) {
 *         work_on(m->data);
 *         co4_nats_ack(jobs, m, co4_now() + 10 * CO4_SEC);
 *         co4_nats_message_destroy(m);
 *     }
 *     co4_nats_consumer_destroy(jobs);
 *
 * A stream stores the messages of its subjects. A message that co4_nats_store() has returned CO4_OK
 * for is stored. A consumer gives each to one of its takers, and again until somebody acknowledges
 * it: at least once. So its effect has to be one that may happen twice, or be guarded by the number
 * of the message.
 *
 * A taker says how many messages it is ready for, and gets no more. So the next message goes to one
 * that is free: the least loaded. A queue group (nats.h) gives it to any. */
#ifndef CO4_NATS_STREAM_H
#define CO4_NATS_STREAM_H

#include "nats.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Codes, beside those of nats.h. */
#define CO4_NATS_ENOTFOUND (-2111) /* no such stream, consumer or message */
#define CO4_NATS_EEXISTS   (-2112) /* it is there, with other options */
#define CO4_NATS_ECONFLICT (-2113) /* another message has come before */
#define CO4_NATS_EREFUSED  (-2114) /* the server refuses: co4_nats_refusal() */
#define CO4_NATS_ENOSTORE  (-2115) /* the store is full, or the server has none */

/* Unless a function says otherwise:
 *
 * Returns: CO4_OK or a code: those of co4_nats_request() and above; CO4_EINVAL also for CO4_NEVER.
 * Pauses: until the server has answered.
 * Blocks: never.
 * Cancellation: CO4_ECANCELED; the server may have done it.
 * Thread safety: any task.
 * Ownership: what is passed stays the caller's. After a code what is to be returned through a
 *     pointer is NULL or empty, and may be freed.
 * Since: 0.2. */

/* Copies what the server has said when it has last refused something to this connection; "" for
 * none. A longer text is cut. */
void co4_nats_refusal(co4_nats *c, char *text, size_t room);

/* ---- streams ---- */

/* How long a stream keeps its messages. */
typedef enum co4_nats_retention {
    CO4_NATS_KEEP,    /* messages stay until a limit is reached */
    CO4_NATS_WORK,    /* until one consumer has acknowledged them */
    CO4_NATS_INTEREST /* until all consumers have */
} co4_nats_retention;

/* What is 0 or NULL has no limit, or is as the comment says. No number may be negative. */
typedef struct co4_nats_stream_options {
    const char *name;
    const char *const *subjects; /* up to NULL; NULL: the name */
    co4_nats_retention retention;
    bool in_memory;  /* lost with the server */
    bool refuse_new; /* at a limit: refuse new messages, instead of dropping old ones */
    int replicas;    /* 0: 1 */
    int64_t max_messages, max_bytes, max_age; /* max_age in ns */
    int64_t max_per_subject;
    int64_t duplicates; /* how long an id is known, in ns; 0: 2 minutes, or max_age */
} co4_nats_stream_options;

/* Makes a stream, or changes the options of one. */
CO4_MUST_USE pausable int co4_nats_stream_create(co4_nats *c,
                                                 const co4_nats_stream_options *options,
                                                 int64_t deadline);
pausable int co4_nats_stream_delete(co4_nats *c, const char *name, int64_t deadline);

/* What a stream has. */
typedef struct co4_nats_stream_state {
    uint64_t messages, bytes, first, last; /* first, last: numbers of messages */
    int consumers;
} co4_nats_stream_state;

/* Asks the server what a stream has. */
CO4_MUST_USE pausable int co4_nats_stream_look(co4_nats *c, const char *name,
                                               co4_nats_stream_state *state, int64_t deadline);

/* Removes the messages of a subject, which may have wildcards (NULL: all), with numbers smaller
 * than `before` (0: all). `removed`: how many; may be NULL. */
CO4_MUST_USE pausable int co4_nats_stream_purge(co4_nats *c, const char *name, const char *subject,
                                                uint64_t before, uint64_t *removed,
                                                int64_t deadline);

/* ---- store ---- */

/* Where a message is stored. */
typedef struct co4_nats_stored {
    uint64_t number;
    bool duplicate; /* its id was known: the number is that of the first one */
} co4_nats_stored;

/* What a message has to find, or it is refused with CO4_NATS_ECONFLICT. */
typedef struct co4_nats_expected {
    const char *id; /* a duplicate within the stream's time is stored once; or NULL */
    bool last_given, subject_last_given;
    uint64_t last;         /* the number of the stream's last message */
    uint64_t subject_last; /* the number of the subject's last message; 0: it has none */
} co4_nats_expected;

/* Stores a message. `expected` and `stored` may be NULL. After CO4_ETIMEDOUT and
 * CO4_NATS_EDISCONNECTED it may be stored: with an id it can be sent again. */
CO4_MUST_USE pausable int co4_nats_store(co4_nats *c, const co4_nats_outgoing *m,
                                         const co4_nats_expected *expected, co4_nats_stored *stored,
                                         int64_t deadline);

/* ---- consumers ---- */

typedef struct co4_nats_consumer co4_nats_consumer;

/* What is 0 or NULL is as the comment says. No number may be negative. */
typedef struct co4_nats_consumer_options {
    const char *name;   /* takers with one name share the messages; NULL: one of its own, which
                             goes after five minutes without takers */
    const char *filter; /* a subject of the stream; NULL: all */
    bool only_new;      /* begin behind the last message, not with the first */
    int64_t ack_wait;   /* ns until a message is given again; 0: 30 s */
    int max_deliver;    /* times; 0: no limit */
    int max_pending;    /* messages of all takers that are not acknowledged; 0: 1000 */
    int credit;         /* how many this one takes at once; 0: 1 */
} co4_nats_consumer_options;

/* Makes a consumer, or joins the others of that name.
 *
 * Returns: as above; CO4_NATS_EEXISTS: the one of that name has other options.
 * Ownership: the consumer is the caller's, until co4_nats_consumer_destroy(). One task takes
 *     from it. */
CO4_MUST_USE pausable int co4_nats_consume(co4_nats_consumer **consumer, co4_nats *c,
                                           const char *stream,
                                           const co4_nats_consumer_options *options,
                                           int64_t deadline);

/* Waits for a message. It stays this taker's for `ack_wait`.
 *
 * Returns: as above; CO4_ETIMEDOUT: there was none; CO4_NATS_ENOTFOUND: the consumer or the stream
 *     is gone: after some seconds, with some servers. CO4_NEVER is a deadline.
 * Pauses: until there is one.
 * Ownership: *m is the caller's. */
CO4_MUST_USE pausable int co4_nats_take(co4_nats_consumer *consumer, co4_nats_message **m,
                                        int64_t deadline);

/* Says what has become of a message. All but ack_sure wait for room in the output alone: if the
 * server is gone, the message comes again. ack_sure waits for the server, and then it does not.
 * retry: give it again, after so many ns. working: it takes longer; the time begins anew. reject:
 * never give it again. */
pausable int co4_nats_ack(co4_nats_consumer *consumer, const co4_nats_message *m, int64_t deadline);
CO4_MUST_USE pausable int co4_nats_ack_sure(co4_nats_consumer *consumer, const co4_nats_message *m,
                                            int64_t deadline);
pausable int co4_nats_retry(co4_nats_consumer *consumer, const co4_nats_message *m, int64_t after,
                            int64_t deadline);
pausable int co4_nats_working(co4_nats_consumer *consumer, const co4_nats_message *m,
                              int64_t deadline);
pausable int co4_nats_reject(co4_nats_consumer *consumer, const co4_nats_message *m,
                             int64_t deadline);

/* What the stream knows of a message that was taken. */
typedef struct co4_nats_origin {
    uint64_t number;  /* in the stream */
    uint64_t given;   /* how often it was given, this time included */
    uint64_t pending; /* messages behind it, for this consumer */
    int64_t time;     /* when it was stored, in ns since 1970 */
} co4_nats_origin;

/* Reads that from the reply subject of the message.
 *
 * Returns: CO4_OK; CO4_EINVAL for a message of no stream. */
int co4_nats_origin_of(const co4_nats_message *m, co4_nats_origin *origin);

/* A handler of jobs. CO4_OK: the message is acknowledged. CO4_NATS_EREFUSED: rejected. Another
 * negative code: it is given again. The message is freed afterwards. */
typedef pausable int co4_nats_handler(const co4_nats_message *m, void *arg);

/* Takes messages, and runs a task for each, at most `credit` at once, until it is cancelled or the
 * connection is closed. While a handler runs, the server is kept informed. When this is cancelled,
 * so are the handlers, and their messages are given to others at once.
 *
 * Returns: CO4_ECANCELED; a code of co4_nats_take(). */
pausable int co4_nats_work(co4_nats_consumer *consumer, co4_nats_handler *handler, void *arg);

/* Ends the consumer of this taker: what has come and was not taken goes to
 * others of its name. NULL does nothing. */
void co4_nats_consumer_destroy(co4_nats_consumer *consumer);

/* What the server knows of a named consumer. */
typedef struct co4_nats_consumer_state {
    uint64_t done;    /* all messages up to this number are acknowledged */
    uint64_t given;   /* the last message that was given */
    uint64_t working; /* messages that were given and are not acknowledged */
    uint64_t pending; /* messages that were not given yet */
    int takers;       /* that wait */
} co4_nats_consumer_state;

/* Looks at a consumer.
 *
 * A server that is killed may forget that it has removed messages of CO4_NATS_WORK: 2.9.10 does so.
 * They were acknowledged, are given to nobody, and stay. If the consumer is the only one of its
 * messages, co4_nats_stream_purge() removes them, with its filter: those up to `done`; while
 * `working` and `pending` are 0, those up to `given`. After a purge the server may know that
 * `working` is 0, so look again. */
CO4_MUST_USE pausable int co4_nats_consumer_look(co4_nats *c, const char *stream, const char *name,
                                                 co4_nats_consumer_state *state, int64_t deadline);
/* Removes a named consumer of a stream, with what it knows. */
pausable int co4_nats_consumer_delete(co4_nats *c, const char *stream, const char *name,
                                      int64_t deadline);

/* ---- follow: in order, for a reader of its own ---- */

typedef struct co4_nats_follower co4_nats_follower;

/* With which message a follower begins. */
typedef enum co4_nats_from {
    CO4_NATS_FROM_FIRST, /* all that are stored, and then those that come */
    CO4_NATS_FROM_NOW,   /* those that come */
    CO4_NATS_FROM_LAST,  /* the last of each subject, and then those that come */
    CO4_NATS_FROM_NUMBER /* `number` and those behind it */
} co4_nats_from;

/* Reads a stream in its order, each message once, also over lost connections. Nothing is
 * acknowledged. `filter` is a subject, or NULL.
 *
 * Ownership: the follower is the caller's, until co4_nats_follower_destroy(). One task reads it. */
CO4_MUST_USE pausable int co4_nats_follow(co4_nats_follower **follower, co4_nats *c,
                                          const char *stream, const char *filter,
                                          co4_nats_from from, uint64_t number, int64_t deadline);
/* Waits for the next message.
 *
 * Returns: as above; CO4_ETIMEDOUT; CO4_NATS_ENOTFOUND: the stream is gone. CO4_NEVER is a
 *     deadline.
 * Ownership: *m is the caller's. */
CO4_MUST_USE pausable int co4_nats_follow_next(co4_nats_follower *follower, co4_nats_message **m,
                                               int64_t deadline);
/* Whether all that was stored when it began has been read, or was removed: of that a call of
 * co4_nats_follow_next() learns, after some silence. */
bool co4_nats_follow_is_current(const co4_nats_follower *follower);
/* NULL does nothing. */
void co4_nats_follower_destroy(co4_nats_follower *follower);

#ifdef __cplusplus
}
#endif

#endif
