/* broker.c - a server of NATS for nats.nodes: subjects with wildcards, queue groups, headers, and
 * 503 for a request without a subscriber. It keeps nothing.
 *
 * A thread reads a connection, and delivers what it publishes. One lock is held for all of that, so
 * the messages of a connection come in their order. A connection that says nothing is asked, and
 * closed. */
#include <signal.h>

#include "proof.h"

#define PORT          4222
#define CONNECTIONS   64
#define SUBSCRIPTIONS 64
#define QUIET         2 /* seconds until a connection is asked */

struct subscription {
    char subject[100], queue[40], number[20];
    int most; /* of messages, from now on; 0: any number */
};

struct connection {
    int fd; /* -1: free */
    FILE *in;
    int nsubscriptions;
    struct subscription subscriptions[SUBSCRIPTIONS];
};

static struct connection connections[CONNECTIONS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- under the lock ---- */

/* Does a subject fit a pattern with * and > ? */
static int fits(const char *pattern, const char *subject)
{
    for (;;) {
        size_t wanted = strcspn(pattern, "."), got = strcspn(subject, ".");
        if (pattern[0] == '>' && got > 0)
            return 1;
        if (!(pattern[0] == '*' && wanted == 1) &&
            (wanted != got || memcmp(pattern, subject, wanted) != 0))
            return 0;
        if (pattern[wanted] == '\0' || subject[got] == '\0')
            return pattern[wanted] == subject[got];
        pattern += wanted + 1;
        subject += got + 1;
    }
}

static void write_all(struct connection *c, const char *bytes, size_t count)
{
    while (count > 0 && c->fd >= 0) {
        ssize_t n = send(c->fd, bytes, count, MSG_NOSIGNAL);
        if (n < 0) { /* the thread that reads sees the end */
            shutdown(c->fd, SHUT_RDWR);
            return;
        }
        bytes += n;
        count -= (size_t)n;
    }
}

struct message {
    char subject[100], reply[100];
    int head, size; /* head: of it are headers */
    char *bytes;
};

static void remove_subscription(struct connection *c, struct subscription *s)
{
    *s = c->subscriptions[--c->nsubscriptions];
}

static void deliver(struct connection *c, struct subscription *s, const struct message *m)
{
    char line[300], numbers[60];
    if (m->head > 0)
        snprintf(numbers, sizeof numbers, "%d %d", m->head, m->size);
    else
        snprintf(numbers, sizeof numbers, "%d", m->size);
    snprintf(line, sizeof line, "%s %s %s %s%s%s\r\n", m->head > 0 ? "HMSG" : "MSG", m->subject,
             s->number, m->reply, m->reply[0] ? " " : "", numbers);
    write_all(c, line, strlen(line));
    write_all(c, m->bytes, (size_t)m->size + 2);
    if (s->most > 0 && --s->most == 0)
        remove_subscription(c, s);
}

/* One member of the queue, by chance. */
static void deliver_to_one(const char *queue, const struct message *m)
{
    struct connection *to = NULL;
    struct subscription *chosen = NULL;
    unsigned count = 0;
    for (int i = 0; i < CONNECTIONS; i++) {
        struct connection *c = &connections[i];
        for (int k = 0; c->in && k < c->nsubscriptions; k++) {
            struct subscription *s = &c->subscriptions[k];
            if (strcmp(s->queue, queue) == 0 && fits(s->subject, m->subject) &&
                chance(++count) == 0) {
                to = c;
                chosen = s;
            }
        }
    }
    deliver(to, chosen, m);
}

/* Is the queue one of those before? */
static int is_known(const char *queue, const char *const *queues, int nqueues)
{
    for (int i = 0; i < nqueues; i++)
        if (strcmp(queues[i], queue) == 0)
            return 1;
    return 0;
}

/* Returns whether anybody gets it. */
static int route(const struct message *m)
{
    const char *queues[SUBSCRIPTIONS];
    char texts[SUBSCRIPTIONS][40];
    int nqueues = 0, found = 0;
    for (int i = 0; i < CONNECTIONS; i++) {
        struct connection *c = &connections[i];
        for (int k = 0; c->in && k < c->nsubscriptions; k++) {
            struct subscription *s = &c->subscriptions[k];
            int before = c->nsubscriptions;
            if (!fits(s->subject, m->subject))
                continue;
            found = 1;
            if (!s->queue[0]) {
                deliver(c, s, m);
                k -= c->nsubscriptions < before;
            } else if (!is_known(s->queue, queues, nqueues)) {
                snprintf(texts[nqueues], sizeof *texts, "%s", s->queue);
                queues[nqueues] = texts[nqueues];
                nqueues++;
            }
        }
    }
    for (int i = 0; i < nqueues; i++)
        deliver_to_one(queues[i], m);
    return found;
}

static void subscribe(struct connection *c, const char *subject, const char *queue,
                      const char *number)
{
    must(c->nsubscriptions < SUBSCRIPTIONS, "too many subscriptions", NULL);
    struct subscription *s = &c->subscriptions[c->nsubscriptions++];
    snprintf(s->subject, sizeof s->subject, "%s", subject);
    snprintf(s->queue, sizeof s->queue, "%s", queue);
    snprintf(s->number, sizeof s->number, "%s", number);
    s->most = 0;
}

static void unsubscribe(struct connection *c, const char *number, int most)
{
    for (int i = 0; i < c->nsubscriptions; i++) {
        struct subscription *s = &c->subscriptions[i];
        if (strcmp(s->number, number) != 0)
            continue;
        s->most = most;
        if (most == 0)
            remove_subscription(c, s);
        return;
    }
}

/* There is no subscriber: so a request need not wait. */
static void refuse(const struct message *m)
{
    struct message none = { .head = 16, .size = 16, .bytes = "NATS/1.0 503\r\n\r\n\r\n" };
    if (m->reply[0]) {
        snprintf(none.subject, sizeof none.subject, "%s", m->reply);
        route(&none);
    }
}

/* ---- a connection ---- */

/* PUB or HPUB with so many words. Returns 0: the connection ends. */
static int publish(struct connection *c, int has_head, int nwords, char words[6][200])
{
    struct message m = { 0 };
    int wanted = has_head ? 4 : 3;
    must(nwords == wanted || nwords == wanted + 1, "PUB", words[1]);
    snprintf(m.subject, sizeof m.subject, "%s", words[1]);
    if (nwords > wanted)
        snprintf(m.reply, sizeof m.reply, "%s", words[2]);
    m.size = atoi(words[nwords - 1]);
    m.head = has_head ? atoi(words[nwords - 2]) : 0;
    must(m.head <= m.size && m.size < 100000, "the size of a message", words[nwords - 1]);
    m.bytes = malloc((size_t)m.size + 2);
    must(m.bytes != NULL, "malloc", NULL);
    int ok = fread(m.bytes, 1, (size_t)m.size + 2, c->in) == (size_t)m.size + 2;
    must(!ok || memcmp(m.bytes + m.size, "\r\n", 2) == 0, "the end of a message", m.subject);
    if (ok) {
        pthread_mutex_lock(&lock);
        if (!route(&m))
            refuse(&m);
        pthread_mutex_unlock(&lock);
    }
    free(m.bytes);
    return ok;
}

static int obey(struct connection *c, char *line)
{
    char words[6][200];
    int n = sscanf(line, "%199s %199s %199s %199s %199s %199s", words[0], words[1], words[2],
                   words[3], words[4], words[5]),
        ok = 1;
    if (n > 0 && (strcmp(words[0], "PUB") == 0 || strcmp(words[0], "HPUB") == 0))
        return publish(c, words[0][0] == 'H', n, words);
    pthread_mutex_lock(&lock);
    if (n < 1)
        ok = 0;
    else if (strcmp(words[0], "PING") == 0)
        write_all(c, "PONG\r\n", 6);
    else if (strcmp(words[0], "SUB") == 0 && (n == 3 || n == 4))
        subscribe(c, words[1], n == 4 ? words[2] : "", words[n - 1]);
    else if (strcmp(words[0], "UNSUB") == 0 && n >= 2)
        unsubscribe(c, words[1], n > 2 ? atoi(words[2]) : 0);
    else
        must(strcmp(words[0], "PONG") == 0 || strcmp(words[0], "CONNECT") == 0, "another command",
             line);
    pthread_mutex_unlock(&lock);
    return ok;
}

/* Returns 0: the connection has ended, or says nothing although it was asked. */
static int next_line(struct connection *c, char *line, int room)
{
    for (int asked = 0; asked < 3; asked++) {
        errno = 0;
        if (fgets(line, room, c->in))
            return strchr(line, '\n') != NULL; /* a part of a line: it stopped for too long */
        if (errno != EAGAIN)
            return 0;
        clearerr(c->in);
        pthread_mutex_lock(&lock);
        write_all(c, "PING\r\n", 6);
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

static void *serve(void *data)
{
    static const char info[] =
        "INFO {\"server_id\":\"B\",\"version\":\"2.10.0\",\"proto\":1,\"max_payload\":65536,"
        "\"headers\":true}\r\n";
    struct connection *c = data;
    char line[4096];
    pthread_mutex_lock(&lock);
    write_all(c, info, sizeof info - 1);
    pthread_mutex_unlock(&lock);
    while (next_line(c, line, sizeof line) && obey(c, line))
        continue;
    pthread_mutex_lock(&lock);
    fclose(c->in);
    c->in = NULL;
    c->fd = -1;
    c->nsubscriptions = 0;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static struct connection *new_connection(int fd)
{
    struct timeval quiet = { QUIET, 0 }, patience = { 1, 0 };
    struct connection *c = connections;
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &quiet, sizeof quiet);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    pthread_mutex_lock(&lock);
    while (c < connections + CONNECTIONS && c->in)
        c++;
    must(c < connections + CONNECTIONS, "too many connections", NULL);
    c->fd = fd;
    c->in = fdopen(fd, "r");
    must(c->in != NULL, "fdopen", strerror(errno));
    pthread_mutex_unlock(&lock);
    return c;
}

int main(void)
{
    int fd = listen_at(PORT);
    signal(SIGPIPE, SIG_IGN);
    for (;;) {
        int client = accept(fd, NULL, NULL);
        if (client >= 0) /* else it was reset before */
            start(NULL, serve, new_connection(client));
    }
}
