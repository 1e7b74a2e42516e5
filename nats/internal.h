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

/* Pointers by numbers that do not come again. 0 is none. */
struct co4__nats_table {
    struct co4__nats_slot {
        void *pointer;
        uint32_t generation, next_free; /* + 1 */
    } * slots;
    uint32_t count, room, used, first_free; /* + 1 */
};

/* Returns its number; 0: out of memory. */
uint64_t co4__nats_table_add(struct co4__nats_table *t, void *pointer);
void *co4__nats_table_find(const struct co4__nats_table *t, uint64_t number);
void *co4__nats_table_remove(struct co4__nats_table *t, uint64_t number);
/* Any pointer of the table, from a slot on: *slot is behind it. NULL: none is left. */
void *co4__nats_table_next(const struct co4__nats_table *t, uint32_t *slot, uint64_t *number);
void co4__nats_table_free(struct co4__nats_table *t);

/* ---- servers and options (options.c) ---- */

/* Texts of JSON: a part that is missing for lack of memory would change what a text means. So the
 * first code stays in *err. */
void co4__nats_put(json_t *object, const char *name, json_t *value, int *err);
/* CO4_EINVAL: the text is not UTF-8. NULL: nothing is put. */
void co4__nats_put_text(json_t *object, const char *name, const char *text, int *err);
/* Returns the text, which the caller frees; NULL: *err is not CO4_OK. Releases the object. */
char *co4__nats_text_of(json_t *object, int *err);

struct co4__nats_server {
    char *host, *port, *user, *password; /* user, password: or NULL */
    bool tls;
    bool learned; /* from another server */
    int refused;  /* refusals of the user in a row */
};

struct co4__nats_servers {
    struct co4__nats_server *all;
    size_t count, room;
    size_t current; /* the one that is tried, or used */
};

/* Returns CO4_OK, CO4_EINVAL or CO4_ENOMEM. A server that is there is not added again. */
int co4__nats_servers_add(struct co4__nats_servers *s, const char *url, bool learned);
void co4__nats_servers_free(struct co4__nats_servers *s);
/* Writes "host:port", or "[host]:port" for an address of IPv6. */
void co4__nats_address(const struct co4__nats_server *s, char *text, size_t room);

/* What a server says of itself. */
struct co4__nats_info {
    char *nonce; /* or NULL */
    size_t max_payload;
    bool headers, tls_required, lame_duck;
};

/* Reads the JSON of an INFO line, learns servers, and forgets such. Returns CO4_OK,
 * CO4_NATS_EPROTOCOL or CO4_ENOMEM. */
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

/* Reads a file with a JWT and a seed, or with a seed alone, and signs the nonce. Returns CO4_OK, or
 * CO4_NATS_ECREDENTIALS: there is none, or it makes no sense; CO4_ENOMEM, also for too many files.
 * In any case the caller frees the user. */
int co4__nats_credentials(const char *file, const char *nonce, struct co4__nats_user *user);
void co4__nats_user_free(struct co4__nats_user *user);

/* ---- messages (message.c) ---- */

/* Makes a message for a line "MSG …" or "HMSG …" of so many bytes, whose payload is not there yet:
 * *to are its bytes. Returns the message; NULL with *code. */
co4_nats_message *co4__nats_message_begin(const char *line, size_t bytes, uint64_t *number,
                                          char **to, size_t *payload, int *code);
/* Its payload is there. Returns CO4_OK or CO4_NATS_EPROTOCOL. */
int co4__nats_message_end(co4_nats_message *m);

/* What the writer sends. */
struct co4__nats_out {
    enum co4__nats_out_kind {
        CO4__NATS_MESSAGE,   /* the bytes; with `number`: only if this request still waits */
        CO4__NATS_SUBSCRIBE, /* the subscription `number` */
        CO4__NATS_PING       /* of the flush `number`, behind the end of a subscription */
    } kind;
    uint64_t number;
    uint64_t ended; /* PING: a subscription that ends first; 0: none */
    size_t size;
    size_t charged; /* bytes of the output's room */
    char bytes[];
};

/* Encodes a message, if the server of the connection takes such. `reply` is that of the message, or
 * the inbox of a request. Returns NULL with *code. */
struct co4__nats_out *co4__nats_encode(const struct co4_nats *c, const co4_nats_outgoing *m,
                                       const char *reply, int *code);

/* Subjects have no blanks and no control characters. Neither are they empty, nor is a part between
 * dots, and the wildcard > comes last: servers would say nothing that the call could return. */
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
    atomic_bool closed; /* read without it: there is room for all, who learn it by the output */
    struct co4__nats_room_wait *first, *last;
};

/* Charges the message. Returns whether there was room. */
bool co4__nats_room_try(struct co4_nats *c, struct co4__nats_out *out);
/* Waits for room: `granted` will get a permit. Then `charged` is the caller's, who sets it to 0. */
void co4__nats_room_wait(struct co4__nats_room_wait *w, struct co4_nats *c, size_t size);
/* For cleanups. */
void co4__nats_room_leave(struct co4__nats_room_wait *w);
void co4__nats_room_give(struct co4_nats *c, size_t bytes);
/* Nobody waits any more. */
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
    uint64_t number; /* in the table of waits; 0: it has left, and `done` gets its permit */
    co4_sem done;
    co4_nats_message *reply;
    const char *subject; /* of a request */
    int code;
    bool sent;
    bool flush; /* not a request: no message ends it */
};

/* What decides about the messages of a subscription, before its mailbox does. */
struct co4__nats_hook {
    /* On the connection's reader: it may not wait. Returns whether it has taken the message. */
    bool (*take)(struct co4__nats_hook *hook, co4_nats_subscription *s, co4_nats_message *m);
    void (*begin)(struct co4__nats_hook *hook); /* the subscription refers to it … */
    void (*end)(struct co4__nats_hook *hook);   /* … and does not any more */
    /* The connection is closed; under its lock. NULL: nothing. */
    void (*closed)(struct co4__nats_hook *hook);
};

struct co4_nats_subscription {
    struct co4_nats *c;
    struct co4__nats_hook *hook; /* or NULL */
    bool service;                /* a close lets it end first */
    uint64_t number;
    atomic_int references; /* the owner's, that of a delivery */
    co4_mailbox *mailbox;
    co4_nats_full full;
    atomic_ullong dropped;
    atomic_bool dropping; /* since the last message that had room */
    unsigned epoch;       /* guarded: the connection that knows it */
    bool drained;         /* guarded: its end was sent: no connection learns of it any more */
    bool asks;            /* guarded: CO4__NATS_RECONNECTED comes into its mailbox */
    char *subject, *queue;
};

enum co4__nats_state {
    CO4__NATS_UP,
    CO4__NATS_DOWN,
    CO4__NATS_CLOSING, /* no new message is accepted */
    CO4__NATS_CLOSED
};

/* Numbers of messages. The sender of a request learns from its call that it is lost. */
struct co4__nats_counted {
    uint64_t all, unasked; /* unasked: without requests */
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
    atomic_bool woken; /* the writer, since it has last looked at `control` */
    atomic_int state;
    atomic_uint named; /* inboxes and services that have got a name */

    pthread_mutex_t lock; /* guards, for moments: */
    struct co4__nats_table subscriptions, waits;
    unsigned epoch;
    char refusal[200]; /* of JetStream */
    unsigned services; /* that serve */
    bool draining;     /* a close waits for them */
    bool known;        /* a connection knows the subscriptions, or learns of them first */
    bool lost_unasked; /* some were lost, and no flush has reported it: calls.c */
    co4_sem served;    /* a permit, when the last of them has ended */
    struct {
        struct co4__nats_ping {
            uint64_t number;              /* of the flush that waits for its PONG; 0: none waits */
            struct co4__nats_counted put; /* before */
        } * all;
        size_t first, count, room;
    } pings;
    struct co4__nats_counted confirmed; /* of this connection: the server has them, by its PONGs */
    struct {
        unsigned pongs, pings;
        uint64_t *ended; /* subscriptions */
        size_t count, room;
    } control; /* what the writer sends first */

    /* Used by the writer, and by the connection's task when the writer has ended: */
    struct co4__nats_counted put; /* of this connection, into its output */
    int64_t asked;                /* when a PING was put last */

    /* Used by the connection's task alone: */
    struct {
        int64_t next; /* no other event of that kind before */
        uint64_t count;
    } no_responders;
    struct co4__nats_servers servers;
    struct co4__nats_info info;
    co4_tls_config *tls; /* of our own; or NULL */
    uint64_t random;
    int why;             /* it has closed by itself */
    unsigned short_ones; /* connections in a row that ended soon */
    int64_t since;       /* the last connection began */
    co4_conn *conn;
    co4_task *task;
    atomic_bool begun; /* the task has run: it gives back its reference */
};

/* Returns CO4_OK and a reference, or CO4_ECLOSED. */
int co4__nats_enter(struct co4_nats *c);
/* No call enters any more. Returns the state before. */
int co4__nats_stop(struct co4_nats *c);
int co4__nats_new(struct co4_nats **c, const co4_nats_options *options);
/* The same for a variable with a cleanup. By its address: a function takes its frame, if there is
 * memory for it, before it enters. */
int co4__nats_hold(struct co4_nats **held, struct co4_nats *c);
/* Enters, for an object that keeps the reference: zeroed memory for *object, a pointer. Returns
 * CO4_OK, or a code, and then *object is NULL. */
int co4__nats_object(void *object, struct co4_nats *c, size_t bytes);

/* The earlier of a deadline and so long from now. */
int64_t co4__nats_soon(int64_t deadline, int64_t time);
/* How long one call takes at most that is made again and again up to a deadline. */
#define CO4__NATS_AGAIN (5 * CO4_SEC)

/* A time that is given or not; at most a year, so that sums do not overflow. */
int64_t co4__nats_time(int64_t time, int64_t otherwise);

/* The next random number; the state may not be 0. */
uint64_t co4__nats_random(uint64_t *state);
/* The name of a new inbox, of at most 64 bytes. Requests have another one: c->inbox. */
void co4__nats_new_inbox(struct co4_nats *c, char *name);

void co4__nats_event(struct co4_nats *c, co4_nats_event_kind kind, int code, uint64_t count,
                     const char *text);

/* Ends a wait. Called under the lock, which was not given since the wait was taken out of the
 * table: tests/model/nats_wait.pml. */
void co4__nats_wait_ends(struct co4__nats_wait *w, int code, co4_nats_message *reply);
/* For cleanups: the call ends. */
void co4__nats_wait_leave(struct co4__nats_wait *w);
int co4__nats_wait_begin(struct co4__nats_wait *w, struct co4_nats *c, bool flush);
/* Ends those that were sent, or all. */
void co4__nats_waits_fail(struct co4_nats *c, bool all, int code);

/* A reply has come: its subject begins with the inbox. Takes over the message. */
void co4__nats_replied(struct co4_nats *c, co4_nats_message *m);
/* Returns a subscription with a reference, or NULL. */
co4_nats_subscription *co4__nats_subscription_of(struct co4_nats *c, uint64_t number);
void co4__nats_subscription_release(co4_nats_subscription *s);
/* No message comes to it any more; `tell`: nor is one sent. */
void co4__nats_end(co4_nats_subscription *s, bool tell);
/* Tries to deliver. Returns CO4_OK, then the message is gone; CO4_EFULL: it has to wait. */
int co4__nats_deliver(co4_nats_subscription *s, co4_nats_message *m);

/* A status that no server sends: what was asked for was lost with the last connection. */
enum { CO4__NATS_RECONNECTED = 410 };
void co4__nats_tell_askers(struct co4_nats *c);

/* A service begins: a close will wait for it. Returns CO4_OK or CO4_ECLOSED. */
int co4__nats_service_begin(struct co4_nats *c);
void co4__nats_service_end(struct co4_nats *c);
/* A close begins. Returns whether there are services to wait for. */
bool co4__nats_drain_begin(struct co4_nats *c);
/* Whether one has begun. */
bool co4__nats_drains(struct co4_nats *c);
/* Closes the mailboxes of services. */
void co4__nats_drain_services(struct co4_nats *c);

/* Wakes the writer. */
void co4__nats_control(struct co4_nats *c);

#endif
