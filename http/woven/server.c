/* server.c - see ../server.h: the tasks of a server. */
#include <sys/socket.h>

#include "../server.h"

#include "co4/group.h"
#include "co4/io.h"
#include "co4/mailbox.h"
#include "co4/net.h"
#include "co4/signal.h"
#include "co4/time.h"

enum { HANDSHAKE_SECONDS = 10 };
enum { LINGER_SECONDS = 2 };
enum { PATIENCE_SECONDS = 5 }; /* for a peer that has to take the last output */

/* ---- calls ---- */

/* What is answered in place of a handler, or for it. Returns 0: nothing. */
static int missing_status(const co4_http_call *call, int code)
{
    if (call->state != CO4__HTTP_NO_ANSWER)
        return 0;
    if (code >= 200 && code <= 999)
        return code;
    if (code > 0)
        return 500; /* no status of an answer */
    return code == 0 ? 204 : call->h.code ? call->h.status : 500;
}

/* Whether another request may follow. */
static pausable bool finish(const co4_http_server *s, co4_http_call *call, int code)
{
    struct co4__http *h = &call->h;
    int status = missing_status(call, code);
    if (status)
        code = co4_http_answer_status(call, status);
    bool whole = code >= 0 && co4__http_end_body(call);
    if (s->options.done)
        s->options.done(call, s->options.arg);
    if (!whole)
        h->closes = true;
    return whole && co4__http_drain(h) && co4__http_relieve(call) == CO4_OK;
}

static void reset(co4_http_call *call)
{
    co4__http_call_end(call);
    call->pattern = NULL;
    call->parts = call->status = 0;
    call->part = NULL;
    call->state = CO4__HTTP_NO_ANSWER;
    call->chunked = call->quiet = false;
    call->length = -1;
    call->bytes = 0;
}

static pausable bool answer(const co4_http_server *s, co4_http_call *call)
{
    int status;
    const co4_http_route *r = co4__http_route_of(call, s->options.routes, &status);
    int code = r ? r->handler(call, r->arg) : co4_http_answer_status(call, status);
    return finish(s, call, code);
}

static pausable int next_request(struct co4__http_connection *me)
{
    reset(&me->call);
    if (!me->s->options.tls)
        return co4__http_next(&me->call.h);
    if (!co4__http_set_idle(me, true))
        return 0;
    int found = co4__http_next(&me->call.h);
    co4__http_set_idle(me, false);
    return found;
}

/* ---- connections ---- */

/* A close with input unread would be a reset, which can destroy the last answer. */
static pausable void linger(co4_conn *c)
{
    const char *in;
    ssize_t n;
    int64_t deadline = co4_now() + LINGER_SECONDS * CO4_SEC;
    if (co4_conn_end_until(c, co4_now() + PATIENCE_SECONDS * CO4_SEC) != CO4_OK)
        return;
    while ((n = co4_conn_peek_until(c, &in, 1, deadline)) > 0)
        co4_conn_skip(c, (size_t)n);
}

static pausable void serve_requests(struct co4__http_connection *me)
{
    int found;
    struct co4__http *h = &me->call.h;
    h->c = me->c;
    h->limits = &me->s->options.limits;
    while ((found = next_request(me)) > 0 && answer(me->s, &me->call))
        ;
    co4_shield_begin();
    if (found < 0)
        finish(me->s, &me->call, co4_http_answer_status(&me->call, h->status));
    linger(me->c);
    co4_shield_end();
}

static void leave(struct co4__http_connection **me)
{
    co4__http_leave(*me);
}

/* A handshake takes a while: the caller is the task of the connection. */
static pausable void serve_one(struct co4__http_connection *me)
{
    __attribute__((cleanup(leave))) struct co4__http_connection *own = me;
    const co4_http_server *s = own->s;
    co4__http_begin(own, co4_self());
    if (!s->options.tls)
        own->c = co4_conn_create(own->fd);
    else if (co4_tls_accept_until(&own->c, s->options.tls, own->fd,
                                  co4_after(HANDSHAKE_SECONDS * CO4_SEC)) != CO4_OK)
        return;
    co4__http_set_idle(own, false);
    if (own->c)
        serve_requests(own);
}

/* ---- the server ---- */

static pausable int accept_all(co4_http_server *s, co4_scope *scope)
{
    for (;;) {
        if (s->options.connections > 0) {
            int err = co4_sem_acquire(&s->places);
            if (err != CO4_OK)
                return err;
        }
        int fd = co4_accept_next(s->listener);
        if (fd < 0)
            return fd;
        struct co4__http_connection *c = co4__http_enter(s, fd);
        if (c && co4_scope_spawn(scope, serve_one(c)) != CO4_OK)
            co4__http_leave(c);
    }
}

static pausable void stop_by_signal(co4_http_server *s)
{
    co4_signal signal;
    if (co4_mailbox_receive(s->signals, &signal) == CO4_OK)
        co4_http_stop(s);
}

static void end_all(co4_http_server **s)
{
    if (*s)
        co4__http_end_connections(*s, SHUT_RDWR);
}

/* Peers that take no output, and handlers, would hold up the end. Without memory none is waited
 * for. */
static pausable void cut_off(co4_http_server *s)
{
    __attribute__((cleanup(end_all))) co4_http_server *held = s;
    if (co4_sleep(s->options.grace) == CO4_ECANCELED)
        held = NULL;
}

static pausable int wait_for_stop(co4_http_server *s, bool *stopped)
{
    *stopped = co4_sem_acquire(&s->stop) == CO4_OK;
    return CO4_ECANCELED; /* nothing is accepted from now on */
}

/* The body of a scope. `connections` is the one around it. */
static pausable int accept_until_stop(co4_http_server *s, co4_scope *connections, bool *stopped)
{
    int err = co4_scope_spawn(co4_scope_here(), wait_for_stop(s, stopped));
    if (err == CO4_OK && s->signals)
        err = co4_scope_spawn(co4_scope_here(), stop_by_signal(s));
    return err == CO4_OK ? accept_all(s, connections) : err;
}

/* The body of the scope with all connections: one whose task ends without memory is closed, and the
 * others go on. `beside` is the scope around it. */
static pausable int serve_all(co4_http_server *s, co4_scope *beside, int *code)
{
    __attribute__((cleanup(end_all))) co4_http_server *held = s; /* without memory */
    bool stopped = false;
    int err = co4_scope_run(0, accept_until_stop(s, co4_scope_here(), &stopped));
    co4_close(s->listener);
    s->listener = -1;
    co4__http_end_connections(s, stopped ? SHUT_RD : SHUT_RDWR);
    if (stopped && co4_scope_spawn(beside, cut_off(s)) != CO4_OK)
        co4__http_end_connections(s, SHUT_RDWR); /* no memory for a grace */
    *code = stopped ? CO4_OK : err;
    held = NULL;
    return CO4_OK;
}

static pausable int serve_beside(co4_http_server *s, int *code)
{
    co4_scope_run(CO4_SCOPE_KEEP_GOING, serve_all(s, co4_scope_here(), code));
    return CO4_ECANCELED; /* ends the cut */
}

pausable int co4_http_serve(co4_http_server *s)
{
    int code = CO4_ENOMEM;
    if (!s)
        return CO4_EINVAL;
    if (atomic_exchange(&s->served, true))
        return CO4_ESTATE;
    atomic_fetch_add_explicit(&s->users, 1, memory_order_relaxed);
    __attribute__((cleanup(co4__http_server_end))) co4_http_server *held = s;
    co4_scope_run(0, serve_beside(held, &code));
    return code;
}

/* Signals are subscribed to before others can know the port. */
static pausable int begin(co4_http_server *s)
{
    const co4_http_options *o = &s->options;
    int err = o->flags & CO4_HTTP_SIGNALS ? co4_signals(&s->signals, SIGINT, SIGTERM) : CO4_OK;
    if (err != CO4_OK)
        return err;
    if (o->listener > 0)
        s->listener = o->listener;
    else
        s->listener = co4_tcp_listen(o->host ? o->host : "localhost", o->port ? o->port : "0", 0);
    return s->listener < 0 ? s->listener : CO4_OK;
}

pausable int co4_http_listen(co4_http_server **server, const co4_http_options *options)
{
    int err = co4__http_server_make(server, options);
    if (err != CO4_OK)
        return err;
    err = begin(*server);
    if (err != CO4_OK) {
        co4_http_server_destroy(*server);
        *server = NULL;
    }
    return err;
}
