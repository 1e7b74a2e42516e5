/* full_terminal.c - writes to a terminal that nobody reads: a handler ends them. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

enum { MUCH = 200000 };
static char much[MUCH];

static void wake(int signo)
{
    (void)signo;
}

static void soon(void)
{
    struct itimerval time = { .it_value = { 0, 200000 } };
    setitimer(ITIMER_REAL, &time, NULL);
}

/* How much room there is, and when, is the system's. */
static void show(const char *name, ssize_t n)
{
    bool ended = n < 0 ? errno == EINTR : n < MUCH;
    printf("%s: %s\n", name, ended ? "ended" : n < 0 ? strerrorname_np(errno) : "all");
}

static int open_terminal(int *master)
{
    *master = posix_openpt(O_RDWR | O_NOCTTY);
    if (*master < 0 || grantpt(*master) != 0 || unlockpt(*master) != 0)
        exit(9);
    return open(ptsname(*master), O_RDWR | O_NOCTTY);
}

int main(void)
{
    struct sigaction action = { .sa_handler = wake };
    int master, fd = open_terminal(&master);
    struct iovec two[] = { { much, MUCH / 2 }, { much, MUCH / 2 } };
    memset(much, 'z', sizeof much);
    sigaction(SIGALRM, &action, NULL);
    soon();
    show("write", write(fd, much, MUCH));
    soon();
    show("write again", write(fd, much, MUCH));
    soon();
    show("a byte", write(fd, much, 1));
    fd = open_terminal(&master);
    soon();
    show("writev", writev(fd, two, 2));
    fd = open_terminal(&master);
    return 0;
}
