/* co4/websocket.h - WebSockets (RFC 6455), of a server and of a client. In a library of its own,
 * co4_websocket, by wslay: find_package(co4 COMPONENTS websocket), or pkg-config co4_websocket.
 *
 *     static pausable int chat(co4_http_call *call, void *arg)
 *     {
 *         co4_websocket *ws;
 *         co4_websocket_message m;
 *         (void)arg;
 *         int err = co4_websocket_accept(&ws, call, NULL);
 *         while (err == CO4_OK && (err = co4_websocket_receive(ws, &m)) == CO4_OK)
 *             err = co4_websocket_send(ws, m.kind, m.data, m.bytes);
 *         co4_websocket_destroy(ws);
 *         return err == CO4_ECLOSED ? CO4_OK : err;
 *     }
 *
 * Pings are answered by co4_websocket_receive(), and so is the end of the peer. */
#ifndef CO4_WEBSOCKET_H
#define CO4_WEBSOCKET_H

#include <stddef.h>
#include <stdint.h>

#include "http.h"
#include "http_client.h"
#include "mark.h"
#include "must_use.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A code, beside those of http.h: the other side does not speak WebSocket here. */
#define CO4_WEBSOCKET_EHANDSHAKE (-2181)

/* One side of a WebSocket. */
typedef struct co4_websocket co4_websocket;

/* Kinds of messages. */
typedef enum co4_websocket_kind {
    CO4_WEBSOCKET_TEXT = 1, /* UTF-8 */
    CO4_WEBSOCKET_BINARY = 2
} co4_websocket_kind;

/* A message that has come. */
typedef struct co4_websocket_message {
    co4_websocket_kind kind;
    const char *data; /* a '\0' stands behind it */
    size_t bytes;
} co4_websocket_message;

/* What is 0 or NULL is as the comment says. */
typedef struct co4_websocket_options {
    size_t most; /* bytes of a message that comes: 1 MiB; a larger one ends the WebSocket: 1009 */
    /* Names of protocols, the best first; NULL ends them. A server takes the first of its own that
     * the client has. NULL: none. */
    const char *const *protocols;
    /* After so many nanoseconds without a byte, co4_websocket_receive() sends a ping; after as many
     * again it is CO4_ETIMEDOUT. 0: never. */
    int64_t ping;
    const char *const *fields; /* of a client: more fields of its request, as those of a request */
} co4_websocket_options;

/* Unless a function says otherwise:
 *
 * Returns: CO4_OK or a code: those of http.h and conn.h; CO4_EINVAL without an object, and for
 *     arguments that make no sense.
 * Pauses: until the other side has sent or taken enough, or the deadline has passed: CO4_ETIMEDOUT.
 * Blocks: never.
 * Cancellation: CO4_ECANCELED.
 * Thread safety: one task receives, any tasks send.
 * Ownership: what is passed stays the caller's.
 * Since: 0.2. */

/* Makes a WebSocket of a request. Without options: NULL.
 *
 * Returns: CO4_OK, and *ws is set; else it is NULL: CO4_WEBSOCKET_EHANDSHAKE, and the answer says
 *     so, with 400 or 426; CO4_ENOMEM.
 * Ownership: the caller's, until co4_websocket_destroy(); its connection stays the server's. */
CO4_MUST_USE pausable int co4_websocket_accept(co4_websocket **ws, co4_http_call *call,
                                               const co4_websocket_options *options);

/* Makes a WebSocket to an address: ws://, wss://, http:// or https://.
 *
 * Returns: CO4_OK, and *ws is set; else it is NULL: as co4_http_send(); CO4_WEBSOCKET_EHANDSHAKE.
 * Ownership: the caller's, until co4_websocket_destroy(), with its connection. */
CO4_MUST_USE pausable int co4_websocket_connect(co4_websocket **ws, co4_http_client *client,
                                                const char *url,
                                                const co4_websocket_options *options);
CO4_MUST_USE pausable int co4_websocket_connect_until(co4_websocket **ws, co4_http_client *client,
                                                      const char *url,
                                                      const co4_websocket_options *options,
                                                      int64_t deadline);

/* The protocol that both sides have chosen; NULL: none. */
const char *co4_websocket_protocol(const co4_websocket *ws);

/* Waits for a message.
 *
 * Returns: CO4_OK; CO4_ECLOSED when the other side has ended it, from then on always;
 *     CO4_HTTP_EMALFORMED when it breaks the rules, CO4_HTTP_ETOOBIG, CO4_ENOMEM: it has ended,
 *     too; CO4_HTTP_ETRUNCATED when the connection ends without an end of the WebSocket.
 * Ownership: the data is valid until the next receive. */
pausable int co4_websocket_receive(co4_websocket *ws, co4_websocket_message *message);
pausable int co4_websocket_receive_until(co4_websocket *ws, co4_websocket_message *message,
                                         int64_t deadline);

/* Sends a message. Those of several tasks are not mixed.
 *
 * Returns: CO4_OK when the system has taken it; CO4_ECLOSED after the end of either side. After
 *     CO4_ETIMEDOUT, CO4_EBUSY and CO4_ECANCELED it may have been sent, or be sent with what
 *     follows. After another code no other message can follow. */
pausable int co4_websocket_send(co4_websocket *ws, co4_websocket_kind kind, const void *data,
                                size_t bytes);
pausable int co4_websocket_send_until(co4_websocket *ws, co4_websocket_kind kind, const void *data,
                                      size_t bytes, int64_t deadline);

/* Ends this side, with a status from 1000 to 4999 (1000: all is well) and a text of up to 123
 * bytes, or NULL. Messages that are on their way may still be received; then CO4_ECLOSED.
 * CO4_EINVAL: also for 1004, 1005, 1006 and 1015, which are never sent. */
pausable int co4_websocket_end(co4_websocket *ws, int status, const char *reason);
pausable int co4_websocket_end_until(co4_websocket *ws, int status, const char *reason,
                                     int64_t deadline);
/* The status with which the other side has ended it: 1000 and above; 1005: it has said none; 0: it
 * has not ended it. */
int co4_websocket_status(const co4_websocket *ws);

/* Frees it. One that has not ended is ended with the status 1001, without a wait. NULL does
 * nothing. */
void co4_websocket_destroy(co4_websocket *ws);

#ifdef __cplusplus
}
#endif

#endif
