/* co4/nats_remote.h - actors on other machines.
 *
 *     co4_remote counter = { c, "counter" };                     names it: it need not be there
 *     struct request r = { .add = 5 };
 *     int sum;
 *     int err = co4_remote_ask_value(&counter, &r, sizeof r, &sum, sizeof sum, NULL,
 *                                    co4_now() + CO4_SEC);
 *
 * and where the actor (actor.h) is:
 *
 *     co4_remote_options o = { .name = "counter", CO4_REMOTE_MESSAGES(struct request, reply),
 *                              .answer_size = sizeof(int) };
 *     err = co4_remote_serve(c, actor, &o);                      until it is cancelled
 *
 * A remote one is a type of its own, as it is no mailbox: a message arrives at most once, an answer
 * may be lost though the question has arrived, and each wait has a deadline. Messages are bytes,
 * those between the members of a struct included. For machines and versions that differ,
 * nats_struct.h has a header.
 *
 * What is served says each second that it is there. A watch learns when it is gone: by a last word,
 * or after some time of silence. Then it may still run, on the other side of a broken cable.
 *
 * A server that limits its users has to permit the name, co4.alive.<name> and that with .who. */
#ifndef CO4_NATS_REMOTE_H
#define CO4_NATS_REMOTE_H

#include "actor.h"
#include "nats_group.h"
#include "supervisor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A code, beside those of nats_group.h. */
#define CO4_NATS_ESIZE (-2124) /* it takes messages, or gives answers, of another size */

/* Unless a function says otherwise:
 *
 * Returns: CO4_OK or a code: those of nats.h.
 * Blocks: never.
 * Cancellation: CO4_ECANCELED.
 * Thread safety: any task.
 * Ownership: what is passed stays the caller's. After a code what is to be returned through a
 *     pointer is NULL or empty, and may be freed.
 * Since: 0.2. */

/* ---- tell and ask ---- */

/* The name of a remote one, on a connection: a subject. */
typedef struct co4_remote {
    co4_nats *c;
    const char *name;
} co4_remote;

/* Sends bytes, at most once. Nobody says what has become of them: if its mailbox is full, they are
 * dropped, and counted there.
 *
 * Returns: as co4_nats_publish().
 * Pauses: while the output is full. */
pausable int co4_remote_tell(const co4_remote *remote, const void *data, size_t size,
                             int64_t deadline);

/* Asks, and waits for the answer: the bytes of a message, or a value of a fixed size. A future of
 * it: co4_async(co4_remote_ask(…)). `failure` may be NULL.
 *
 * Returns: as co4_nats_ask(). CO4_NATS_EBUSY: its mailbox is full, it has not got the question.
 *     CO4_NATS_ESIZE: the question, or the answer, has another size than it should.
 *     CO4_NATS_ESERVICE: failure->code is that of co4_actor_reply_error(), or CO4_ECLOSED: the
 *     actor has ended. CO4_EINVAL also for CO4_NEVER.
 * Pauses: until the answer has come.
 * Ownership: *reply is the caller's. */
CO4_MUST_USE pausable int co4_remote_ask(const co4_remote *remote, const void *data, size_t size,
                                         co4_nats_message **reply, co4_nats_failure *failure,
                                         int64_t deadline);
CO4_MUST_USE pausable int co4_remote_ask_value(const co4_remote *remote, const void *data,
                                               size_t size, void *answer, size_t answer_size,
                                               co4_nats_failure *failure, int64_t deadline);

/* ---- serve ---- */

/* What is 0 or NULL is as the comment says. */
typedef struct co4_remote_options {
    const char *name;
    size_t msg_size;    /* of the actor's messages */
    size_t reply_at;    /* where the co4_reply is in them */
    bool no_questions;  /* there is none */
    size_t answer_size; /* of its answers; may be 0 */
    bool stays;         /* the actor is one of CO4_ACTOR_STAYS: its task may end and come again */
    int at_once;        /* questions without an answer yet; 0: 64 */
    int capacity;       /* messages that wait for a place among them; 0: 1024; negative: none */
    co4_future *ready;  /* of size 0: completed when the server knows it; or NULL */
    co4_nats_service_counts *counts; /* kept up to date; or NULL. A message counts as answered */
} co4_remote_options;

/* The sizes for messages of a type, with a member that is a co4_reply. */
#define CO4_REMOTE_MESSAGES(type, member)                                                          \
    .msg_size = sizeof(type), .reply_at = offsetof(type, member)

/* Serves an actor under a name: messages go to its inbox in the order in which they come, and its
 * answers to the askers. The co4_reply in a message that has come is set here, whatever the sender
 * has in it. If several processes serve one name, a message goes to any of them.
 *
 * Returns: as co4_nats_serve(); when the actor was stopped or has ended, the code of its end, or
 *     CO4_ECLOSED.
 * Pauses: until then.
 * Ownership: the caller keeps its reference to the actor, until this returns. The options are
 *     copied; `ready` and `counts` stay until then. */
pausable int co4_remote_serve(co4_nats *c, co4_actor *actor, const co4_remote_options *options);

/* ---- watch ---- */

/* What a watch says. The first event comes within its time of silence. */
typedef struct co4_remote_event {
    bool up;
    /* Why it is down. CO4_NATS_EGONE: silence. CO4_NATS_EDISCONNECTED: the own connection is down,
     * so nothing is known. CO4_ECLOSED: it was ended. Else the code with which it has ended. */
    int code;
} co4_remote_event;

typedef struct co4_remote_watcher co4_remote_watcher;

/* Watches a remote one that is served by co4_remote_serve(), by a task of its own. `silence`: ns
 * after which it is taken to be gone; 0: 3 s; it speaks once a second.
 *
 * Returns: as above; CO4_ETIMEDOUT.
 * Pauses: while the output is full.
 * Ownership: the watcher is the caller's, until co4_remote_watcher_destroy(). Name and
 *     connection are kept by it. */
CO4_MUST_USE pausable int co4_remote_watch(co4_remote_watcher **watcher, const co4_remote *remote,
                                           int64_t silence, int64_t deadline);
/* The mailbox of its events, of co4_remote_event; also as a source: co4_mailbox_source(). When it
 * is full, the oldest are lost. It is closed with the connection.
 *
 * Ownership: the watcher's. */
co4_mailbox *co4_remote_events(co4_remote_watcher *watcher);
/* Ends it. NULL does nothing.
 *
 * Returns: CO4_OK.
 * Pauses: until its task has ended.
 * Cancellation: ends it all the same. */
pausable int co4_remote_watcher_destroy(co4_remote_watcher *watcher);

/* Waits until a remote one is gone, or does not come.
 *
 * Returns: the code of the event. CO4_ECLOSED: also when the connection is closed.
 * Pauses: until then. */
pausable int co4_remote_gone(const co4_remote *remote, int64_t silence);

/* A child of a supervisor (supervisor.h) that stands for a remote one: it fails with the code of
 * co4_remote_gone(). So the supervisor's strategy says what follows, for its other children, too.
 *
 *     co4_remote_child db = { .remote = { c, "db" } };
 *     { .name = "db", .start = co4_remote_child_start, .arg = &db, .restart = CO4_PERMANENT } */
typedef struct co4_remote_child {
    co4_remote remote;
    int64_t silence; /* as above */
} co4_remote_child;

/* The start function of such a child: `arg` is its co4_remote_child, which stays as long as the
 * supervisor may call it.
 *
 * Returns: as co4_child_spawn(). */
int co4_remote_child_start(co4_child *child, void *arg);

#ifdef __cplusplus
}
#endif

#endif
