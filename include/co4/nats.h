/* co4/nats.h - mailboxes beyond one machine: publish and subscribe, requests and services, by NATS.
 *
 *     co4_nats *c;
 *     co4_nats_message *reply;
 *     int err = co4_nats_connect(&c, options, co4_now() + 10 * CO4_SEC);  NULL: 127.0.0.1:4222
 *     if (err == CO4_OK)
 *         err = co4_nats_request(c, "sum", "1 2", 3, &reply, co4_now() + 10 * CO4_SEC);
 *     if (err == CO4_OK) {
 *         printf("%s\n", reply->data);
 *         co4_nats_message_destroy(reply);
 *     }
 *     co4_nats_close(c, co4_now() + 10 * CO4_SEC);
 *
 * In a library of its own, co4_nats: find_package(co4 COMPONENTS nats), or pkg-config co4_nats.
 *
 * What can be lost: a message on its way when a server or a connection fails; one that comes to a
 * subscription whose mailbox is full (counted there). Nobody learns of the first. So a message
 * arrives at most once. Each wait has a deadline.
 *
 * While the server is gone, the connection tries others, and the same again. Messages wait then in
 * the output, which is bounded; when it is full, so do senders, until their deadlines. */
#ifndef CO4_NATS_H
#define CO4_NATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "mailbox.h"
#include "mark.h"
#include "tls.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct co4_nats co4_nats;
typedef struct co4_nats_subscription co4_nats_subscription;

/* Codes of this library, beside those of error.h; co4_strerror() knows them. */
#define CO4_NATS_ENORESPONDERS (-2101) /* nobody has subscribed to the subject of a request */
#define CO4_NATS_EDISCONNECTED (-2102) /* the connection was lost meanwhile */
#define CO4_NATS_ECONNECT      (-2103) /* no server could be reached, or none has room */
#define CO4_NATS_EAUTH         (-2104) /* the server refuses the user, or does not permit it */
#define CO4_NATS_EPROTOCOL     (-2105) /* the server does not speak NATS, or refuses a message */
#define CO4_NATS_ETOOBIG       (-2106) /* larger than the server takes, or a subject of 4 KiB */
#define CO4_NATS_ETLS          (-2107) /* no secure connection */
#define CO4_NATS_ESTALE        (-2108) /* the server has not answered for long */
#define CO4_NATS_ECREDENTIALS  (-2109) /* the file of credentials is not there, or makes no sense */

/* What is 0 or NULL is as the comment says. */
typedef struct co4_nats_options {
    /* Up to NULL: "nats://host:port", "tls://host:port", "host". NULL: "nats://127.0.0.1:4222".
     * More are learned from the server. */
    const char *const *servers;
    const char *name; /* which the server shows; or none */
    const char *user, *password, *token;
    /* A file with a JWT and a seed, as `nsc` writes it, or a seed alone. It is read for each
     * attempt: while it is not there, attempts fail, and others follow. */
    const char *credentials;
    co4_tls_config *tls; /* NULL: with tls:// that of co4_tls_client(NULL) */
    bool in_order;       /* begin with the first server, not with any */
    bool no_echo;        /* no message of this connection comes back to it */
    /* Through all servers without success, when the connection is lost. 0: for ever; negative:
     * none. The first connect makes so many, too, but at least one, and 0 is one. */
    int rounds;
    /* Between rounds, in ns; 0: 2 s. Some of it is random. The first round waits only if all
     * servers have just ended a connection that was younger. */
    int64_t wait;
    int64_t attempt;     /* the longest attempt, in ns; 0: 2 s */
    int64_t ping;        /* how long nothing comes before the server is asked; 0: 20 s */
    size_t output;       /* messages that wait to be sent; 0: 4096 */
    size_t output_bytes; /* of them; 0: 8 MiB. A larger one waits until it is the only one. */
    size_t events;       /* the capacity of the monitor; 0: 64 */
} co4_nats_options;

/* ---- messages ---- */

/* A subject has parts, with dots between them. Neither is a part empty, nor has it blanks: such a
 * subject is CO4_EINVAL, as servers would drop its messages, and say nothing.
 *
 * A message that has come. Strings end with '\0'; so do the data, behind the last byte. */
typedef struct co4_nats_message {
    const char *subject;
    const char *reply; /* where an answer goes; NULL: nobody waits for one */
    const char *data;
    size_t size;
    const char *headers; /* as they came, from "NATS/1.0" on, with no '\0' behind; NULL: none */
    size_t headers_size;
} co4_nats_message;

/* Unless a function says otherwise:
 *
 * Returns: CO4_OK or a code: CO4_EINVAL, CO4_ENOMEM, CO4_ECLOSED after the connection is closed,
 *     CO4_ESTATE inside a generator.
 * Pauses: until that is done, at most until the deadline.
 * Blocks: never.
 * Cancellation: CO4_ECANCELED.
 * Thread safety: any task.
 * Ownership: what is passed stays the caller's, and is copied before the call returns. After a code
 *     what is to be returned through a pointer is NULL or empty, and may be freed.
 * Since: 0.2. */

/* Frees a message. NULL does nothing. */
void co4_nats_message_destroy(co4_nats_message *m);

/* A header of the message, by its name, which is compared as it is.
 *
 * Returns: the value, and its length; NULL: there is none. */
const char *co4_nats_header(const co4_nats_message *m, const char *name, size_t *length);
/* The status in the headers: 503 and others; 0: there is none. */
int co4_nats_status(const co4_nats_message *m);

/* ---- connections ---- */

/* Connects. Tasks of the connection run on the runtime of the caller until co4_nats_close(): a
 * co4_run() waits for that.
 *
 * Returns: as above; CO4_ETIMEDOUT; CO4_NATS_ECONNECT, EAUTH, EPROTOCOL, ETLS,
 *     ECREDENTIALS: the last reason.
 * Pauses: until a server has accepted the connection.
 * Ownership: the connection is the caller's, until co4_nats_close(). The options are copied; a
 *     configuration for TLS has to stay. */
CO4_MUST_USE pausable int co4_nats_connect(co4_nats **c, const co4_nats_options *options,
                                           int64_t deadline);

/* Ends the connection: subscriptions end, what has come is delivered, what was published is sent.
 * After the deadline the rest is lost. In any case the connection is closed then. Other tasks may
 * still be in calls with it, and get CO4_ECLOSED; the memory goes with the last of its references,
 * subscriptions, consumers and buckets, with which calls get CO4_ECLOSED, too. NULL does nothing.
 * While no server is there it does not wait for one: what waits in the output is lost.
 *
 * Returns: CO4_OK; the code of what could not be sent.
 * Pauses: until all is sent and the connection's tasks have ended.
 * Cancellation: closes it without waiting for the server.
 * Ownership: it takes over the connection, unless its task ends for lack of memory meanwhile. */
pausable int co4_nats_close(co4_nats *c, int64_t deadline);

/* Keeps the memory of a connection until co4_nats_release(). A task needs that if it goes on with
 * calls, or with the monitor, while another one may close the connection: it gets CO4_ECLOSED then.
 * NULL does nothing.
 *
 * Returns: c. */
co4_nats *co4_nats_retain(co4_nats *c);
void co4_nats_release(co4_nats *c);

/* Ends the connection at once: what was published and not sent is lost. It needs no memory: for
 * the cleanup of a task that may end for lack of it, before co4_nats_close() has returned. NULL
 * does nothing.
 *
 * Returns: nothing. */
void co4_nats_abort(co4_nats *c);

/* What happens to a connection. */
typedef enum co4_nats_event_kind {
    CO4_NATS_CONNECTED = 1,      /* the first time */
    CO4_NATS_DISCONNECTED = 2,   /* `code` says why; `count` messages may be lost */
    CO4_NATS_RECONNECTED = 3,    /* also to another server: `text` is its address */
    CO4_NATS_ATTEMPT_FAILED = 4, /* `code`, and `text` is the address */
    CO4_NATS_SLOW_CONSUMER = 5,  /* a subscription begins to drop: `text` is its subject */
    CO4_NATS_SERVER_ERROR = 6, /* `text` is what the server says; CO4_NATS_EAUTH: what is denied */
    CO4_NATS_LAME_DUCK = 7,    /* the server is about to end */
    CO4_NATS_CLOSED = 8,       /* the last one; `code` says why */
    /* Nobody has subscribed to what is asked for: `text` is the subject of the last request,
     * `count` is how many there were since the last such event. At most one in a second. */
    CO4_NATS_NO_RESPONDERS = 9
} co4_nats_event_kind;

/* An event. What its kind does not have is 0 or "". */
typedef struct co4_nats_event {
    co4_nats_event_kind kind;
    int code;
    uint64_t count;
    char text[128];
} co4_nats_event;

/* The mailbox to which events go, of co4_nats_event. When it is full, the oldest are lost, and
 * counted. It is closed after CO4_NATS_CLOSED. A task that reads it to that end has a reference of
 * the connection: co4_nats_retain().
 *
 * Ownership: the connection's. */
co4_mailbox *co4_nats_monitor(co4_nats *c);

/* Numbers of a connection, at some moment during the call. */
typedef struct co4_nats_counts {
    uint64_t sent, received; /* messages */
    uint64_t dropped;        /* by its subscriptions */
    uint64_t lost;           /* sent, and not confirmed when a connection failed: at most so many */
    uint64_t reconnects;
    uint64_t events_lost;   /* for which the monitor had no room */
    uint64_t no_responders; /* requests that nobody could answer */
    size_t waiting;         /* messages in the output */
    size_t requests;        /* that wait for their replies */
} co4_nats_counts;
void co4_nats_count(co4_nats *c, co4_nats_counts *counts);

/* The largest message that the server takes, headers included. */
size_t co4_nats_max_payload(co4_nats *c);

/* ---- publish ---- */

/* Appends a message to the output.
 *
 * Returns: as above; CO4_ETIMEDOUT: the output is full; CO4_NATS_ETOOBIG. CO4_OK says that it will
 *     be sent, not that it was.
 * Pauses: while the output is full. */
pausable int co4_nats_publish(co4_nats *c, const char *subject, const void *data, size_t size,
                              int64_t deadline);

/* A message with all that it can have. */
typedef struct co4_nats_outgoing {
    const char *subject, *reply; /* reply: or NULL */
    const char *const *headers;  /* name, value, name, value, NULL; or NULL */
    const void *data;
    size_t size;
} co4_nats_outgoing;

/* Appends a message to the output, as co4_nats_publish() does.
 *
 * Returns: as that; CO4_EINVAL also for a name or value that headers cannot have.
 * Pauses: while the output is full. */
pausable int co4_nats_send(co4_nats *c, const co4_nats_outgoing *m, int64_t deadline);

/* Waits until the server has taken all that was published before.
 *
 * Returns: as above; CO4_ETIMEDOUT; CO4_NATS_EDISCONNECTED: some of it may be lost, also of what
 *     was published before the last connection ended. The first flush that ends afterwards
 *     reports it.
 * Pauses: until the server has answered. */
pausable int co4_nats_flush(co4_nats *c, int64_t deadline);

/* ---- subscribe ---- */

/* What happens to a message for which the mailbox has no room. */
typedef enum co4_nats_full {
    CO4_NATS_DROP_NEWEST, /* it is dropped */
    CO4_NATS_DROP_OLDEST, /* the message that has waited longest is dropped */
    /* The connection reads nothing until there is room: all of its subscriptions and requests wait.
     * A server does not wait for ever, and closes the connection of a slow reader. */
    CO4_NATS_SLOW_DOWN
} co4_nats_full;

/* Subscribes to a subject, which may have wildcards: "orders.*", "orders.>". With a queue group,
 * the server gives each message to one of its members, at random. `capacity` 0: 1024 messages.
 *
 * Returns: as above; CO4_ETIMEDOUT. A server that does not permit it says so later, as an event.
 * Pauses: while the output is full.
 * Ownership: the subscription is the caller's, until co4_nats_unsubscribe(). */
CO4_MUST_USE pausable int co4_nats_subscribe(co4_nats_subscription **s, co4_nats *c,
                                             const char *subject, const char *queue,
                                             size_t capacity, co4_nats_full full, int64_t deadline);

/* The mailbox of a subscription, of co4_nats_message *. Who receives a message frees it.
 *
 * Ownership: the subscription's. */
co4_mailbox *co4_nats_mailbox(co4_nats_subscription *s);

/* Waits for the next message.
 *
 * Returns: as above; CO4_ETIMEDOUT; CO4_ECLOSED: none comes any more.
 * Pauses: until there is one.
 * Ownership: *m is the caller's. */
CO4_MUST_USE pausable int co4_nats_next(co4_nats_subscription *s, co4_nats_message **m,
                                        int64_t deadline);

/* The number of messages that were dropped. */
uint64_t co4_nats_dropped(co4_nats_subscription *s);

/* Ends it at the server. What has been sent to it until then is in its mailbox, which is closed.
 *
 * Returns: as above; CO4_ETIMEDOUT, CO4_NATS_EDISCONNECTED: messages may be missing.
 * Pauses: until the server has answered. */
pausable int co4_nats_drain(co4_nats_subscription *s, int64_t deadline);

/* Ends the subscription, and frees it with the messages in its mailbox. NULL does nothing. No other
 * task may wait in its mailbox. */
void co4_nats_unsubscribe(co4_nats_subscription *s);

/* ---- requests ---- */

/* Sends a request, and waits for the first reply. A future of it: co4_async(co4_nats_request(…)).
 * A reply may be lost, so CO4_NEVER is no deadline: CO4_EINVAL. That a server does not permit the
 * request it says as an event: the call waits until its deadline.
 *
 * Returns: as above; CO4_ETIMEDOUT; CO4_NATS_ENORESPONDERS; CO4_NATS_EDISCONNECTED: it is not known
 *     whether somebody has got it.
 * Pauses: until the reply has come.
 * Ownership: *reply is the caller's. */
CO4_MUST_USE pausable int co4_nats_request(co4_nats *c, const char *subject, const void *data,
                                           size_t size, co4_nats_message **reply, int64_t deadline);
CO4_MUST_USE pausable int co4_nats_request_with(co4_nats *c, const co4_nats_outgoing *m,
                                                co4_nats_message **reply, int64_t deadline);

/* Answers a request. A message without a reply subject is no request: CO4_EINVAL.
 *
 * Pauses: while the output is full. */
pausable int co4_nats_respond(co4_nats *c, const co4_nats_message *request, const void *data,
                              size_t size, int64_t deadline);

#ifdef __cplusplus
}
#endif

#endif
