/* sockets.c - clients of a server over TCP, which cancel, reset, close, and come again. What was
 * acknowledged was received once and in order; no descriptor is left. */
#define _GNU_SOURCE
#include "soak.h"

#include <co4/conn.h>
#include <co4/io.h>
#include <dirent.h>
#include <errno.h>
#include <netinet/in.h>

enum { CLIENTS = 8, CONNECTIONS = 6, MESSAGES = 60, LARGEST = 3000 };

/* The first bytes of a message; `size` bytes of the pattern follow. */
struct head {
    unsigned client, connection, n, size;
};

static struct {
    unsigned long long seed;
    struct sockaddr_in address;
    int listener;
    atomic_uint clients;
    atomic_uint received[CLIENTS][CONNECTIONS]; /* messages, by the server */
    atomic_ullong acknowledged;
} now;

static int descriptors(void)
{
    int n = 0;
    DIR *d = opendir("/proc/self/fd");
    while (d && readdir(d))
        n++;
    if (d)
        closedir(d);
    return n;
}

/* The library's own descriptors and its table are made before the first round counts. */
void soak_sockets_prepare(void)
{
    int fds[2];
    MUST(co4_socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0);
    co4_close(fds[0]);
    co4_close(fds[1]);
}

static unsigned char byte_at(unsigned client, unsigned connection, unsigned n, unsigned i)
{
    return (unsigned char)(client * 131 + connection * 31 + n * 7 + i);
}

static void reset_at_close(int fd)
{
    struct linger none = { 1, 0 };
    co4_setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof none);
}

/* ---- the server ---- */

static pausable int serve_message(co4_conn *c, struct head *last, struct lots *l)
{
    const char *data;
    struct head h;
    if (co4_conn_read_exact(c, &h, sizeof h) != sizeof h)
        return -1;
    MUST(h.client < CLIENTS && h.connection < CONNECTIONS && h.size <= LARGEST);
    MUST(h.n == last->n + 1 && (h.n == 1 || h.client == last->client));
    if (co4_conn_peek(c, &data, h.size) < (ssize_t)h.size)
        return -1;
    for (unsigned i = 0; i < h.size; i++)
        MUST((unsigned char)data[i] == byte_at(h.client, h.connection, h.n, i));
    co4_conn_skip(c, h.size);
    MUST(now.received[h.client][h.connection]++ == h.n - 1);
    *last = h;
    if (lot(l, 200) == 0)
        return -1;
    return co4_conn_write(c, &h.n, sizeof h.n) == sizeof h.n ? 0 : -1;
}

static pausable void serve(int fd, unsigned whose)
{
    struct lots l = lots_of(now.seed, 1000 + whose);
    struct head last = { 0 };
    co4_conn *c = co4_conn_create(fd);
    MUST(c != NULL);
    while (serve_message(c, &last, &l) == 0)
        ;
    if (lot(&l, 2))
        co4_conn_close_until(c, co4_now() + 10 * CO4_MS);
    else
        co4_conn_destroy(c);
}

static pausable void server(void)
{
    int fd;
    for (unsigned i = 0; (fd = co4_accept(now.listener, NULL, NULL)) >= 0; i++) {
        co4_task *t = co4_task_create(serve(fd, i));
        MUST(t != NULL && co4_runtime_schedule(NULL, t) == CO4_OK);
        co4_task_release(t);
    }
    int err = errno;
    if (err != EINVAL)
        fprintf(stderr, "soak: accept fails: %s\n", strerror(err));
    MUST(err == EINVAL);
    co4_close(now.listener);
}

/* ---- clients ---- */

static pausable int send_one(co4_conn *c, struct head h, struct lots *l)
{
    char bytes[LARGEST];
    for (unsigned i = 0; i < h.size; i++)
        bytes[i] = (char)byte_at(h.client, h.connection, h.n, i);
    if (co4_conn_put(c, &h, sizeof h) < 0)
        return -1;
    if (lot(l, 8) == 0 && co4_conn_flush(c) != 0) /* in pieces */
        return -1;
    return co4_conn_write_until(c, bytes, h.size, soon(l, 20000)) == (ssize_t)h.size ? 0 : -1;
}

/* Takes the acknowledgements that are there, or waits for one. */
static pausable int take_acks(co4_conn *c, const struct head *h, unsigned *acked, struct lots *l)
{
    unsigned n;
    do {
        ssize_t got = co4_conn_read_exact_until(c, &n, sizeof n, soon(l, 20000));
        if (got != sizeof n)
            return -1;
        MUST(n == *acked + 1 && n <= h->n);
        MUST(now.received[h->client][h->connection] >= n);
        *acked = n;
        now.acknowledged++;
    } while (co4_conn_buffered(c) >= sizeof n);
    return 0;
}

static pausable void converse(co4_conn *c, unsigned me, unsigned connection, struct lots *l)
{
    unsigned acked = 0;
    for (unsigned n = 1; n <= MESSAGES; n++) {
        struct head h = { me, connection, n, lot(l, LARGEST) };
        if (send_one(c, h, l) != 0)
            return;
        if (n - acked > 5 && take_acks(c, &h, &acked, l) != 0)
            return;
        if (lot(l, 150) == 0)
            return;
    }
}

static pausable void client(unsigned me)
{
    struct lots l = lots_of(now.seed, me);
    for (unsigned i = 0; i < CONNECTIONS; i++) {
        int fd = co4_socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        MUST(fd >= 0);
        if (co4_connect_until(fd, (struct sockaddr *)&now.address, sizeof now.address,
                              soon(&l, 50000)) != 0) {
            co4_close(fd);
            continue;
        }
        co4_conn *c = co4_conn_create(fd);
        MUST(c != NULL);
        converse(c, me, i, &l);
        if (lot(&l, 3) == 0)
            reset_at_close(co4_conn_fd(c));
        co4_conn_destroy(c);
    }
    /* The server closes it: between two accepts it has the number alone, which a close here would
     * free for another file. */
    if (--now.clients == 0)
        co4_shutdown(now.listener, SHUT_RDWR);
}

/* ---- a round ---- */

static void begin(co4_runtime *rt, unsigned long long seed)
{
    socklen_t length = sizeof now.address;
    memset(&now, 0, sizeof now);
    now.seed = seed;
    now.clients = CLIENTS;
    now.address = (struct sockaddr_in){ .sin_family = AF_INET,
                                        .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    now.listener = co4_socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    MUST(now.listener >= 0);
    MUST(co4_bind(now.listener, (struct sockaddr *)&now.address, length) == 0);
    MUST(co4_listen(now.listener, CLIENTS) == 0);
    MUST(co4_getsockname(now.listener, (struct sockaddr *)&now.address, &length) == 0);
    soak_start(rt, co4_task_create(server()), SOAK_TO_THE_END);
    for (unsigned i = 0; i < CLIENTS; i++)
        soak_start(rt, co4_task_create(client(i)), SOAK_MAY_CANCEL);
}

static unsigned long long check(void)
{
    static int before;
    int after = descriptors();
    MUST(now.clients == 0);
    MUST(before == 0 || after <= before);
    before = before ? before : after + 8; /* the library may make some of its own later */
    return now.acknowledged;
}

const struct work soak_sockets = { "sockets", "acknowledgements", begin, check };
