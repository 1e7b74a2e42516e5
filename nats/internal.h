/* internal.h - what the files of co4_nats share. woven/connection.c explains a connection. */
#ifndef CO4_NATS_INTERNAL_H
#define CO4_NATS_INTERNAL_H

#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "co4/conn.h"
#include "co4/sync.h"
#include "co4/task.h"
#include "public.h"

/* ---- tables (table.c) ---- */

/* Pointers, each under a number that is never used for another one. 0 is no number. */
struct co4__nats_table {
    struct co4__nats_slot {
        void *pointer;
        uint32_t generation, next_free; /* + 1 */
    } * slots;
    uint32_t count, room, used, first_free; /* + 1 */
};

/* Returns the number of the pointer; 0: out of memory. */
uint64_t co4__nats_table_add(struct co4__nats_table *t, void *pointer);
void *co4__nats_table_find(const struct co4__nats_table *t, uint64_t number);
void *co4__nats_table_remove(struct co4__nats_table *t, uint64_t number);
/* Returns the next pointer of the table from *slot on, and sets *slot to the slot behind it. NULL:
 * there is no other one. */
void *co4__nats_table_next(const struct co4__nats_table *t, uint32_t *slot, uint64_t *number);
void co4__nats_table_free(struct co4__nats_table *t);

/* ---- servers and options (options.c) ---- */

/* These build JSON. If a member were left out for lack of memory, the text would mean something
 * else. So *err keeps the first code, and in the end there is no text. */
void co4__nats_put(json_t *object, const char *name, json_t *value, int *err);
/* A text that is NULL adds nothing. *err is CO4_EINVAL for one that is not UTF-8. */
void co4__nats_put_text(json_t *object, const char *name, const char *text, int *err);
/* Releases the object. Returns its text, which the caller frees; NULL if *err is not CO4_OK. */
char *co4__nats_text_of(json_t *object, int *err);

struct co4__nats_server {
    char *host, *port, *user, *password; /* user, password: or NULL */
    bool tls;
    bool learned; /* another server has listed it */
    int refused;  /* how often in a row it has refused the user */
};

struct co4__nats_servers {
    struct co4__nats_server *all;
    size_t count, room;
    size_t current; /* the index of the one that is tried, or used */
};

/* Returns CO4_OK, CO4_EINVAL or CO4_ENOMEM. A server that is listed already is not added again. */
int co4__nats_servers_add(struct co4__nats_servers *s, const char *url, bool learned);
void co4__nats_servers_free(struct co4__nats_servers *s);
/* Writes "host:port", or "[host]:port" for an address of IPv6. */
void co4__nats_address(const struct co4__nats_server *s, char *text, size_t room);

/* What a server says of itself in its INFO. */
struct co4__nats_info {
    char *nonce; /* or NULL */
    size_t max_payload;
    bool headers, tls_required, lame_duck;
};

/* Reads the JSON of an INFO line. Adds the servers that it lists, and removes those that only an
 * earlier line has listed. Returns CO4_OK, CO4_NATS_EPROTOCOL or
 * CO4_ENOMEM. */
int co4__nats_info_read(struct co4__nats_info *info, const char *json, size_t bytes,
                        struct co4__nats_servers *servers, bool tls);
void co4__nats_info_free(struct co4__nats_info *info);

/* Returns "CONNECT {…}\r\n", which the caller frees; NULL with *code. */
char *co4__nats_connect_line(const struct co4_nats *c, const struct co4__nats_server *server,
                             const struct co4__nats_info *info, int *code);

/* ---- credentials (credentials.c) ---- */

/* Who a user is, by a JWT or a public key, and the signature of a nonce. */
struct co4__nats_user {
    char *jwt, *nkey, *signature;
};

/* Reads a file with a JWT and a seed, or with a seed alone, and signs the nonce. Returns CO4_OK;
 * CO4_NATS_ECREDENTIALS if the file does not exist or makes no sense; CO4_ENOMEM, also if too many
 * files are open. In any case the caller frees the user. */
int co4__nats_credentials(const char *file, const char *nonce, struct co4__nats_user *user);
void co4__nats_user_free(struct co4__nats_user *user);

/* ---- messages (message.c) ---- */

/* Makes a message from a line "MSG …" or "HMSG …" of so many bytes. The caller then reads *payload
 * bytes to *to. Returns the message; NULL with *code. */
co4_nats_message *co4__nats_message_begin(const char *line, size_t bytes, uint64_t *number,
                                          char **to, size_t *payload, int *code);
/* The caller has read the payload. Returns CO4_OK or CO4_NATS_EPROTOCOL. */
int co4__nats_message_end(co4_nats_message *m);

/* What the writer sends. */
struct co4__nats_out {
    enum co4__nats_out_kind {
        CO4__NATS_MESSAGE,   /* `bytes`; for a request, only if it still waits */
        CO4__NATS_SUBSCRIBE, /* the line of a subscription */
        CO4__NATS_PING       /* the PING of a flush */
    } kind;
    uint64_t number; /* of the request (0: no request), the subscription, or the flush */
    uint64_t ended;  /* PING: the subscription whose end is sent before it; 0: none */
    size_t size;
    size_t charged; /* how many bytes of the output's room it takes */
    char bytes[];
};

/* Encodes a message, if the server of the connection takes such. `reply` is that of the message, or
 * the inbox of a request. Returns NULL with *code. */
struct co4__nats_out *co4__nats_encode(const struct co4_nats *c, const co4_nats_outgoing *m,
                                       const char *reply, int *code);

/* Returns whether a text can be a subject: it has no blanks and no control characters, no part
 * between dots is empty, and the wildcard > comes last. A server answers others with an error that
 * no call could return. */
bool co4__nats_is_subject(const char *subject);

/* After a longer line servers close the connection, unless their options say otherwise. */
enum { CO4__NATS_LINE = 4096 };

/* ---- the output's room (output.c) ---- */

/* A sender that waits for room, in the frame of its call. */
struct co4__nats_room_wait {
    struct co4_nats *c;
    size_t size, charged;
    co4_sem granted;
    bool queued;
    struct co4__nats_room_wait *before, *behind;
};

struct co4__nats_room {
    size_t most;
    atomic_size_t bytes;
    atomic_uint waiting;
    /* Guarded by the connection's lock: */
    /* Read without the lock, too. Then there is room for every sender; the output tells it. */
    atomic_bool closed;
    struct co4__nats_room_wait *first, *last;
};

/* Charges the message. Returns whether there was room. */
bool co4__nats_room_try(struct co4_nats *c, struct co4__nats_out *out);
/* Queues for room: `granted` will get a permit. The caller then takes over `charged`, and sets it
 * to 0. */
void co4__nats_room_wait(struct co4__nats_room_wait *w, struct co4_nats *c, size_t size);
/* For cleanups: leaves the queue, and gives back what was charged. */
void co4__nats_room_leave(struct co4__nats_room_wait *w);
void co4__nats_room_give(struct co4_nats *c, size_t bytes);
/* The connection is closed: all senders get room. */
void co4__nats_room_close(struct co4_nats *c);
/* Frees a message, and gives back its room. */
void co4__nats_out_free(struct co4_nats *c, struct co4__nats_out *out);
/* Appends it if there is room, or frees it. Returns CO4_OK, or a code of
 * co4_mailbox_send_until(). */
int co4__nats_try_append(struct co4_nats *c, struct co4__nats_out *out);

/* ---- connections ---- */

/* A call that waits for an answer: a request, or a flush. It is in the frame of that call. */
struct co4__nats_wait {
    struct co4_nats *c;
    uint64_t number; /* in the table of waits; 0: the call has its result, or has left */
    co4_sem done;
    co4_nats_message *reply;
    const char *subject; /* of a request */
    int code;
    bool sent;
    bool flush; /* not a request: no message ends it */
};

/* A hook of a subscription gets its messages before its mailbox does. */
struct co4__nats_hook {
    /* The connection's reader calls this, so it may not wait. Returns whether it has taken the
     * message. */
    bool (*take)(struct co4__nats_hook *hook, co4_nats_subscription *s, co4_nats_message *m);
    /* The subscription takes a reference to the hook, and gives it back. */
    void (*begin)(struct co4__nats_hook *hook);
    void (*end)(struct co4__nats_hook *hook);
    /* Called under the connection's lock when that is closed. May be NULL. */
    void (*closed)(struct co4__nats_hook *hook);
};

struct co4_nats_subscription {
    struct co4_nats *c;
    struct co4__nats_hook *hook; /* or NULL */
    bool service;                /* a close of the connection waits for its service */
    uint64_t number;
    atomic_int references; /* of the owner, and of a delivery that is under way */
    co4_mailbox *mailbox;
    co4_nats_full full;
    atomic_ullong dropped;
    atomic_bool dropping; /* a message was dropped, and none had room since */
    /* Guarded by the connection's lock: */
    unsigned epoch; /* that of the connection whose server knows the subscription */
    bool drained;   /* its end was sent, so no other server learns of it */
    bool asks;      /* a new connection puts CO4__NATS_RECONNECTED into its mailbox */
    char *subject, *queue;
};

enum co4__nats_state {
    CO4__NATS_UP,
    CO4__NATS_DOWN,
    CO4__NATS_CLOSING, /* no new message is accepted */
    CO4__NATS_CLOSED
};

/* How many messages were written. The call of a request says if it is lost, so the others are also
 * counted apart. */
struct co4__nats_counted {
    uint64_t all, unasked; /* unasked: those that are no requests */
};

struct co4_nats {
    atomic_int references;    /* the owner's, each call's, each subscription's, … */
    co4_nats_options options; /* strings are our own */
    char inbox[40];           /* "_INBOX.<random>." */
    co4_mailbox *output;      /* of struct co4__nats_out *; NULL wakes the writer */
    struct co4__nats_room room;
    co4_mailbox *events;
    atomic_ullong sent, received, dropped, lost, reconnects, events_lost, unanswered;
    atomic_size_t max_payload;
    atomic_bool headers;
    atomic_bool woken; /* the writer was woken, and has not looked at `control` since */
    atomic_int state;
    atomic_uint named; /* inboxes and services that have got a name */

    pthread_mutex_t lock; /* guards, for moments: */
    struct co4__nats_table subscriptions, waits;
    unsigned epoch;
    char refusal[200]; /* of JetStream */
    unsigned services; /* how many serve */
    bool draining;     /* a close has begun, and waits for the services */
    co4_sem served;    /* gets a permit when the last service has ended */
    bool known;        /* the server knows all subscriptions, or learns of them before all else */
    bool lost_unasked; /* messages were lost, and no flush has reported it yet (calls.c) */
    struct {
        struct co4__nats_ping {
            uint64_t number;              /* of the flush that waits for its PONG; 0: none waits */
            struct co4__nats_counted put; /* before */
        } * all;
        size_t first, count, room;
    } pings;
    struct co4__nats_counted confirmed; /* by the PONGs of this connection: the server has these */
    struct {
        unsigned pongs, pings;
        uint64_t *ended; /* subscriptions */
        size_t count, room;
    } control; /* what the writer sends first */

    /* Used by the writer, and by the connection's task when the writer has ended: */
    struct co4__nats_counted put; /* what it has put into the output of this connection */
    int64_t asked;                /* when a PING was put last */

    /* Used by the connection's task alone: */
    struct {
        int64_t next; /* when the next event of that kind may come */
        uint64_t count;
    } no_responders;
    struct co4__nats_servers servers;
    struct co4__nats_info info;
    co4_tls_config *tls; /* of our own; or NULL */
    uint64_t random;
    int why;             /* the code with which it has closed by itself */
    unsigned short_ones; /* how many connections in a row have ended soon */
    int64_t since;       /* when the last connection began */
    co4_conn *conn;
    co4_task *task;
    atomic_bool begun; /* the task has run: it gives back its reference */
};

/* Returns CO4_OK and a reference, or CO4_ECLOSED. */
int co4__nats_enter(struct co4_nats *c);
/* From here on no call enters. Returns the state before. */
int co4__nats_stop(struct co4_nats *c);
int co4__nats_new(struct co4_nats **c, const co4_nats_options *options);
/* Enters, and sets a variable that has a cleanup. The caller passes the variable's address, so it
 * has its frame, for which there might be no memory, before it enters. */
int co4__nats_hold(struct co4_nats **held, struct co4_nats *c);
/* Enters, for a new object that keeps the reference. `object` is the address of a pointer, which
 * gets zeroed memory. Returns CO4_OK; or a code, and then the pointer is NULL. */
int co4__nats_object(void *object, struct co4_nats *c, size_t bytes);

/* The earlier of a deadline and so long from now. */
int64_t co4__nats_soon(int64_t deadline, int64_t time);
/* How long one call takes at most that is made again and again up to a deadline. */
#define CO4__NATS_AGAIN (5 * CO4_SEC)

/* Returns the time, or `otherwise` if it is not positive; at most a year, so that sums do not
 * overflow. */
int64_t co4__nats_time(int64_t time, int64_t otherwise);

/* The next random number; the state may not be 0. */
uint64_t co4__nats_random(uint64_t *state);
/* The name of a new inbox, of at most 64 bytes. Requests have another one: c->inbox. */
void co4__nats_new_inbox(struct co4_nats *c, char *name);

void co4__nats_event(struct co4_nats *c, co4_nats_event_kind kind, int code, uint64_t count,
                     const char *text);

/* Ends a wait. The caller holds the lock since it took the wait out of the table:
 * tests/model/nats_wait.pml. */
void co4__nats_wait_ends(struct co4__nats_wait *w, int code, co4_nats_message *reply);
/* For cleanups: takes the wait out of the table, if the call ends before its answer comes. */
void co4__nats_wait_leave(struct co4__nats_wait *w);
int co4__nats_wait_begin(struct co4__nats_wait *w, struct co4_nats *c, bool flush);
/* Ends the waits whose messages were sent, or all waits, with this code. */
void co4__nats_waits_fail(struct co4_nats *c, bool all, int code);

/* A reply to a request has come. Takes over the message. */
void co4__nats_replied(struct co4_nats *c, co4_nats_message *m);
/* Returns a subscription with a reference, or NULL. */
co4_nats_subscription *co4__nats_subscription_of(struct co4_nats *c, uint64_t number);
void co4__nats_subscription_release(co4_nats_subscription *s);
/* Ends the subscription: no message comes into its mailbox any more. `tell`: the server
 * learns of it, too. */
void co4__nats_end(co4_nats_subscription *s, bool tell);
/* Tries to deliver a message. Returns CO4_OK when it has taken over the message; CO4_EFULL when the
 * caller has to wait until the mailbox has room. */
int co4__nats_deliver(co4_nats_subscription *s, co4_nats_message *m);

/* A status that no server sends. It says that the last connection was lost, and with it what the
 * receiver has asked for. */
enum { CO4__NATS_RECONNECTED = 410 };
void co4__nats_tell_askers(struct co4_nats *c);

/* A service begins: a close will wait for it. Returns CO4_OK or CO4_ECLOSED. */
int co4__nats_service_begin(struct co4_nats *c);
void co4__nats_service_end(struct co4_nats *c);
/* A close begins. Returns whether there are services to wait for. */
bool co4__nats_drain_begin(struct co4_nats *c);
/* Returns whether a close has begun. */
bool co4__nats_drains(struct co4_nats *c);
/* Closes the mailboxes of services. */
void co4__nats_drain_services(struct co4_nats *c);

/* Wakes the writer, which then looks at `control`. */
void co4__nats_control(struct co4_nats *c);

#endif
