/* hiredis.c - calls of hiredis to a peer that breaks: each ends, with the right answer or an error,
 * in time, though a peer may send slowly; none crashes, or takes what was not sent.
 *
 * The peer is a thread. The seed chooses what it sends, where it stops, and how: it closes, resets
 * the connection, or says nothing more. */
#include "hiredis.h"
#include "proof.h"

#define PORT  7000
#define CALLS 6
#define LIMIT 2 /* seconds of a call */

static const char text[] = "an-answer-of-a-length-that-is-known";

/* What a peer may send; the first one is right. */
static const char *const answers[] = {
    "*3\r\n$35\r\nan-answer-of-a-length-that-is-known\r\n:42\r\n+OK\r\n",
    "$35\r\nan-answer-of-a-length-that-is-known\r\n",
    "$-1\r\n",
    "-ERR no\r\n",
    "*3\r\n$99\r\nshort\r\n:42\r\n+OK\r\n",
    "*3\r\n$2\r\nlonger-than-that\r\n:42\r\n+OK\r\n",
    "$9223372036854775807\r\nx\r\n",
    "$-7\r\nx\r\n",
    "*-5\r\n",
    "*100000\r\n:1\r\n",
    "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n",
    "HTTP/1.1 400 Bad Request\r\n\r\n",
    ":99999999999999999999999\r\n",
    "*3\r\n$35\r\n\r\n",
    "\r\n\r\n\r\n",
};

/* ---- the peer ---- */

static void answer(int fd)
{
    char asked[1000];
    unsigned which = chance(2) ? 0 : chance(sizeof answers / sizeof *answers);
    size_t all = strlen(answers[which]), bytes = chance(2) ? all : chance((unsigned)all + 1);
    if (chance(8) != 0 && recv(fd, asked, sizeof asked, 0) <= 0)
        return;
    if (send_slowly(fd, answers[which], bytes))
        end_badly(fd, 3 * LIMIT);
}

static void *serve(void *data)
{
    int fd = *(int *)data;
    for (;;) {
        int client = accept(fd, NULL, NULL);
        must(client >= 0, "accept", NULL);
        answer(client);
        close(client);
    }
    return NULL;
}

/* ---- the client ---- */

static int is_right(const redisReply *reply)
{
    return reply->type == REDIS_REPLY_ARRAY && reply->elements == 3 &&
           reply->element[0]->type == REDIS_REPLY_STRING &&
           strcmp(reply->element[0]->str, text) == 0 &&
           reply->element[1]->type == REDIS_REPLY_INTEGER && reply->element[1]->integer == 42 &&
           reply->element[2]->type == REDIS_REPLY_STATUS &&
           strcmp(reply->element[2]->str, "OK") == 0;
}

/* Reads all of it: so a sanitizer sees what is not there. */
static size_t sum_of(const redisReply *reply)
{
    size_t sum = 0;
    must(reply->type != REDIS_REPLY_STRING || strlen(reply->str) == (size_t)reply->len,
         "a string that was not sent", NULL);
    for (size_t i = 0; reply->str && i < (size_t)reply->len; i++)
        sum += (unsigned char)reply->str[i];
    for (size_t i = 0; reply->type == REDIS_REPLY_ARRAY && i < reply->elements; i++)
        sum += reply->element[i] ? sum_of(reply->element[i]) : 0;
    return sum;
}

static void call(void)
{
    static volatile size_t sum;
    struct timeval limit = { LIMIT, 0 };
    int64_t begun = milliseconds();
    redisContext *c = redisConnectWithTimeout("127.0.0.1", PORT, limit);
    must(c != NULL, "redisConnectWithTimeout", NULL);
    if (!c->err) {
        must(redisSetTimeout(c, limit) == REDIS_OK, "redisSetTimeout", c->errstr);
        redisReply *reply = redisCommand(c, "LRANGE list 0 %d", -1);
        must(reply || (c->err != 0 && c->errstr[0] != '\0'), "neither an answer nor an error",
             NULL);
        if (reply) {
            sum += sum_of(reply);
            must(reply->type != REDIS_REPLY_ARRAY || reply->elements != 3 || is_right(reply),
                 "an answer that was not sent", NULL);
            freeReplyObject(reply);
        }
    }
    redisFree(c);
    must(milliseconds() - begun < 20000, "a call does not end",
         NULL); /* of each read is the limit */
}

int main(void)
{
    int fd = listen_at(PORT);
    for (int i = 0; i < 3; i++)
        start(NULL, serve, &fd);
    for (int i = 0; i < CALLS; i++)
        call();
    return 0;
}
