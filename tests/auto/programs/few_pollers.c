/* few_pollers.c - threads that wait for a descriptor right after they were blocked, each on a
 * worker that stood in: a few pollers are enough for them. */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { N = 40 };

static char names[N][32];
static int nothing[2];

static void *reads_and_polls(void *arg)
{
    char c = 0;
    int fd = open(names[(long)arg], O_RDONLY);
    if (read(fd, &c, 1) != 1)
        c = 100;
    close(fd);
    poll(&(struct pollfd){ .fd = nothing[0], .events = POLLIN }, 1, 2);
    return (void *)(long)c;
}

static void *opens(void *arg)
{
    for (int i = N - 1; i >= 0; i--) {
        int fd = open(names[i], O_WRONLY);
        if (write(fd, &(char){ 1 }, 1) != 1)
            abort();
        close(fd);
    }
    return arg;
}

static int descriptors(void)
{
    int n = 0;
    for (int fd = 0; fd < 1000; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

int main(void)
{
    char folder[] = "/tmp/co4-pollers-XXXXXX";
    pthread_t threads[N + 1];
    long sum = 0;
    if (mkdtemp(folder) == NULL || pipe(nothing) != 0)
        return 1;
    int before = descriptors();
    for (long i = 0; i < N; i++) {
        snprintf(names[i], sizeof names[i], "%s/%ld", folder, i);
        if (mkfifo(names[i], 0600) != 0 ||
            pthread_create(&threads[i], NULL, reads_and_polls, (void *)i) != 0)
            return 1;
    }
    if (pthread_create(&threads[N], NULL, opens, NULL) != 0)
        return 1;
    for (int i = 0; i <= N; i++) {
        void *result;
        pthread_join(threads[i], &result);
        sum += (long)result;
    }
    int more = descriptors() - before;
    printf("%ld, %s descriptors\n", sum, more <= N ? "few" : "many");
    for (int i = 0; i < N; i++)
        unlink(names[i]);
    return rmdir(folder);
}
