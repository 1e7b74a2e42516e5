/* shrinks.c - mistakes that need a fault or two, among many that do no harm.
 *
 *   shrinks short    one message of two is taken for whole when a part has come
 *   shrinks fsync    the second fsync that fails is taken for one that does not
 *   shrinks lives    a crash in the first life, another one in the second: then it fails
 *   shrinks both     a switch and a part of a read */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int ends[2];
static int counter;
static pthread_mutex_t unrelated = PTHREAD_MUTEX_INITIALIZER;

static void put(const char *text, size_t bytes)
{
    for (ssize_t n; bytes > 0; text += n, bytes -= (size_t)n)
        if ((n = write(ends[0], text, bytes)) <= 0)
            abort();
}

static void *echo(void *unused)
{
    char all[8];
    (void)unused;
    for (int i = 0; i < 6; i++) {
        size_t got = 0;
        while (got < 8)
            got += (size_t)read(ends[1], all + got, 8 - got);
    }
    sleep(1); /* the last message is there, whole */
    if (read(ends[1], all, 8) != 8)
        abort();
    return NULL;
}

static void short_read(void)
{
    pthread_t id;
    pthread_create(&id, NULL, echo, NULL);
    for (int i = 0; i < 7; i++)
        put("12345678", 8);
    pthread_join(id, NULL);
}

static void fsyncs(void)
{
    int fd = open("file", O_CREAT | O_RDWR, 0666), failures = 0;
    for (int i = 0; i < 30; i++) {
        char c = 'x';
        if (write(fd, &c, 1) != 1 || fsync(fd) != 0)
            failures++;
    }
    if (failures >= 2)
        abort();
}

static void lives(void)
{
    int fd = open("lives", O_CREAT | O_RDWR | O_APPEND, 0666);
    char text[16];
    ssize_t before = read(fd, text, sizeof text);
    if (before >= 2)
        abort();
    if (write(fd, "x", 1) != 1 || fsync(fd) != 0)
        exit(2);
    int folder = open(".", O_RDONLY);
    fsync(folder);
    for (int i = 0; i < 50; i++) {
        if (pwrite(fd, "y", 0, 0) != 0)
            exit(2);
        fsync(fd);
    }
}

static void *add(void *unused)
{
    (void)unused;
    int was = counter;
    pthread_mutex_lock(&unrelated);
    pthread_mutex_unlock(&unrelated);
    counter = was + 1;
    return NULL;
}

static void both(void)
{
    pthread_t ids[2];
    char all[8];
    put("12345678", 8);
    pthread_create(&ids[0], NULL, add, NULL);
    pthread_create(&ids[1], NULL, add, NULL);
    sleep(1);
    ssize_t n = read(ends[1], all, 8);
    pthread_join(ids[0], NULL);
    pthread_join(ids[1], NULL);
    if (n < 8 && counter < 2)
        abort();
}

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "";
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return 2;
    if (strcmp(kind, "short") == 0)
        short_read();
    else if (strcmp(kind, "fsync") == 0)
        fsyncs();
    else if (strcmp(kind, "lives") == 0)
        lives();
    else if (strcmp(kind, "both") == 0)
        both();
    else
        return 2;
    return 0;
}
