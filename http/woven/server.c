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

/* A handshake takes a while: the caller is the task of the connection. */
static pausable void serve_one(co4_http_server *s, int fd)
{
    __attribute__((cleanup(co4__http_leave))) struct co4__http_connection me = {
        .s = s, .fd = fd, .task = co4_self(), .idle = true
    };
    co4__http_enter(&me);
    if (!s->options.tls)
        me.c = co4_conn_create(fd);
    else if (co4_tls_accept_until(&me.c, s->options.tls, fd,
                                  co4_after(HANDSHAKE_SECONDS * CO4_SEC)) != CO4_OK)
        return;
    co4__http_set_idle(&me, false);
    if (me.c)
        serve_requests(&me);
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
        if (co4_scope_spawn(scope, serve_one(s, fd)) != CO4_OK) {
            co4_close(fd);
            if (s->options.connections > 0)
                co4_sem_release(&s->places);
        }
    }
}

/* A failure to accept stops the server, too. */
static pausable void accept_until_stop(co4_http_server *s, co4_scope *scope, int *err)
{
    *err = accept_all(s, scope);
    co4_http_stop(s);
}

static pausable void stop_by_signal(co4_http_server *s)
{
    co4_signal signal;
    if (co4_mailbox_receive(s->signals, &signal) == CO4_OK)
        co4_http_stop(s);
}

/* Peers that take no output, and handlers, would hold up the end. */
static pausable void cut_off(co4_http_server *s)
{
    if (co4_sleep(s->options.grace) == CO4_OK)
        co4__http_end_connections(s, SHUT_RDWR);
}

static pausable void end_task(co4_task *task)
{
    co4_shield_begin();
    if (task) {
        co4_task_cancel(task, 0);
        co4_join(task, NULL);
    }
    co4_shield_end();
}

static pausable int serve_all(co4_http_server *s, co4_task **cutter)
{
    int failure = CO4_OK;
    co4_task *acceptor = co4_spawn(accept_until_stop(s, co4_scope_here(), &failure));
    int err = acceptor ? co4_sem_acquire(&s->stop) : CO4_ENOMEM;
    /* First the task: one between two accepts would use the number of a closed descriptor. */
    end_task(acceptor);
    co4_close(s->listener);
    s->listener = -1;
    co4__http_end_connections(s, err == CO4_OK ? SHUT_RD : SHUT_RDWR);
    if (err == CO4_OK && !(*cutter = co4_spawn(cut_off(s))))
        co4__http_end_connections(s, SHUT_RDWR); /* no memory for a grace */
    return err == CO4_OK && failure != CO4_ECANCELED ? failure : err;
}

pausable int co4_http_serve(co4_http_server *s)
{
    co4_task *cutter = NULL, *listener = NULL;
    if (!s)
        return CO4_EINVAL;
    if (atomic_exchange(&s->served, true))
        return CO4_ESTATE;
    int err = CO4_OK;
    if (s->signals && !(listener = co4_spawn(stop_by_signal(s))))
        err = CO4_ENOMEM;
    if (err == CO4_OK)
        err = co4_scope_run(0, serve_all(s, &cutter));
    end_task(cutter);
    end_task(listener);
    return err;
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
