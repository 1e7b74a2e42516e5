/* co4/http_client.h - a client for HTTP/1.1: kept connections, redirects, time limits, TLS. In the
 * library co4_http (http.h).
 *
 *     static pausable int show(co4_http_client *client, const char *url)
 *     {
 *         char *text;
 *         co4_http_reply *reply;
 *         int err = co4_http_get_until(&reply, client, url, co4_after(10 * CO4_SEC));
 *         if (err == CO4_OK) {
 *             ssize_t n = co4_http_reply_body(reply, &text, 1 << 20);
 *             if (n >= 0)
 *                 printf("%d: %s\n", co4_http_reply_status(reply), text);
 *             else
 *                 err = (int)n;
 *         }
 *         co4_http_reply_destroy(reply);
 *         return err;
 *     }
 *
 * A connection whose reply has been read to its end is kept for the next request to the same
 * server. A server may close one at any time: a request that fails before the first byte of a reply
 * is sent again, on a new connection, if a second time does no harm: GET, HEAD, OPTIONS, PUT,
 * DELETE. An answer of 300 and above before the whole body has been sent ends the sending.
 *
 * What there is not: proxies, cookies, caches, compression, HTTP/2. */
#ifndef CO4_HTTP_CLIENT_H
#define CO4_HTTP_CLIENT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "http.h"
#include "mark.h"
#include "must_use.h"
#include "tls.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Unless a function says otherwise:
 *
 * Returns: CO4_OK or a code: those of http.h, conn.h and tls.h, and of co4_tcp_connect();
 *     CO4_EINVAL without an object, and for arguments that make no sense.
 * Pauses: until the server has sent or taken enough, or the deadline has passed: CO4_ETIMEDOUT.
 * Blocks: never.
 * Cancellation: CO4_ECANCELED.
 * Thread safety: any task may use a client; one task at a time a reply.
 * Ownership: what is passed stays the caller's. Texts of a reply are the reply's.
 * Since: 0.2. */

/* ---- the client ---- */

/* What is 0 or NULL is as the comment says. */
typedef struct co4_http_client_options {
    co4_tls_config *tls; /* of co4_tls_client(), for https; NULL: one with the system's roots */
    int at_once;         /* requests at the same time, others wait; 0: no limit */
    int per_server;      /* of these to one server; 0: no limit */
    int kept;            /* connections to one server that are kept; 0: 8; negative: none */
    int64_t kept_for;    /* nanoseconds that a connection is kept: 60 s */
    int redirects;       /* that are followed: 10; negative: none, a redirect is the reply */
    const char *agent;   /* the field User-Agent; NULL: none is sent */
    /* Of replies. `progress` is the time for a connection, for a head, and without a byte of a
     * body; 0: no limit. `body` and `idle` mean nothing. */
    co4_http_limits limits;
} co4_http_client_options;

/* Connections to servers, for any number of tasks. */
typedef struct co4_http_client co4_http_client;

/* Makes a client. NULL: no option is set.
 *
 * Returns: CO4_OK, and *client is set; else it is NULL: CO4_EINVAL, CO4_ENOMEM.
 * Ownership: the caller's, until co4_http_client_destroy(), which is called after the end of all
 *     requests. Replies may stay longer. The options are copied. */
CO4_MUST_USE int co4_http_client_create(co4_http_client **client,
                                        const co4_http_client_options *options);
/* Closes the connections that are kept. NULL does nothing. */
void co4_http_client_destroy(co4_http_client *client);

/* ---- requests ---- */

/* What is 0 or NULL is as the comment says. */
typedef struct co4_http_request {
    const char *url;           /* http:// or https:// */
    const char *method;        /* "GET" */
    const char *const *fields; /* "Name: value", more of them; NULL is the end */
    const char *type;          /* the field Content-Type; NULL: none is sent */
    const void *body;
    size_t bytes;
    const char *upgrade; /* asks for another protocol: "websocket"; NULL: it does not */
} co4_http_request;

/* The head of an answer that has come, and its body as it is read. */
typedef struct co4_http_reply co4_http_reply;

/* Sends a request, and waits for the head of the reply. Any status is a reply, also 404 and 500.
 * Redirects are followed: by 303, and after a POST also by 301 and 302, as a GET without a body.
 * To another server no field Authorization or Cookie goes along.
 *
 * Returns: CO4_OK, and *reply is set; else it is NULL: CO4_HTTP_EURL, also for a redirect to
 *     nowhere; CO4_HTTP_EREDIRECTS; CO4_ETIMEDOUT; and as above.
 * Ownership: the reply is the caller's, until co4_http_reply_destroy(). */
CO4_MUST_USE pausable int co4_http_send(co4_http_reply **reply, co4_http_client *client,
                                        const co4_http_request *request);
CO4_MUST_USE pausable int co4_http_send_until(co4_http_reply **reply, co4_http_client *client,
                                              const co4_http_request *request, int64_t deadline);
/* The same with a GET of this address. */
CO4_MUST_USE pausable int co4_http_get(co4_http_reply **reply, co4_http_client *client,
                                       const char *url);
CO4_MUST_USE pausable int co4_http_get_until(co4_http_reply **reply, co4_http_client *client,
                                             const char *url, int64_t deadline);

/* Returns CO4_OK for an address that a request can have; CO4_HTTP_EURL. */
int co4_http_url_check(const char *url);

/* ---- replies ---- */

/* 200, 404; 0 without a reply. */
int co4_http_reply_status(const co4_http_reply *reply);
/* The address that has answered: another one than was asked for, after redirects. */
const char *co4_http_reply_url(const co4_http_reply *reply);
/* As co4_http_field() and co4_http_field_at(). */
const char *co4_http_reply_field(co4_http_reply *reply, const char *name);
const char *co4_http_reply_field_at(co4_http_reply *reply, size_t number, const char **value);
/* Returns the number of bytes of the body; -1: that is not known yet. */
int64_t co4_http_reply_length(const co4_http_reply *reply);

/* Reads a piece of the body: *data are bytes in the input, until the next call that reads.
 *
 * Returns: the number of bytes; 0 at the end of the body; a code, after which no more can be read,
 *     but after CO4_ECANCELED and CO4_ETIMEDOUT. */
pausable ssize_t co4_http_reply_read(co4_http_reply *reply, const char **data);
pausable ssize_t co4_http_reply_read_until(co4_http_reply *reply, const char **data,
                                           int64_t deadline);
/* Reads the whole body, of at most so many bytes, with a '\0' behind it: *text, which is the
 * reply's. Returns the number of bytes; CO4_HTTP_ETOOBIG, or another code. When it fails in the
 * middle of the body, no more can be read. */
pausable ssize_t co4_http_reply_body(co4_http_reply *reply, char **text, size_t max);
pausable ssize_t co4_http_reply_body_until(co4_http_reply *reply, char **text, size_t max,
                                           int64_t deadline);
/* The connection below, for co4_tls_version() and the like. */
co4_conn *co4_http_reply_conn(const co4_http_reply *reply);
/* Takes the connection out of a reply 101.
 *
 * Returns: the connection; NULL for another reply.
 * Ownership: the connection is the caller's. */
co4_conn *co4_http_reply_take(co4_http_reply *reply);
/* Keeps the connection if the body has been read, else closes it; another request may begin. NULL
 * does nothing. */
void co4_http_reply_destroy(co4_http_reply *reply);

#ifdef __cplusplus
}
#endif

#endif
