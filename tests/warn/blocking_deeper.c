/* blocking_deeper.c - plain functions of the file that block, one call deeper or several. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include <co4.h>

static int deepest(int fd);

static int even(int fd, int n)
{
    return n == 0 ? deepest(fd) : even(fd, n - 2); /* it calls itself */
}

static int ping(int fd, int n);
static int pong(int fd, int n)
{
    return n == 0 ? 0 : ping(fd, n - 1); /* they call each other, and one of them blocks */
}

static int ping(int fd, int n)
{
    return pong(fd, n) + deepest(fd);
}

static int deepest(int fd) /* defined behind those that call it */
{
    char byte;
    return (int)read(fd, &byte, 1);
}

static int try(int fd) /* no wait: its descriptor is non-blocking */
{
    char byte;
    return read(fd, &byte, 1) < 0 && errno == EAGAIN;
}

static int say(int n)
{
    return printf("%d\n", n);
}

static int measure(int fd)
{
    return (int)sizeof(deepest(fd));
}

int plain(int fd);
int plain(int fd)
{
    return ping(fd, 1) + even(fd, 2); /* no task waits */
}

pausable int work(int fd, int (*by_pointer)(int));
pausable int work(int fd, int (*by_pointer)(int))
{
    int n = try(fd) + say(1) + measure(fd) + by_pointer(fd);
    n += deepest(fd);
    /* warning at 10: 'deepest' calls 'read', which blocks the thread, and with 'work' */
    /* hint: mark 'deepest' pausable, with a call that pauses; or write co4_blocking(deepest( */
    n += even(fd, 4);
    /* warning at 10: 'even' leads to 'read', which blocks the thread, and with 'work' */
    /* hint: mark 'even' pausable */
    n += pong(fd, 3); /* warning at 10: 'pong' leads to 'read' */ /* hint: mark 'pong' pausable */
    co4_yield();
    return n + co4_blocking(deepest(fd));
}
