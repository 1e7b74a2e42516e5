/* client.h - connections of a client, and addresses.
 *
 * A connection that is kept is in two lists: that of its server, the newest first, from which a
 * request takes one, and that of the client, by which the oldest are closed. Servers are in a hash
 * table, as long as a connection to them is used or kept. */
#ifndef CO4_HTTP_CLIENT_INTERNAL_H
#define CO4_HTTP_CLIENT_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "http.h"

#include "co4/sync.h"

/* ---- url.c ---- */

/* An address of http or https. The texts are in the same memory. */
struct co4__http_url {
    bool tls;
    const char *text;   /* the whole address, without a fragment */
    const char *server; /* "http://host:port" in lower case: a key */
    const char *host, *port;
    const char *name;   /* the field Host */
    const char *target; /* the path and the query; begins with '/' */
};

/* Reads an address, relative to `from` unless that is NULL. Returns CO4_OK, and *url is to be
 * freed; CO4_HTTP_EURL, CO4_ENOMEM. */
int co4__http_url_make(struct co4__http_url **url, const char *text,
                       const struct co4__http_url *from);

/* ---- pool.c ---- */

struct co4__http_server_of;

struct co4__http_link {
    struct co4__http_link *next, *before;
};

/* A connection that is kept. */
struct co4__http_idle {
    struct co4__http_link of_client, of_server;
    struct co4__http_server_of *server;
    co4_conn *c;
    int64_t until;
};

struct co4__http_server_of {
    struct co4__http_server_of *next; /* in its place of the table */
    size_t users, kept;
    struct co4__http_link idle;
    co4_sem places;
    char name[];
};

struct co4_http_client {
    co4_http_client_options options; /* constant, but for `tls` and `kept` */
    atomic_size_t users;             /* replies, and the program; the last one frees it */
    bool own_tls;
    co4_sem all; /* places of all requests */
    /* Guards all below, `options.tls` and `options.kept`; never held over a pause. */
    pthread_mutex_t lock;
    struct co4__http_server_of **table;
    size_t places, count; /* of the table: a power of two, and the servers in it */
    struct co4__http_link idle;
    size_t kept;
};

/* Returns the server of this name, with one user more; NULL without memory. */
struct co4__http_server_of *co4__http_server_of(co4_http_client *client, const char *name);
/* Ends a use of the server. */
void co4__http_server_leave(co4_http_client *client, struct co4__http_server_of *s);
/* Returns a connection that was kept, and is the caller's; or NULL. */
co4_conn *co4__http_take(co4_http_client *client, struct co4__http_server_of *s);
/* Keeps a connection, or closes it. */
void co4__http_put(co4_http_client *client, struct co4__http_server_of *s, co4_conn *c);
/* A reply ends its use of the client. */
void co4__http_client_leave(co4_http_client *client);
/* Whether the system has neither input of the connection nor its end. */
bool co4__http_is_quiet(const co4_conn *c);

/* ---- reply.c ---- */

struct co4_http_reply {
    struct co4__http h;
    co4_http_client *client;
    struct co4__http_server_of *server; /* NULL: not used */
    struct co4__http_url *url;
    bool has_place, has_one_of_all;
    bool reused; /* the connection had been kept */
};

/* Writes a request into the output. `elsewhere`: without fields that are for the first server. */
int co4__http_put_request(co4_conn *c, const struct co4__http_url *url, const co4_http_request *r,
                          const char *agent, bool elsewhere);
/* Whether a request makes sense. */
bool co4__http_request_valid(const co4_http_request *r);
/* Whether a second time does no harm. */
bool co4__http_may_repeat(const co4_http_request *r);
/* Gives the connection back, or closes it; and the place. */
void co4__http_reply_end(co4_http_reply *reply);

#endif
