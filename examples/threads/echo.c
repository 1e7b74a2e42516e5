/* echo.c - a server with a thread for each connection, which answers with what it hears.
 *
 *     cc -O2 echo.c -o echo -pthread
 *     co4weave --auto=threads cc -O2 echo.c -o echo -pthread     the threads become tasks
 *
 * It knows nothing of co4. */
#include <arpa/inet.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static long served, total; /* clients, and bytes of all of them */

static void *serve(void *arg)
{
    int fd = (int)(intptr_t)arg;
    long bytes = 0;
    char text[1024];
    ssize_t n;
    while ((n = read(fd, text, sizeof text)) > 0 && write(fd, text, (size_t)n) == n)
        bytes += n;
    close(fd);
    pthread_mutex_lock(&guard);
    served++;
    total += bytes;
    printf("client %ld said %ld bytes, all of them %ld\n", served, bytes, total);
    pthread_mutex_unlock(&guard);
    return NULL;
}

int main(int argc, char **argv)
{
    int fd, one = 1, listener = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in at = { .sin_family = AF_INET,
                              .sin_port = htons((uint16_t)(argc > 1 ? atoi(argv[1]) : 7000)),
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    signal(SIGPIPE, SIG_IGN);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(listener, (struct sockaddr *)&at, sizeof at) != 0 || listen(listener, 4096) != 0) {
        perror("echo");
        return 1;
    }
    while ((fd = accept(listener, NULL, NULL)) >= 0) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, serve, (void *)(intptr_t)fd) == 0)
            pthread_detach(thread);
        else
            close(fd);
    }
    perror("accept");
    return 1;
}
