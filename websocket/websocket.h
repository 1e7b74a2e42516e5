/* websocket.h - what the files of the library co4_websocket share.
 *
 * wslay frames and unframes, and knows no descriptor: it takes its input from `in`, and its output
 * goes into the connection, which never waits. Only then, without `lock`, the output is flushed.
 * One task at a time writes: it holds `writing`, and goes on until nothing is left. A receiver that
 * has a pong to send while another task writes leaves it to that task. */
#ifndef CO4_WEBSOCKET_INTERNAL_H
#define CO4_WEBSOCKET_INTERNAL_H

#include <pthread.h>
#include <stdbool.h>
#include <wslay/wslay.h>

#if defined(__GNUC__) || defined(__clang__)
#pragma GCC visibility push(default)
#endif
#include "co4/websocket.h"
#if defined(__GNUC__) || defined(__clang__)
#pragma GCC visibility pop
#endif

#include "co4/conn.h"
#include "co4/sync.h"

/* A message that has come. */
struct co4__websocket_message {
    struct co4__websocket_message *next;
    co4_websocket_kind kind;
    size_t bytes;
    char data[];
};

struct co4_websocket {
    co4_conn *c;
    bool owns;      /* the connection: of a client */
    char *protocol; /* NULL: none */
    int64_t ping;   /* nanoseconds; 0: never */
    co4_mutex writing;

    /* Of the task that receives. */
    struct co4__websocket_message *last; /* that was received */
    bool pinged;                         /* and nothing has come since */
    int64_t heard;                       /* when the last byte has come, or that ping was sent */

    pthread_mutex_t lock; /* guards all below, and is never held over a pause */
    wslay_event_context_ptr context;
    const char *in; /* input that wslay has not taken yet */
    size_t left;
    struct co4__websocket_message *first, **end; /* the queue of messages */
    bool no_memory;                              /* for a message */
    int failed; /* the code of a write, after which no other can follow; 0: none */
};

/* The field Sec-WebSocket-Accept has 28 bytes, and a key 24. */
enum { CO4__WEBSOCKET_PROOF = 32 };

/* ---- handshake.c ---- */

/* Returns the code, after its text is known to co4_strerror(). */
int co4__websocket_code(int code);
/* Writes a new key. Returns false if the system has no random bytes. */
bool co4__websocket_make_key(char key[CO4__WEBSOCKET_PROOF]);
/* Writes the proof that a server has read the key. */
void co4__websocket_prove(const char *key, char proof[CO4__WEBSOCKET_PROOF]);
/* Whether this is base64 of 16 bytes. */
bool co4__websocket_is_key(const char *key);
/* Finds the first of the names that is in the list "a, b". Returns NULL if there is none. */
const char *co4__websocket_choose(const char *const *names, const char *list);
/* Returns "a, b" of the names, to be freed; NULL without memory. */
char *co4__websocket_list(const char *const *names, const char *before);

/* ---- frames.c ---- */

/* Returns CO4_OK or CO4_ENOMEM. The WebSocket has the connection if `owns`, when it returns OK. */
int co4__websocket_make(co4_websocket **ws, co4_conn *c, bool is_server, const char *protocol,
                        const co4_websocket_options *options);
/* Gives wslay input. Returns how much of it was taken. */
size_t co4__websocket_feed(co4_websocket *ws, const char *in, size_t bytes);
/* Takes a message out of the queue into `last`. Returns false if there is none. */
bool co4__websocket_take(co4_websocket *ws);
/* Why no message can come any more. Returns CO4_OK while one can. */
int co4__websocket_ended(co4_websocket *ws);
/* Queues a message, a ping or an end. Returns CO4_OK or a code. */
int co4__websocket_queue(co4_websocket *ws, int opcode, const void *data, size_t bytes);
int co4__websocket_queue_end(co4_websocket *ws, int status, const char *reason);
/* The number of messages, pongs and others that are queued. */
size_t co4__websocket_queued(co4_websocket *ws);
/* Moves the queue into the output of the connection. Returns whether there is output to flush. */
bool co4__websocket_fill(co4_websocket *ws);
void co4__websocket_fails(co4_websocket *ws, int code);

#endif
