/* hiredis.c - a thousand clients of a Redis server wait at once, on one thread. */
#include <co4.h>
#include <hiredis.h>
#include <stdio.h>
#include <stdlib.h>

static int replies;

static pausable int client(int port)
{
    redisContext *c = redisConnect("127.0.0.1", port);
    redisReply *reply = redisCommand(c, "BLPOP nothing 1"); /* which takes a second */
    replies += reply != NULL && reply->type == REDIS_REPLY_NIL;
    freeReplyObject(reply);
    redisFree(c);
    return CO4_OK;
}

static pausable int clients(int port)
{
    for (int i = 0; i < 1000; i++)
        co4_scope_spawn(co4_scope_here(), client(port));
    return CO4_OK;
}

static pausable int all(int port)
{
    return co4_scope_run(0, clients(port));
}

int main(int argc, char **argv)
{
    co4_run(all(argc == 2 ? atoi(argv[1]) : 6379));
    printf("%d replies\n", replies);
    return 0;
}
