/* commands.c - what kv does for each command. A table says how many arguments it takes, and whether
 * it changes something: then it goes to the log. */
#define _GNU_SOURCE
#include "kv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define WRONG_TYPE "WRONGTYPE Operation against a key holding the wrong kind of value"
#define NO_INTEGER "ERR value is not an integer or out of range"
#define NO_MEMORY  "ERR out of memory"

/* Returns whether it has changed something: then the text of the command goes to the log. */
typedef bool command(struct client *k);

/* The value of a key, if it has this type. *wrong: it has another, which was answered. */
static struct item *typed(struct client *k, struct bytes key, int type, bool *wrong)
{
    struct item *e = store_find(key);
    *wrong = e && (int)e->value.type != type;
    if (*wrong)
        reply_error(k, WRONG_TYPE);
    return *wrong ? NULL : e;
}

static struct bytes string_of(const struct item *e)
{
    return (struct bytes){ e->value.bytes, e->value.size };
}

static bool refuse(struct client *k, const char *why)
{
    reply_error(k, why);
    return false;
}

/* ---- strings ---- */

static bool get(struct client *k)
{
    bool wrong;
    const struct item *e = typed(k, k->argv[1], STRING, &wrong);
    if (e)
        reply_bytes(k, string_of(e));
    else if (!wrong)
        reply_nothing(k);
    return false;
}

/* A key that is named many times makes a reply without bounds: it comes in pieces, between which
 * the client takes them, and others have their turn. */
static bool mget(struct client *k)
{
    int i = k->rest ? k->rest : 1;
    if (!k->rest)
        reply_array(k, (size_t)k->argc - 1);
    for (; i < k->argc && co4_conn_unsent(k->c) < PIECE; i++) {
        const struct item *e = store_find(k->argv[i]);
        if (e && e->value.type == STRING)
            reply_bytes(k, string_of(e));
        else
            reply_nothing(k);
    }
    k->rest = i < k->argc ? i : 0;
    return false;
}

static bool mset(struct client *k)
{
    if (k->argc % 2 == 0)
        return refuse(k, "ERR wrong number of arguments for 'mset' command");
    for (int i = 1; i < k->argc; i += 2) {
        struct item *e = store_make(k->argv[i]);
        if (!e || !value_set(&e->value, k->argv[i + 1]))
            return refuse(k, NO_MEMORY);
        e->ends = 0;
    }
    reply(k, "+OK\r\n");
    return true;
}

/* A time of so many units of milliseconds, from another time on. */
static bool end_of(struct bytes b, int64_t unit, int64_t from, int64_t *ends)
{
    int64_t n;
    if (!number_of(b, &n) || n > (INT64_MAX - from) / unit || n < -(INT64_MAX / unit))
        return false;
    *ends = from + n * unit;
    return true;
}

static struct bytes word(const char *text)
{
    return (struct bytes){ text, strlen(text) };
}

/* Logs a command with the time at which that ends, not after how long. It is one command: half of
 * it at the end of the log is no key that stays for ever. */
static void log_until(struct client *k, const char *name, const char *option, int64_t ends)
{
    char number[24];
    struct bytes words[5] = { word(name), k->argv[1] };
    int n = 2;
    snprintf(number, sizeof number, "%lld", (long long)ends);
    if (option) {
        words[n++] = k->argv[2];
        words[n++] = word(option);
    }
    words[n++] = word(number);
    log_append_words(k, words, n);
}

/* The options of SET with a time. */
static const struct {
    const char *name;
    int unit;
    bool absolute;
} times[] = {
    { "EX", 1000, false }, { "PX", 1, false }, { "EXAT", 1000, true }, { "PXAT", 1, true }
};

/* Returns an index of the table, or -1. */
static int find_time(struct bytes option)
{
    int i = (int)(sizeof times / sizeof *times) - 1;
    while (i >= 0 && !is_word(option, times[i].name))
        i--;
    return i;
}

static bool set(struct client *k)
{
    int64_t ends = 0;
    bool if_new = false, if_old = false, keeps = false;
    for (int i = 3; i < k->argc; i++) {
        int t = find_time(k->argv[i]);
        int64_t from = t >= 0 && !times[t].absolute ? store_now() : 0;
        if (is_word(k->argv[i], "NX"))
            if_new = true;
        else if (is_word(k->argv[i], "XX"))
            if_old = true;
        else if (is_word(k->argv[i], "KEEPTTL"))
            keeps = true;
        else if (t < 0 || ends || i + 1 == k->argc)
            return refuse(k, "ERR syntax error");
        else if (!end_of(k->argv[++i], times[t].unit, from, &ends))
            return refuse(k, NO_INTEGER);
        else if (ends <= from)
            return refuse(k, "ERR invalid expire time in 'set' command");
    }
    if ((if_new && if_old) || (keeps && ends))
        return refuse(k, "ERR syntax error");
    struct item *e = if_new || if_old ? store_find(k->argv[1]) : NULL;
    if ((if_new && e) || (if_old && !e)) {
        reply_nothing(k);
        return false;
    }
    e = store_make(k->argv[1]);
    if (!e || !value_set(&e->value, k->argv[2]))
        return refuse(k, NO_MEMORY);
    e->ends = ends ? ends : keeps ? e->ends : 0;
    reply(k, "+OK\r\n");
    if (e->ends)
        log_until(k, "SET", "PXAT", e->ends);
    return !e->ends;
}

static bool add(struct client *k, int64_t by)
{
    bool wrong;
    int64_t n = 0;
    struct item *e = typed(k, k->argv[1], STRING, &wrong);
    if (wrong)
        return false;
    if (e && !number_of(string_of(e), &n))
        return refuse(k, NO_INTEGER);
    if (__builtin_add_overflow(n, by, &n))
        return refuse(k, "ERR increment or decrement would overflow");
    char text[24];
    int size = snprintf(text, sizeof text, "%lld", (long long)n);
    if (!(e = store_make(k->argv[1])) ||
        !value_set(&e->value, (struct bytes){ text, (size_t)size }))
        return refuse(k, NO_MEMORY);
    reply_number(k, n);
    return true;
}

static bool incr(struct client *k)
{
    return add(k, 1);
}

static bool decr(struct client *k)
{
    return add(k, -1);
}

static bool incrby(struct client *k)
{
    int64_t by;
    return number_of(k->argv[2], &by) ? add(k, by) : refuse(k, NO_INTEGER);
}

/* ---- keys ---- */

static bool del(struct client *k)
{
    int64_t n = 0;
    for (int i = 1; i < k->argc; i++)
        n += store_remove(k->argv[i]);
    reply_number(k, n);
    return n > 0;
}

static bool exists(struct client *k)
{
    int64_t n = 0;
    for (int i = 1; i < k->argc; i++)
        n += store_find(k->argv[i]) != NULL;
    reply_number(k, n);
    return false;
}

static bool end_at(struct client *k, int64_t ends)
{
    struct item *e = store_find(k->argv[1]);
    if (e)
        log_until(k, "PEXPIREAT", NULL, ends);
    if (e && ends <= store_now())
        store_remove(k->argv[1]);
    else if (e)
        e->ends = ends;
    reply_number(k, e != NULL);
    return false;
}

static bool expire(struct client *k)
{
    int64_t ends;
    return end_of(k->argv[2], 1000, store_now(), &ends) ? end_at(k, ends) : refuse(k, NO_INTEGER);
}

static bool pexpire(struct client *k)
{
    int64_t ends;
    return end_of(k->argv[2], 1, store_now(), &ends) ? end_at(k, ends) : refuse(k, NO_INTEGER);
}

static bool pexpireat(struct client *k)
{
    int64_t ends;
    return number_of(k->argv[2], &ends) ? end_at(k, ends) : refuse(k, NO_INTEGER);
}

static bool persist(struct client *k)
{
    struct item *e = store_find(k->argv[1]);
    bool had = e && e->ends;
    if (had)
        e->ends = 0;
    reply_number(k, had);
    return had;
}

static void left(struct client *k, int64_t unit)
{
    const struct item *e = store_find(k->argv[1]);
    reply_number(k, !e ? -2 : !e->ends ? -1 : (e->ends - store_now() + unit - 1) / unit);
}

static bool ttl(struct client *k)
{
    left(k, 1000);
    return false;
}

static bool pttl(struct client *k)
{
    left(k, 1);
    return false;
}

static bool type(struct client *k)
{
    const struct item *e = store_find(k->argv[1]);
    reply(k, !e ? "+none\r\n" : e->value.type == LIST ? "+list\r\n" : "+string\r\n");
    return false;
}

static bool dbsize(struct client *k)
{
    reply_number(k, (int64_t)store_count());
    return false;
}

static bool flushall(struct client *k)
{
    store_clear();
    reply(k, "+OK\r\n");
    return true;
}

/* ---- lists ---- */

static bool push(struct client *k, bool in_front)
{
    bool wrong;
    struct item *e = typed(k, k->argv[1], LIST, &wrong);
    if (wrong)
        return false;
    if (!e && (e = store_make(k->argv[1])))
        e->value.type = LIST;
    for (int i = 2; e && i < k->argc; i++)
        if (!list_push(&e->value, k->argv[i], in_front))
            return refuse(k, NO_MEMORY);
    if (!e)
        return refuse(k, NO_MEMORY);
    reply_number(k, (int64_t)e->value.size);
    return true;
}

static bool lpush(struct client *k)
{
    return push(k, true);
}

static bool rpush(struct client *k)
{
    return push(k, false);
}

static bool pop(struct client *k, bool in_front)
{
    bool wrong;
    struct item *e = typed(k, k->argv[1], LIST, &wrong);
    if (!e && !wrong)
        reply_nothing(k);
    if (!e)
        return false;
    reply_bytes(k, list_at(&e->value, in_front ? 0 : e->value.size - 1));
    list_pop(&e->value, in_front);
    if (e->value.size == 0)
        store_remove(k->argv[1]);
    return true;
}

static bool lpop(struct client *k)
{
    return pop(k, true);
}

static bool rpop(struct client *k)
{
    return pop(k, false);
}

static bool llen(struct client *k)
{
    bool wrong;
    const struct item *e = typed(k, k->argv[1], LIST, &wrong);
    if (!wrong)
        reply_number(k, e ? (int64_t)e->value.size : 0);
    return false;
}

static bool lrange(struct client *k)
{
    bool wrong;
    int64_t from, to;
    if (!number_of(k->argv[2], &from) || !number_of(k->argv[3], &to))
        return refuse(k, NO_INTEGER);
    const struct item *e = typed(k, k->argv[1], LIST, &wrong);
    int64_t size = e ? (int64_t)e->value.size : 0;
    if (wrong)
        return false;
    from = from < 0 ? from + size : from;
    to = to < 0 ? to + size : to;
    from = from < 0 ? 0 : from;
    to = to >= size ? size - 1 : to;
    reply_array(k, from <= to ? (size_t)(to - from + 1) : 0);
    for (; from <= to; from++)
        reply_bytes(k, list_at(&e->value, (size_t)from));
    return false;
}

/* ---- the connection ---- */

static bool ping(struct client *k)
{
    if (k->argc > 1)
        reply_bytes(k, k->argv[1]);
    else
        reply(k, "+PONG\r\n");
    return false;
}

static bool echo(struct client *k)
{
    reply_bytes(k, k->argv[1]);
    return false;
}

static bool quit(struct client *k)
{
    reply(k, "+OK\r\n");
    k->ends = true;
    return false;
}

static bool ok(struct client *k)
{
    reply(k, "+OK\r\n");
    return false;
}

/* What redis-cli and redis-benchmark ask for at their start. */
static bool none(struct client *k)
{
    reply_array(k, 0);
    return false;
}

static bool info(struct client *k)
{
    char text[96];
    int n = snprintf(text, sizeof text, "# Server\r\nredis_version:7.0.0\r\nkeys:%zu\r\n",
                     store_count());
    reply_bytes(k, (struct bytes){ text, (size_t)n });
    return false;
}

static bool publish(struct client *k)
{
    reply_number(k, topics_publish(k->argv[1], k->argv[2]));
    return false;
}

/* ---- the table ---- */

/* Sorted. `arguments` counts the command; a negative number is a minimum. */
static const struct {
    const char *name;
    command *run;
    int arguments;
    bool changes;
} table[] = {
    { "COMMAND", none, -1, false },    { "CONFIG", none, -2, false },
    { "DBSIZE", dbsize, 1, false },    { "DECR", decr, 2, true },
    { "DEL", del, -2, true },          { "ECHO", echo, 2, false },
    { "EXISTS", exists, -2, false },   { "EXPIRE", expire, 3, true },
    { "FLUSHALL", flushall, 1, true }, { "GET", get, 2, false },
    { "INCR", incr, 2, true },         { "INCRBY", incrby, 3, true },
    { "INFO", info, -1, false },       { "LLEN", llen, 2, false },
    { "LPOP", lpop, 2, true },         { "LPUSH", lpush, -3, true },
    { "LRANGE", lrange, 4, false },    { "MGET", mget, -2, false },
    { "MSET", mset, -3, true },        { "PERSIST", persist, 2, true },
    { "PEXPIRE", pexpire, 3, true },   { "PEXPIREAT", pexpireat, 3, true },
    { "PING", ping, -1, false },       { "PTTL", pttl, 2, false },
    { "PUBLISH", publish, 3, false },  { "QUIT", quit, -1, false },
    { "RPOP", rpop, 2, true },         { "RPUSH", rpush, -3, true },
    { "SELECT", ok, 2, false },        { "SET", set, -3, true },
    { "SUBSCRIBE", none, -2, false },  { "TTL", ttl, 2, false },
    { "TYPE", type, 2, false },
};

static int compare(struct bytes name, const char *other)
{
    size_t size = strlen(other);
    int order = strncasecmp(name.at, other, name.size < size ? name.size : size);
    return order ? order : (name.size > size) - (name.size < size);
}

static int find(struct bytes name)
{
    int low = 0, high = (int)(sizeof table / sizeof *table) - 1;
    while (low <= high) {
        int middle = (low + high) / 2, order = compare(name, table[middle].name);
        if (order == 0)
            return middle;
        if (order < 0)
            high = middle - 1;
        else
            low = middle + 1;
    }
    return -1;
}

/* Whether it may be a line of HTTP. A page in a browser can send any server a POST, and its body
 * would be commands. */
static bool is_http(const struct client *k)
{
    struct bytes last = k->argv[k->argc - 1];
    return is_word(k->argv[0], "POST") || is_word(k->argv[0], "Host:") ||
           (last.size > 5 && memcmp(last.at, "HTTP/", 5) == 0);
}

static void run_locked(struct client *k, int i, const char *from, size_t size)
{
    pthread_mutex_lock(&kv_lock);
    if (table[i].changes && !k->replays && !log_can())
        reply_error(k, "MISCONF the log cannot be written");
    else if (k->replays && !table[i].changes)
        reply_error(k, "ERR a command that changes nothing");
    else if (table[i].run(k))
        log_append(k, from, size);
    pthread_mutex_unlock(&kv_lock);
}

pausable void command_run(struct client *k, const char *from, size_t size)
{
    int i = k->argc > 0 ? find(k->argv[0]) : -1;
    if (k->argc == 0)
        return;
    bool wrong = i < 0 || (table[i].arguments > 0 ? k->argc != table[i].arguments
                                                  : k->argc < -table[i].arguments);
    if (wrong && is_http(k)) {
        reply_error(k, "ERR this is no server for HTTP");
        k->ends = true;
        return;
    }
    if (i < 0) {
        char text[128];
        int n = k->argv[0].size < 64 ? (int)k->argv[0].size : 64;
        snprintf(text, sizeof text, "ERR unknown command '%.*s'", n, k->argv[0].at);
        for (char *c = text; *c; c++)
            *c = *c == '\r' || *c == '\n' ? ' ' : *c;
        reply_error(k, text);
        return;
    }
    if (wrong) {
        reply_error(k, "ERR wrong number of arguments");
        return;
    }
    k->rest = 0;
    do {
        run_locked(k, i, from, size);
        if (k->rest && !k->ends) {
            client_relieve(k);
            co4_yield();
        }
    } while (k->rest && !k->ends);
}
