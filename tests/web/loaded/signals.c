/* signals.c - what a terminal sends: a handler, then none; and a handler that ends it. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static volatile sig_atomic_t interrupts, resizes;

static void count(int signo)
{
    if (signo == SIGINT)
        interrupts++;
    else
        resizes++;
}

static void leave(int signo)
{
    exit(signo);
}

int main(void)
{
    char line[32];
    struct winsize size;
    signal(SIGINT, count);
    signal(SIGWINCH, count);
    signal(SIGTERM, leave);
    puts("ready");
    while (fgets(line, sizeof line, stdin) != NULL) {
        ioctl(0, TIOCGWINSZ, &size);
        printf("%d interrupts, %d resizes, %d columns\n", interrupts, resizes, size.ws_col);
        if (strcmp(line, "default\n") == 0)
            signal(SIGINT, SIG_DFL);
    }
    puts("the end");
    return 0;
}
