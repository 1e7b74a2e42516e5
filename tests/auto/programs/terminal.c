/* terminal.c - runs a program at a terminal of its own, and answers when it asks.
 *
 *   terminal PROGRAM */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const answers[] = { "me\n", "41 word\n", "x\n", "\4" };

int main(int argc, char **argv)
{
    char said[4096] = "";
    size_t length = 0, answer = 0;
    int status, master = posix_openpt(O_RDWR | O_NOCTTY);
    if (argc != 2 || master < 0 || grantpt(master) != 0 || unlockpt(master) != 0)
        return 9;
    pid_t child = fork();
    if (child == 0) {
        setsid();
        int fd = open(ptsname(master), O_RDWR);
        for (int i = 0; i < 3; i++)
            dup2(fd, i);
        close(fd);
        close(master);
        execv(argv[1], argv + 1);
        _exit(127);
    }
    /* An answer comes after the question; the last one is the end of the file. */
    for (;;) {
        struct pollfd f = { master, POLLIN, 0 };
        if (poll(&f, 1, 10000) <= 0) {
            printf("it waits, after: %s\n", said);
            kill(child, SIGKILL);
            return 8;
        }
        ssize_t n = read(master, said + length, sizeof said - 1 - length);
        if (n <= 0)
            break;
        length += (size_t)n;
        said[length] = '\0';
        if (answer < 4 && (strcmp(said + length - 2, "? ") == 0 || strstr(said, "!\r\n")) &&
            write(master, answers[answer], strlen(answers[answer])) > 0)
            answer++;
    }
    waitpid(child, &status, 0);
    printf("%d\n%s", WEXITSTATUS(status), said);
    return 0;
}
