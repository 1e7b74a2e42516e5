/* redis.c - redis-server with an append-only file on a disk that crashes, and two clients, which
 * are threads of its process: what it has acknowledged is there in the next life.
 *
 *   redis [unsynced | unmended] OPTION...     of redis-server
 *
 * redis' own main() is redis_main(), by -Dmain=redis_main. A client counts a key of its own up,
 * with MULTI a second key by as much, and appends to a list. It looks at all of them in the next
 * life.
 *
 * redis does not sync the folder in which it makes that of its file; so the program does, unless
 * `unsynced`. A crash may leave sectors of the last append that were never written; redis then
 * asks for redis-check-aof --fix, which cuts the file behind the last whole command. So does the
 * program before it starts the server, unless `unmended`. It also begins anew until a server has
 * answered: a crash may keep the new manifest, and not the name of a file in it. */
#include <dirent.h>
#include <pthread.h>
#include <string.h>
#include <strings.h>

#include "hiredis.h"
#include "proof.h"

#define CLIENTS 2
#define ROUNDS  6

int redis_main(int count, char **arguments);
static struct {
    int count;
    char **arguments;
} command; /* redis writes over them: its title */
static int unsynced, unmended;

static redisReply *ask(redisContext *c, int type, const char *text)
{
    redisReply *reply = redisCommand(c, text);
    must(reply != NULL, text, c->errstr);
    must(reply->type == type, text, reply->type == REDIS_REPLY_ERROR ? reply->str : "another type");
    return reply;
}

static long long number(redisContext *c, int type, const char *text, int client)
{
    char command[100];
    snprintf(command, sizeof command, text, client, client);
    redisReply *reply = ask(c, type, command);
    long long n = type == REDIS_REPLY_INTEGER ? reply->integer : 0;
    freeReplyObject(reply);
    return n;
}

static long long value(redisContext *c, int client, char which)
{
    char text[20];
    snprintf(text, sizeof text, "GET %c%d", which, client);
    redisReply *reply = redisCommand(c, text);
    must(reply != NULL, "GET", c->errstr);
    long long n = reply->type == REDIS_REPLY_STRING ? atoll(reply->str) : 0;
    freeReplyObject(reply);
    return n;
}

static redisContext *connect_to_server(void)
{
    for (int i = 0; i < 1000; i++) {
        redisContext *c = redisConnect("127.0.0.1", 6379);
        redisReply *reply = c && !c->err ? redisCommand(c, "PING") : NULL;
        int is_ready = reply && reply->type == REDIS_REPLY_STATUS; /* not an error: it loads */
        if (reply)
            freeReplyObject(reply);
        if (is_ready)
            return c;
        if (c)
            redisFree(c);
        usleep(10000);
    }
    must(0, "the server does not answer", NULL);
    return NULL;
}

static void *be_client(void *data)
{
    int client = *(int *)data;
    char name[20];
    redisContext *c = connect_to_server();
    snprintf(name, sizeof name, "%d", client);
    if (!unsynced) {
        sync_folder(".");
        acknowledge("made", 1);
    }
    long long n = value(c, client, 'a'), m = value(c, client, 'b');
    must(n >= acknowledged(name), "an acknowledged write is lost", name);
    must(n == m && n == number(c, REDIS_REPLY_INTEGER, "LLEN l%d", client), "a transaction is torn",
         name);
    for (int round = 0; round < ROUNDS; round++) {
        number(c, REDIS_REPLY_STATUS, "MULTI", client);
        number(c, REDIS_REPLY_STATUS, "INCR a%d", client);
        number(c, REDIS_REPLY_STATUS, "INCR b%d", client);
        number(c, REDIS_REPLY_STATUS, "RPUSH l%d element-of-client-%d", client);
        number(c, REDIS_REPLY_ARRAY, "EXEC", client);
        acknowledge(name, (int)++n);
    }
    redisFree(c);
    return NULL;
}

/* ---- redis-check-aof --fix ---- */

/* "*3\r\n" or "$5\r\n". Returns -1: it is none. */
static long take_number(const char **at, char kind)
{
    char *end;
    if (**at != kind)
        return -1;
    long n = strtol(*at + 1, &end, 10);
    if (strncmp(end, "\r\n", 2) != 0)
        return -1;
    *at = end + 2;
    return n;
}

/* Returns whether it is whole; word: the first of the command. */
static int take_command(const char **at, const char *end, char word[16])
{
    long count = take_number(at, '*');
    for (long i = 0; i < count; i++) {
        long bytes = take_number(at, '$');
        if (bytes < 0 || bytes + 2 > end - *at || memcmp(*at + bytes, "\r\n", 2) != 0)
            return 0;
        if (i == 0)
            snprintf(word, 16, "%.*s", (int)bytes, *at);
        *at += bytes + 2;
    }
    return count > 0;
}

static void mend(const char *name)
{
    int fd = open(name, O_RDWR), is_multi = 0;
    off_t bytes = fd >= 0 ? lseek(fd, 0, SEEK_END) : 0;
    char *text = calloc(1, (size_t)bytes + 1), word[16] = "";
    const char *at = text, *good = text;
    must(bytes == 0 || pread(fd, text, (size_t)bytes, 0) == bytes, "read of the file", name);
    while (take_command(&at, text + bytes, word)) {
        is_multi = strcasecmp(word, "MULTI") == 0 || (is_multi && strcasecmp(word, "EXEC") != 0);
        good = is_multi ? good : at;
    }
    if (fd >= 0) {
        must(ftruncate(fd, good - text) == 0 && fsync(fd) == 0, "cut of the file", name);
        close(fd);
    }
    free(text);
}

static void begin_anew(void)
{
    DIR *d = opendir("appendonlydir");
    for (struct dirent *e; d && (e = readdir(d)) != NULL;)
        unlinkat(dirfd(d), e->d_name, 0);
    if (d)
        closedir(d);
}

/* ---- the process ---- */

static void *be_server(void *data)
{
    redis_main(command.count, command.arguments);
    return data;
}

int main(int count, char **argument)
{
    pthread_t server, clients[CLIENTS];
    int numbers[CLIENTS];
    unsynced = count > 1 && strcmp(argument[1], "unsynced") == 0;
    unmended = count > 1 && strcmp(argument[1], "unmended") == 0;
    command.count = count - (unsynced || unmended);
    command.arguments = argument + (unsynced || unmended);
    if (!unmended && !acknowledged("made"))
        begin_anew();
    if (!unmended)
        mend("appendonlydir/appendonly.aof.1.incr.aof");
    must(pthread_create(&server, NULL, be_server, NULL) == 0, "pthread_create", NULL);
    for (int i = 0; i < CLIENTS; i++) {
        numbers[i] = i;
        must(pthread_create(&clients[i], NULL, be_client, &numbers[i]) == 0, "pthread_create",
             NULL);
    }
    for (int i = 0; i < CLIENTS; i++)
        pthread_join(clients[i], NULL);
    exit(0);
}
