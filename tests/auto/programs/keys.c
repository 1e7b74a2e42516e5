/* keys.c - reads of a terminal without lines, which end by a number of bytes or by time; and calls
 * of stdio there. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

static int master, terminal;
static char got[64];

static void wake(int signo)
{
    (void)signo;
}

static void mode(int min, int time)
{
    struct termios t;
    tcgetattr(terminal, &t);
    cfmakeraw(&t);
    t.c_cc[VMIN] = (cc_t)min;
    t.c_cc[VTIME] = (cc_t)time;
    tcsetattr(terminal, TCSANOW, &t);
    tcflush(terminal, TCIFLUSH);
}

static void type(const char *keys)
{
    if (write(master, keys, strlen(keys)) < 0)
        exit(9);
}

/* From a process, one after the other, with time between them. */
static void type_later(const char *keys, int ms)
{
    fflush(stdout);
    if (fork() > 0)
        return;
    for (; *keys; keys++) {
        usleep((useconds_t)ms * 1000);
        if (write(master, keys, 1) < 0)
            _exit(9);
    }
    _exit(0);
}

static void show(const char *name, ssize_t n)
{
    printf("%s: %zd %.*s%s\n", name, n, n > 0 ? (int)n : 0, got,
           n < 0 ? strerrorname_np(errno) : "");
    while (wait(NULL) > 0 || errno == EINTR)
        ;
}

static void by_time(void)
{
    struct iovec two[] = { { got, 1 }, { got + 1, 5 } };
    mode(0, 0);
    show("at once", read(terminal, got, 8));
    show("at once, readv", readv(terminal, two, 2));
    mode(0, 2);
    show("in time", read(terminal, got, 8));
    show("in time, readv", readv(terminal, two, 2));
    type("ab");
    show("there", read(terminal, got, 8));
    mode(0, 250);
    type_later("k", 50);
    show("before the time", read(terminal, got, 8));
    type_later("k", 50);
    show("before the time, readv", readv(terminal, two, 2));
    fcntl(terminal, F_SETFL, O_NONBLOCK);
    show("O_NONBLOCK", read(terminal, got, 8));
    fcntl(terminal, F_SETFL, 0);
}

static void by_number(void)
{
    struct iovec two[] = { { got, 1 }, { got + 1, 5 } };
    mode(3, 0);
    type_later("abc", 30);
    show("three", read(terminal, got, 8));
    type_later("abc", 30);
    show("three, readv", readv(terminal, two, 2));
    type_later("ab", 30);
    show("fewer asked for", read(terminal, got, 2));
    type("abcde");
    show("more", read(terminal, got, 4));
    fcntl(terminal, F_SETFL, O_NONBLOCK);
    show("O_NONBLOCK", read(terminal, got, 8));
    fcntl(terminal, F_SETFL, 0);
    mode(5, 2);
    type_later("a", 50);
    show("a gap ends it", read(terminal, got, 8));
    mode(3, 250);
    type_later("abc", 20);
    show("no gap", read(terminal, got, 8));
}

static void interrupted(void)
{
    struct itimerval soon = { .it_value = { 0, 80000 } };
    mode(0, 250);
    setitimer(ITIMER_REAL, &soon, NULL);
    show("a handler", read(terminal, got, 8));
    mode(3, 0);
    setitimer(ITIMER_REAL, &soon, NULL);
    show("a handler, no byte", read(terminal, got, 8));
    type("xy");
    setitimer(ITIMER_REAL, &soon, NULL);
    show("a handler, two bytes", read(terminal, got, 8));
}

static void streams(void)
{
    FILE *f = fdopen(terminal, "r");
    mode(0, 2);
    int c = getc(f);
    printf("getc: %d, end %d\n", c, feof(f));
    clearerr(f);
    type_later("k", 50);
    mode(0, 250);
    printf("getc: %c\n", getc(f));
    mode(0, 0);
    c = getc(f);
    printf("getc: %d, end %d, error %d\n", c, feof(f), ferror(f));
    fclose(f);
}

int main(void)
{
    struct sigaction action = { .sa_handler = wake };
    master = posix_openpt(O_RDWR | O_NOCTTY);
    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0)
        return 9;
    terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
    sigaction(SIGALRM, &action, NULL);
    by_time();
    by_number();
    interrupted();
    streams();
    close(master);
    return 0;
}
