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

enum { MOST_WORKERS = 1024, ALIVE = -1 };
#define GRACE    (3 * CO4_SEC) /* from the end of the input of all connections to their own */
#define PATIENCE (5 * CO4_SEC) /* for a peer that has to take the last output */

/* The connections that are served. An element is in the frame of its task. */
struct served {
    int fd;
    struct served *next, **link;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* never held over a pause */
static struct served *connections;
static int ending = ALIVE; /* SHUT_RD, then SHUT_RDWR: so is each connection, and each new one */

bool server_number(const char *option, const char *text, int64_t least, int64_t most, int64_t *n)
{
    char *end;
    errno = 0;
    *n = strtoll(text, &end, 10);
    if (text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 && *n >= least && *n <= most)
        return true;
    fprintf(stderr, "%s: a number from %lld to %lld, not '%s'\n", option, (long long)least,
            (long long)most, text);
    return false;
}

int server_option(struct server *s, int argc, char **argv)
{
    int64_t n;
    if (argc < 2)
        return 0;
    if (strcmp(argv[0], "--host") == 0)
        s->host = argv[1];
    else if (strcmp(argv[0], "--port") == 0 && server_number(argv[0], argv[1], 0, 65535, &n))
        s->port = argv[1];
    else if (strcmp(argv[0], "--workers") == 0 &&
             server_number(argv[0], argv[1], 1, MOST_WORKERS, &n))
        s->workers = (int)n;
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
    if (ending != ALIVE)
        co4_shutdown(me->fd, ending);
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

static void end_connections(int how)
{
    pthread_mutex_lock(&lock);
    ending = how;
    for (const struct served *c = connections; c; c = c->next)
        co4_shutdown(c->fd, how);
    pthread_mutex_unlock(&lock);
}

bool server_is_over(void)
{
    pthread_mutex_lock(&lock);
    bool over = ending == SHUT_RDWR;
    pthread_mutex_unlock(&lock);
    return over;
}

/* Peers that take no output would hold up the end. */
static pausable int cut_off(void)
{
    if (co4_sleep(GRACE) == CO4_OK)
        end_connections(SHUT_RDWR);
    return 0;
}

/* The descriptor is in the list as long as it is open, also during the last output. */
static pausable int serve_one(const struct server *s, int fd)
{
    struct served me = { .fd = fd };
    enter(&me);
    co4_conn *c = co4_conn_create(fd);
    if (c) {
        s->serve(c);
        co4_shield_begin();
        co4_conn_end_until(c, co4_now() + PATIENCE);
        co4_shield_end();
    }
    leave(&me);
    if (c)
        co4_conn_destroy(c);
    else
        co4_close(fd);
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

struct listeners {
    int fds[2]; /* TCP, Unix; -1: there is none */
    bool bound; /* the Unix socket is at its path */
    co4_mailbox *end;
    co4_task *cutter; /* runs after the signal */
};

static void close_listeners(struct listeners *l)
{
    for (int i = 0; i < 2; i++) {
        if (l->fds[i] >= 0)
            co4_close(l->fds[i]);
        l->fds[i] = -1;
    }
}

/* A signal ends the listeners; then the input of all connections ends. */
static pausable int serve_all(const struct server *s, struct listeners *l)
{
    co4_signal signal;
    co4_scope *scope = co4_scope_here();
    co4_task *accepting[2];
    for (int i = 0; i < 2; i++)
        accepting[i] = l->fds[i] >= 0 ? co4_spawn(accept_all(s, scope, l->fds[i])) : NULL;
    if (accepting[0] && (accepting[1] || l->fds[1] < 0))
        co4_mailbox_receive(l->end, &signal);
    else
        fprintf(stderr, "out of memory\n");
    /* First the tasks: one between two accepts would use the number of a closed descriptor. */
    for (int i = 0; i < 2; i++)
        if (accepting[i]) {
            co4_task_cancel(accepting[i], 0);
            co4_join(accepting[i], NULL);
        }
    close_listeners(l);
    end_connections(SHUT_RD);
    l->cutter = co4_spawn(cut_off());
    return 0;
}

/* Returns the exit status. */
static pausable int serve_until_signal(const struct server *s, struct listeners *l)
{
    l->bound = l->fds[1] >= 0;
    printf("port %d\n", co4_socket_port(l->fds[0]));
    fflush(stdout);
    int err = co4_scope_run(0, serve_all(s, l));
    if (l->cutter) {
        co4_task_cancel(l->cutter, 0);
        co4_join(l->cutter, NULL);
    }
    return err == CO4_OK ? 0 : 1;
}

/* Signals are subscribed to before others can know the port. */
static pausable int listen_and_serve(const struct server *s)
{
    int status = 1;
    struct listeners l = { .fds = { -1, -1 } };
    int err = co4_signals(&l.end, SIGINT, SIGTERM);
    if (err != CO4_OK)
        fprintf(stderr, "signals: %s\n", co4_strerror(err));
    else if ((l.fds[0] = co4_tcp_listen(s->host, s->port, 0)) < 0)
        fprintf(stderr, "port %s: %s\n", s->port, co4_strerror(l.fds[0]));
    else if (s->unix_path && (l.fds[1] = co4_unix_listen(s->unix_path, 0)) < 0)
        fprintf(stderr, "%s: %s\n", s->unix_path, co4_strerror(l.fds[1]));
    else
        status = serve_until_signal(s, &l);
    if (l.bound)
        unlink(s->unix_path);
    close_listeners(&l);
    if (l.end)
        co4_signals_destroy(l.end);
    return status;
}

static pausable int run(const struct server *s)
{
    if (s->run)
        return s->run(s);
    if (s->begin && s->begin() != 0)
        return 1;
    int status = listen_and_serve(s), end = s->end ? s->end() : 0;
    return status ? status : end;
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
    const co4_runtime_options o = { .workers = s->workers > 0 ? s->workers : 1 };
    co4_runtime *rt = co4_runtime_create(&o);
    int err = rt ? co4_runtime_start(rt) : CO4_ENOMEM;
    if (err == CO4_OK)
        err = co4_runtime_spawn(rt, run_into(s, &status)) ? co4_runtime_join(rt) : CO4_ENOMEM;
    if (err != CO4_OK)
        fprintf(stderr, "the runtime, with %d workers: %s\n", s->workers, co4_strerror(err));
    co4_runtime_destroy(rt);
    return status;
}
