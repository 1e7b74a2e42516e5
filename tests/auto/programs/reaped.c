/* reaped.c - a handler of SIGCHLD takes all children, on any thread, but not those that a call of a
 * task waits for. It runs all the same, also for what comes during a system(). */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "job.h"

static volatile int handled;

static void on_child(int signo)
{
    int was = errno;
    (void)signo;
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ;
    handled = 1;
    errno = was;
}

static pid_t child(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        usleep(5000);
        _exit(9);
    }
    return pid;
}

/* Each returns the status; -1: it has ended otherwise. */

static int by_waitpid(void)
{
    int status;
    pid_t pid = child();
    return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int by_waitid(void)
{
    siginfo_t info;
    return waitid(P_PID, (id_t)child(), &info, WEXITED) == 0 ? info.si_status : -1;
}

static int by_system(void)
{
    int status = system("sleep 0.01; exit 9");
    return status != -1 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int by_pclose(void)
{
    int status = pclose(popen("sleep 0.01; exit 9", "r"));
    return status != -1 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A child that has ended before the call is the handler's (ECHILD), on a busy machine; but not each
 * one. Returns what has failed, as bits. */
static int wait_for_all(int i)
{
    static int (*const calls[])(void) = { by_waitpid, by_waitid, by_system, by_pclose };
    int failed = 0;
    (void)i;
    for (int n = 0; n < 4; n++) {
        int status = -1;
        for (int tries = 0; tries < 50 && status == -1; tries++) {
            errno = 0;
            status = calls[n]();
            if (status == -1 && (errno != ECHILD || n == 2))
                return 16;
        }
        failed |= status != 9 ? 1 << n : 0;
    }
    return failed;
}

static int takes(int i)
{
    (void)i;
    child();
    handled = 0;
    while (!handled)
        usleep(1000);
    return waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD ? 0 : 1;
}

/* The signal of a child that ends meanwhile comes afterwards, whatever thread the task is on. */
static int held(int i)
{
    (void)i;
    handled = 0;
    child();
    if (by_system() != 9)
        return 2;
    for (int tries = 0; tries < 5000 && !handled; tries++)
        usleep(1000);
    return waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD ? 0 : 1;
}

const struct job jobs[] = { { "one", wait_for_all, 1, NULL },
                            { "several", wait_for_all, 6, NULL },
                            { "taken", takes, 1, NULL },
                            { "held", held, 1, NULL },
                            { NULL, NULL, 0, NULL } };

void begin_job(const struct job *job)
{
    struct sigaction a = { .sa_handler = on_child, .sa_flags = SA_RESTART };
    (void)job;
    sigaction(SIGCHLD, &a, NULL);
}

void end_job(const struct job *job, int result)
{
    printf("%s: %d\n", job->name, result);
}
