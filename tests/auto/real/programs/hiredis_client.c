/* hiredis_client.c - one client of hiredis_many.h, with the blocking interface of hiredis. It knows
 * nothing of co4, and is the same for tasks and for threads. */
#include <errno.h>

#include "hiredis_many.h"

/* hiredis connects without a wait, so a server whose queue is full gives EAGAIN. */
static redisContext *connected(const char *path)
{
    for (;;) {
        redisContext *c = redisConnectUnix(path);
        if (c == NULL || c->err != REDIS_ERR_IO || errno != EAGAIN)
            return c;
        redisFree(c);
        usleep(5000);
    }
}

int hiredis_client(const char *path, int i)
{
    char expected[32];
    int good = -1;
    redisContext *c = connected(path);
    redisReply *r = c != NULL && c->err == 0 ? redisCommand(c, "BLPOP list%d 0", i) : NULL;
    snprintf(expected, sizeof expected, "element%d", i);
    if (r != NULL && r->type == REDIS_REPLY_ARRAY && r->elements == 2 &&
        strcmp(r->element[1]->str, expected) == 0)
        good = 0;
    if (r == NULL)
        fprintf(stderr, "client %d: %s\n", i, c != NULL ? c->errstr : "no memory");
    for (int k = 0; good == k && k < ROUNDS; k++) {
        freeReplyObject(r);
        r = redisCommand(c, "INCR count%d", i);
        good += r != NULL && r->type == REDIS_REPLY_INTEGER && r->integer == k + 1;
    }
    if (r != NULL)
        freeReplyObject(r);
    if (c != NULL)
        redisFree(c);
    return good;
}
