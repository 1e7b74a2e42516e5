/* signalled.c - a handler of signals ends a wait of the call of co4_run, and none of other tasks,
 * whether they are of this run, of one around it, or of workers. */
#include <co4.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>

int nap(void); /* naps.c */
int get(int fd);

static void on_alarm(int signo)
{
    (void)signo;
}

/* From now on, often: on a busy machine the first may come before the wait. */
static void alarms(int are_on)
{
    struct itimerval at = { { 0, are_on * 50000 }, { 0, are_on * 50000 } };
    setitimer(ITIMER_REAL, &at, NULL);
}

static pausable int napper(void)
{
    int n = nap();
    return n < 0 ? errno : n;
}

static pausable int reads(int fd)
{
    co4_task *tasks[3];
    int result;
    for (int i = 0; i < 3; i++)
        tasks[i] = co4_spawn(napper());
    alarms(1);
    int n = get(fd), error = errno;
    alarms(0);
    printf("the call: %d, %d\n", n, error == EINTR);
    for (int i = 0; i < 3; i++) {
        co4_join(tasks[i], &result);
        printf("a task: %d\n", result);
    }
    return 0;
}

/* A plain function, which a task calls: the inner run's call is ended, or both are. */
static int inner(int fd)
{
    return co4_run(reads(fd));
}

static pausable int outer(int fd)
{
    inner(fd);
    alarms(1);
    int n = get(fd), error = errno;
    alarms(0);
    printf("the outer call: %d, %d\n", n, error == EINTR);
    return 0;
}

int main(void)
{
    struct sigaction a = { .sa_handler = on_alarm };
    int fds[2], result;
    if (pipe(fds) != 0 || sigaction(SIGALRM, &a, NULL) != 0)
        return 1;
    co4_run(reads(fds[0]));
    co4_run(outer(fds[0]));

    /* The thread of a runtime's owner is in no call that waits so. */
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 2 });
    co4_task *task = co4_runtime_spawn(rt, napper());
    co4_runtime_start(rt);
    alarms(1);
    co4_block(co4_join(task, &result));
    alarms(0);
    printf("a task of a worker: %d\n", result);
    co4_runtime_join(rt);
    return co4_runtime_destroy(rt) == CO4_OK ? 0 : 1;
}
