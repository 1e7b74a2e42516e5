/* inet.c - sockets of both families of addresses, ports that are in use, and the ends of
 * connections. It prints the same whether or not it is simulated. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

union address {
    struct sockaddr any;
    struct sockaddr_in in4;
    struct sockaddr_in6 in6;
};

static int say(const char *what, int n)
{
    printf("%s: %s\n", what, n < 0 ? strerrorname_np(errno) : "yes");
    return n;
}

static socklen_t address(union address *a, const char *text, int port)
{
    memset(a, 0, sizeof *a);
    if (inet_pton(AF_INET, text, &a->in4.sin_addr) == 1) {
        a->any.sa_family = AF_INET;
        a->in4.sin_port = htons((unsigned short)port);
        return sizeof a->in4;
    }
    if (inet_pton(AF_INET6, text, &a->in6.sin6_addr) != 1)
        abort();
    a->any.sa_family = AF_INET6;
    a->in6.sin6_port = htons((unsigned short)port);
    return sizeof a->in6;
}

static int port_of(int fd)
{
    union address a;
    socklen_t length = sizeof a;
    getsockname(fd, &a.any, &length);
    return ntohs(a.any.sa_family == AF_INET ? a.in4.sin_port : a.in6.sin6_port);
}

/* Prints an address without its port, or the error. */
static void put(const char *what, int n, const union address *a, socklen_t length)
{
    char text[64] = "?";
    if (n >= 0)
        inet_ntop(a->any.sa_family,
                  a->any.sa_family == AF_INET ? (void *)&a->in4.sin_addr
                                              : (void *)&a->in6.sin6_addr,
                  text, sizeof text);
    printf("%s: %s, %u\n", what, n < 0 ? strerrorname_np(errno) : text, length);
}

static void names(const char *what, int fd)
{
    union address a;
    socklen_t length = sizeof a;
    printf("%s\n", what);
    int n = getsockname(fd, &a.any, &length);
    put("  from", n, &a, length);
    length = sizeof a;
    n = getpeername(fd, &a.any, &length);
    put("  to", n, &a, length);
}

static int made(int family, int type)
{
    int fd = socket(family, type, 0);
    if (fd < 0)
        abort();
    return fd;
}

static int set(int fd, int level, int name, int value)
{
    return setsockopt(fd, level, name, &value, sizeof value);
}

static int get(int fd, int level, int name)
{
    int value = -1;
    socklen_t length = sizeof value;
    return getsockopt(fd, level, name, &value, &length) == 0 ? value : -errno;
}

static int bind_to(int fd, const char *text, int port)
{
    union address a;
    socklen_t length = address(&a, text, port);
    return bind(fd, &a.any, length);
}

static int connect_to(int fd, const char *text, int port)
{
    union address a;
    socklen_t length = address(&a, text, port);
    return connect(fd, &a.any, length);
}

static int listener(int family, const char *text)
{
    int fd = made(family, SOCK_STREAM);
    if (bind_to(fd, text, 0) != 0 || listen(fd, 4) != 0)
        abort();
    return fd;
}

static int accepted(int from)
{
    union address a;
    socklen_t length = sizeof a;
    int fd = accept(from, &a.any, &length);
    put("  accepted", fd, &a, length);
    return fd;
}

/* ---- both families ---- */

static void meet(const char *what, int from, int family, const char *text)
{
    int fd = made(family, SOCK_STREAM), other;
    puts(what);
    if (say("  connect", connect_to(fd, text, port_of(from))) == 0) {
        other = accepted(from);
        names("  the client", fd);
        names("  the server", other);
        close(other);
    }
    close(fd);
}

static void streams(void)
{
    int both = listener(AF_INET6, "::"), four = listener(AF_INET, "0.0.0.0"), six, fd;
    int mapped = listener(AF_INET6, "::ffff:127.0.0.1");
    printf("IPV6_V6ONLY %d\n", get(both, IPPROTO_IPV6, IPV6_V6ONLY));
    meet("4 to both", both, AF_INET, "127.0.0.1");
    meet("6 to both", both, AF_INET6, "::1");
    meet("mapped to both", both, AF_INET6, "::ffff:127.0.0.1");
    meet("mapped to 4", four, AF_INET6, "::ffff:127.0.0.1");
    meet("6 to 4", four, AF_INET6, "::1");
    meet("4 to mapped", mapped, AF_INET, "127.0.0.1");
    meet("6 to mapped", mapped, AF_INET6, "::1");
    meet("4 to any", four, AF_INET, "0.0.0.0");
    meet("6 to any", both, AF_INET6, "::");
    say("set later", set(both, IPPROTO_IPV6, IPV6_V6ONLY, 1));
    six = made(AF_INET6, SOCK_STREAM);
    say("set", set(six, IPPROTO_IPV6, IPV6_V6ONLY, 1));
    say("a mapped one", bind_to(six, "::ffff:127.0.0.1", 0));
    say("the port of 4", bind_to(six, "::", port_of(four)));
    listen(six, 4);
    meet("4 to 4 beside 6", four, AF_INET, "127.0.0.1");
    meet("6 to 6 beside 4", six, AF_INET6, "::1");
    fd = made(AF_INET6, SOCK_STREAM);
    set(fd, IPPROTO_IPV6, IPV6_V6ONLY, 1);
    say("mapped from 6 only", connect_to(fd, "::ffff:127.0.0.1", port_of(four)));
    close(fd);
    fd = made(AF_INET, SOCK_STREAM);
    say("the port of both", bind_to(fd, "0.0.0.0", port_of(both)));
    say("of one address", bind_to(fd, "127.0.0.1", port_of(both)));
    close(fd);
    fd = made(AF_INET6, SOCK_STREAM);
    say("both at the port of 4", bind_to(fd, "::", port_of(four)));
    say("6 at the port of 4", bind_to(fd, "::1", port_of(four)));
    say("an address of 4", connect_to(fd, "127.0.0.1", port_of(four)));
    close(fd);
    fd = made(AF_INET, SOCK_STREAM);
    say("of 6 by 4", connect_to(fd, "::1", port_of(both)));
    close(fd);
    close(six);
    close(mapped);
    close(four);
    close(both);
}

static void datagram(int from, int to, const char *text, const char *what)
{
    union address a;
    socklen_t length = address(&a, text, port_of(to));
    char byte;
    if (say(what, (int)sendto(from, "x", 1, 0, &a.any, length)) < 0)
        return;
    length = sizeof a;
    ssize_t n = recvfrom(to, &byte, 1, 0, &a.any, &length);
    put("  from", (int)n, &a, length);
    if (say("  answer", (int)sendto(to, "y", 1, 0, &a.any, length)) < 0)
        return;
    length = sizeof a;
    n = recvfrom(from, &byte, 1, 0, &a.any, &length);
    put("  from", (int)n, &a, length);
    names("  the other", to);
}

static void datagrams(void)
{
    int both = made(AF_INET6, SOCK_DGRAM), four = made(AF_INET, SOCK_DGRAM);
    int six = made(AF_INET6, SOCK_DGRAM);
    bind_to(both, "::", 0);
    bind_to(four, "0.0.0.0", 0);
    datagram(four, both, "127.0.0.1", "4 to both");
    datagram(six, both, "::1", "6 to both");
    datagram(six, four, "::ffff:127.0.0.1", "mapped to 4");
    datagram(four, both, "0.0.0.0", "4 to any");
    say("connect 4", connect_to(four, "127.0.0.1", port_of(both)));
    names("connected", four);
    union address none = { .any.sa_family = AF_UNSPEC };
    say("to none", connect(four, &none.any, sizeof none.any));
    names("not connected", four);
    printf("port %d\n", port_of(four)); /* it was not named */
    bind_to(four, "0.0.0.0", 0);
    say("connect mapped", connect_to(six, "::ffff:127.0.0.1", port_of(four)));
    names("connected", six);
    close(six);
    six = made(AF_INET6, SOCK_DGRAM);
    set(six, IPPROTO_IPV6, IPV6_V6ONLY, 1);
    datagram(six, four, "::ffff:127.0.0.1", "mapped from 6 only");
    close(both);
    close(four);
    close(six);
}

/* ---- ports in use ---- */

static void both_ends(int from, int ends[2])
{
    ends[0] = made(AF_INET, SOCK_STREAM);
    if (connect_to(ends[0], "127.0.0.1", port_of(from)) != 0 ||
        (ends[1] = accept(from, NULL, NULL)) < 0)
        abort();
}

static void read_end(int fd)
{
    char byte;
    while (read(fd, &byte, 1) > 0)
        ;
}

/* A server has a connection, and ends: whether its port is in use. */
static void restart(const char *what, int reuses_before, int reuses, int how)
{
    int from = made(AF_INET, SOCK_STREAM), ends[2], again = made(AF_INET, SOCK_STREAM);
    set(from, SOL_SOCKET, SO_REUSEADDR, reuses_before);
    set(again, SOL_SOCKET, SO_REUSEADDR, reuses);
    if (bind_to(from, "127.0.0.1", 0) != 0 || listen(from, 4) != 0)
        abort();
    int port = port_of(from);
    both_ends(from, ends);
    close(from);
    if (how == 'o')
        say("while it is open", bind_to(again, "127.0.0.1", port));
    if (how == 'o') {
        close(again);
        again = made(AF_INET, SOCK_STREAM);
        set(again, SOL_SOCKET, SO_REUSEADDR, reuses);
    }
    if (how == 'c') { /* the client first */
        close(ends[0]);
        read_end(ends[1]);
        close(ends[1]);
        usleep(10000);
    } else if (how == 'r') { /* a reset */
        const struct linger now = { 1, 0 };
        setsockopt(ends[1], SOL_SOCKET, SO_LINGER, &now, sizeof now);
        close(ends[1]);
        usleep(10000);
        close(ends[0]);
    } else if (how == 'h') { /* the server first, by halves */
        shutdown(ends[1], SHUT_WR);
        read_end(ends[0]);
        close(ends[0]);
        read_end(ends[1]);
        close(ends[1]);
    } else {
        close(ends[1]);
        read_end(ends[0]);
        if (how == 'w')
            say("while it waits for the client", bind_to(again, "127.0.0.1", port));
        close(ends[0]);
        usleep(10000);
    }
    say(what, bind_to(again, "127.0.0.1", port));
    close(again);
    again = made(AF_INET, SOCK_STREAM);
    set(again, SOL_SOCKET, SO_REUSEADDR, reuses);
    say("at any address", bind_to(again, "0.0.0.0", port));
    close(again);
    again = made(AF_INET, SOCK_DGRAM);
    say("for datagrams", bind_to(again, "127.0.0.1", port));
    close(again);
}

static void twice(int type, int reuses, int reuses_too)
{
    int one = made(AF_INET, type), other = made(AF_INET, type);
    printf("%s, %d %d\n", type == SOCK_STREAM ? "stream" : "datagrams", reuses, reuses_too);
    set(one, SOL_SOCKET, SO_REUSEADDR, reuses);
    set(other, SOL_SOCKET, SO_REUSEADDR, reuses_too);
    bind_to(one, "127.0.0.1", 0);
    if (say("  twice", bind_to(other, "127.0.0.1", port_of(one))) == 0 && type == SOCK_STREAM) {
        say("  listen", listen(one, 1));
        say("  listen too", listen(other, 1));
    }
    close(other);
    if (type == SOCK_STREAM) {
        listen(one, 1);
        other = made(AF_INET, type);
        set(other, SOL_SOCKET, SO_REUSEADDR, reuses_too);
        say("  while it listens", bind_to(other, "127.0.0.1", port_of(one)));
        say("  at any address", bind_to(other, "0.0.0.0", port_of(one)));
        close(other);
    }
    close(one);
}

static void ports(void)
{
    restart("after the server", 0, 0, 's');
    restart("that reuses", 1, 1, 's');
    restart("only later", 0, 1, 's');
    restart("only before", 1, 0, 's');
    restart("after the client", 0, 0, 'c');
    restart("after a reset", 0, 0, 'r');
    restart("by halves", 0, 0, 'h');
    restart("later", 0, 0, 'w');
    restart("open", 0, 0, 'o');
    restart("open, that reuses", 1, 1, 'o');
    for (int i = 0; i < 4; i++) {
        twice(SOCK_STREAM, i & 1, i >> 1);
        twice(SOCK_DGRAM, i & 1, i >> 1);
    }
}

/* ---- ends ---- */

static void events(const char *what, int fd)
{
    struct pollfd p = { fd, POLLIN | POLLOUT | POLLRDHUP, 0 };
    poll(&p, 1, 1000);
    printf("%s:%s%s%s%s%s\n", what, p.revents & POLLIN ? " in" : "",
           p.revents & POLLOUT ? " out" : "", p.revents & POLLERR ? " error" : "",
           p.revents & POLLHUP ? " hup" : "", p.revents & POLLRDHUP ? " rdhup" : "");
}

static void ends_of_connections(void)
{
    int from = listener(AF_INET, "127.0.0.1"), ends[2];
    const struct linger now = { 1, 0 };
    char byte;
    signal(SIGPIPE, SIG_IGN);
    both_ends(from, ends);
    setsockopt(ends[1], SOL_SOCKET, SO_LINGER, &now, sizeof now);
    close(ends[1]);
    usleep(10000);
    events("reset", ends[0]);
    names("reset", ends[0]);
    say("read", (int)read(ends[0], &byte, 1));
    events("then", ends[0]);
    say("read", (int)read(ends[0], &byte, 1));
    say("write", (int)write(ends[0], "x", 1));
    say("shutdown", shutdown(ends[0], SHUT_RDWR));
    close(ends[0]);

    both_ends(from, ends);
    shutdown(ends[1], SHUT_WR);
    usleep(10000);
    events("half", ends[0]);
    names("half", ends[0]);
    close(ends[0]);
    usleep(10000);
    events("both", ends[1]);
    names("both", ends[1]);
    say("shutdown", shutdown(ends[1], SHUT_RD));
    close(ends[1]);

    both_ends(from, ends);
    shutdown(ends[1], SHUT_RDWR);
    usleep(10000);
    events("shut", ends[1]);
    names("shut", ends[1]);
    say("write", (int)write(ends[0], "x", 1));
    usleep(10000);
    events("the other", ends[0]);
    names("the other", ends[0]);
    say("write", (int)write(ends[0], "x", 1));
    close(ends[0]);
    close(ends[1]);

    both_ends(from, ends);
    shutdown(ends[1], SHUT_RD);
    events("no reading", ends[1]);
    printf("read %zd\n", read(ends[1], &byte, 1));
    say("write", (int)write(ends[0], "xy", 2));
    usleep(10000);
    printf("read %zd\n", read(ends[1], &byte, 1));
    printf("read %zd\n", read(ends[1], &byte, 1));
    printf("read %zd\n", read(ends[1], &byte, 1));
    events("then", ends[0]);
    say("write", (int)write(ends[1], "z", 1));
    printf("read %zd\n", read(ends[0], &byte, 1));
    close(ends[0]);
    close(ends[1]);
    close(from);
}

static void options(void)
{
    static const struct {
        int family, type;
    } kinds[] = { { AF_INET, SOCK_STREAM },
                  { AF_INET, SOCK_DGRAM },
                  { AF_INET6, SOCK_STREAM },
                  { AF_UNIX, SOCK_STREAM } };
    for (int i = 0; i < 4; i++) {
        int fd = made(kinds[i].family, kinds[i].type);
        printf("protocol %d, domain %d, type %d\n", get(fd, SOL_SOCKET, SO_PROTOCOL),
               get(fd, SOL_SOCKET, SO_DOMAIN), get(fd, SOL_SOCKET, SO_TYPE));
        close(fd);
    }
    int from = listener(AF_INET, "127.0.0.1"), ends[2];
    printf("keep %d: %d, %d, %d; %d\n", get(from, SOL_SOCKET, SO_KEEPALIVE),
           get(from, IPPROTO_TCP, TCP_KEEPIDLE), get(from, IPPROTO_TCP, TCP_KEEPINTVL),
           get(from, IPPROTO_TCP, TCP_KEEPCNT), get(from, IPPROTO_TCP, TCP_USER_TIMEOUT));
    say("no time", set(from, IPPROTO_TCP, TCP_KEEPIDLE, 0));
    say("too long", set(from, IPPROTO_TCP, TCP_KEEPINTVL, 32768));
    say("too many", set(from, IPPROTO_TCP, TCP_KEEPCNT, 128));
    say("less than none", set(from, IPPROTO_TCP, TCP_USER_TIMEOUT, -1));
    set(from, SOL_SOCKET, SO_KEEPALIVE, 1);
    set(from, IPPROTO_TCP, TCP_KEEPIDLE, 5);
    set(from, IPPROTO_TCP, TCP_USER_TIMEOUT, 3000);
    both_ends(from, ends);
    printf("keep %d: %d, %d\n", get(ends[1], SOL_SOCKET, SO_KEEPALIVE),
           get(ends[1], IPPROTO_TCP, TCP_KEEPIDLE), get(ends[1], IPPROTO_TCP, TCP_USER_TIMEOUT));
    close(ends[0]);
    close(ends[1]);
    close(from);
}

static void unix_names(void)
{
    struct sockaddr_un a = { .sun_family = AF_UNIX, .sun_path = "inet.none" };
    int fd = made(AF_UNIX, SOCK_STREAM), other;
    say("no such name", connect(fd, (struct sockaddr *)&a, sizeof a));
    strcpy(a.sun_path, "inet.socket");
    unlink(a.sun_path);
    other = made(AF_UNIX, SOCK_STREAM);
    bind(other, (struct sockaddr *)&a, sizeof a);
    say("a socket that does not listen", connect(fd, (struct sockaddr *)&a, sizeof a));
    close(other);
    say("a name without a socket", connect(fd, (struct sockaddr *)&a, sizeof a));
    unlink(a.sun_path);
    close(fd);
}

static void broadcasts(void)
{
    int fd = made(AF_INET, SOCK_DGRAM);
    union address a;
    socklen_t length = address(&a, "255.255.255.255", 7);
    say("no broadcast", (int)sendto(fd, "x", 1, 0, &a.any, length));
    say("connect", connect(fd, &a.any, length));
    set(fd, SOL_SOCKET, SO_BROADCAST, 1);
    say("connect", connect(fd, &a.any, length));
    close(fd);
    fd = made(AF_INET, SOCK_DGRAM);
    say("bind", bind_to(fd, "255.255.255.255", 0));
    close(fd);
    fd = made(AF_INET, SOCK_STREAM);
    say("a stream", connect(fd, &a.any, length));
    close(fd);
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    streams();
    datagrams();
    ports();
    ends_of_connections();
    options();
    unix_names();
    broadcasts();
    return 0;
}
