/* forks.c - the child of a fork has the thread that forks, and ends with its last thread. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum how { RETURNS, EXITS, LEAVES_OTHERS, EXITS_FROM_OTHERS, FORKS_AGAIN, IS_JOINED, HOWS };

static pthread_attr_t large, detached;
static pthread_key_t key;
static sem_t said, done; /* the destructor has; the parent of a child has */
static __thread int depth;

static void say(const char *text)
{
    if (write(1, text, strlen(text)) < 0)
        _exit(9);
}

static void at_exit(void)
{
    say("at exit\n");
}

static void end_value(void *value)
{
    usleep(1000);
    say(value);
    sem_post(&said);
    sem_post(&said);
}

static void *other(void *arg)
{
    while (sem_wait(&said) != 0)
        ;
    say(arg);
    return NULL;
}

static void *begins_another(void *arg)
{
    pthread_t id;
    other(arg);
    pthread_create(&id, &large, other, "  the last one, which is a thread\n");
    return NULL;
}

static void *joins(void *arg)
{
    void *value = NULL;
    int err = pthread_join(*(pthread_t *)arg, &value);
    say(err == 0 && value ? value : "  not joined\n");
    return NULL;
}

static pthread_t self;

/* In the child. */
static void be_child(enum how how)
{
    pthread_t id;
    alarm(30);
    pthread_setspecific(key, "  destructor\n");
    usleep(100);
    switch (how) {
    case EXITS:
        pthread_exit(NULL);
    case LEAVES_OTHERS:
        pthread_create(&id, NULL, other, "  another thread\n");
        pthread_create(&id, &large, other, "");
        break;
    case EXITS_FROM_OTHERS:
        pthread_create(&id, &detached, begins_another, "  a detached thread\n");
        pthread_exit(NULL);
    case IS_JOINED:
        self = pthread_self();
        pthread_create(&id, NULL, joins, &self);
        pthread_exit("  joined\n");
    default:
        break;
    }
}

static void *forks(void *arg)
{
    enum how how = (enum how)(intptr_t)arg;
    int status = 0;
    char text[64];
    pid_t pid = fork();
    if (pid == 0 && how == FORKS_AGAIN && depth++ < 2)
        forks(arg);
    else if (pid == 0)
        be_child(how);
    else {
        waitpid(pid, &status, 0);
        snprintf(text, sizeof text, "  status %x\n", (unsigned)status);
        say(text);
        if (depth == 0)
            sem_post(&done);
    }
    return NULL;
}

/* Handlers of fork() that begin threads: those of the library come first before the fork, and last
 * behind it. */
static void *counts(void *count)
{
    usleep(100);
    ++*(int *)count;
    return NULL;
}

static int has_handlers, in_handlers;

static void begin_in_handler(void)
{
    pthread_t id;
    if (!has_handlers)
        return;
    pthread_create(&id, NULL, counts, &in_handlers);
    pthread_join(id, NULL);
}

static void *forks_with_handlers(void *arg)
{
    int status = 0;
    pid_t pid = fork();
    if (pid == 0)
        _exit(in_handlers);
    waitpid(pid, &status, 0);
    char text[64];
    snprintf(text, sizeof text, "handlers: %d, in the child %d\n", in_handlers, status >> 8);
    say(text);
    return arg;
}

static void fork_from(const char *what, const pthread_attr_t *attributes)
{
    char text[64];
    for (int how = RETURNS; how < HOWS; how++) {
        pthread_t id;
        snprintf(text, sizeof text, "%s %d\n", what, how);
        say(text);
        pthread_create(&id, attributes, forks, (void *)(intptr_t)how);
        while (sem_wait(&done) != 0) /* nobody joins it in the child */
            ;
        pthread_join(id, NULL);
    }
}

int main(void)
{
    pthread_t id;
    pthread_attr_init(&large);
    pthread_attr_setstacksize(&large, (size_t)64 << 20);
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    pthread_key_create(&key, end_value);
    sem_init(&said, 0, 0);
    sem_init(&done, 0, 0);
    atexit(at_exit);
    pthread_atfork(begin_in_handler, begin_in_handler, begin_in_handler);
    fork_from("task", NULL);
    fork_from("thread", &large);
    for (int how = EXITS; how < HOWS; how++) {
        say("main\n");
        pid_t pid = fork();
        if (pid == 0) {
            be_child(how);
            pthread_exit(NULL);
        }
        waitpid(pid, NULL, 0);
    }
    has_handlers = 1;
    pthread_create(&id, &large, forks_with_handlers, NULL);
    pthread_join(id, NULL);
    forks_with_handlers(NULL);
    has_handlers = 0;
    pthread_setspecific(key, "  destructor of main\n");
    pthread_create(&id, NULL, begins_another, "");
    pthread_exit(NULL);
}
