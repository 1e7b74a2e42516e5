/* websocket.c - see ../websocket.h: the calls that wait. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../websocket.h"

#include "co4/time.h"

enum { REPLIES = 64 }; /* that are queued while another task writes */

/* ---- output ---- */

/* Writes what is queued, of all tasks. The caller holds `writing`. */
static pausable int write_all(co4_websocket *ws, int64_t deadline)
{
    while (co4__websocket_fill(ws)) {
        int err = co4_conn_flush_until(ws->c, deadline);
        if (err != CO4_OK && err != CO4_ETIMEDOUT && err != CO4_EBUSY && err != CO4_ECANCELED)
            co4__websocket_fails(ws, err);
        if (err != CO4_OK)
            return err;
    }
    return ws->failed;
}

/* Also of a task that ends without memory. */
static void unlock(co4_websocket **ws)
{
    co4_mutex_unlock(&(*ws)->writing);
}

static pausable int queue_and_write(co4_websocket *ws, int opcode, const void *data, size_t bytes,
                                    int64_t deadline)
{
    int err = co4_mutex_lock_until(&ws->writing, deadline);
    if (err != CO4_OK)
        return err;
    __attribute__((cleanup(unlock))) co4_websocket *held = ws;
    err = co4__websocket_queue(held, opcode, data, bytes);
    return err == CO4_OK ? write_all(held, deadline) : err;
}

/* Pongs, and the answer to an end. Another task that writes just now sends them; but the input of a
 * peer that takes nothing has to wait when many are queued. */
static pausable int write_replies(co4_websocket *ws, int64_t deadline)
{
    bool waits = co4__websocket_queued(ws) > REPLIES;
    int err = co4_mutex_lock_until(&ws->writing, waits ? deadline : CO4_NOW);
    if (err != CO4_OK)
        return waits ? err : CO4_OK;
    __attribute__((cleanup(unlock))) co4_websocket *held = ws;
    write_all(held, deadline);
    return CO4_OK;
}

pausable int co4_websocket_send_until(co4_websocket *ws, co4_websocket_kind kind, const void *data,
                                      size_t bytes, int64_t deadline)
{
    if (!ws || (!data && bytes > 0) || (kind != CO4_WEBSOCKET_TEXT && kind != CO4_WEBSOCKET_BINARY))
        return CO4_EINVAL;
    return queue_and_write(ws, (int)kind, data, bytes, deadline);
}

pausable int co4_websocket_send(co4_websocket *ws, co4_websocket_kind kind, const void *data,
                                size_t bytes)
{
    return co4_websocket_send_until(ws, kind, data, bytes, CO4_NEVER);
}

pausable int co4_websocket_end_until(co4_websocket *ws, int status, const char *reason,
                                     int64_t deadline)
{
    bool is_kept = (status >= 1004 && status <= 1006) || status == 1015; /* never in a frame */
    if (!ws || status < 1000 || status > 4999 || is_kept || (reason && strlen(reason) > 123))
        return CO4_EINVAL;
    int err = co4_mutex_lock_until(&ws->writing, deadline);
    if (err != CO4_OK)
        return err;
    __attribute__((cleanup(unlock))) co4_websocket *held = ws;
    err = co4__websocket_queue_end(held, status, reason);
    return err == CO4_OK ? write_all(held, deadline) : err;
}

pausable int co4_websocket_end(co4_websocket *ws, int status, const char *reason)
{
    return co4_websocket_end_until(ws, status, reason, CO4_NEVER);
}

/* ---- input ---- */

static int64_t next_ping(const co4_websocket *ws)
{
    return ws->ping > 0 ? ws->heard + ws->ping : CO4_NEVER;
}

static int64_t sooner(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Waits for input; sends a ping when nothing comes. The time of a ping that the other side does not
 * take is that of its answer. */
static pausable ssize_t look(co4_websocket *ws, const char **in, int64_t deadline)
{
    int64_t until = next_ping(ws);
    for (;;) {
        ssize_t n = co4_conn_peek_until(ws->c, in, 1, sooner(until, deadline));
        if (n > 0) {
            ws->pinged = false;
            ws->heard = ws->ping > 0 ? co4_now() : 0;
        }
        if (n != CO4_ETIMEDOUT || until >= deadline || ws->pinged)
            return n == 0 ? CO4_HTTP_ETRUNCATED : n;
        ws->pinged = true;
        ws->heard = co4_now();
        until = next_ping(ws);
        int err = queue_and_write(ws, WSLAY_PING, NULL, 0, sooner(until, deadline));
        if (err != CO4_OK && err != CO4_ECLOSED && err != CO4_ETIMEDOUT)
            return err;
    }
}

pausable int co4_websocket_receive_until(co4_websocket *ws, co4_websocket_message *message,
                                         int64_t deadline)
{
    const char *in;
    if (!ws || !message)
        return CO4_EINVAL;
    while (!co4__websocket_take(ws)) {
        int code = co4__websocket_ended(ws);
        if (code != CO4_OK)
            return code;
        ssize_t n = look(ws, &in, deadline);
        if (n < 0)
            return (int)n;
        co4_conn_skip(ws->c, co4__websocket_feed(ws, in, (size_t)n));
        int err = write_replies(ws, deadline);
        if (err != CO4_OK)
            return err;
    }
    *message = (co4_websocket_message){ ws->last->kind, ws->last->data, ws->last->bytes };
    return CO4_OK;
}

pausable int co4_websocket_receive(co4_websocket *ws, co4_websocket_message *message)
{
    return co4_websocket_receive_until(ws, message, CO4_NEVER);
}

/* ---- the server's handshake ---- */

static pausable int refuse(co4_http_call *call, int status)
{
    if (status == 426) {
        co4_http_set(call, "Upgrade", "websocket");
        co4_http_set(call, "Sec-WebSocket-Version", "13");
    }
    co4_http_answer_status(call, status);
    return co4__websocket_code(CO4_WEBSOCKET_EHANDSHAKE);
}

pausable int co4_websocket_accept(co4_websocket **ws, co4_http_call *call,
                                  const co4_websocket_options *options)
{
    char proof[CO4__WEBSOCKET_PROOF];
    if (!ws)
        return CO4_EINVAL;
    *ws = NULL;
    if (!call)
        return CO4_EINVAL;
    const char *key = co4_http_field(call, "Sec-WebSocket-Key");
    const char *version = co4_http_field(call, "Sec-WebSocket-Version");
    const char *offered = co4_http_field(call, "Sec-WebSocket-Protocol");
    if (!version || strcmp(version, "13") != 0)
        return refuse(call, 426);
    if (strcmp(co4_http_method(call), "GET") != 0 || !key || !co4__websocket_is_key(key))
        return refuse(call, 400);
    co4__websocket_prove(key, proof);
    const char *protocol = options && offered ? co4__websocket_choose(options->protocols, offered)
                                              : NULL;
    int err = co4__websocket_make(ws, co4_http_conn(call), true, protocol, options);
    if (err == CO4_OK)
        err = co4_http_set(call, "Sec-WebSocket-Accept", proof);
    if (err == CO4_OK && protocol)
        err = co4_http_set(call, "Sec-WebSocket-Protocol", protocol);
    if (err == CO4_OK && !co4_http_upgrade(call, "websocket"))
        err = refuse(call, 400);
    else if (err == CO4_OK)
        return CO4_OK;
    if (*ws)
        co4__websocket_fails(*ws, err); /* it says no goodbye */
    co4_websocket_destroy(*ws);
    *ws = NULL;
    return err;
}

/* ---- the client's handshake ---- */

/* "ws://…" is "http://…": an address of the other form, to be freed; NULL without memory. */
static char *address_of(const char *url)
{
    bool is_ws = strncasecmp(url, "ws://", 5) == 0, is_wss = strncasecmp(url, "wss://", 6) == 0;
    char *made = malloc(strlen(url) + 8);
    if (made)
        stpcpy(stpcpy(made, is_ws    ? "http"
                            : is_wss ? "https"
                                     : ""),
               url + (is_ws    ? 2
                      : is_wss ? 3
                               : 0));
    return made;
}

/* The texts of a request. */
struct texts {
    char *url, *protocols;
    const char **fields;
};

static void free_texts(struct texts *t)
{
    free(t->url);
    free(t->protocols);
    free(t->fields);
}

static bool make_texts(struct texts *t, const char *url, const char *key_field,
                       const co4_websocket_options *o)
{
    size_t more = 0, n = 0;
    while (o && o->fields && o->fields[more])
        more++;
    t->url = address_of(url);
    t->fields = calloc(more + 4, sizeof *t->fields);
    bool has_protocols = o && o->protocols && *o->protocols;
    if (has_protocols)
        t->protocols = co4__websocket_list(o->protocols, "Sec-WebSocket-Protocol: ");
    if (!t->url || !t->fields || (has_protocols && !t->protocols))
        return false;
    t->fields[n++] = "Sec-WebSocket-Version: 13";
    t->fields[n++] = key_field;
    if (t->protocols)
        t->fields[n++] = t->protocols;
    for (size_t i = 0; i < more; i++)
        t->fields[n++] = o->fields[i];
    return true;
}

/* Whether the reply accepts. *protocol is the one that it names, or NULL. */
static bool accepts(co4_http_reply *r, const char *key, const co4_websocket_options *o,
                    const char **protocol)
{
    char proof[CO4__WEBSOCKET_PROOF];
    const char *upgrade = co4_http_reply_field(r, "Upgrade");
    const char *said = co4_http_reply_field(r, "Sec-WebSocket-Accept");
    const char *named = co4_http_reply_field(r, "Sec-WebSocket-Protocol");
    co4__websocket_prove(key, proof);
    *protocol = named && o ? co4__websocket_choose(o->protocols, named) : NULL;
    return co4_http_reply_status(r) == 101 && upgrade && strcasecmp(upgrade, "websocket") == 0 &&
           said && strcmp(said, proof) == 0 && (!named || *protocol) &&
           !co4_http_reply_field(r, "Sec-WebSocket-Extensions");
}

static int take_over(co4_websocket **ws, co4_http_reply *r, const char *key,
                     const co4_websocket_options *options)
{
    const char *protocol;
    if (!accepts(r, key, options, &protocol))
        return co4__websocket_code(CO4_WEBSOCKET_EHANDSHAKE);
    int err = co4__websocket_make(ws, co4_http_reply_conn(r), false, protocol, options);
    if (err == CO4_OK)
        co4_http_reply_take(r);
    return err;
}

pausable int co4_websocket_connect_until(co4_websocket **ws, co4_http_client *client,
                                         const char *url, const co4_websocket_options *options,
                                         int64_t deadline)
{
    char key_field[64] = "Sec-WebSocket-Key: ", *key = key_field + strlen(key_field);
    __attribute__((cleanup(free_texts))) struct texts t = { NULL, NULL, NULL };
    co4_http_reply *r;
    if (!ws)
        return CO4_EINVAL;
    *ws = NULL;
    if (!client || !url)
        return CO4_EINVAL;
    if (!co4__websocket_make_key(key) || !make_texts(&t, url, key_field, options))
        return CO4_ENOMEM;
    const co4_http_request request = { .url = t.url, .fields = t.fields, .upgrade = "websocket" };
    int err = co4_http_send_until(&r, client, &request, deadline);
    if (err != CO4_OK)
        return err;
    err = take_over(ws, r, key, options);
    co4_http_reply_destroy(r);
    return err;
}

pausable int co4_websocket_connect(co4_websocket **ws, co4_http_client *client, const char *url,
                                   const co4_websocket_options *options)
{
    return co4_websocket_connect_until(ws, client, url, options, CO4_NEVER);
}
