/* hiredis_bench.c - commands one after the other, or replies that are there already.
 *
 *     hiredis_bench SOCKET COMMANDS
 *     hiredis_bench - REPLIES */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hiredis.h"

static long commands(const char *path, long count)
{
    long good = 0;
    redisContext *c = redisConnectUnix(path);
    for (long i = 0; c != NULL && c->err == 0 && i < count; i++) {
        redisReply *r = redisCommand(c, "PING %ld", i);
        good += r != NULL && r->type == REDIS_REPLY_STRING && atol(r->str) == i;
        freeReplyObject(r);
    }
    if (c != NULL)
        redisFree(c);
    return good;
}

static long replies(long count)
{
    static const char reply[] = "*4\r\n$5\r\nhello\r\n:12345\r\n*2\r\n+OK\r\n$-1\r\n$3\r\nend\r\n";
    long good = 0;
    redisReader *reader = redisReaderCreate();
    for (long i = 0; reader != NULL && i < count; i++) {
        void *r = NULL;
        redisReaderFeed(reader, reply, strlen(reply));
        good += redisReaderGetReply(reader, &r) == REDIS_OK && r != NULL &&
                ((redisReply *)r)->elements == 4;
        freeReplyObject(r);
    }
    redisReaderFree(reader);
    return good;
}

int main(int argc, char **argv)
{
    long count = argc > 2 ? atol(argv[2]) : 0;
    long good = argc > 2 && strcmp(argv[1], "-") != 0 ? commands(argv[1], count) : replies(count);
    printf("%ld of %ld\n", good, count);
    return good == count ? 0 : 1;
}
