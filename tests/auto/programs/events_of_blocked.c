/* events_of_blocked.c - a thread answers at a socket, and another blocks in what co4 does not know.
 * If both are tasks of one worker, another one waits for the events of the socket from then on. It
 * says whether there is one more epoll then. */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static int sockets[2];
static char name[64];
static atomic_int begun;

static void *answers(void *arg)
{
    char c;
    while (read(sockets[1], &c, 1) == 1)
        if (write(sockets[1], &c, 1) != 1)
            abort();
    return arg;
}

static void *blocks(void *arg)
{
    begun = 1;
    close(open(name, O_RDONLY));
    return arg;
}

static void ask(int times)
{
    char c = 1;
    for (int i = 0; i < times; i++)
        if (write(sockets[0], &c, 1) != 1 || read(sockets[0], &c, 1) != 1)
            abort();
}

static int epolls(void)
{
    int n = 0;
    for (int fd = 0; fd < 1024; fd++) {
        char path[64], file[64] = "";
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        if (readlink(path, file, sizeof file - 1) > 0 && strstr(file, "[eventpoll]"))
            n++;
    }
    return n;
}

int main(void)
{
    char folder[] = "/tmp/co4-events-XXXXXX";
    pthread_t threads[2];
    if (mkdtemp(folder) == NULL || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0)
        return 1;
    snprintf(name, sizeof name, "%s/fifo", folder);
    if (mkfifo(name, 0600) != 0)
        return 1;
    pthread_create(&threads[0], NULL, answers, NULL);
    ask(10);
    int before = epolls();
    pthread_create(&threads[1], NULL, blocks, NULL);
    while (!begun)
        usleep(100);
    ask(10);
    printf("%d more\n", epolls() - before);
    close(open(name, O_WRONLY));
    close(sockets[0]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    unlink(name);
    return rmdir(folder);
}
