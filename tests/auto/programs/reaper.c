/* reaper.c - a handler of SIGCHLD takes all children, but not those that a call waits for. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "waiting.h"

static volatile sig_atomic_t taken;

static void on_child(int signo)
{
    int was = errno;
    (void)signo;
    while (waitpid(-1, NULL, WNOHANG) > 0)
        taken++;
    errno = was;
}

/* It ends when its parent waits. */
static pid_t child(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        until_parent_waits();
        _exit(9);
    }
    return pid;
}

static void wait_for_all(int flags)
{
    struct sigaction a = { .sa_handler = on_child, .sa_flags = flags };
    siginfo_t info;
    int status = 0;
    sigaction(SIGCHLD, &a, NULL);
    pid_t pid = child();
    int got = waitpid(pid, &status, 0) == pid;
    printf("waitpid: %d, %d\n", got, WEXITSTATUS(status));
    pid = child();
    got = wait(&status) == pid;
    printf("wait: %d, %d\n", got, WEXITSTATUS(status));
    pid = child();
    got = waitid(P_PID, (id_t)pid, &info, WEXITED);
    printf("waitid: %d, %d\n", got, info.si_status);
    FILE *shell = popen("sleep 1; exit 3", "r");
    printf("pclose: %d\n", pclose(shell));
    for (int i = 0; i < 5; i++)
        printf("system: %d\n", system("sleep 0.02; exit 4"));
    printf("taken: %d\n", (int)taken);
    fflush(stdout);
}

int main(void)
{
    wait_for_all(0);
    wait_for_all(SA_RESTART);
    child();
    child();
    while (taken < 2)
        sleep(5);
    printf("then: %d, %d\n", (int)wait(NULL), (int)taken);
    return 0;
}
