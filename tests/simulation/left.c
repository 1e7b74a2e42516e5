/* left.c - a program that leaves what its argument says, or nothing. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <threads.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, recursive;
static mtx_t c11;
static const char *what;

static int is(const char *name)
{
    return strcmp(what, name) == 0;
}

static void *use(void *arg)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(&recursive);
    pthread_mutex_lock(&recursive);
    pthread_mutex_unlock(&recursive);
    if (!is("recursive"))
        pthread_mutex_unlock(&recursive);
    if (!is("mutex"))
        pthread_mutex_unlock(&lock);
    return arg;
}

static void *hold(void *arg)
{
    pthread_mutex_lock(&lock); /* as long as the process runs */
    sleep(1000000);
    return arg;
}

static void *sleeps(void *arg)
{
    sleep(10);
    return arg;
}

static void *joins(void *id)
{
    pthread_join(*(pthread_t *)id, NULL);
    return id;
}

/* A joiner that is cancelled leaves the thread to another one. */
static void join_later(void)
{
    pthread_t id, joiner;
    pthread_create(&id, NULL, sleeps, NULL); /* unjoined */
    pthread_create(&joiner, NULL, joins, &id);
    sleep(1);
    pthread_cancel(joiner);
    pthread_join(joiner, NULL);
    sleep(20);
    if (!is("unjoined"))
        pthread_join(id, NULL);
}

static void threads(void)
{
    pthread_t id, other;
    pthread_create(&id, NULL, use, NULL);
    pthread_join(id, NULL);
    pthread_create(&other, NULL, use, NULL); /* thread */
    sleep(1);
    if (!is("thread"))
        pthread_detach(other);
    if (is("joined_late"))
        pthread_create(&id, NULL, hold, NULL); /* joined_late */
}

static void mutexes(void)
{
    mtx_init(&c11, mtx_plain);
    mtx_lock(&c11);
    if (is("c11"))
        mtx_destroy(&c11); /* c11 */
    else
        mtx_unlock(&c11);
    pthread_mutex_t local;
    pthread_mutex_init(&local, NULL);
    pthread_mutex_lock(&local);
    if (!is("destroyed"))
        pthread_mutex_unlock(&local);
    pthread_mutex_destroy(&local); /* destroyed */
    if (is("main"))
        pthread_mutex_lock(&lock);
}

static void descriptors(void)
{
    int pair[2], ends[2];
    int s = socket(AF_INET, SOCK_STREAM, 0);        /* socket */
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);      /* socketpair */
    pipe(ends);                                     /* pipe */
    int copy = dup(s);                              /* dup */
    int event = eventfd(0, 0);                      /* eventfd */
    int timer = timerfd_create(CLOCK_MONOTONIC, 0); /* timerfd */
    int set = epoll_create1(0);                     /* epoll */
    sigset_t none;
    sigemptyset(&none);
    int signals = signalfd(-1, &none, 0); /* signalfd */
    int all[] = { s, pair[0], ends[1], copy, event, timer, set, signals };
    const char *names[] = { "socket",  "socketpair", "pipe",  "dup",
                            "eventfd", "timerfd",    "epoll", "signalfd" };
    close(pair[1]);
    close(ends[0]);
    for (int i = 0; i < 8; i++)
        if (!is(names[i]))
            close(all[i]);
}

int main(int argc, char **argv)
{
    pthread_mutexattr_t again;
    pthread_mutexattr_init(&again);
    pthread_mutexattr_settype(&again, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&recursive, &again);
    what = argc > 1 ? argv[1] : "";
    if (is("held")) { /* a thread that goes on, and is detached */
        pthread_t id;
        pthread_create(&id, NULL, hold, NULL);
        pthread_detach(id);
        sleep(1);
        exit(0);
    }
    if (is("mutex") || is("recursive")) {
        pthread_t id;
        pthread_create(&id, NULL, use, NULL);
        pthread_join(id, NULL);
        return 0;
    }
    join_later();
    threads();
    mutexes();
    descriptors();
    if (is("memory")) {
        char *volatile text = NULL;
        for (int i = 0; i < 100; i++) /* a pointer to one may be left where the sanitizer looks */
            text = malloc(100);       /* memory */
        text = NULL;
        what = text ? text : "";
    }
    return is("status") ? 3 : 0;
}
