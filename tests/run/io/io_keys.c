/* io_keys.c - a read of a terminal without lines ends by VTIME, or by VMIN bytes.
 * needs: posix descriptors
 * expect: at once: 0
 * expect: in time: 0
 * expect: a key: 1
 * expect: three keys: 3
 * expect: a gap: 2
 * expect: too late: -1, ETIMEDOUT
 * expect: the rest: 3 */
#define _GNU_SOURCE
#include <co4.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include <co4/io.h>

static int master, terminal;

static void mode(int min, int time)
{
    struct termios t;
    tcgetattr(terminal, &t);
    cfmakeraw(&t);
    t.c_cc[VMIN] = (cc_t)min;
    t.c_cc[VTIME] = (cc_t)time;
    tcsetattr(terminal, TCSANOW, &t);
}

static void *type(void *keys)
{
    for (const char *k = keys; *k; k++) {
        usleep(20000);
        if (write(master, k, 1) != 1)
            exit(9);
    }
    return NULL;
}

static pausable ssize_t read_while(const char *keys, int bytes)
{
    char got[8];
    pthread_t thread;
    pthread_create(&thread, NULL, type, (void *)keys);
    ssize_t n = co4_read(terminal, got, (size_t)bytes);
    (void)co4_blocking(pthread_join(thread, NULL));
    return n;
}

static pausable int reads(void)
{
    char got[8];
    mode(0, 0);
    printf("at once: %d\n", (int)co4_read(terminal, got, 8));
    mode(0, 1);
    printf("in time: %d\n", (int)co4_read(terminal, got, 8));
    mode(0, 250);
    printf("a key: %d\n", (int)read_while("a", 8));
    mode(3, 0);
    printf("three keys: %d\n", (int)read_while("abc", 8));
    mode(5, 20);
    printf("a gap: %d\n", (int)read_while("ab", 8));
    mode(3, 0);
    int n = (int)co4_read_until(terminal, got, 8, co4_now() + 30 * CO4_MS);
    printf("too late: %d, %s\n", n, errno == ETIMEDOUT ? "ETIMEDOUT" : "?");
    printf("the rest: %d\n", (int)read_while("abc", 4));
    return CO4_OK;
}

int main(void)
{
    master = posix_openpt(O_RDWR | O_NOCTTY);
    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0)
        return 9;
    terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
    return co4_run(reads());
}
