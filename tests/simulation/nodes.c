/* nodes.c - what a node sees of others, of its machine's end, of partitions and clocks.
 *
 *     nodes echo | rude              TCP and UDP, at port 7; the latter without SO_REUSEADDR
 *     nodes look NAME ADDRESS        names, addresses, loopback, Unix names, what is refused
 *     nodes talk NAME TIMES          a connection for each, 100 ms apart, and how it goes
 *     nodes hold NAME WRITES         one connection, over all that happens
 *     nodes clocks COUNT NAME        its clocks, a line each second
 *     nodes sense NAME               when the other end is gone
 *     nodes keep NAME IDLE INTERVAL COUNT USER [WRITE]
 *                                    when probes, or a byte that is written after 2 s, notice it
 *     nodes mute | fill NAME         one that never reads, and one that writes to it
 *     nodes hear PORT | shout ADDRESS PORT
 *                                    broadcasts: who gets one, and answers
 *     nodes wait | spin | fork | status N | send NAME BYTES */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int served; /* each process has its own */

static long now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static struct sockaddr_in address_of(const char *name, int port)
{
    struct addrinfo *found, wanted = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM };
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((unsigned short)port) };
    if (getaddrinfo(name, NULL, &wanted, &found) == 0) {
        a.sin_addr = ((struct sockaddr_in *)found->ai_addr)->sin_addr;
        freeaddrinfo(found);
    }
    return a;
}

static int connect_to(const char *name, int ms)
{
    struct sockaddr_in a = address_of(name, 7);
    struct timeval limit = { ms / 1000, ms % 1000 * 1000 };
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (ms > 0) {
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    }
    if (connect(fd, (struct sockaddr *)&a, sizeof a) == 0)
        return fd;
    int err = errno;
    close(fd);
    errno = err;
    return -1;
}

/* ---- echo ---- */

static void *serve(void *data)
{
    int fd = (int)(long)data;
    char text[100];
    ssize_t n;
    while ((n = read(fd, text, sizeof text)) > 0)
        if (write(fd, text, (size_t)n) != n)
            break;
    close(fd);
    return NULL;
}

static void *serve_datagrams(void *data)
{
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(7) }, from;
    socklen_t length;
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    char text[100];
    if (bind(fd, (struct sockaddr *)&a, sizeof a) != 0)
        abort();
    for (;;) {
        length = sizeof from;
        ssize_t n = recvfrom(fd, text, sizeof text, 0, (struct sockaddr *)&from, &length);
        if (n >= 0)
            sendto(fd, text, (size_t)n, 0, (struct sockaddr *)&from, length);
    }
    return data;
}

/* Other machines have no such name. */
static int bind_name(void)
{
    struct sockaddr_un u = { .sun_family = AF_UNIX, .sun_path = "of-a" };
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    return bind(fd, (struct sockaddr *)&u, sizeof u) == 0 ? listen(fd, 1) : -1;
}

/* A server that does not remove the file of its last life. */
static int own_name(void)
{
    if (bind_name() != 0)
        return 5;
    for (;;)
        sleep(1);
}

static int echo(bool reuses)
{
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(7) };
    int one_more = 1, fd = socket(AF_INET, SOCK_STREAM, 0);
    pthread_t thread;
    if (reuses)
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one_more, sizeof one_more);
    if (bind(fd, (struct sockaddr *)&a, sizeof a) != 0 || listen(fd, 8) != 0)
        return 9;
    bind_name();
    pthread_create(&thread, NULL, serve_datagrams, NULL);
    for (;;) {
        int one = accept(fd, NULL, NULL);
        served++;
        pthread_create(&thread, NULL, serve, (void *)(long)one);
        pthread_detach(thread);
    }
}

/* ---- look ---- */

static void say(const char *what, int failed)
{
    printf("%s: %s\n", what, failed ? strerror(errno) : "yes");
}

static void look_at_datagrams(const char *name)
{
    struct sockaddr_in a = address_of(name, 7);
    struct timeval limit = { 1, 0 };
    char text[10];
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    sendto(fd, "one", 3, 0, (struct sockaddr *)&a, sizeof a);
    say("datagram", recv(fd, text, sizeof text, 0) != 3);
    a.sin_port = htons(8);
    connect(fd, (struct sockaddr *)&a, sizeof a);
    send(fd, "two", 3, 0);
    say("at a port without a socket", recv(fd, text, sizeof text, 0) != 3);
    close(fd);
    fd = socket(AF_INET, SOCK_DGRAM, 0);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    inet_pton(AF_INET, "10.9.9.9", &a.sin_addr);
    connect(fd, (struct sockaddr *)&a, sizeof a);
    send(fd, "two", 3, 0);
    say("where no machine is", recv(fd, text, sizeof text, 0) != 3);
    close(fd);
}

static void look_mapped(const char *name)
{
    struct addrinfo *found,
        wanted = { .ai_family = AF_INET6, .ai_socktype = SOCK_STREAM, .ai_flags = AI_V4MAPPED };
    struct sockaddr_in6 a;
    socklen_t length = sizeof a;
    char text[64] = "?";
    if (getaddrinfo(name, "7", &wanted, &found) != 0)
        return;
    int fd = socket(AF_INET6, SOCK_STREAM, 0);
    say("connected by IPv6", connect(fd, found->ai_addr, found->ai_addrlen));
    getpeername(fd, (struct sockaddr *)&a, &length);
    printf("to %s\n", inet_ntop(AF_INET6, &a.sin6_addr, text, sizeof text));
    length = sizeof a;
    getsockname(fd, (struct sockaddr *)&a, &length);
    printf("from %s\n", inet_ntop(AF_INET6, &a.sin6_addr, text, sizeof text));
    freeaddrinfo(found);
    close(fd);
}

static int look(const char *name, const char *own)
{
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(7) };
    struct sockaddr_un u = { .sun_family = AF_UNIX, .sun_path = "name" };
    socklen_t length = sizeof a;
    char text[64];
    int fd = connect_to(name, 0), other;
    say("connected", fd < 0);
    getsockname(fd, (struct sockaddr *)&a, &length);
    printf("from %s\n", inet_ntop(AF_INET, &a.sin_addr, text, sizeof text));
    getpeername(fd, (struct sockaddr *)&a, &length);
    printf("to %s\n", inet_ntop(AF_INET, &a.sin_addr, text, sizeof text));
    fd = socket(AF_INET, SOCK_STREAM, 0);
    inet_pton(AF_INET, own, &a.sin_addr);
    say("bound to its address", bind(fd, (struct sockaddr *)&a, sizeof a));
    other = socket(AF_INET, SOCK_STREAM, 0);
    inet_pton(AF_INET, "10.0.0.1", &a.sin_addr);
    say("to another's", bind(other, (struct sockaddr *)&a, sizeof a));
    say("loopback of its own", (other = connect_to("127.0.0.1", 0)) < 0);
    fd = socket(AF_UNIX, SOCK_STREAM, 0);
    strcpy(u.sun_path, "of-a");
    say("Unix name of another", connect(fd, (struct sockaddr *)&u, sizeof u));
    strcpy(u.sun_path, "name");
    say("Unix name of its own", bind(fd, (struct sockaddr *)&u, sizeof u) || listen(fd, 1));
    look_at_datagrams(name);
    printf("served %d\n", served);
    gethostname(text, sizeof text);
    a = address_of(text, 7);
    printf("%s is ", text);
    printf("%s\n", inet_ntop(AF_INET, &a.sin_addr, text, sizeof text));
    say("an unknown name", connect_to("nowhere", 0) < 0);
    look_mapped(name);
    return 0;
}

/* ---- talk, hold, send ---- */

static int talk(const char *name, int times)
{
    for (int i = 0; i < times; i++, usleep(100000)) {
        char text[10];
        int fd = connect_to(name, 500);
        if (fd < 0)
            printf("%ld: connect: %s\n", now(CLOCK_MONOTONIC), strerror(errno));
        else if (write(fd, "hello", 5) != 5 || recv(fd, text, 5, MSG_WAITALL) != 5)
            printf("%ld: talk: %s\n", now(CLOCK_MONOTONIC), strerror(errno));
        else
            printf("%ld: yes\n", now(CLOCK_MONOTONIC));
        if (fd >= 0)
            close(fd);
    }
    return 0;
}

static int hold(const char *name, int writes)
{
    int fd = connect_to(name, 0);
    for (int i = 0; i < writes; i++) {
        char text[10];
        errno = 0;
        ssize_t n = write(fd, "hello", 5) == 5 ? recv(fd, text, 5, MSG_WAITALL) : -1;
        printf("%ld: %zd %s\n", now(CLOCK_MONOTONIC), n, strerror(errno));
        if (n <= 0)
            return 0;
        sleep(1);
    }
    return 0;
}

static int sense(const char *name)
{
    char text[1];
    int fd = connect_to(name, 0);
    ssize_t n = read(fd, text, sizeof text);
    printf("%ld: %zd\n", now(CLOCK_MONOTONIC), n);
    return 0;
}

static void set_option(int fd, int name, int value)
{
    if (value != 0 && setsockopt(fd, IPPROTO_TCP, name, &value, sizeof value) != 0)
        perror("setsockopt");
}

static int keep(const char *name, char **values, int writes)
{
    char text[1];
    int one = 1, fd = connect_to(name, 0);
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof one);
    set_option(fd, TCP_KEEPIDLE, atoi(values[0]));
    set_option(fd, TCP_KEEPINTVL, atoi(values[1]));
    set_option(fd, TCP_KEEPCNT, atoi(values[2]));
    set_option(fd, TCP_USER_TIMEOUT, atoi(values[3]));
    sleep(2);
    if (writes)
        write(fd, text, 1);
    ssize_t n = read(fd, text, sizeof text);
    printf("%ld: %zd %s\n", now(CLOCK_MONOTONIC), n, strerror(errno));
    return 0;
}

static int send_many(const char *name, long bytes)
{
    int fd = connect_to(name, 0);
    char text[1000] = { 0 };
    long sent = 0, back = 0;
    while (back < bytes) {
        struct pollfd p = { fd, sent < bytes ? POLLIN | POLLOUT : POLLIN, 0 };
        poll(&p, 1, -1);
        if (p.revents & POLLOUT && sent < bytes) { /* the peer may wait for room, too */
            ssize_t n = send(fd, text, bytes - sent < 1000 ? (size_t)(bytes - sent) : 1000,
                             MSG_DONTWAIT);
            sent += n > 0 ? n : 0;
        }
        if (p.revents & (POLLIN | POLLHUP | POLLERR)) {
            ssize_t n = read(fd, text, sizeof text);
            if (n <= 0) {
                perror("read");
                return 4;
            }
            back += n;
        }
    }
    printf("%ld bytes\n", back);
    return 0;
}

/* ---- a stream of numbers ---- */

static void *send_numbers(void *data)
{
    int fd = (int)(long)data, user = 300;
    unsigned char number = 0;
    setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &user, sizeof user);
    while (write(fd, &number, 1) == 1) {
        number++;
        usleep(1000);
    }
    sleep(1); /* it stays open: what travels still has its sender */
    close(fd);
    return NULL;
}

static int number(void)
{
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(7) };
    int on = 1, fd = socket(AF_INET, SOCK_STREAM, 0);
    pthread_t thread;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, (struct sockaddr *)&a, sizeof a) != 0 || listen(fd, 8) != 0)
        return 9;
    for (;;) {
        pthread_create(&thread, NULL, send_numbers, (void *)(long)accept(fd, NULL, NULL));
        pthread_detach(thread);
    }
}

/* Whatever happens to machines and ways: what a stream brings begins at 0, and has no hole. */
static int count(const char *name, long ms)
{
    long until = now(CLOCK_MONOTONIC) + ms, total = 0;
    while (now(CLOCK_MONOTONIC) < until) {
        int fd = connect_to(name, 1000);
        unsigned char text[20], next = 0;
        ssize_t n = 0;
        while (fd >= 0 && now(CLOCK_MONOTONIC) < until && (n = read(fd, text, sizeof text)) > 0)
            for (ssize_t i = 0; i < n; i++, total++)
                if (text[i] != next++) {
                    printf("%d comes before %d\n", text[i], next - 1);
                    return 8;
                }
        if (fd >= 0)
            close(fd);
    }
    printf("%ld numbers\n", total);
    return 0;
}

/* ---- the rest ---- */

static int clocks(int count, const char *name)
{
    long wall = now(CLOCK_REALTIME), up = now(CLOCK_MONOTONIC);
    for (int i = 0; i < count; i++, sleep(1))
        printf("%s %ld %ld\n", name, now(CLOCK_REALTIME) - wall, now(CLOCK_MONOTONIC) - up);
    return 0;
}

static int fork_one(void)
{
    int status;
    pid_t child = fork();
    if (child == 0)
        _exit(connect_to("a", 0) < 0);
    waitpid(child, &status, 0);
    printf("child %d\n", WEXITSTATUS(status));
    return 0;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static int wait_for_ever(void)
{
    pthread_mutex_lock(&lock);
    for (;;)
        pthread_cond_wait(&never, &lock);
    return 0;
}

static int mute(void)
{
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(7) };
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(fd, (struct sockaddr *)&a, sizeof a) != 0 || listen(fd, 8) != 0)
        return 9;
    while (accept(fd, NULL, NULL) >= 0)
        ;
    return 9;
}

static int fill(const char *name)
{
    char text[1024] = { 0 };
    int fd = connect_to(name, 0);
    while (write(fd, text, sizeof text) > 0)
        ;
    printf("%ld: %s\n", now(CLOCK_MONOTONIC), strerror(errno));
    return 0;
}

/* Two sockets of one port; a third one is connected to another address. */
static int hear(int port)
{
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((unsigned short)port) };
    struct sockaddr_in6 b = { .sin6_family = AF_INET6, .sin6_port = a.sin_port };
    int one = 1, fds[3] = { socket(AF_INET, SOCK_DGRAM, 0), socket(AF_INET6, SOCK_DGRAM, 0),
                            socket(AF_INET, SOCK_DGRAM, 0) };
    for (int i = 0; i < 3; i++)
        setsockopt(fds[i], SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    bind(fds[0], (struct sockaddr *)&a, sizeof a);
    bind(fds[1], (struct sockaddr *)&b, sizeof b);
    bind(fds[2], (struct sockaddr *)&a, sizeof a);
    inet_pton(AF_INET, "10.0.0.77", &a.sin_addr);
    connect(fds[2], (struct sockaddr *)&a, sizeof a);
    for (;;) {
        struct pollfd p[3] = { { fds[0], POLLIN, 0 },
                               { fds[1], POLLIN, 0 },
                               { fds[2], POLLIN, 0 } };
        char text[10];
        if (poll(p, 3, -1) < 0)
            return 1;
        for (int i = 0; i < 3; i++) {
            struct sockaddr_in6 from;
            socklen_t length = sizeof from;
            if (p[i].revents && recvfrom(fds[i], text, 9, 0, (struct sockaddr *)&from, &length) > 0)
                sendto(fds[i], &"123"[i], 1, 0, (struct sockaddr *)&from, length);
        }
    }
}

static int shout(const char *address, int port)
{
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((unsigned short)port) };
    struct timeval limit = { 1, 0 };
    int one = 1, fd = socket(AF_INET, SOCK_DGRAM, 0);
    char text[INET_ADDRSTRLEN], byte;
    usleep(5000);
    inet_pton(AF_INET, address, &a.sin_addr);
    say("not allowed", sendto(fd, "hello", 5, 0, (struct sockaddr *)&a, sizeof a) < 0);
    setsockopt(fd, SOL_SOCKET, SO_BROADCAST, &one, sizeof one);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    say("broadcast", sendto(fd, "hello", 5, 0, (struct sockaddr *)&a, sizeof a) < 0);
    for (socklen_t length = sizeof a;
         recvfrom(fd, &byte, 1, 0, (struct sockaddr *)&a, &length) == 1; length = sizeof a)
        printf("%s, socket %c\n", inet_ntop(AF_INET, &a.sin_addr, text, sizeof text), byte);
    inet_pton(AF_INET, "224.0.0.1", &a.sin_addr);
    say("a group", sendto(fd, "hello", 5, 0, (struct sockaddr *)&a, sizeof a) < 0);
    struct ip_mreq group = { .imr_multiaddr = a.sin_addr };
    say("a member", setsockopt(fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &group, sizeof group) != 0);
    return 0;
}

static int sleep_again(void)
{
    while (usleep(1000) == 0)
        ;
    return 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    signal(SIGPIPE, SIG_IGN);
    setvbuf(stdout, NULL, _IOLBF, 0);
    return strcmp(what, "echo") == 0     ? echo(true)
           : strcmp(what, "rude") == 0   ? echo(false)
           : strcmp(what, "look") == 0   ? look(argv[2], argv[3])
           : strcmp(what, "talk") == 0   ? talk(argv[2], atoi(argv[3]))
           : strcmp(what, "hold") == 0   ? hold(argv[2], atoi(argv[3]))
           : strcmp(what, "sense") == 0  ? sense(argv[2])
           : strcmp(what, "keep") == 0   ? keep(argv[2], argv + 3, argc > 7)
           : strcmp(what, "send") == 0   ? send_many(argv[2], atol(argv[3]))
           : strcmp(what, "number") == 0 ? number()
           : strcmp(what, "name") == 0   ? own_name()
           : strcmp(what, "count") == 0  ? count(argv[2], atol(argv[3]))
           : strcmp(what, "clocks") == 0 ? clocks(atoi(argv[2]), argv[3])
           : strcmp(what, "fork") == 0   ? fork_one()
           : strcmp(what, "wait") == 0   ? wait_for_ever()
           : strcmp(what, "mute") == 0   ? mute()
           : strcmp(what, "fill") == 0   ? fill(argv[2])
           : strcmp(what, "hear") == 0   ? hear(atoi(argv[2]))
           : strcmp(what, "shout") == 0  ? shout(argv[2], atoi(argv[3]))
           : strcmp(what, "spin") == 0   ? sleep_again()
           : strcmp(what, "status") == 0 ? atoi(argv[2])
                                         : 8;
}
