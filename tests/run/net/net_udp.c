/* net_udp.c - sockets for datagrams, bound and connected by name.
 * needs: descriptors
 * expect: to a port: ping
 * expect: back to the sender: pong
 * expect: every address: from v4 ok, from v6 ok
 * expect: nothing listens: sent, then ECONNREFUSED
 * expect: in use: EADDRINUSE
 * expect: shared port: ok
 * expect: no port: CO4_EINVAL CO4_EINVAL
 * expect: flags: CO4_EINVAL CO4_EINVAL
 * expect: nothing comes: ETIMEDOUT
 * expect: nothing stays open */
#include <co4.h>
#include <co4/io.h>
#include <co4/net.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

static pausable void pair(void)
{
    char port[8], text[8] = "";
    struct sockaddr_storage from;
    socklen_t length = sizeof from;
    int server = co4_udp_bind("127.0.0.1", "0", 0);
    int client = co4_udp_connect("127.0.0.1", port_of(server, port));
    co4_send(client, "ping", 4, 0);
    co4_recvfrom(server, text, sizeof text, 0, (struct sockaddr *)&from, &length);
    printf("to a port: %s\n", text);
    co4_sendto(server, "pong", 4, 0, (struct sockaddr *)&from, length);
    co4_recv(client, text, sizeof text, 0);
    printf("back to the sender: %s\n", text);
    const char *again = end(co4_udp_bind("127.0.0.1", port, 0));
    co4_close(server);
    co4_send(client, "ping", 4, 0); /* no process has the port any more */
    ssize_t n = co4_recv(client, text, sizeof text, 0);
    int err = errno;
    co4_close(client);

    server = co4_udp_bind(NULL, "0", 0);
    client = co4_udp_connect("127.0.0.1", port_of(server, port));
    co4_send(client, "4", 1, 0);
    co4_recv(server, text, sizeof text, 0);
    printf("every address: from v4 %s", text[0] == '4' ? "ok" : "?");
    int v6 = co4_udp_connect("::1", port);
    if (v6 >= 0) {
        co4_send(v6, "6", 1, 0);
        co4_recv(server, text, sizeof text, 0);
        co4_close(v6);
    }
    printf(", from v6 %s\n", v6 < 0 || text[0] == '6' ? "ok" : "?");
    co4_close(client);
    co4_close(server);
    printf("nothing listens: sent, then %s\nin use: %s\n", n < 0 ? co4_errname(-err) : "?", again);
}

static pausable void others(void)
{
    char port[8], text[8];
    int first = co4_udp_bind("127.0.0.1", "0", CO4_LISTEN_REUSEPORT);
    printf("shared port: %s\n",
           end(co4_udp_bind("127.0.0.1", port_of(first, port), CO4_LISTEN_REUSEPORT)));
    const char *a = end(co4_udp_bind(NULL, NULL, 0));
    printf("no port: %s %s\n", a, end(co4_udp_connect("127.0.0.1", "")));
    a = end(co4_udp_bind(NULL, "0", 4));
    printf("flags: %s %s\n", a, end(co4_udp_bind(NULL, "0", CO4_LISTEN_BACKLOG(1))));
    ssize_t n = co4_recv_until(first, text, sizeof text, 0, co4_now() + CO4_MS);
    printf("nothing comes: %s\n", n < 0 && errno == ETIMEDOUT ? "ETIMEDOUT" : "?");
    co4_close(first);
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
    others();
    puts(descriptors() == before ? "nothing stays open" : "a descriptor stays open");
}

int main(void)
{
    co4_run(all());
    return 0;
}
