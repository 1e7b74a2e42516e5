/* lines.c - a program that waits for times and for input, as POSIX has it. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

static int next(int fd)
{
    unsigned char c;
    return read(fd, &c, 1) == 1 ? c : -1;
}

static int depth(int n)
{
    char at[16];
    snprintf(at, sizeof at, "%d", n);
    if (n == 0)
        usleep(1000);
    return n == 0 ? 0 : depth(n - 1) + atoi(at);
}

static void at_end(void)
{
    puts("the end");
}

static int (*const through)(int) = depth;

int main(int argc, char **argv)
{
    char line[64];
    struct pollfd p = { .fd = 0, .events = POLLIN };
    struct timeval limit = { 0, 1000 };
    fd_set none;
    (void)argv;
    atexit(at_end);
    printf("no newline yet; ");
    nanosleep(&(struct timespec){ 0, 2000000 }, NULL);
    printf("%d arguments\n", argc);
    FD_ZERO(&none);
    printf("select %d\n", select(0, &none, NULL, NULL, &limit));
    printf("poll %d\n", poll(NULL, 0, 1));
    printf("depth %d %d\n", depth(100), through(10));
    printf("ready %d\n", poll(&p, 1, 1000));
    printf("first %c\n", next(0));
    if (fgets(line, sizeof line, stdin) != NULL)
        printf("rest of the line: %s", line);
    for (int n = 0; scanf("%63s", line) == 1; n++)
        printf("word %d %s\n", n, line);
    printf("at the end %d %d\n", feof(stdin) != 0, next(0));
    int n = (int)read(77, line, 1);
    printf("no descriptor %d %s\n", n, strerror(errno));
    return sleep(0) + 7;
}
