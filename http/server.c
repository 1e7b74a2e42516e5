/* server.c - see server.h: the list of connections. Nothing here waits. */
#include <stdlib.h>
#include <sys/socket.h>

#include "server.h"

#include "co4/io.h"
#include "co4/net.h"
#include "co4/signal.h"
#include "co4/time.h"

int co4__http_server_make(co4_http_server **server, const co4_http_options *o)
{
    if (!server)
        return CO4_EINVAL;
    *server = NULL;
    if (!o || !o->routes || !co4__http_routes_valid(o->routes) || o->connections < 0 ||
        o->grace < 0 || (o->flags & ~CO4_HTTP_SIGNALS) || o->listener < 0)
        return CO4_EINVAL;
    co4_http_server *s = calloc(1, sizeof *s);
    if (!s)
        return CO4_ENOMEM;
    if (pthread_mutex_init(&s->lock, NULL) != 0) {
        free(s);
        return CO4_ENOMEM;
    }
    s->options = *o;
    co4__http_set_limits(&s->options.limits, &o->limits);
    if (o->grace == 0)
        s->options.grace = 3 * CO4_SEC;
    atomic_init(&s->users, 1);
    s->listener = -1;
    s->ending = CO4__HTTP_SERVES;
    s->stop = (co4_sem)CO4_SEM_INIT(0);
    s->places = (co4_sem)CO4_SEM_INIT(o->connections);
    *server = s;
    return CO4_OK;
}

/* ---- connections ---- */

static void end_connection(const struct co4__http_connection *c, int how)
{
    bool is_tls = c->s->options.tls;
    if (c->task && (how == SHUT_RDWR || (is_tls && c->idle)))
        co4_task_cancel(c->task, 0);
    if (how == SHUT_RDWR || !is_tls)
        co4_shutdown(c->fd, how);
}

struct co4__http_connection *co4__http_enter(co4_http_server *s, int fd)
{
    struct co4__http_connection *me = calloc(1, sizeof *me);
    if (!me) {
        co4_close(fd);
        if (s->options.connections > 0)
            co4_sem_release(&s->places);
        return NULL;
    }
    me->s = s;
    me->fd = fd;
    me->idle = true;
    pthread_mutex_lock(&s->lock);
    me->next = s->connections;
    me->link = &s->connections;
    if (me->next)
        me->next->link = &me->next;
    s->connections = me;
    pthread_mutex_unlock(&s->lock);
    return me;
}

void co4__http_begin(struct co4__http_connection *me, co4_task *task)
{
    pthread_mutex_lock(&me->s->lock);
    me->task = task;
    if (me->s->ending != CO4__HTTP_SERVES)
        end_connection(me, me->s->ending);
    pthread_mutex_unlock(&me->s->lock);
}

void co4__http_leave(struct co4__http_connection *me)
{
    co4_http_server *s = me->s;
    pthread_mutex_lock(&s->lock);
    *me->link = me->next;
    if (me->next)
        me->next->link = me->link;
    pthread_mutex_unlock(&s->lock);
    co4__http_call_end(&me->call);
    if (me->c)
        co4_conn_destroy(me->c);
    else
        co4_close(me->fd);
    if (s->options.connections > 0)
        co4_sem_release(&s->places);
    free(me);
}

bool co4__http_set_idle(struct co4__http_connection *me, bool idle)
{
    pthread_mutex_lock(&me->s->lock);
    me->idle = idle;
    bool goes_on = me->s->ending == CO4__HTTP_SERVES;
    pthread_mutex_unlock(&me->s->lock);
    return goes_on;
}

void co4__http_end_connections(co4_http_server *s, int how)
{
    pthread_mutex_lock(&s->lock);
    s->ending = how;
    for (const struct co4__http_connection *c = s->connections; c; c = c->next)
        end_connection(c, how);
    pthread_mutex_unlock(&s->lock);
}

/* ---- what a program calls ---- */

int co4_http_port(const co4_http_server *server)
{
    return server ? co4_socket_port(server->listener) : -1;
}

int co4_http_stop(co4_http_server *server)
{
    return server ? co4_sem_release(&server->stop) : CO4_EINVAL;
}

void co4__http_server_end(co4_http_server **of)
{
    co4_http_server *server = *of;
    if (!server || atomic_fetch_sub_explicit(&server->users, 1, memory_order_acq_rel) > 1)
        return;
    for (struct co4__http_connection *c = server->connections, *next; c; c = next) {
        next = c->next;
        co4__http_leave(c); /* its task could not begin */
    }
    if (server->listener >= 0)
        co4_close(server->listener);
    if (server->signals)
        co4_signals_destroy(server->signals);
    co4_sem_destroy(&server->stop);
    co4_sem_destroy(&server->places);
    pthread_mutex_destroy(&server->lock);
    free(server);
}

void co4_http_server_destroy(co4_http_server *server)
{
    co4_http_stop(server);
    co4__http_server_end(&server);
}
