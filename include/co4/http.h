/* co4/http.h - a server for HTTP/1.1 and 1.0: routes, bodies that stream, events, files, TLS. In a
 * library of its own, co4_http: find_package(co4 COMPONENTS http), or pkg-config co4_http.
 *
 *     static pausable int hello(co4_http_call *call, void *arg)
 *     {
 *         char text[128];
 *         (void)arg;
 *         int n = snprintf(text, sizeof text, "hello, %.99s\n", co4_http_param(call, "name"));
 *         return co4_http_answer(call, 200, "text/plain", text, (size_t)n);
 *     }
 *
 *     static pausable int serve(const char *port)
 *     {
 *         co4_http_server *server;
 *         const co4_http_route routes[] = { { "GET", "/hello/{name}", hello, NULL }, { 0 } };
 *         const co4_http_options options = { .port = port, .routes = routes };
 *         int err = co4_http_listen(&server, &options);
 *         if (err == CO4_OK)
 *             err = co4_http_serve(server);
 *         co4_http_server_destroy(server);
 *         return err;
 *     }
 *
 */
#ifndef CO4_HTTP_H
#define CO4_HTTP_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "conn.h"
#include "mark.h"
#include "must_use.h"
#include "tls.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Each connection is a task, and its requests are answered one after the other, in the order in
 * which they have come. Answers leave when the task waits, so those to pipelined requests leave
 * together.
 *
 * A request that two programs could read in two ways is refused, and so is one beyond the limits.
 * The peer gets a status, and the connection ends. */

/* Codes, beside those of error.h, conn.h and tls.h. */
typedef enum co4_http_code {
    CO4_HTTP_EMALFORMED = -2171, /* the peer sends what is no HTTP, or what has two meanings */
    CO4_HTTP_ETOOBIG = -2172,    /* the message is beyond a limit */
    CO4_HTTP_ETRUNCATED = -2173, /* the connection has ended in the middle of a message */
    CO4_HTTP_EURL = -2174,       /* no address of http or https */
    CO4_HTTP_EREDIRECTS = -2175  /* too many redirects */
} co4_http_code;

/* What a peer may send, in bytes, and how long it may take, in nanoseconds. 0: as the comment says.
 * Behind it is the status of a request that goes beyond. */
typedef struct co4_http_limits {
    uint32_t line;   /* the first line: 8 KiB, 414 */
    uint32_t field;  /* a header line: 8 KiB, 431 */
    uint32_t fields; /* the number of header lines: 100, 431 */
    uint32_t head;   /* the whole head: 32 KiB, 431 */
    uint32_t chunk;  /* a line with the size of a chunk: 256, 400 */
    uint32_t extra;  /* all extensions of chunks, and the trailer: 8 KiB, 400 and 431 */
    int64_t body;    /* the body: 1 GiB, 413 */
    int64_t idle;    /* without a request: 60 s; the connection ends */
    /* For a whole head, and without progress of a body or an answer: 20 s, 408. Of a large answer
     * the peer has to take 16 KiB in this time. */
    int64_t progress;
} co4_http_limits;

/* Unless a function says otherwise:
 *
 * Returns: CO4_OK or a code; CO4_EINVAL without an object, and for arguments that make no sense.
 * Pauses: while the peer sends nothing, or takes nothing: CO4_ETIMEDOUT after `progress`.
 * Blocks: never.
 * Cancellation: CO4_ECANCELED.
 * Thread safety: the task of the call.
 * Ownership: what is passed stays the caller's. Texts of a call are valid until its handler
 *     returns.
 * Since: 0.2. */

/* A request and its answer. */
typedef struct co4_http_call co4_http_call;

/* ---- the server ---- */

#ifndef __cplusplus /* C++ has no pausable functions to give */
/* Answers a request. It may return without an answer: then CO4_OK answers 204, a number from 200 to
 * 999 is the status of an answer that says it, and a code answers 500; but if the body could not be
 * read, the answer says why. A code behind the beginning of an answer ends the connection, so that
 * the peer sees that something is missing. A handler is cancelled at the end of its server. */
typedef pausable int co4_http_handler(co4_http_call *call, void *arg);

/* Requests of this method whose path is like this go to this handler. A part {name} of the path
 * stands for one that is not empty, a last part {name...} for all that follows, also for nothing.
 * Of several routes the first counts. GET also answers HEAD, and OPTIONS is answered from the
 * routes. NULL as the method: any. */
typedef struct co4_http_route {
    const char *method, *path;
    co4_http_handler *handler;
    void *arg;
} co4_http_route;

#define CO4_HTTP_SIGNALS 1u /* SIGINT and SIGTERM stop the server */

/* What is 0 or NULL is as the comment says. */
typedef struct co4_http_options {
    const char *host, *port;      /* "localhost"; any free port */
    int listener;                 /* in place of both: a descriptor that listens; 0: none */
    const co4_http_route *routes; /* a route without a path is the end */
    co4_tls_config *tls;          /* of co4_tls_server(): it speaks TLS; NULL: it does not */
    co4_http_limits limits;
    int connections; /* at once, others wait; 0: no limit */
    int64_t grace;   /* nanoseconds from a stop to the end of all handlers: 3 s */
    /* Called for each request after its answer, for a log. It does not wait. */
    void (*done)(const co4_http_call *call, void *arg);
    void *arg;
    unsigned flags; /* CO4_HTTP_SIGNALS */
} co4_http_options;

typedef struct co4_http_server co4_http_server;

/* Makes a server that listens. The options are copied, the routes are not: they stay until the
 * server is destroyed.
 *
 * Returns: CO4_OK, and *server is set; else it is NULL: CO4_EINVAL for options and routes that make
 *     no sense, which standard error says of a route, CO4_ENOMEM, and as co4_tcp_listen().
 * Pauses: while it looks up the host.
 * Ownership: the server is the caller's, until co4_http_server_destroy(). It has the listener; on a
 *     failure the caller still has the one it gave. */
CO4_MUST_USE pausable int co4_http_listen(co4_http_server **server,
                                          const co4_http_options *options);

/* Serves until co4_http_stop(), or until the task is cancelled. Then no connection is accepted any
 * more, requests that have come are answered, and after `grace` all handlers are cancelled.
 *
 * Returns: CO4_OK when it has stopped; CO4_ECANCELED; CO4_ESTATE for a server that serves or has
 *     served; CO4_ENOMEM; a code of co4_accept_next().
 * Pauses: until the last connection has ended. */
pausable int co4_http_serve(co4_http_server *server);

/* Returns the port on which it listens; -1 without one. */
int co4_http_port(const co4_http_server *server);
/* Stops the server: co4_http_serve() returns in the end.
 *
 * Thread safety: any task and thread. */
int co4_http_stop(co4_http_server *server);
/* Stops the server, and frees it when co4_http_serve() has returned. NULL does nothing. */
void co4_http_server_destroy(co4_http_server *server);

/* ---- the request ---- */

/* "GET"; the path as it was sent, such as "/a%20b"; the text behind its '?', or NULL. */
const char *co4_http_method(const co4_http_call *call);
const char *co4_http_path(const co4_http_call *call);
const char *co4_http_query(const co4_http_call *call);
/* The part {name} of the path, decoded. Returns NULL if the route has none, which is reported once
 * on standard error, and without memory. A path whose parts cannot be decoded, as "%zz" or "%00",
 * is answered 400 without a handler. */
const char *co4_http_param(co4_http_call *call, const char *name);
/* The value of "name=value" in the query, decoded; the first of several. Returns NULL if there is
 * none, if it cannot be decoded, and without memory. */
const char *co4_http_query_param(co4_http_call *call, const char *name);
/* The value of a header field, the first of several; its name in any case. Returns NULL if there is
 * none, and without memory. */
const char *co4_http_field(co4_http_call *call, const char *name);
/* The field of this number, from 0 on. Returns its name, and sets *value; NULL behind the last. */
const char *co4_http_field_at(co4_http_call *call, size_t number, const char **value);
/* Returns the number of bytes of the body; -1: that is not known yet. */
int64_t co4_http_length(const co4_http_call *call);

/* Reads a piece of the body: *data are bytes in the input, until the next call that reads. A
 * peer that waits for "100 Continue" gets it.
 *
 * Returns: the number of bytes; 0 at the end of the body; a code: CO4_HTTP_ETOOBIG,
 *     CO4_HTTP_EMALFORMED, CO4_HTTP_ETRUNCATED, CO4_ETIMEDOUT for a peer that is too slow, and
 *     those of conn.h. */
pausable ssize_t co4_http_read(co4_http_call *call, const char **data);
/* Reads the whole body, of at most so many bytes, with a '\0' behind it. Once for each call.
 *
 * Returns: as co4_http_read(); CO4_ENOMEM. */
pausable ssize_t co4_http_body(co4_http_call *call, char **text, size_t max);

/* ---- the answer ---- */

/* Adds a header field to the answer. CO4_EINVAL: the name or the value are no field, or one that
 * the server writes itself: Connection, Content-Length, Date, Transfer-Encoding. CO4_ESTATE: the
 * head has been written. */
int co4_http_set(co4_http_call *call, const char *name, const char *value);

/* The calls that write an answer return CO4_ESTATE if there is another one already, and the code of
 * a connection that takes no more. They pause only while much output waits. */

/* Writes an answer with a body of so many bytes. A `type` of NULL writes no Content-Type. */
pausable int co4_http_answer(co4_http_call *call, int status, const char *type, const void *body,
                             size_t bytes);
/* Writes an answer whose body says its status: "404 Not Found". */
pausable int co4_http_answer_status(co4_http_call *call, int status);
/* Sends the peer elsewhere: status 301, 302, 303, 307 or 308. */
pausable int co4_http_redirect(co4_http_call *call, int status, const char *location);

/* Begins an answer whose body follows in pieces: of so many bytes, or -1 if that is not known. It
 * ends with the handler. A body that is shorter than it was said to be ends the connection. */
int co4_http_begin(co4_http_call *call, int status, const char *type, int64_t length);
/* Append to the body. co4_http_put() and co4_http_printf() never wait, and the output grows.
 *
 * Returns: CO4_OK; CO4_ESTATE without a beginning; CO4_EINVAL beyond the length. */
pausable int co4_http_write(co4_http_call *call, const void *data, size_t bytes);
int co4_http_put(co4_http_call *call, const void *data, size_t bytes);
#ifdef __GNUC__
__attribute__((format(printf, 2, 3)))
#endif
int co4_http_printf(co4_http_call *call, const char *format, ...);
/* Sends what was written so far. */
pausable int co4_http_flush(co4_http_call *call);

/* Sends an event to a page (EventSource); the first one begins the answer. `event` and `id` may be
 * NULL; `data` may have several lines. With `data` NULL it sends what pages ignore: once in a while
 * that finds out whether the peer is still there. A request by HEAD gets the head alone, and the
 * call returns CO4_ECLOSED: the handler has to end. */
pausable int co4_http_event(co4_http_call *call, const char *event, const char *id,
                            const char *data);

/* Answers 101, if the request asks for this protocol: "websocket". From then on the connection
 * speaks it. Fields that co4_http_set() has added go along.
 *
 * Returns: the connection, which is the server's: it is closed after the handler, with what was
 *     written to it. NULL: nothing was answered: the request does not ask for it, or has a body, or
 *     has an answer. */
co4_conn *co4_http_upgrade(co4_http_call *call, const char *protocol);

/* The status of the answer; 0: none has begun. The bytes of its body so far. */
int co4_http_status(const co4_http_call *call);
int64_t co4_http_bytes(const co4_http_call *call);
/* The connection of the call, for co4_tls_peer() and co4_conn_fd(), say. */
co4_conn *co4_http_conn(const co4_http_call *call);

/* ---- files ---- */

#define CO4_HTTP_NO_LINKS 1u /* no symbolic link is followed; else those that stay below */

/* A folder whose files are served. */
typedef struct co4_http_folder co4_http_folder;

/* Opens a folder.
 *
 * Returns: CO4_OK, and *folder is set; else it is NULL: CO4_ENOMEM, and as open().
 * Blocks: the thread, while it opens the folder.
 * Ownership: the caller's, until co4_http_folder_close(), which is called after all users. */
CO4_MUST_USE int co4_http_folder_open(co4_http_folder **folder, const char *path, unsigned flags);
void co4_http_folder_close(co4_http_folder *folder);

/* Answers with a file below the folder: types by names, conditions, ranges. `path` is as in an
 * address: %20 is a space, and for a folder there is index.html. No name leads out of the folder.
 * Files that the system has in memory are found at once, others by a thread of co4_blocking(). */
pausable int co4_http_file(co4_http_call *call, const co4_http_folder *folder, const char *path);
/* A handler whose argument is a folder: answers with the file that is named by the last {name...}
 * of the route. */
pausable int co4_http_files(co4_http_call *call, void *folder);
#endif

#ifdef __cplusplus
}
#endif

#endif
