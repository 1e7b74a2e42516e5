/* net_tcp.c - TCP by name and port: listening, connecting, accepting; options; wrong arguments.
 * needs: descriptors
 * expect: a free port, and the same for both ends
 * expect: options: nodelay 1 1, close-on-exec 1 1 1
 * expect: bytes: ping pong
 * expect: every address: v4 ok, v6 ok
 * expect: one address: v4 refused elsewhere
 * expect: NULL is this machine: ok
 * expect: nothing listens: ECONNREFUSED
 * expect: in use: EADDRINUSE
 * expect: shared port: ok
 * expect: backlog: ok
 * expect: accept in vain: CO4_ETIMEDOUT
 * expect: no port: CO4_EINVAL CO4_EINVAL CO4_EINVAL
 * expect: too large: CO4_EINVAL CO4_EINVAL
 * expect: flags: CO4_EINVAL CO4_EINVAL
 * expect: not a socket of a port: EAFNOSUPPORT CO4_ECLOSED
 * expect: accept at what does not listen: CO4_EINVAL CO4_ECLOSED
 * expect: no such service: CO4_EINVAL
 * expect: nothing stays open */
#include <co4.h>
#include <co4/io.h>
#include <co4/net.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The name of the error, or "ok"; closes the descriptor. */
static const char *end(int fd)
{
    if (fd < 0)
        return co4_errname(fd);
    co4_close(fd);
    return "ok";
}

static const char *port_of(int fd, char text[8])
{
    snprintf(text, 8, "%d", co4_socket_port(fd));
    return text;
}

static int nodelay(int fd)
{
    int on = 0;
    socklen_t bytes = sizeof on;
    co4_getsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, &bytes);
    return on != 0;
}

static int cloexec(int fd)
{
    return (fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0;
}

static pausable void pair(void)
{
    char port[8], text[8] = "";
    int listener = co4_tcp_listen("127.0.0.1", "0", 0);
    int client = co4_tcp_connect("127.0.0.1", port_of(listener, port));
    int server = co4_accept_next(listener);
    struct sockaddr_in peer = { .sin_port = 0 };
    socklen_t length = sizeof peer;
    co4_getpeername(client, (struct sockaddr *)&peer, &length);
    printf("a free port%s\n",
           co4_socket_port(listener) > 0 && co4_socket_port(server) == ntohs(peer.sin_port)
               ? ", and the same for both ends"
               : "?");
    printf("options: nodelay %d %d, close-on-exec %d %d %d\n", nodelay(client), nodelay(server),
           cloexec(listener), cloexec(client), cloexec(server));
    co4_write(client, "ping", 4);
    co4_read(server, text, 4);
    printf("bytes: %s", text);
    co4_write(server, "pong", 4);
    co4_read(client, text, 4);
    printf(" %s\n", text);
    co4_close(client);
    co4_close(server);
    co4_close(listener);
}

static int has_v6(void)
{
    struct sockaddr_in6 address = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
    int fd = socket(AF_INET6, SOCK_STREAM, 0);
    int can = fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof address) == 0;
    if (fd >= 0)
        close(fd);
    return can;
}

static pausable void addresses(void)
{
    char port[8];
    int listener = co4_tcp_listen(NULL, "0", 0);
    const char *v4 = end(co4_tcp_connect("127.0.0.1", port_of(listener, port)));
    const char *v6 = has_v6() ? end(co4_tcp_connect("::1", port)) : "ok";
    printf("every address: v4 %s, v6 %s\n", v4, v6);
    co4_close(listener);
    listener = co4_tcp_listen("127.0.0.1", "0", 0);
    int fd = co4_tcp_connect("127.0.0.2", port_of(listener, port));
    printf("one address: v4 %s elsewhere\n", fd < 0 ? "refused" : end(fd));
    co4_close(listener);
    listener = co4_tcp_listen("127.0.0.1", "0", 0);
    printf("NULL is this machine: %s\n", end(co4_tcp_connect(NULL, port_of(listener, port))));
    co4_close(listener);
}

static pausable void ports(void)
{
    char port[8];
    int first = co4_tcp_listen("127.0.0.1", "0", 0);
    port_of(first, port);
    const char *second = end(co4_tcp_listen("127.0.0.1", port, 0));
    co4_close(first);
    printf("nothing listens: %s\nin use: %s\n", end(co4_tcp_connect("127.0.0.1", port)), second);
    first = co4_tcp_listen("127.0.0.1", "0", CO4_LISTEN_REUSEPORT);
    printf("shared port: %s\n",
           end(co4_tcp_listen("127.0.0.1", port_of(first, port), CO4_LISTEN_REUSEPORT)));
    co4_close(first);
    printf("backlog: %s\n", end(co4_tcp_listen("127.0.0.1", "0", CO4_LISTEN_BACKLOG(3))));
}

static pausable void wrong(void)
{
    int listener = co4_tcp_listen("127.0.0.1", "0", 0);
    printf("accept in vain: %s\n", end(co4_accept_next_until(listener, co4_now() + CO4_MS)));
    const char *a = end(co4_tcp_connect("127.0.0.1", NULL)), *b = end(co4_tcp_connect(NULL, ""));
    printf("no port: %s %s %s\n", a, b, end(co4_tcp_listen(NULL, NULL, 0)));
    a = end(co4_tcp_listen(NULL, "70000", 0));
    printf("too large: %s %s\n", a, end(co4_tcp_connect("127.0.0.1", "65536")));
    a = end(co4_tcp_listen(NULL, "0", 2));
    printf("flags: %s %s\n", a, end(co4_tcp_listen(NULL, "0", -1)));
    int fds[2];
    if (co4_socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0)
        return;
    a = co4_errname(co4_socket_port(fds[0]));
    b = co4_errname(co4_socket_port(-1));
    printf("not a socket of a port: %s %s\n", a, b);
    a = end(co4_accept_next(fds[0]));
    printf("accept at what does not listen: %s %s\n", a, end(co4_accept_next(-1)));
    printf("no such service: %s\n", end(co4_tcp_connect("256.256.256.256", "x-no-such-service")));
    co4_close(fds[0]);
    co4_close(fds[1]);
    co4_close(listener);
}

static int descriptors(void)
{
    int n = 0;
    for (int fd = 0; fd < 1000; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

static pausable void all(void)
{
    pair();
    int before = descriptors();
    addresses();
    ports();
    wrong();
    puts(descriptors() == before ? "nothing stays open" : "a descriptor stays open");
}

int main(void)
{
    co4_run(all());
    co4_resolver_stop();
    return 0;
}
