/* proxy.c - a network that fails. One thread has all connections. What the test wants is under a
 * lock; a pipe wakes the thread. Nothing is allocated while it runs: tests that fail allocations
 * fail none of these. */
#define _GNU_SOURCE
#include "proxy.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { LINKS = 64, PIECE = 16384 };

/* What comes from one side and goes to the other. */
struct stream {
    char bytes[PIECE];
    size_t from, to;
    long long not_before; /* ms */
    bool ended;
    size_t matched; /* bytes of the text */
    bool passes;    /* what has been read, though nothing else does */
};

struct link {
    int fds[2]; /* that of the client, that of the server */
    struct stream streams[2];
    bool is_open, doomed; /* doomed: it ends when the rest has passed */
};

struct proxy_state {
    pthread_t thread;
    pthread_mutex_t lock; /* guards all below */
    int listening, wake[2], server_port;
    bool end, cut_all, stalled, refuses, resets;
    int delay, cuts, open;
    enum { UNARMED, BYTES, TEXT, STALL } armed;
    enum proxy_way way;
    long left;
    char text[64];
    struct link links[LINKS];
};

static long long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

static struct sockaddr_in address_of(int port)
{
    return (struct sockaddr_in){ .sin_family = AF_INET,
                                 .sin_port = htons((unsigned short)port),
                                 .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
}

static void close_link(struct proxy_state *s, struct link *l)
{
    for (int i = 0; i < 2; i++) {
        if (s->resets)
            setsockopt(l->fds[i], SOL_SOCKET, SO_LINGER, &(struct linger){ 1, 0 },
                       sizeof(struct linger));
        else
            shutdown(l->fds[i], SHUT_RDWR);
        close(l->fds[i]);
    }
    l->is_open = false;
    s->open--;
}

static void accept_one(struct proxy_state *s)
{
    int fd = accept4(s->listening, NULL, NULL, SOCK_CLOEXEC), other;
    struct link *l = NULL;
    struct sockaddr_in at = address_of(s->server_port);
    for (int i = 0; i < LINKS && !l; i++)
        l = s->links[i].is_open ? NULL : &s->links[i];
    if (fd < 0)
        return;
    if (s->refuses || !l || (other = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) < 0) {
        close(fd);
        return;
    }
    if (connect(other, (struct sockaddr *)&at, sizeof at) != 0) {
        close(fd);
        close(other);
        return;
    }
    for (int i = 0; i < 2; i++) {
        int one = i == 0 ? fd : other;
        setsockopt(one, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int));
        fcntl(one, F_SETFL, O_NONBLOCK);
        l->fds[i] = one;
        l->streams[i].from = l->streams[i].to = l->streams[i].matched = 0;
        l->streams[i].not_before = 0;
        l->streams[i].ended = false;
    }
    l->is_open = true;
    l->doomed = false;
    s->open++;
}

/* How many of the new bytes may pass before the cut; all, if there is none yet. */
static size_t before_cut(struct proxy_state *s, struct stream *t, size_t from, bool *cut)
{
    size_t n = t->to - from, bytes = strlen(s->text);
    for (size_t i = 0; s->armed > BYTES && i < n; i++) {
        char b = t->bytes[from + i];
        t->matched = b == s->text[t->matched] ? t->matched + 1 : b == s->text[0];
        if (t->matched < bytes)
            continue;
        t->matched = 0;
        if (s->armed == STALL) {
            s->stalled = t->passes = true;
            s->armed = UNARMED;
            return i + 1;
        }
        s->armed = BYTES;
        s->left += (long)(i + 1) - (long)bytes;
        s->left = s->left > 0 ? s->left : 0;
    }
    if (s->armed != BYTES || (long)n < s->left) {
        s->left -= s->armed == BYTES ? (long)n : 0;
        return n;
    }
    *cut = true;
    s->armed = UNARMED;
    s->cuts++;
    return (size_t)s->left;
}

static void read_some(struct proxy_state *s, struct link *l, int way)
{
    struct stream *t = &l->streams[way];
    ssize_t n = recv(l->fds[way], t->bytes, PIECE, 0);
    if (n <= 0) {
        t->ended = true;
        return;
    }
    t->from = 0;
    t->to = (size_t)n;
    t->not_before = s->delay ? now() + s->delay : 0;
    if (s->armed && s->way == (enum proxy_way)way)
        t->to = before_cut(s, t, 0, &l->doomed);
}

static void write_some(struct link *l, int way)
{
    struct stream *t = &l->streams[way];
    ssize_t n = send(l->fds[!way], t->bytes + t->from, t->to - t->from, MSG_NOSIGNAL);
    if (n > 0)
        t->from += (size_t)n;
    else if (n == 0 || (errno != EAGAIN && errno != EINTR))
        t->ended = true, t->from = t->to = 0;
}

/* Both ways of a connection, by what poll() has said. */
static void serve_link(struct proxy_state *s, struct link *l, const short *events)
{
    for (int way = 0; way < 2; way++) {
        struct stream *t = &l->streams[way];
        if (t->from == t->to && !t->ended && !l->doomed &&
            (events[way] & (POLLIN | POLLHUP | POLLERR)))
            read_some(s, l, way);
        if (t->from < t->to && (!s->stalled || t->passes) && now() >= t->not_before)
            write_some(l, way);
        t->passes = false;
    }
    bool empty = l->streams[0].from == l->streams[0].to && l->streams[1].from == l->streams[1].to;
    bool ended = l->streams[0].ended || l->streams[1].ended;
    if (l->doomed ? l->streams[s->way].from == l->streams[s->way].to : ended && empty)
        close_link(s, l);
}

static int wanted(const struct proxy_state *s, const struct link *l, int side, int *timeout)
{
    const struct stream *in = &l->streams[side], *out = &l->streams[!side];
    if (s->stalled)
        return 0;
    int events = in->from == in->to && !in->ended ? POLLIN : 0;
    if (out->from < out->to) {
        long long wait = out->not_before - now();
        if (wait <= 0)
            events |= POLLOUT;
        else if (wait < *timeout)
            *timeout = (int)wait;
    }
    return events;
}

/* Under the lock, which it releases while it waits. */
static void step(struct proxy_state *s)
{
    struct pollfd fds[2 + 2 * LINKS];
    int of[LINKS], n = 2, timeout = 100;
    fds[0] = (struct pollfd){ s->wake[0], POLLIN, 0 };
    fds[1] = (struct pollfd){ s->listening, POLLIN, 0 };
    for (int i = 0; i < LINKS; i++) {
        of[i] = n;
        for (int side = 0; s->links[i].is_open && side < 2; side++) {
            int events = wanted(s, &s->links[i], side, &timeout);
            fds[n++] = (struct pollfd){ events ? s->links[i].fds[side] : -1, (short)events, 0 };
        }
    }
    pthread_mutex_unlock(&s->lock);
    poll(fds, (nfds_t)n, timeout);
    pthread_mutex_lock(&s->lock);
    char byte[64];
    if (fds[0].revents && read(s->wake[0], byte, sizeof byte) < 0)
        abort();
    for (int i = 0; i < LINKS; i++)
        if (s->links[i].is_open) {
            short events[2] = { fds[of[i]].revents, fds[of[i] + 1].revents };
            if (s->cut_all)
                close_link(s, &s->links[i]);
            else if (!s->stalled)
                serve_link(s, &s->links[i], events);
        }
    s->cut_all = false;
    if (fds[1].revents)
        accept_one(s);
}

static void *run(void *arg)
{
    struct proxy_state *s = arg;
    pthread_mutex_lock(&s->lock);
    while (!s->end)
        step(s);
    for (int i = 0; i < LINKS; i++)
        if (s->links[i].is_open)
            close_link(s, &s->links[i]);
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

void proxy_start(struct proxy *p, int server_port)
{
    struct sockaddr_in at = address_of(0);
    socklen_t length = sizeof at;
    struct proxy_state *s = p->state = calloc(1, sizeof *s);
    if (!s || pipe2(s->wake, O_CLOEXEC) != 0)
        abort();
    pthread_mutex_init(&s->lock, NULL);
    s->server_port = server_port;
    s->listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(s->listening, (struct sockaddr *)&at, sizeof at) != 0 ||
        getsockname(s->listening, (struct sockaddr *)&at, &length) != 0 ||
        listen(s->listening, 64) != 0 || pthread_create(&s->thread, NULL, run, s) != 0)
        abort();
    p->port = ntohs(at.sin_port);
    snprintf(p->url, sizeof p->url, "nats://127.0.0.1:%d", p->port);
}

static struct proxy_state *begin(struct proxy *p)
{
    pthread_mutex_lock(&p->state->lock);
    return p->state;
}

static void done(struct proxy_state *s)
{
    pthread_mutex_unlock(&s->lock);
    if (write(s->wake[1], "x", 1) != 1)
        abort();
}

void proxy_end(struct proxy *p)
{
    struct proxy_state *s = begin(p);
    s->end = true;
    done(s);
    pthread_join(s->thread, NULL);
    close(s->listening);
    close(s->wake[0]);
    close(s->wake[1]);
    pthread_mutex_destroy(&s->lock);
    free(s);
    p->state = NULL;
}

void proxy_cut(struct proxy *p)
{
    struct proxy_state *s = begin(p);
    s->cut_all = true;
    s->cuts++;
    done(s);
}

static void arm(struct proxy *p, int kind, enum proxy_way way, const char *text, long bytes)
{
    struct proxy_state *s = begin(p);
    s->armed = kind;
    s->way = way;
    s->left = bytes;
    snprintf(s->text, sizeof s->text, "%s", text);
    for (int i = 0; i < LINKS; i++)
        s->links[i].streams[way].matched = 0;
    done(s);
}

void proxy_cut_after(struct proxy *p, enum proxy_way way, long bytes)
{
    arm(p, BYTES, way, "", bytes);
}

void proxy_cut_at(struct proxy *p, enum proxy_way way, const char *text, long bytes)
{
    arm(p, TEXT, way, text, bytes);
}

void proxy_stall_at(struct proxy *p, enum proxy_way way, const char *text)
{
    arm(p, STALL, way, text, 0);
}

bool proxy_disarm(struct proxy *p)
{
    struct proxy_state *s = begin(p);
    bool was = s->armed;
    s->armed = UNARMED;
    done(s);
    return !was;
}

int proxy_cuts(struct proxy *p)
{
    struct proxy_state *s = begin(p);
    int cuts = s->cuts;
    done(s);
    return cuts;
}

int proxy_open(struct proxy *p)
{
    struct proxy_state *s = begin(p);
    int open = s->open;
    done(s);
    return open;
}

#define SET(name, type, field)                                                                     \
    void name(struct proxy *p, type value)                                                         \
    {                                                                                              \
        struct proxy_state *s = begin(p);                                                          \
        s->field = value;                                                                          \
        done(s);                                                                                   \
    }
SET(proxy_reset, bool, resets)
SET(proxy_stall, bool, stalled)
SET(proxy_delay, int, delay)
SET(proxy_refuse, bool, refuses)
SET(proxy_to, int, server_port)
