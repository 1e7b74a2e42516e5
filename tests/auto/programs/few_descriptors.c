/* few_descriptors.c - waits below a limit of the descriptors that a poll takes, with a handler of
 * signals, for which waits look at one more; and waits without any descriptor. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static void say(const char *what, long result)
{
    printf("%s: %ld%s%s\n", what, result, result < 0 ? ", " : "",
           result < 0 ? strerror(errno) : "");
    fflush(stdout);
}

static void comes(int number)
{
    (void)number;
}

static void *ends(void *unused)
{
    usleep(100000);
    puts("the other thread ends it");
    fflush(stdout);
    _exit(0);
    return unused;
}

static void without_any(int how)
{
    fflush(stdout);
    pid_t child = fork();
    int status;
    pthread_t other;
    if (child == 0) {
        if (how < 2)
            pthread_create(&other, NULL, ends, NULL);
        else
            setitimer(ITIMER_REAL, &(struct itimerval){ .it_value = { 0, 100000 } }, NULL);
        struct pollfd none = { .fd = -1, .events = POLLIN };
        long n = how == 0   ? poll(NULL, 0, -1)
                 : how == 1 ? poll(&none, 1, -1)
                 : how == 2 ? select(0, NULL, NULL, NULL, NULL)
                            : ppoll(NULL, 0, NULL, NULL);
        say("has returned", n);
        _exit(1);
    }
    waitpid(child, &status, 0);
    printf("%d: %d %d\n", how, WIFSIGNALED(status) ? WTERMSIG(status) : 0,
           WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

static void limited(rlim_t most)
{
    int p[2];
    char c;
    struct pollfd all[64];
    if (pipe(p) != 0)
        exit(1);
    printf("of %ld\n", (long)most);
    fflush(stdout);
    if (fork() == 0) {
        usleep(50000);
        _exit(write(p[1], "x", 1) != 1);
    }
    setrlimit(RLIMIT_NOFILE, &(struct rlimit){ most, 64 });
    say("read", read(p[0], &c, 1));
    for (int i = 0; i < 64; i++)
        all[i] = (struct pollfd){ -1, POLLIN, 0 };
    say("poll", poll(all, most, 20));
    say("a poll of none", poll(NULL, 0, 20));
    say("usleep", usleep(1000));
    wait(NULL);
}

int main(void)
{
    alarm(30);
    for (int how = 0; how < 4; how++)
        without_any(how);
    sigaction(SIGALRM, &(struct sigaction){ .sa_handler = comes }, NULL);
    setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 64, 64 });
    limited(64);
    limited(0);
    return 0;
}
