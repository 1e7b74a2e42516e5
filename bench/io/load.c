/* load.c - the load of bench/io/compare: many connections to one server, on one thread.
 *
 *     load echo PORT CONNECTIONS BYTES SECONDS     one message at a time on each connection
 *     load stream PORT CONNECTIONS BYTES SECONDS   as many messages as fit, echoed back
 *     load accept PORT CONNECTIONS SECONDS         connect, one byte there and back, close
 *     load idle PORT CONNECTIONS                   connects, waits for a line on standard input
 *     load http PORT CONNECTIONS SECONDS PATH      one GET at a time on each connection
 *
 * Prints one line of JSON: messages or connections a second, and for echo and http the times of
 * half and of 99 % of the messages, in microseconds. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { STEPS = 4096 }; /* of the histogram: 64 for each power of two of nanoseconds */

struct connection {
    int fd;
    size_t sent, got;
    int64_t begin;
};

static char bytes[1 << 16], come[1 << 16];
static uint64_t histogram[STEPS], messages;
static int ep;

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void fail(const char *what)
{
    fprintf(stderr, "load: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void count(int64_t ns)
{
    unsigned power = 63 - (unsigned)__builtin_clzll((uint64_t)ns | 64);
    size_t step = (size_t)(power - 6) * 64 + (((uint64_t)ns >> (power - 6)) & 63);
    histogram[step < STEPS ? step : STEPS - 1]++;
}

static double within(double part)
{
    uint64_t seen = 0, total = 0;
    for (size_t i = 0; i < STEPS; i++)
        total += histogram[i];
    for (size_t i = 0; i < STEPS; i++)
        if ((seen += histogram[i]) >= (uint64_t)((double)total * part))
            return (double)((uint64_t)(64 + i % 64) << (i / 64)) / 1000;
    return 0;
}

static int connect_to(int port, int source)
{
    int one = 1, fd = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in from = { .sin_family = AF_INET,
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK + (unsigned)source) };
    struct sockaddr_in to = { .sin_family = AF_INET,
                              .sin_port = htons((uint16_t)port),
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    if (fd < 0)
        fail("socket");
    if (source > 0 && bind(fd, (struct sockaddr *)&from, sizeof from) != 0)
        fail("bind");
    if (connect(fd, (struct sockaddr *)&to, sizeof to) != 0)
        fail("connect");
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return fd;
}

static struct connection *open_all(int port, int n)
{
    struct connection *c = calloc((size_t)n, sizeof *c);
    ep = epoll_create1(0);
    for (int i = 0; c && i < n; i++) {
        c[i].fd = connect_to(port, i / 25000);
        fcntl(c[i].fd, F_SETFL, O_NONBLOCK);
    }
    if (!c || ep < 0)
        fail("connections");
    return c;
}

static void watch(struct connection *c, int n, uint32_t events)
{
    for (int i = 0; i < n; i++) {
        struct epoll_event e = { .events = events, .data.ptr = &c[i] };
        epoll_ctl(ep, EPOLL_CTL_ADD, c[i].fd, &e);
    }
}

static void send_one(struct connection *c, const char *text, size_t size)
{
    c->begin = now();
    c->got = 0;
    if (write(c->fd, text, size) != (ssize_t)size)
        fail("write");
}

/* The bytes of an answer, with its head. */
static size_t answer_size(int port, const char *request)
{
    static const char field[] = "\r\nContent-Length:";
    struct connection one = { .fd = connect_to(port, 0) };
    char head[4096] = "", *length, *end = NULL;
    size_t got = 0;
    send_one(&one, request, strlen(request));
    while (!end) {
        ssize_t more = read(one.fd, head + got, sizeof head - 1 - got);
        if (more <= 0)
            fail("no answer");
        got += (size_t)more;
        end = strstr(head, "\r\n\r\n");
    }
    close(one.fd);
    length = strcasestr(head, field);
    if (!length)
        fail("no length");
    return (size_t)(end + 4 - head) + (size_t)atoi(length + strlen(field));
}

/* `size`: of a whole answer. */
static void ask(int port, int n, const char *text, size_t length, size_t size, double seconds)
{
    struct connection *c = open_all(port, n);
    struct epoll_event events[256];
    watch(c, n, EPOLLIN);
    for (int i = 0; i < n; i++)
        send_one(&c[i], text, length);
    int64_t begin = now(), warm = begin + 200000000, end = 0;
    for (bool counts = false;;) {
        int ready = epoll_wait(ep, events, 256, -1);
        int64_t at = now();
        if (!counts && at >= warm) {
            counts = true;
            messages = 0;
            memset(histogram, 0, sizeof histogram);
            begin = at;
            end = at + (int64_t)(seconds * 1e9);
            puts("begin");
            fflush(stdout);
        }
        if (counts && at >= end)
            break;
        for (int i = 0; i < ready; i++) {
            struct connection *d = events[i].data.ptr;
            ssize_t got = read(d->fd, come, sizeof come);
            if (got <= 0)
                fail("read");
            if ((d->got += (size_t)got) < size)
                continue;
            messages++;
            count(now() - d->begin);
            send_one(d, text, length);
        }
    }
    double passed = (double)(now() - begin) / 1e9;
    printf("{\"rate\": %.0f, \"messages\": %llu, \"p50\": %.2f, \"p99\": %.2f}\n",
           (double)messages / passed, (unsigned long long)messages, within(0.5), within(0.99));
}

static void get(int port, int n, const char *path, double seconds)
{
    char request[1024];
    snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path);
    ask(port, n, request, strlen(request), answer_size(port, request), seconds);
}

static void stream(int port, int n, size_t size, double seconds)
{
    enum { WINDOW = 1 << 17 };
    struct connection *c = open_all(port, n);
    struct epoll_event events[64];
    watch(c, n, EPOLLIN | EPOLLOUT | EPOLLET);
    int64_t begin = now(), end = begin + (int64_t)(seconds * 1e9);
    uint64_t got = 0;
    puts("begin");
    fflush(stdout);
    while (now() < end) {
        bool moved = false;
        for (int i = 0; i < n; i++) {
            ssize_t k;
            /* Messages are written one by one, as an application does. */
            for (int m = 0; m < 32 && c[i].sent - c[i].got < WINDOW; m++) {
                k = write(c[i].fd, bytes, size);
                if (k <= 0)
                    break;
                c[i].sent += (size_t)k;
                moved = true;
            }
            k = read(c[i].fd, bytes, sizeof bytes);
            if (k > 0) {
                c[i].got += (size_t)k;
                got += (uint64_t)k;
                moved = true;
            } else if (k == 0) {
                fail("read");
            }
        }
        if (!moved)
            epoll_wait(ep, events, 64, 100);
    }
    double passed = (double)(now() - begin) / 1e9;
    printf("{\"rate\": %.0f, \"messages\": %llu}\n", (double)got / (double)size / passed,
           (unsigned long long)(got / size));
}

static void accepts(int port, int n, double seconds)
{
    struct epoll_event events[256];
    struct connection *c = calloc((size_t)n, sizeof *c);
    ep = epoll_create1(0);
    int64_t begin = now(), end = begin + (int64_t)(seconds * 1e9);
    puts("begin");
    fflush(stdout);
    for (int i = 0; i < n; i++)
        c[i].fd = -1;
    while (now() < end) {
        for (int i = 0; i < n; i++) {
            if (c[i].fd >= 0)
                continue;
            c[i].fd = connect_to(port, 1 + rand() % 200); /* many ports in TIME_WAIT */
            struct epoll_event e = { .events = EPOLLIN, .data.ptr = &c[i] };
            epoll_ctl(ep, EPOLL_CTL_ADD, c[i].fd, &e);
            if (write(c[i].fd, bytes, 1) != 1)
                fail("write");
        }
        int ready = epoll_wait(ep, events, 256, -1);
        for (int i = 0; i < ready; i++) {
            struct connection *d = events[i].data.ptr;
            struct linger none = { 1, 0 };
            if (read(d->fd, bytes, 1) != 1)
                fail("read");
            setsockopt(d->fd, SOL_SOCKET, SO_LINGER, &none, sizeof none);
            close(d->fd);
            d->fd = -1;
            messages++;
        }
    }
    double passed = (double)(now() - begin) / 1e9;
    printf("{\"rate\": %.0f, \"messages\": %llu}\n", (double)messages / passed,
           (unsigned long long)messages);
}

static void idle(int port, int n)
{
    struct connection *c = open_all(port, n);
    for (int i = 0; i < n; i++) /* each has been served once */
        if (write(c[i].fd, bytes, 1) != 1)
            fail("write");
    for (int i = 0; i < n; i++)
        while (read(c[i].fd, bytes, 1) != 1)
            usleep(100);
    puts("begin");
    fflush(stdout);
    (void)!read(0, bytes, 1);
    puts("{}");
}

int main(int argc, char **argv)
{
    memset(bytes, 'x', sizeof bytes);
    if (argc == 6 && strcmp(argv[1], "echo") == 0)
        ask(atoi(argv[2]), atoi(argv[3]), bytes, (size_t)atoi(argv[4]), (size_t)atoi(argv[4]),
            atof(argv[5]));
    else if (argc == 6 && strcmp(argv[1], "http") == 0)
        get(atoi(argv[2]), atoi(argv[3]), argv[5], atof(argv[4]));
    else if (argc == 6 && strcmp(argv[1], "stream") == 0)
        stream(atoi(argv[2]), atoi(argv[3]), (size_t)atoi(argv[4]), atof(argv[5]));
    else if (argc == 5 && strcmp(argv[1], "accept") == 0)
        accepts(atoi(argv[2]), atoi(argv[3]), atof(argv[4]));
    else if (argc == 4 && strcmp(argv[1], "idle") == 0)
        idle(atoi(argv[2]), atoi(argv[3]));
    else
        return fprintf(stderr, "usage: see the head of load.c\n"), 2;
    return 0;
}
