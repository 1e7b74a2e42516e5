/* limits.c - limits of time by handlers that jump, at any time: when data come that a call waits
 * for, in a call that the function of the setjmp has made since it has paused, in a setjmp. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static sigjmp_buf limit;
static jmp_buf inner;
static int fds[2];
static volatile long count;
static volatile int ended;

static void on_alarm(int signo)
{
    (void)signo;
    errno = EDOM;
    siglongjmp(limit, 1);
}

static void alarm_in(long us)
{
    struct itimerval at = { { 0, 0 }, { 0, us } };
    setitimer(ITIMER_REAL, &at, NULL);
}

static __attribute__((noinline)) long read_for(long us)
{
    char c;
    if (sigsetjmp(limit, 1) != 0)
        return 0;
    alarm_in(us);
    long n = read(fds[0], &c, 1);
    alarm_in(0);
    return n;
}

/* The byte and the alarm come at about the same time. */
static void ends_as_data_come(void)
{
    fflush(stdout);
    pid_t pid = fork();
    while (pid == 0) {
        usleep(1000);
        if (write(fds[1], "a", 1) != 1)
            _exit(1);
    }
    for (int i = 0; i < 1500; i++)
        ended += read_for(900 + rand() % 400) == 0;
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    printf("data: %d\n", ended > 0);
}

static __attribute__((noinline)) int circulate(void)
{
    char c;
    while (read(fds[0], &c, 1) == 1 && write(fds[1], &c, 1) == 1)
        if (++count % 16 == 0)
            usleep(0);
    return 1;
}

static __attribute__((noinline)) int compute(void)
{
    usleep(1000);
    for (count = 0; count < 100000000;)
        count++;
    return 1;
}

static void ends_calls(void)
{
    for (volatile int i = 0; i < 1000; i++) {
        if (sigsetjmp(limit, 1) == 0) {
            if (write(fds[1], "a", 1) != 1) /* it may have lost the last one */
                exit(1);
            alarm_in(200 + i % 200);
            circulate();
        }
    }
    if (sigsetjmp(limit, 1) == 0) {
        alarm_in(20000);
        if (compute())
            puts("not ended");
    }
    puts("calls");
}

static __attribute__((noinline)) int guarded(int n)
{
    if (setjmp(inner) != 0)
        return 1;
    if (n < 0)
        usleep(1);
    count++;
    return 0;
}

static void ends_setjmps(void)
{
    for (volatile int i = 0; i < 1000; i++) {
        if (sigsetjmp(limit, 1) == 0) {
            alarm_in(50 + i % 200);
            while (guarded(1) == 0) {
            }
        }
    }
    puts("setjmps");
}

static void on_user(int signo)
{
    (void)signo;
    raise(SIGALRM);
    puts("gone on");
}

/* A handler inside another one leaves both. */
static void ends_handlers(void)
{
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        usleep(30000);
        kill(getppid(), SIGUSR1);
        _exit(0);
    }
    if (sigsetjmp(limit, 1) == 0)
        sleep(5);
    else
        puts("handlers");
    waitpid(pid, NULL, 0);
}

int main(void)
{
    signal(SIGALRM, on_alarm);
    signal(SIGUSR1, on_user);
    ends_handlers();
    if (pipe(fds) != 0)
        return 1;
    ends_as_data_come();
    ends_calls();
    ends_setjmps();
    return 0;
}
