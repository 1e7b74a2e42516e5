/* server.h - connections of a server.
 *
 * Each connection is a task, in a scope of co4_http_serve(). At a stop the input of each connection
 * ends: those requests are answered that have arrived. TLS would take such an end for an attack, so
 * a task of TLS that waits for a request is cancelled instead, and another one reads no further
 * request. When `grace` is over, all tasks are cancelled and all descriptors shut down. */
#ifndef CO4_HTTP_SERVER_H
#define CO4_HTTP_SERVER_H

#include <pthread.h>
#include <stdatomic.h>

#include "call.h"

#include "co4/mailbox.h"
#include "co4/sync.h"
#include "co4/task.h"

/* The server's lock guards `task`, `idle`, and the list. */
struct co4__http_connection {
    co4_http_server *s;
    int fd;
    co4_conn *c;    /* NULL: the descriptor is closed by its own number */
    co4_task *task; /* NULL: it has not begun */
    bool idle;      /* TLS: it waits for a handshake or a request */
    co4_http_call call;
    struct co4__http_connection *next, **link;
};

struct co4_http_server {
    co4_http_options options; /* constant */
    int listener;             /* -1: closed; the task of co4_http_serve() closes it */
    co4_mailbox *signals;     /* NULL: it does not stop by signals */
    atomic_bool served;
    atomic_int users; /* co4_http_serve(), and the program; the last one frees it */
    co4_sem stop;     /* a permit: it has to stop */
    co4_sem places;

    pthread_mutex_t lock; /* guards all below, and is never held over a pause */
    struct co4__http_connection *connections;
    /* CO4__HTTP_SERVES, SHUT_RD, then SHUT_RDWR: so is each connection, and each new one. */
    int ending;
};

enum { CO4__HTTP_SERVES = -1 };

/* ---- server.c ---- */

/* Makes a server, with a copy of the options. Returns CO4_OK or a code. */
int co4__http_server_make(co4_http_server **server, const co4_http_options *options);
/* Adds a connection to the list. The descriptor is its own, and is closed without memory: NULL. */
struct co4__http_connection *co4__http_enter(co4_http_server *s, int fd);
/* Its task begins. */
void co4__http_begin(struct co4__http_connection *me, co4_task *task);
/* Frees all that a connection has. */
void co4__http_leave(struct co4__http_connection *me);
/* Notes whether the connection waits for a request. Returns false if it has to end. */
bool co4__http_set_idle(struct co4__http_connection *me, bool idle);
/* Ends a use of the server. */
void co4__http_server_end(co4_http_server **server);
void co4__http_end_connections(co4_http_server *s, int how);

#endif
