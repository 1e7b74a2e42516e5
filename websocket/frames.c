/* frames.c - see websocket.h: what wslay is asked, under the lock. Nothing here waits. */
#include <openssl/rand.h>
#include <stdlib.h>
#include <string.h>

#include "websocket.h"

#include "co4/time.h"

enum { MOST = 1 << 20 }; /* bytes of a message, unless the options say otherwise */

/* ---- what wslay calls ---- */

static ssize_t give(wslay_event_context_ptr context, uint8_t *to, size_t bytes, int flags,
                    void *self)
{
    co4_websocket *ws = self;
    (void)flags;
    if (ws->left == 0) {
        wslay_event_set_error(context, WSLAY_ERR_WOULDBLOCK);
        return -1;
    }
    size_t n = bytes < ws->left ? bytes : ws->left;
    memcpy(to, ws->in, n);
    ws->in += n;
    ws->left -= n;
    return (ssize_t)n;
}

static ssize_t take(wslay_event_context_ptr context, const uint8_t *from, size_t bytes, int flags,
                    void *self)
{
    co4_websocket *ws = self;
    (void)flags;
    ssize_t n = co4_conn_put(ws->c, from, bytes);
    if (n < 0) {
        ws->failed = ws->failed ? ws->failed : (int)n;
        wslay_event_set_error(context, WSLAY_ERR_CALLBACK_FAILURE);
        return -1;
    }
    return n;
}

static int mask(wslay_event_context_ptr context, uint8_t *to, size_t bytes, void *self)
{
    (void)self;
    if (RAND_bytes(to, (int)bytes) == 1)
        return 0;
    wslay_event_set_error(context, WSLAY_ERR_CALLBACK_FAILURE);
    return -1;
}

static void has_come(wslay_event_context_ptr context, const struct wslay_event_on_msg_recv_arg *arg,
                     void *self)
{
    co4_websocket *ws = self;
    (void)context;
    if (arg->opcode != WSLAY_TEXT_FRAME && arg->opcode != WSLAY_BINARY_FRAME)
        return;
    struct co4__websocket_message *m = malloc(sizeof *m + arg->msg_length + 1);
    if (!m) {
        ws->no_memory = true;
        return;
    }
    m->next = NULL;
    m->kind = arg->opcode == WSLAY_TEXT_FRAME ? CO4_WEBSOCKET_TEXT : CO4_WEBSOCKET_BINARY;
    m->bytes = arg->msg_length;
    if (arg->msg_length > 0) /* else there is no `msg` */
        memcpy(m->data, arg->msg, arg->msg_length);
    m->data[arg->msg_length] = '\0';
    *ws->end = m;
    ws->end = &m->next;
}

/* ---- from its beginning to its end ---- */

int co4__websocket_make(co4_websocket **ws, co4_conn *c, bool is_server, const char *protocol,
                        const co4_websocket_options *options)
{
    static const co4_websocket_options none;
    static const struct wslay_event_callbacks callbacks = { .recv_callback = give,
                                                            .send_callback = take,
                                                            .genmask_callback = mask,
                                                            .on_msg_recv_callback = has_come };
    const co4_websocket_options *o = options ? options : &none;
    co4_websocket *made = calloc(1, sizeof *made);
    if (!made)
        return CO4_ENOMEM;
    bool has_lock = pthread_mutex_init(&made->lock, NULL) == 0;
    made->protocol = protocol ? strdup(protocol) : NULL;
    int err = !has_lock || (protocol && !made->protocol) ? WSLAY_ERR_NOMEM
              : is_server ? wslay_event_context_server_init(&made->context, &callbacks, made)
                          : wslay_event_context_client_init(&made->context, &callbacks, made);
    if (err != 0) {
        if (has_lock)
            pthread_mutex_destroy(&made->lock);
        free(made->protocol);
        free(made);
        return CO4_ENOMEM;
    }
    wslay_event_config_set_max_recv_msg_length(made->context, o->most > 0 ? o->most : MOST);
    made->c = c;
    made->owns = !is_server;
    made->ping = o->ping;
    made->heard = co4_now();
    made->end = &made->first;
    *ws = made;
    return CO4_OK;
}

void co4_websocket_destroy(co4_websocket *ws)
{
    if (!ws)
        return;
    if (co4__websocket_queue_end(ws, WSLAY_CODE_GOING_AWAY, NULL) == CO4_OK &&
        co4__websocket_fill(ws) && ws->owns)
        co4_conn_flush_until(ws->c, CO4_NOW); /* else the server does it */
    wslay_event_context_free(ws->context);
    if (ws->owns)
        co4_conn_destroy(ws->c);
    while (ws->first) {
        struct co4__websocket_message *m = ws->first;
        ws->first = m->next;
        free(m);
    }
    co4_mutex_destroy(&ws->writing);
    pthread_mutex_destroy(&ws->lock);
    free(ws->last);
    free(ws->protocol);
    free(ws);
}

/* ---- input ---- */

size_t co4__websocket_feed(co4_websocket *ws, const char *in, size_t bytes)
{
    pthread_mutex_lock(&ws->lock);
    ws->in = in;
    ws->left = bytes;
    int err = wslay_event_recv(ws->context);
    if (err == WSLAY_ERR_NOMEM)
        ws->no_memory = true;
    size_t taken = bytes - ws->left;
    ws->in = NULL;
    ws->left = 0;
    pthread_mutex_unlock(&ws->lock);
    return taken;
}

bool co4__websocket_take(co4_websocket *ws)
{
    pthread_mutex_lock(&ws->lock);
    struct co4__websocket_message *m = ws->first;
    if (m) {
        ws->first = m->next;
        if (!m->next)
            ws->end = &ws->first;
    }
    pthread_mutex_unlock(&ws->lock);
    if (m) {
        free(ws->last);
        ws->last = m;
    }
    return m;
}

/* wslay has queued an end, with this status, when the other side breaks a rule. */
static int code_of(int status)
{
    return status == WSLAY_CODE_MESSAGE_TOO_BIG ? CO4_HTTP_ETOOBIG : CO4_HTTP_EMALFORMED;
}

int co4__websocket_ended(co4_websocket *ws)
{
    int code = CO4_OK;
    pthread_mutex_lock(&ws->lock);
    if (ws->no_memory)
        code = CO4_ENOMEM;
    else if (wslay_event_get_close_received(ws->context))
        code = CO4_ECLOSED;
    else if (!wslay_event_get_read_enabled(ws->context))
        code = code_of(wslay_event_get_status_code_sent(ws->context));
    pthread_mutex_unlock(&ws->lock);
    return code;
}

int co4_websocket_status(const co4_websocket *ws)
{
    if (!ws)
        return 0;
    co4_websocket *w = (co4_websocket *)ws;
    pthread_mutex_lock(&w->lock);
    int status = wslay_event_get_close_received(w->context)
                     ? wslay_event_get_status_code_received(w->context)
                     : 0;
    pthread_mutex_unlock(&w->lock);
    return status;
}

const char *co4_websocket_protocol(const co4_websocket *ws)
{
    return ws ? ws->protocol : NULL;
}

/* ---- output ---- */

/* Of a call of wslay that queues something. */
static int queued(const co4_websocket *ws, int err)
{
    return ws->failed                          ? ws->failed
           : err == 0                          ? CO4_OK
           : err == WSLAY_ERR_NO_MORE_MSG      ? CO4_ECLOSED
           : err == WSLAY_ERR_INVALID_ARGUMENT ? CO4_EINVAL
                                               : CO4_ENOMEM;
}

int co4__websocket_queue(co4_websocket *ws, int opcode, const void *data, size_t bytes)
{
    const struct wslay_event_msg m = { (uint8_t)opcode, data, bytes };
    pthread_mutex_lock(&ws->lock);
    int code = ws->failed ? ws->failed : queued(ws, wslay_event_queue_msg(ws->context, &m));
    pthread_mutex_unlock(&ws->lock);
    return code;
}

int co4__websocket_queue_end(co4_websocket *ws, int status, const char *reason)
{
    pthread_mutex_lock(&ws->lock);
    int code = ws->failed ? ws->failed
                          : queued(ws, wslay_event_queue_close(ws->context, (uint16_t)status,
                                                               (const uint8_t *)reason,
                                                               reason ? strlen(reason) : 0));
    pthread_mutex_unlock(&ws->lock);
    return code;
}

size_t co4__websocket_queued(co4_websocket *ws)
{
    pthread_mutex_lock(&ws->lock);
    size_t n = wslay_event_get_queued_msg_count(ws->context);
    pthread_mutex_unlock(&ws->lock);
    return n;
}

bool co4__websocket_fill(co4_websocket *ws)
{
    pthread_mutex_lock(&ws->lock);
    /* Besides the failures of take(), memory or random bytes are missing. */
    if (!ws->failed && wslay_event_want_write(ws->context) && wslay_event_send(ws->context) != 0 &&
        !ws->failed)
        ws->failed = CO4_ENOMEM;
    bool has_output = !ws->failed && co4_conn_unsent(ws->c) > 0;
    pthread_mutex_unlock(&ws->lock);
    return has_output;
}

void co4__websocket_fails(co4_websocket *ws, int code)
{
    pthread_mutex_lock(&ws->lock);
    ws->failed = ws->failed ? ws->failed : code;
    pthread_mutex_unlock(&ws->lock);
}
