/* talks.c - a client of TCP, as on Linux: HOST PORT CLOSED-PORT. The server says back what it
 * hears, and ends when the client has. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

/* C libraries have different texts. */
static const char *name_of(int err)
{
    static const struct {
        int err;
        const char *name;
    } names[] = { { 0, "0" },
                  { EACCES, "EACCES" },
                  { EAFNOSUPPORT, "EAFNOSUPPORT" },
                  { EAGAIN, "EAGAIN" },
                  { EBADF, "EBADF" },
                  { ECONNREFUSED, "ECONNREFUSED" },
                  { ECONNRESET, "ECONNRESET" },
                  { EINPROGRESS, "EINPROGRESS" },
                  { ENETUNREACH, "ENETUNREACH" },
                  { ENOPROTOOPT, "ENOPROTOOPT" },
                  { ENOTCONN, "ENOTCONN" },
                  { EPIPE, "EPIPE" } };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].err == err)
            return names[i].name;
    return "another";
}

static void show(const char *what, long n)
{
    int err = errno;
    printf("%s: %ld %s\n", what, n, n < 0 ? name_of(err) : "");
}

static int open_to(const char *host, const char *port)
{
    struct addrinfo hints = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM }, *list, *one;
    int code = getaddrinfo(host, port, &hints, &list), fd = -1;
    if (code != 0) {
        printf("%s\n", code == EAI_NONAME           ? "EAI_NONAME"
                       : code == EAI_SERVICE        ? "EAI_SERVICE"
                       : gai_strerror(code) != NULL ? "another code"
                                                    : "no text");
        errno = 0;
        return -1;
    }
    for (one = list; one && fd < 0; one = one->ai_next) {
        fd = socket(one->ai_family, one->ai_socktype, one->ai_protocol);
        if (connect(fd, one->ai_addr, one->ai_addrlen) != 0) {
            show("connect", -1);
            close(fd);
            fd = -1;
        }
    }
    freeaddrinfo(list);
    return fd;
}

static void names(int fd, const char *port)
{
    struct sockaddr_in peer, own;
    socklen_t room = sizeof peer;
    char host[NI_MAXHOST], service[NI_MAXSERV];
    show("getpeername", getpeername(fd, (struct sockaddr *)&peer, &room));
    printf("%s %d %d\n", inet_ntoa(peer.sin_addr), ntohs(peer.sin_port) == atoi(port), room);
    room = sizeof own;
    show("getsockname", getsockname(fd, (struct sockaddr *)&own, &room));
    printf("%s %d\n", inet_ntoa(own.sin_addr), own.sin_port != 0);
    getnameinfo((struct sockaddr *)&peer, room, host, sizeof host, service, sizeof service,
                NI_NUMERICHOST | NI_NUMERICSERV);
    printf("%s %d\n", host, strcmp(service, port));
    struct hostent *h = gethostbyname("localhost");
    printf("%s\n", h ? inet_ntoa(*(struct in_addr *)h->h_addr_list[0]) : "none");
}

static void options(int fd)
{
    int on = 1, value = 0;
    struct timeval limit = { 0, 20000 };
    socklen_t room = sizeof value;
    char byte;
    show("nodelay", setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on));
    show("get", getsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &value, &room));
    printf("%d %d\n", value != 0, (int)room);
    getsockopt(fd, SOL_SOCKET, SO_TYPE, &value, &room);
    printf("stream %d\n", value == SOCK_STREAM);
    getsockopt(fd, SOL_SOCKET, SO_ERROR, &value, &room);
    printf("error %d\n", value);
    show("no option", setsockopt(fd, SOL_SOCKET, 9999, &on, sizeof on));
    show("limit", setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit));
    show("timeout", recv(fd, &byte, 1, 0));
    limit.tv_usec = 0;
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
}

static long send_all(int fd, const char *bytes, size_t count)
{
    long done = 0, n;
    while ((size_t)done < count && (n = write(fd, bytes + done, count - (size_t)done)) > 0)
        done += n;
    return done;
}

static void talk(int fd)
{
    char text[64] = "";
    struct iovec parts[2] = { { "in two ", 7 }, { "parts", 5 } };
    struct iovec to[2] = { { text, 3 }, { text + 8, 20 } };
    struct msghdr out = { .msg_iov = parts, .msg_iovlen = 2 };
    struct msghdr in = { .msg_iov = to, .msg_iovlen = 2 };
    struct pollfd p = { fd, POLLIN | POLLOUT, 0 };
    show("send", send(fd, "hello", 5, MSG_NOSIGNAL));
    show("peek", recv(fd, text, 5, MSG_PEEK | MSG_WAITALL));
    show("recv", recvfrom(fd, text, 5, MSG_WAITALL, NULL, NULL));
    printf("%s\n", text);
    show("poll", poll(&p, 1, 0));
    printf("%d\n", p.revents);
    show("sendmsg", sendmsg(fd, &out, 0));
    p.events = POLLIN;
    show("poll", poll(&p, 1, -1));
    show("recvmsg", recvmsg(fd, &in, MSG_WAITALL | MSG_DONTWAIT) > 0 ? 0 : -1);
    fd_set set;
    FD_ZERO(&set);
    FD_SET(fd, &set);
    while (recv(fd, text, sizeof text, MSG_DONTWAIT) > 0)
        ;
    show("nothing", recv(fd, text, 1, MSG_DONTWAIT));
    fcntl(fd, F_SETFL, O_NONBLOCK);
    show("nothing", read(fd, text, 1));
    int off = 0;
    show("block", ioctl(fd, FIONBIO, &off));
    printf("%d\n", fcntl(fd, F_GETFL) & O_NONBLOCK);
    write(fd, "x", 1);
    show("select", select(fd + 1, &set, NULL, NULL, NULL));
    show("read", read(fd, text, sizeof text));
}

static void much(int fd)
{
    enum { MUCH = 300000 };
    char *out = malloc(MUCH), *in = calloc(1, MUCH);
    for (int i = 0; i < MUCH; i++)
        out[i] = (char)(i * 7 % 251);
    for (int i = 0; i < MUCH; i += 10000)
        if (send_all(fd, out + i, 10000) != 10000)
            show("write", -1);
    show("much", recv(fd, in, MUCH, MSG_WAITALL));
    printf("same %d\n", memcmp(in, out, MUCH) == 0);
    free(in);
    free(out);
}

static void ends(int fd)
{
    char text[8];
    show("shutdown", shutdown(fd, SHUT_WR));
    show("end", read(fd, text, 1));
    show("pipe", send(fd, "x", 1, MSG_NOSIGNAL));
    show("close", close(fd));
    show("closed", recv(fd, text, 1, 0));
}

/* O_NONBLOCK: the end of a connect by poll(). */
static void without_block(const char *port, const char *closed)
{
    const char *ports[2] = { port, closed };
    for (int i = 0; i < 2; i++) {
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), err = -1;
        socklen_t room = sizeof err;
        struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(atoi(ports[i])) };
        inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
        int n = connect(fd, (struct sockaddr *)&to, sizeof to);
        if (i == 0)
            show("begin", n);
        struct pollfd p = { fd, POLLOUT, 0 };
        poll(&p, 1, -1);
        getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &room);
        printf("%s\n", name_of(err));
        close(fd);
    }
}

int main(int argc, char **argv)
{
    (void)argc;
    signal(SIGPIPE, SIG_IGN);
    int fd = open_to(argv[1], argv[2]);
    if (fd < 0)
        return 1;
    fflush(stdout);
    names(fd, argv[2]);
    options(fd);
    talk(fd);
    much(fd);
    ends(fd);
    show("refused", open_to(argv[1], argv[3]));
    show("no name", open_to("no such name", argv[2]));
    show("no number", open_to("127.0.0.1", "no-service"));
    without_block(argv[2], argv[3]);
    int pair[2];
    show("pair", socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    show("send", send(pair[0], "x", 1, 0));
    show("read", read(pair[1], &(char){ 0 }, 1));
    show("unconnected", recv(socket(AF_INET, SOCK_STREAM, 0), &(char){ 0 }, 1, 0));
    show("family", socket(77, SOCK_STREAM, 0));
    return 6;
}
