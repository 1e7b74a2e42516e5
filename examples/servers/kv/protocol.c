/* protocol.c - RESP 2: commands as arrays of strings or as lines, and replies.
 *
 * A command is parsed where it lies in the input, a piece at a time: a slow client costs no more
 * than a fast one. */
#define _GNU_SOURCE
#include "kv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { RELIEVED = 32 << 10 }; /* bytes of replies, from which on they are sent */

bool number_of(struct bytes b, int64_t *n)
{
    char text[24];
    size_t minus = b.size > 0 && b.at[0] == '-';
    if (b.size == minus || b.size >= sizeof text)
        return false;
    for (size_t i = minus; i < b.size; i++)
        if (b.at[i] < '0' || b.at[i] > '9')
            return false;
    if (b.at[minus] == '0' && b.size > 1)
        return false;
    memcpy(text, b.at, b.size);
    text[b.size] = '\0';
    errno = 0;
    *n = strtoll(text, NULL, 10);
    return errno == 0;
}

bool is_word(struct bytes b, const char *word)
{
    return b.size == strlen(word) && strncasecmp(b.at, word, b.size) == 0;
}

/* ---- replies ---- */

void reply_raw(struct client *k, const char *bytes, size_t size)
{
    if (!k->replays && !k->broken && co4_conn_put(k->c, bytes, size) < 0)
        k->broken = k->ends = true;
}

void reply(struct client *k, const char *text)
{
    reply_raw(k, text, strlen(text));
}

void reply_error(struct client *k, const char *text)
{
    if (k->replays && k->why[0] == '\0')
        snprintf(k->why, sizeof k->why, "%s", text);
    reply(k, "-");
    reply(k, text);
    reply(k, "\r\n");
}

/* Writes the type, the number and the end of the line; printf() would take longer than the rest. */
static void reply_head(struct client *k, char type, int64_t n)
{
    char text[32], *p = text + sizeof text;
    uint64_t rest = n < 0 ? -(uint64_t)n : (uint64_t)n;
    *--p = '\n';
    *--p = '\r';
    do
        *--p = (char)('0' + rest % 10);
    while (rest /= 10);
    if (n < 0)
        *--p = '-';
    *--p = type;
    reply_raw(k, p, (size_t)(text + sizeof text - p));
}

void reply_number(struct client *k, int64_t n)
{
    reply_head(k, ':', n);
}

void reply_bytes(struct client *k, struct bytes b)
{
    reply_head(k, '$', (int64_t)b.size);
    reply_raw(k, b.at, b.size);
    reply(k, "\r\n");
}

void reply_nothing(struct client *k)
{
    reply(k, "$-1\r\n");
}

void reply_array(struct client *k, size_t n)
{
    reply_head(k, '*', (int64_t)n);
}

pausable void client_relieve(struct client *k)
{
    if (co4_conn_unsent(k->c) < RELIEVED)
        return;
    log_wait(k);
    if (co4_conn_flush(k->c) != 0)
        k->ends = true;
}

/* ---- commands ---- */

enum { INCOMPLETE = 0, WRONG = -1, COMPLETE = 1 };

static bool add_argument(struct client *k, size_t at, size_t size)
{
    if ((size_t)k->argc == k->room) {
        size_t room = k->room ? 2 * k->room : 8;
        struct bytes *argv = realloc(k->argv, room * sizeof *argv);
        if (!argv)
            return false;
        k->argv = argv;
        k->room = room;
    }
    k->argv[k->argc++] = (struct bytes){ (const char *)at, size };
    return true;
}

/* Parses "*3\r\n" or "$5\r\n". *need is the number of bytes without which it is incomplete. */
static int parse_head(struct client *k, const char *in, size_t held, char type, long max, long *n,
                      size_t *need)
{
    const char *line = in + k->at;
    const char *end = held > k->at ? memchr(line, '\n', held - k->at) : NULL;
    int64_t value;
    *need = held + 1;
    if (!end)
        return held - k->at > 32 ? WRONG : INCOMPLETE;
    if (*line != type || end - line < 2 || end[-1] != '\r' ||
        !number_of((struct bytes){ line + 1, (size_t)(end - line) - 2 }, &value) || value > max ||
        value < 0)
        return WRONG;
    *n = (long)value;
    k->at += (size_t)(end - line) + 1;
    return COMPLETE;
}

static int parse_line(struct client *k, const char *in, size_t held, size_t *need)
{
    const char *end = memchr(in + k->at, '\n', held - k->at);
    if (!end) {
        k->at = held; /* searched */
        *need = held + 1;
        return held > MAX_INLINE ? WRONG : INCOMPLETE;
    }
    for (const char *p = in, *word = in; p <= end; p++)
        if (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n') {
            if (p > word && !add_argument(k, (size_t)(word - in), (size_t)(p - word)))
                return WRONG;
            word = p + 1;
        }
    k->at = (size_t)(end - in) + 1;
    return COMPLETE;
}

static int parse(struct client *k, const char *in, size_t held, size_t *need)
{
    if (in[0] != '*')
        return parse_line(k, in, held, need);
    if (k->wanted < 0) {
        int found = parse_head(k, in, held, '*', MAX_ARGUMENTS, &k->wanted, need);
        if (found != COMPLETE)
            return found;
    }
    while (k->argc < k->wanted) {
        size_t before = k->at;
        long size;
        int found = parse_head(k, in, held, '$', MAX_BULK, &size, need);
        if (found != COMPLETE)
            return found;
        if (held - k->at < (size_t)size + 2) {
            *need = k->at + (size_t)size + 2;
            k->at = before;
            return INCOMPLETE;
        }
        if (memcmp(in + k->at + size, "\r\n", 2) != 0 || !add_argument(k, k->at, (size_t)size))
            return WRONG;
        k->at += (size_t)size + 2;
    }
    return COMPLETE;
}

pausable ssize_t client_read(struct client *k)
{
    const char *in;
    size_t need = 1;
    k->at = 0;
    k->wanted = -1;
    k->argc = 0;
    for (;;) {
        /* To a subscriber another task writes. */
        if (!k->subscriber && co4_conn_buffered(k->c) < need && log_confirms()) {
            log_wait(k);
            co4_conn_flush(k->c); /* without such a log replies leave when it waits for input */
        }
        ssize_t held = co4_conn_peek(k->c, &in, need);
        if (held < 0 && !k->subscriber)
            reply_error(k, co4_strerror((int)held));
        if (held < (ssize_t)need)
            return held < 0 ? -1 : 0;
        int found = parse(k, in, (size_t)held, &need);
        if (found == WRONG) {
            if (k->subscriber)
                topics_reply(k, "-ERR Protocol error\r\n");
            else
                reply_error(k, "ERR Protocol error");
            return -1;
        }
        if (found == INCOMPLETE)
            continue;
        for (int i = 0; i < k->argc; i++)
            k->argv[i].at = in + (size_t)k->argv[i].at;
        return (ssize_t)k->at;
    }
}
