/* kv.c - a server for clients of Redis: strings, lists, times, topics, and a log on disk.
 *
 *     kv --port 6400 --log kv.aof --sync everysec &
 *     redis-cli -p 6400 SET greeting hello
 *
 * --log FILE      each change is appended before it is answered, and read at the next start
 * --sync WHEN     always: a reply says that the change is on disk; everysec, no: that the system
 *                 has it, so that only a failure of the machine can lose it */
#define _GNU_SOURCE
#include "kv.h"

#include <co4/io.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../server.h"

static struct {
    const char *path;
    enum log_sync sync;
} options = { NULL, LOG_EVERY_SECOND };

/* A client that has subscribed: another task writes to it. Returns false for another command. */
static pausable bool serve_topics(struct client *k)
{
    if (is_word(k->argv[0], "SUBSCRIBE") && k->argc > 1) {
        topics_subscribe(k);
    } else if (is_word(k->argv[0], "UNSUBSCRIBE")) {
        topics_unsubscribe(k);
    } else if (!k->subscriber) {
        return false;
    } else if (is_word(k->argv[0], "PING")) {
        topics_reply(k, "*2\r\n$4\r\npong\r\n$0\r\n\r\n");
    } else if (is_word(k->argv[0], "QUIT")) {
        topics_reply(k, "+OK\r\n");
        k->ends = true;
    } else {
        topics_reply(k, "-ERR only SUBSCRIBE, UNSUBSCRIBE, PING and QUIT here\r\n");
    }
    return true;
}

static pausable void serve(co4_conn *c)
{
    struct client k = { .c = c };
    const char *in;
    ssize_t size;
    if (log_confirms())
        co4_conn_cork(c, 1);
    while (!k.ends && (size = client_read(&k)) > 0) {
        if (k.argc == 0 || !serve_topics(&k)) {
            co4_conn_peek(c, &in, (size_t)size); /* never waits: it is there */
            command_run(&k, in, (size_t)size);
        }
        co4_conn_skip(c, (size_t)size);
        if (!k.subscriber)
            client_relieve(&k);
    }
    log_wait(&k);
    topics_leave(&k);
    free(k.argv);
}

static pausable void sweep(void)
{
    bool more = false;
    while (co4_sleep(more ? CO4_MS : 100 * CO4_MS) == CO4_OK) {
        pthread_mutex_lock(&kv_lock);
        more = store_sweep();
        pthread_mutex_unlock(&kv_lock);
    }
}

static co4_task *sweeper;

static pausable int begin(void)
{
    signal(SIGXFSZ, SIG_IGN); /* a limit on files is a full disk */
    store_begin(log_expires);
    if (options.path && log_begin(options.path, options.sync) != 0)
        return -1;
    sweeper = co4_spawn(sweep());
    return sweeper ? 0 : -1;
}

static pausable int end(void)
{
    co4_task_cancel(sweeper, 0);
    co4_join(sweeper, NULL);
    int status = log_end();
    store_clear();
    return status;
}

static int option(int argc, char **argv)
{
    static const char *const when[] = { "no", "everysec", "always" };
    if (argc < 2)
        return 0;
    if (strcmp(argv[0], "--log") == 0) {
        options.path = argv[1];
        return 2;
    }
    for (int i = 0; strcmp(argv[0], "--sync") == 0 && i < 3; i++)
        if (strcmp(argv[1], when[i]) == 0) {
            options.sync = (enum log_sync)i;
            return 2;
        }
    return 0;
}

int main(int argc, char **argv)
{
    struct server s = { .serve = serve, .begin = begin, .end = end };
    for (int i = 1, words; i < argc; i += words)
        if (!(words = server_option(&s, argc - i, argv + i)) &&
            !(words = option(argc - i, argv + i)))
            return fprintf(stderr, "usage: kv [--port N] [--host A] [--workers N] [--log FILE] "
                                   "[--sync no|everysec|always]\n"),
                   2;
    return server_run(&s);
}
