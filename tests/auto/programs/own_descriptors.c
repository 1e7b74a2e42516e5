/* own_descriptors.c - the lowest numbers of descriptors are the program's, and one that closes all
 * of them, after a first wait, waits on. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int out; /* a copy of standard output */

static void say(const char *what, long result)
{
    dprintf(out, "%s: %ld%s%s\n", what, result, result < 0 ? ", " : "",
            result < 0 ? strerror(errno) : "");
}

/* A byte that comes late. */
static long late(int from, int to)
{
    char c;
    pid_t child = fork();
    if (child == 0) {
        usleep(30000);
        _exit(write(to, "x", 1) != 1);
    }
    long n = read(from, &c, 1);
    waitpid(child, NULL, 0);
    return n;
}

static long late_in_new(void)
{
    int p[2];
    if (pipe(p) != 0)
        return -1;
    long n = late(p[0], p[1]);
    close(p[0]);
    close(p[1]);
    return n;
}

static void as_a_daemon(void)
{
    for (int i = 0; i < 3; i++)
        close(i);
    say("a wait", late_in_new());
    say("write to what is closed", write(1, "12345678", 8));
    int first = open("/dev/null", O_RDWR), second = dup(first), third = dup(first);
    dprintf(out, "%d %d %d\n", first, second, third);
}

static void closes_all(const char *how)
{
    for (int i = 3; i < 1024 && *how == 'a'; i++)
        if (i != out)
            close(i);
    if (*how == 'f') {
        dup2(out, 3);
        out = 3;
        closefrom(4);
    }
    if (*how == 'r')
        close_range(4, ~0u, 0);
    say(how, late_in_new());
    char line[20] = "";
    FILE *f = popen("sleep 0.05; echo hello", "r");
    if (f && fgets(line, sizeof line, f))
        line[strcspn(line, "\n")] = 0;
    dprintf(out, "popen: %s, %d\n", line, f ? pclose(f) : -1);
    say("usleep", usleep(1000));
    say("poll", poll(NULL, 0, 1));
}

static void moved(void)
{
    int p[2];
    if (pipe(p) != 0)
        exit(1);
    dup2(p[0], 40);
    dup2(40, 5);
    say("by another number", late(5, p[1]));
    say("by the third", late(40, p[1]));
}

int main(void)
{
    alarm(30);
    out = fcntl(1, F_DUPFD, 30);
    as_a_daemon();
    closes_all("all by close");
    closes_all("from");
    closes_all("range");
    moved();
    pid_t child = fork();
    if (child == 0) {
        closes_all("range in a child");
        _exit(0);
    }
    waitpid(child, NULL, 0);
    return 0;
}
