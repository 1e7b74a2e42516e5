/* moved.c - a thread waits at a descriptor at which the thread of main has waited, which blocks now
 * in what nobody knows. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROUNDS = 20 };

static struct sockaddr_in address = { .sin_family = AF_INET };
static int listener, ends[2];
static char fifo[] = "moved-fifo";

static void *connects(void *arg)
{
    usleep(3000);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0 ||
        write(ends[1], "p", 1) != 1)
        abort();
    close(fd);
    return arg;
}

static long take_one(void)
{
    char c;
    struct pollfd at = { listener, POLLIN, 0 };
    if (poll(&at, 1, 20000) != 1)
        return 0;
    close(accept(listener, NULL, NULL));
    return read(ends[0], &c, 1);
}

static void *takes(void *arg)
{
    (void)arg;
    long taken = take_one();
    int fd = open(fifo, O_WRONLY);
    if (write(fd, "f", 1) != 1)
        abort();
    close(fd);
    return (void *)taken;
}

static long turn(int round)
{
    pthread_t client, taker, again;
    char c;
    pthread_create(&client, NULL, connects, NULL);
    long sum = take_one();
    pthread_join(client, NULL);

    void *taken;
    pthread_create(&taker, NULL, takes, NULL);
    pthread_create(&again, NULL, connects, NULL);
    int fd = open(fifo, O_RDONLY); /* of a FIFO: until the other has opened it */
    sum += read(fd, &c, 1);
    close(fd);
    pthread_join(taker, &taken);
    pthread_join(again, NULL);
    return sum + (long)taken + round;
}

int main(void)
{
    socklen_t bytes = sizeof address;
    long sum = 0;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    listener = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(listener, 5) != 0 || pipe(ends) != 0 || mkfifo(fifo, 0600) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &bytes) != 0)
        return 1;
    for (int i = 0; i < ROUNDS; i++)
        sum += turn(i);
    unlink(fifo);
    printf("%ld\n", sum);
    return 0;
}
