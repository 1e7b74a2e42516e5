/* io_full_terminal.c - a task that writes much to a terminal waits; others go on, and read it all.
 * needs: posix descriptors
 * modes: woven forced
 * expect: written: 100000
 * expect: read: 100000, 0 wrong */
#define _GNU_SOURCE
#include <co4.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include <co4/io.h>

enum { MUCH = 100000 };

static int master, terminal;
static char much[MUCH];

static pausable int writes(void)
{
    int n = (int)co4_write(terminal, much, MUCH);
    printf("written: %d\n", n);
    return CO4_OK;
}

static pausable int reads(void)
{
    int got = 0, wrong = 0;
    char part[1000];
    while (got < MUCH) {
        int n = (int)co4_read(master, part, sizeof part);
        if (n <= 0)
            return CO4_ESTATE;
        for (int i = 0; i < n; i++, got++)
            wrong += part[i] != 'a' + got % 26;
    }
    int err = co4_sleep(100 * CO4_MS);
    printf("read: %d, %d wrong\n", got, wrong);
    return err;
}

static pausable int both(void)
{
    int err = co4_scope_spawn(co4_scope_here(), writes());
    return err == CO4_OK ? co4_scope_spawn(co4_scope_here(), reads()) : err;
}

int main(void)
{
    struct termios t;
    master = posix_openpt(O_RDWR | O_NOCTTY);
    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0)
        return 9;
    terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
    tcgetattr(terminal, &t);
    cfmakeraw(&t);
    tcsetattr(terminal, TCSANOW, &t);
    for (int i = 0; i < MUCH; i++)
        much[i] = (char)('a' + i % 26);
    return co4_run(co4_scope_run(0, both()));
}
