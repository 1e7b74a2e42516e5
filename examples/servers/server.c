/* server.c - see server.h. */
#include "server.h"

#include <co4/io.h>
#include <co4/net.h>
#include <co4/signal.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The connections that are served. An element is in the frame of its task. */
struct served {
    int fd;
    struct served *next, **link;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* never held over a pause */
static struct served *connections;

int server_option(struct server *s, int argc, char **argv)
{
    if (argc < 2)
        return 0;
    if (strcmp(argv[0], "--port") == 0)
        s->port = argv[1];
    else if (strcmp(argv[0], "--host") == 0)
        s->host = argv[1];
    else if (strcmp(argv[0], "--workers") == 0 && atoi(argv[1]) > 0)
        s->workers = atoi(argv[1]);
    else
        return 0;
    return 2;
}

static void enter(struct served *me)
{
    pthread_mutex_lock(&lock);
    me->next = connections;
    me->link = &connections;
    if (connections)
        connections->link = &me->next;
    connections = me;
    pthread_mutex_unlock(&lock);
}

static void leave(struct served *me)
{
    pthread_mutex_lock(&lock);
    *me->link = me->next;
    if (me->next)
        me->next->link = me->link;
    pthread_mutex_unlock(&lock);
}

static void end_input(void)
{
    pthread_mutex_lock(&lock);
    for (const struct served *c = connections; c; c = c->next)
        co4_shutdown(c->fd, SHUT_RD);
    pthread_mutex_unlock(&lock);
}

static pausable int serve_one(const struct server *s, int fd)
{
    struct served me = { .fd = fd };
    co4_conn *c = s->open ? s->open(fd) : co4_conn_create(fd);
    if (!c) {
        co4_close(fd);
        return 0;
    }
    enter(&me);
    s->serve(c);
    leave(&me);
    co4_conn_close_until(c, co4_now() + 5 * CO4_SEC);
    return 0;
}

static pausable int accept_all(const struct server *s, co4_scope *scope, int listener)
{
    int fd;
    while ((fd = co4_accept_next(listener)) >= 0)
        if (co4_scope_spawn(scope, serve_one(s, fd)) != CO4_OK)
            co4_close(fd);
    return 0;
}

/* A signal ends the listeners; then the input of all connections ends. */
static pausable int serve_all(const struct server *s, int listener, int unix_listener)
{
    co4_signal signal;
    co4_scope *scope = co4_scope_here();
    co4_mailbox *end = co4_signals(SIGINT, SIGTERM);
    co4_task *accepting[2];
    if (!end)
        return -1;
    accepting[0] = co4_spawn(accept_all(s, scope, listener));
    accepting[1] = unix_listener >= 0 ? co4_spawn(accept_all(s, scope, unix_listener)) : NULL;
    co4_mailbox_receive(end, &signal);
    co4_close(listener);
    if (unix_listener >= 0)
        co4_close(unix_listener);
    for (int i = 0; i < 2; i++)
        if (accepting[i])
            co4_join(accepting[i], NULL);
    end_input();
    co4_signals_destroy(end);
    return 0;
}

static pausable int listen_and_serve(const struct server *s)
{
    int listener = co4_tcp_listen(s->host, s->port, 0), unix_listener = -1;
    if (listener < 0) {
        fprintf(stderr, "port %s: %s\n", s->port, strerror(errno));
        return 1;
    }
    if (s->unix_path && (unix_listener = co4_unix_listen(s->unix_path, 0)) < 0) {
        fprintf(stderr, "%s: %s\n", s->unix_path, strerror(errno));
        co4_close(listener);
        return 1;
    }
    printf("port %d\n", co4_socket_port(listener));
    fflush(stdout);
    int err = co4_scope_run(0, serve_all(s, listener, unix_listener));
    if (s->unix_path)
        unlink(s->unix_path);
    return err == CO4_OK ? 0 : 1;
}

static pausable int run(const struct server *s)
{
    if (s->begin && s->begin() != 0)
        return 1;
    int status = listen_and_serve(s);
    if (s->end)
        s->end();
    return status;
}

static pausable void run_into(const struct server *s, int *status)
{
    *status = run(s);
}

int server_run(struct server *s)
{
    int status = 1;
    s->host = s->host ? s->host : "127.0.0.1";
    s->port = s->port ? s->port : "0";
    co4_runtime *rt = co4_runtime_create(
        &(co4_runtime_options){ .workers = s->workers > 0 ? s->workers : 1 });
    if (!rt || co4_runtime_start(rt) != CO4_OK || !co4_runtime_spawn(rt, run_into(s, &status)) ||
        co4_runtime_join(rt) != CO4_OK)
        fprintf(stderr, "the runtime does not start\n");
    co4_runtime_destroy(rt);
    return status;
}
