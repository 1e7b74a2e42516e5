/* hiredis_async.c - clients of hiredis_many.h with the interface of hiredis for event loops, on one
 * thread beside the main one, with a loop of epoll.
 *
 *     hiredis_async SOCKET CLIENTS          as hiredis_many.h says
 *     hiredis_async SOCKET CLIENTS own      blocking contexts that have sent BLPOP, and no call:
 *                                           the memory that hiredis itself takes */
#include <pthread.h>
#include <stdint.h>
#include <sys/epoll.h>

#include "async.h"
#include "hiredis_many.h"

typedef struct client {
    redisAsyncContext *context;
    int index, mode;
} client;

static client *clients;
static int *results, count, left, loop;
static const char *path;

/* ---- what hiredis wants of a loop ---- */

static void set_mode(client *c, int mode)
{
    struct epoll_event e = { .events = (uint32_t)mode, .data.ptr = c };
    int what = c->mode == 0 ? EPOLL_CTL_ADD : mode == 0 ? EPOLL_CTL_DEL : EPOLL_CTL_MOD;
    if (c->mode != mode)
        epoll_ctl(loop, what, c->context->c.fd, &e);
    c->mode = mode;
}
static void add_read(void *data)
{
    set_mode(data, ((client *)data)->mode | EPOLLIN);
}
static void delete_read(void *data)
{
    set_mode(data, ((client *)data)->mode & ~EPOLLIN);
}
static void add_write(void *data)
{
    set_mode(data, ((client *)data)->mode | EPOLLOUT);
}
static void delete_write(void *data)
{
    set_mode(data, ((client *)data)->mode & ~EPOLLOUT);
}
static void forget(void *data)
{
    set_mode(data, 0);
}

/* ---- clients ---- */

static void counted(redisAsyncContext *context, void *reply, void *data)
{
    client *c = data;
    redisReply *r = reply;
    if (r == NULL || r->type != REDIS_REPLY_INTEGER || r->integer != results[c->index] + 1)
        r = NULL;
    if (r != NULL && ++results[c->index] < ROUNDS) {
        redisAsyncCommand(context, counted, c, "INCR count%d", c->index);
        return;
    }
    left--;
    redisAsyncDisconnect(context);
}

static void popped(redisAsyncContext *context, void *reply, void *data)
{
    client *c = data;
    redisReply *r = reply;
    char expected[32];
    snprintf(expected, sizeof expected, "element%d", c->index);
    if (r == NULL || r->type != REDIS_REPLY_ARRAY || strcmp(r->element[1]->str, expected) != 0) {
        left--;
        return;
    }
    redisAsyncCommand(context, counted, c, "INCR count%d", c->index);
}

/* Returns whether it is connected: the queue of the server may be full. */
static int begin_client(client *c)
{
    c->context = redisAsyncConnectUnix(path);
    if (c->context == NULL || c->context->err) {
        redisAsyncFree(c->context);
        return 0;
    }
    c->context->ev.data = c;
    c->context->ev.addRead = add_read;
    c->context->ev.delRead = delete_read;
    c->context->ev.addWrite = add_write;
    c->context->ev.delWrite = delete_write;
    c->context->ev.cleanup = forget;
    redisAsyncCommand(c->context, popped, c, "BLPOP list%d 0", c->index);
    return 1;
}

static void run_events(int wait)
{
    struct epoll_event events[256];
    int n = epoll_wait(loop, events, 256, wait);
    for (int i = 0; i < n; i++) {
        client *c = events[i].data.ptr;
        if (events[i].events & ~(uint32_t)EPOLLOUT)
            redisAsyncHandleRead(c->context);
        if (events[i].events & EPOLLOUT && c->mode & EPOLLOUT)
            redisAsyncHandleWrite(c->context);
    }
}

static void *run_loop(void *data)
{
    (void)data;
    for (int i = 0; i < count; i++) {
        clients[i].index = i;
        while (!begin_client(&clients[i]))
            run_events(5);
        run_events(0);
    }
    while (left > 0)
        run_events(-1);
    return NULL;
}

static int own_memory(redisContext *control)
{
    long before = measure_bytes();
    for (int i = 0; i < count; i++) {
        redisContext *c;
        int done = 0;
        while ((c = redisConnectUnix(path)) != NULL && c->err) {
            redisFree(c);
            usleep(5000);
        }
        if (c == NULL || redisAppendCommand(c, "BLPOP list%d 0", i) != REDIS_OK)
            return 2;
        while (!done)
            if (redisBufferWrite(c, &done) != REDIS_OK)
                return 2;
    }
    return many_release(control, count, "own", before) ? 0 : 1;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    path = argv[1];
    left = count = argc > 2 ? atoi(argv[2]) : 1;
    results = calloc((size_t)count, sizeof *results);
    clients = calloc((size_t)count, sizeof *clients);
    loop = epoll_create1(0);
    redisContext *control = redisConnectUnix(path);
    if (results == NULL || clients == NULL || loop < 0 || control == NULL || control->err)
        return 2;
    if (argc > 3)
        return own_memory(control);
    long before = measure_bytes();
    double begin = measure_seconds();
    pthread_create(&thread, NULL, run_loop, NULL);
    if (!many_release(control, count, "async", before))
        return 1;
    pthread_join(thread, NULL);
    int status = many_end("async", count, results, begin);
    redisFree(control);
    free(results);
    free(clients);
    return status;
}
