/* store.h - a server of the test's own that has a stream with one consumer, as it says. */
#ifndef STORE_H
#define STORE_H

#include "liar.h"

/* A server with one consumer at a time. */
struct store {
    struct liar l;
    char subject[200], reply[128]; /* of the last message: where the answer goes */
    long long sid, last, ended;    /* of the inbox; of that of the last consumer; the last UNSUB */
};

/* Waits for a message to a subject that begins so. Returns its bytes, for a moment. */
static inline pausable const char *hear(struct store *s, const char *begin)
{
    static char data[1000];
    char *line, subject[200];
    long long sid;
    int size;
    while (co4_conn_read_line_until(s->l.conn, &line, 10000, SOON) > 0) {
        if (sscanf(line, "SUB %199s %lld", subject, &sid) == 2 && sid != 0)
            s->sid = sid;
        if (strncmp(line, "PING", 4) == 0)
            say(&s->l, "PONG\r\n");
        sscanf(line, "UNSUB %lld", &s->ended);
        int words = sscanf(line, "PUB %199s %127s %d", subject, s->reply, &size);
        if (sscanf(line, "HPUB %199s %127s %*d %d", subject, s->reply, &size) == 3)
            words = 3;
        if (words < 2 || strncmp(subject, begin, strlen(begin)) != 0)
            continue;
        snprintf(s->subject, sizeof s->subject, "%s", subject);
        size = words == 2 ? atoi(s->reply) : size; /* without a reply subject */
        if (size < 0 || size >= (int)sizeof data ||
            co4_conn_read_exact_until(s->l.conn, data, (size_t)size, SOON) != size)
            break;
        data[size] = '\0';
        return data;
    }
    printf("no %s\n", begin);
    return "";
}

static inline pausable void answer(struct store *s, const char *data)
{
    char text[500];
    snprintf(text, sizeof text, "MSG %s 0 %zu\r\n%s\r\n", s->reply, strlen(data), data);
    say(&s->l, text);
}

/* Gives a message: the number in the stream, and that of the consumer. */
static inline pausable void give(struct store *s, const char *origin, const char *data)
{
    char text[300];
    snprintf(text, sizeof text, "MSG a %lld $JS.ACK.%s %zu\r\n%s\r\n", s->sid, origin, strlen(data),
             data);
    say(&s->l, text);
}

#endif
