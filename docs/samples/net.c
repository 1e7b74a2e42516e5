/* net.c - an echo server at a port, and a client that finds it by name.
 * needs: descriptors threads
 * modes: woven forced
 * expect: hello
 * expect: no such service */
#include <co4.h>
#include <co4/io.h>
#include <co4/net.h>
#include <netdb.h>
#include <stdio.h>

static pausable void echo(int fd)
{
    char line[256];
    ssize_t n;
    while ((n = co4_read(fd, line, sizeof line)) > 0)
        if (co4_write(fd, line, (size_t)n) < 0)
            break;
    co4_close(fd);
}

static pausable int serve(int listener)
{
    int fd;
    while ((fd = co4_accept_next(listener)) >= 0)
        co4_spawn(echo(fd));
    return fd == CO4_ECLOSED ? CO4_OK : fd; /* closed: the server ends */
}

static pausable int ask(const char *host, const char *port)
{
    char answer[16] = "";
    int fd = co4_tcp_connect_until(host, port, co4_now() + 5 * CO4_SEC);
    if (fd < 0)
        return fd;
    co4_write(fd, "hello", 5);
    co4_read(fd, answer, sizeof answer - 1);
    puts(answer);
    return co4_close(fd);
}

static pausable void look_up(const char *host)
{
    struct addrinfo *list, hints = { .ai_socktype = SOCK_STREAM };
    int code = co4_resolve_until(host, "no-such-service", &hints, &list, co4_now() + CO4_SEC);
    if (code == CO4_OK)
        freeaddrinfo(list);
    else
        puts(code == CO4_EINVAL ? "no such service" : co4_strerror(code));
}

static pausable void both(void)
{
    char port[8];
    int listener = co4_tcp_listen(NULL, "0", 0);
    if (listener < 0)
        return;
    snprintf(port, sizeof port, "%d", co4_socket_port(listener));
    co4_task *server = co4_spawn(serve(listener));
    ask("localhost", port);
    co4_close(listener);
    co4_join(server, NULL);
    look_up("localhost");
}

int main(void)
{
    co4_run(both());
    return 0;
}
