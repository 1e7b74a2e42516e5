/* forked.c - the child of a fork has interrupts of its own, also where no descriptor is left for
 * it: no token that its handler leaves is taken by its parent, which waits at the same time. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static int ends[2]; /* of a pipe that ends with the child */

/* Again and again: on a busy machine the first may come before the wait. But not before the handler
 * of the last one has ended. */
static void alarm_in(int us)
{
    struct itimerval at = { { us > 0 ? 2 : 0, 0 }, { 0, us } };
    setitimer(ITIMER_REAL, &at, NULL);
}

static void on_alarm(int signo)
{
    (void)signo;
}

/* Its second signal arrives when it, and whatever the library does after it, has ended: but before
 * the thread goes on. */
static void on_alarm_with_another(int signo)
{
    (void)signo;
    raise(SIGUSR1);
}

/* The thread does not go on, and the library does not know why. */
static void hold(int signo)
{
    struct timespec time = { .tv_nsec = 200 * 1000 * 1000 };
    (void)signo;
    syscall(SYS_nanosleep, &time, NULL);
}

typedef int install(int signo, const struct sigaction *action, struct sigaction *before);

static void install_handlers(void)
{
    install *quietly;
    *(void **)&quietly = dlsym(RTLD_DEFAULT, "sigaction");
    struct sigaction a = { .sa_handler = on_alarm_with_another }, b = { .sa_handler = hold };
    sigaddset(&a.sa_mask, SIGUSR1);
    sigaction(SIGALRM, &a, NULL);
    quietly(SIGUSR1, &b, NULL);
}

/* Its status: 7 if the alarm has ended the wait, and not the time. */
static void be_child(void)
{
    install_handlers();
    alarm_in(50000);
    int rest = (int)sleep(60);
    _exit(rest > 0 ? 7 : 8);
}

/* Waits for the end of its child, whose handler ends no wait but its own. */
static void be_parent(const char *what, pid_t pid)
{
    char c;
    int status = 0;
    close(ends[1]);
    long n = read(ends[0], &c, 1);
    close(ends[0]);
    waitpid(pid, &status, 0);
    printf("%s: parent %ld, child %d\n", what, n, WEXITSTATUS(status));
}

static void show_fork(void)
{
    if (pipe(ends) != 0)
        return;
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0)
        be_child();
    be_parent("rich", pid);
}

static void show_poor_fork(void)
{
    struct rlimit few, before;
    if (pipe(ends) != 0)
        return;
    getrlimit(RLIMIT_NOFILE, &before);
    few = before;
    int filled[64], last = -1, count = 0;
    while (last < 60 && (last = dup(0)) >= 0)
        filled[count++] = last;
    few.rlim_cur = (rlim_t)last + 1; /* no more than there are */
    fflush(stdout);
    setrlimit(RLIMIT_NOFILE, &few);
    pid_t pid = fork();
    if (pid == 0)
        be_child();
    setrlimit(RLIMIT_NOFILE, &before);
    while (count > 0)
        close(filled[--count]);
    be_parent("poor", pid);
}

int main(void)
{
    struct sigaction a = { .sa_handler = on_alarm };
    sigaction(SIGALRM, &a, NULL);
    alarm_in(20000);
    long n = usleep(60000000);
    alarm_in(0);
    printf("before: %ld\n", n);
    show_fork();
    show_poor_fork();
    return 0;
}
