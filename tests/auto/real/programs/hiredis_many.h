/* hiredis_many.h - clients of a redis server that all wait at once: what the forms of the program
 * share.
 *
 * Each client connects, is asked to wait for an element of a list of its own (BLPOP), and then
 * makes ROUNDS commands that are answered at once. The main thread has a connection of its own. It
 * waits until all clients wait, takes the memory, and pushes the elements. */
#ifndef HIREDIS_MANY_H
#define HIREDIS_MANY_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hiredis.h"
#include "measure.h"

enum { ROUNDS = 5 };

/* Returns how many clients wait in the server. */
static inline long many_waiting(redisContext *control)
{
    redisReply *r = redisCommand(control, "INFO clients");
    const char *at = r != NULL && r->str != NULL ? strstr(r->str, "blocked_clients:") : NULL;
    long n = at != NULL ? atol(at + strlen("blocked_clients:")) : -1;
    if (r != NULL)
        freeReplyObject(r);
    return n;
}

/* All clients wait: takes the memory, and lets them go on. Returns 0 if they do not within two
 * minutes. `before` are the bytes at the begin of the program. */
static inline int many_release(redisContext *control, int clients, const char *what, long before)
{
    double begin = measure_seconds();
    long waiting;
    while ((waiting = many_waiting(control)) != clients) {
        if (waiting < 0 || measure_seconds() - begin > 120) {
            fprintf(stderr, "%ld clients wait, not %d\n", waiting, clients);
            return 0;
        }
        usleep(20000);
    }
    printf("%s: %d wait, %ld bytes each\n", what, clients, (measure_bytes() - before) / clients);
    for (int i = 0; i < clients; i++)
        redisAppendCommand(control, "RPUSH list%d element%d", i, i);
    for (int i = 0; i < clients; i++) {
        redisReply *r = NULL;
        if (redisGetReply(control, (void **)&r) != REDIS_OK)
            return 0;
        freeReplyObject(r);
    }
    return 1;
}

/* The end of all forms: one line for the results, one for the time. */
static inline int many_end(const char *what, int clients, const int *results, double begin)
{
    int good = 0;
    for (int i = 0; i < clients; i++)
        good += results[i] == ROUNDS;
    printf("%s: %d of %d have their element and %d replies; %.2f s\n", what, good, clients, ROUNDS,
           measure_seconds() - begin);
    return good == clients ? 0 : 1;
}

#endif
