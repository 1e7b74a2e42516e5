/* echo.c - an echo server with a thread for each client, over TCP, UDP and Unix sockets.
 * -DMISTAKE: it takes it that a read has a whole message, as it always has on one machine. */
#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { CLIENTS = 3, MESSAGES = 4, BYTES = 600 };
static int listener;
static union {
    struct sockaddr any;
    struct sockaddr_in in;
    struct sockaddr_in6 in6;
    struct sockaddr_un un;
} address;
static socklen_t length;

static int read_all(int fd, char *to, size_t bytes)
{
    size_t done = 0;
    while (done < bytes) {
        ssize_t n = read(fd, to + done, bytes - done);
        if (n <= 0)
            return done == 0 ? 0 : -1;
        done += (size_t)n;
#ifdef MISTAKE
        break;
#endif
    }
    return 1;
}

static void *serve(void *arg)
{
    int fd = (int)(intptr_t)arg;
    char message[BYTES];
    memset(message, 0, sizeof message);
    while (read_all(fd, message, sizeof message) > 0)
        assert(write(fd, message, sizeof message) == sizeof message);
    close(fd);
    return NULL;
}

static void *accept_all(void *arg)
{
    pthread_t ids[CLIENTS];
    for (int i = 0; i < CLIENTS; i++) {
        int fd = accept(listener, NULL, NULL);
        assert(fd >= 0);
        pthread_create(&ids[i], NULL, serve, (void *)(intptr_t)fd);
    }
    for (int i = 0; i < CLIENTS; i++)
        pthread_join(ids[i], NULL);
    return arg;
}

static void *ask(void *arg)
{
    int fd = socket(address.any.sa_family, SOCK_STREAM, 0), id = (int)(intptr_t)arg;
    char message[BYTES], answer[BYTES];
    assert(fd >= 0 && connect(fd, &address.any, length) == 0);
    for (int i = 0; i < MESSAGES; i++) {
        memset(message, 'a' + id * MESSAGES + i, sizeof message);
        assert(send(fd, message, sizeof message, MSG_NOSIGNAL) == sizeof message);
        assert(recv(fd, answer, sizeof answer, MSG_WAITALL) == sizeof answer);
        assert(memcmp(message, answer, sizeof message) == 0);
    }
    assert(shutdown(fd, SHUT_WR) == 0 && read(fd, answer, 1) == 0);
    close(fd);
    return NULL;
}

static void streams(const char *name)
{
    pthread_t server, clients[CLIENTS];
    listener = socket(address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert(listener >= 0 && bind(listener, &address.any, length) == 0 && listen(listener, 8) == 0);
    int other = socket(address.any.sa_family, SOCK_STREAM, 0);
    assert(getsockname(listener, &address.any, &length) == 0);
    assert(bind(other, &address.any, length) < 0 && errno == EADDRINUSE);
    close(other);
    pthread_create(&server, NULL, accept_all, NULL);
    for (int i = 0; i < CLIENTS; i++)
        pthread_create(&clients[i], NULL, ask, (void *)(intptr_t)i);
    for (int i = 0; i < CLIENTS; i++)
        pthread_join(clients[i], NULL);
    pthread_join(server, NULL);
    close(listener);
    other = socket(address.any.sa_family, SOCK_STREAM, 0);
    assert(connect(other, &address.any, length) < 0 && errno == ECONNREFUSED);
    close(other);
    printf("%s\n", name);
}

static void *answer_datagrams(void *arg)
{
    int fd = (int)(intptr_t)arg;
    char text[100];
    struct sockaddr_in from;
    for (int i = 0; i < CLIENTS * MESSAGES; i++) {
        socklen_t size = sizeof from;
        ssize_t n = recvfrom(fd, text, sizeof text, 0, (struct sockaddr *)&from, &size);
        assert(n > 0 && size == sizeof from);
        assert(sendto(fd, text, (size_t)n, 0, (struct sockaddr *)&from, size) == n);
    }
    return NULL;
}

static void *ask_datagrams(void *arg)
{
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    char text[100], answer[100];
    assert(connect(fd, &address.any, length) == 0);
    for (int i = 0; i < MESSAGES; i++) {
        int n = snprintf(text, sizeof text, "datagram %d of %d", i, (int)(intptr_t)arg);
        assert(send(fd, text, (size_t)n, 0) == n && recv(fd, answer, sizeof answer, 0) == n);
        assert(memcmp(text, answer, (size_t)n) == 0);
    }
    close(fd);
    return NULL;
}

static void datagrams(void)
{
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    pthread_t server, clients[CLIENTS];
    assert(bind(fd, &address.any, length) == 0 && getsockname(fd, &address.any, &length) == 0);
    pthread_create(&server, NULL, answer_datagrams, (void *)(intptr_t)fd);
    for (int i = 0; i < CLIENTS; i++)
        pthread_create(&clients[i], NULL, ask_datagrams, (void *)(intptr_t)i);
    for (int i = 0; i < CLIENTS; i++)
        pthread_join(clients[i], NULL);
    pthread_join(server, NULL);
    close(fd);
    puts("UDP");
}

int main(void)
{
    address.in = (struct sockaddr_in){ .sin_family = AF_INET };
    address.in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    length = sizeof address.in;
    streams("TCP");
    address.in.sin_port = 0;
    datagrams();
    memset(&address, 0, sizeof address);
    address.in6.sin6_family = AF_INET6;
    address.in6.sin6_addr.s6_addr[15] = 1;
    length = sizeof address.in6;
    streams("TCP of IPv6");
    memset(&address, 0, sizeof address);
    address.un.sun_family = AF_UNIX;
    strcpy(address.un.sun_path, "echo.socket");
    length = sizeof address.un;
    streams("Unix");
    return 0;
}
