/* io.c - an echo server and its clients, over TCP.
 * needs: descriptors threads
 * modes: woven forced
 * expect: client 1: hello 1
 * expect: client 2: hello 2
 * expect: client 3: hello 3
 * expect: nothing came within 5 ms: ETIMEDOUT */
#include <co4.h>
#include <co4/io.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

static pausable void serve(int fd)
{
    char line[256];
    ssize_t n;
    while ((n = co4_read(fd, line, sizeof line)) > 0) /* pauses until bytes come */
        if (co4_write(fd, line, (size_t)n) < 0)       /* pauses while the peer is slow */
            break;
    co4_close(fd);
}

static pausable void server(int listener)
{
    int fd;
    while ((fd = co4_accept(listener, NULL, NULL)) >= 0)
        co4_spawn(serve(fd)); /* a task for each connection */
}

static int listen_on_loopback(struct sockaddr_in *address)
{
    socklen_t length = sizeof *address;
    int fd = co4_socket(AF_INET, SOCK_STREAM, 0);
    *address = (struct sockaddr_in){ .sin_family = AF_INET,
                                     .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    if (bind(fd, (struct sockaddr *)address, length) != 0 || listen(fd, 16) != 0 ||
        getsockname(fd, (struct sockaddr *)address, &length) != 0)
        return -1;
    return fd;
}

static pausable void client(int number, struct sockaddr_in address)
{
    char line[32];
    int fd = co4_socket(AF_INET, SOCK_STREAM, 0);
    int length = snprintf(line, sizeof line, "hello %d", number);
    if (co4_connect(fd, (struct sockaddr *)&address, sizeof address) != 0)
        return;
    co4_write(fd, line, (size_t)length);
    memset(line, 0, sizeof line);
    co4_read(fd, line, sizeof line - 1);
    printf("client %d: %s\n", number, line);
    if (number == 3 && co4_read_until(fd, line, sizeof line, co4_now() + 5 * CO4_MS) < 0)
        printf("nothing came within 5 ms: %s\n", errno == ETIMEDOUT ? "ETIMEDOUT" : "?");
    co4_close(fd);
}

static pausable void clients(void)
{
    struct sockaddr_in address;
    int listener = listen_on_loopback(&address);
    if (listener < 0)
        return;
    co4_task *task = co4_spawn(server(listener));
    for (int i = 1; i <= 3; i++) {
        co4_task *t = co4_spawn(client(i, address));
        co4_join(t, NULL);
    }
    co4_close(listener); /* ends the wait of the server: EBADF */
    co4_join(task, NULL);
}

int main(void)
{
    co4_run(clients());
    return 0;
}
