/* alarms.c - signals by time: alarm(), interval timers, timer_create(), and the calls they end.
 * It prints the same whether or not it is simulated. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t came, value;

static void note(int signo, siginfo_t *info, void *context)
{
    (void)signo, (void)context;
    came++;
    if (info->si_code == SI_TIMER)
        value = info->si_value.sival_int;
}

static void handle(int signo)
{
    struct sigaction how;
    memset(&how, 0, sizeof how);
    how.sa_sigaction = note;
    how.sa_flags = SA_SIGINFO;
    assert(sigaction(signo, &how, NULL) == 0);
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void ends_read(void)
{
    int pair[2];
    char c;
    double begin = seconds();
    assert(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    came = 0;
    assert(alarm(1) == 0);
    assert(read(pair[0], &c, 1) < 0 && errno == EINTR && came == 1);
    assert(seconds() - begin > 0.9 && seconds() - begin < 3);
    assert(alarm(1000) == 0);
    unsigned left = alarm(0);
    assert(left >= 999 && left <= 1000 && alarm(0) == 0);
    close(pair[0]);
    close(pair[1]);
    puts("a read ends after a second");
}

static void intervals(void)
{
    struct itimerval each = { { 0, 20000 }, { 0, 10000 } }, is;
    came = 0;
    assert(setitimer(ITIMER_REAL, &each, NULL) == 0 && getitimer(ITIMER_REAL, &is) == 0);
    assert(is.it_interval.tv_usec == 20000 && is.it_value.tv_usec <= 10000);
    while (came < 5)
        assert(pause() < 0 && errno == EINTR);
    memset(&each, 0, sizeof each);
    assert(setitimer(ITIMER_REAL, &each, NULL) == 0);
    assert(setitimer(99, &each, NULL) < 0 && errno == EINVAL);
    puts("5 intervals");
}

static void made(void)
{
    timer_t timer, none;
    struct sigevent how = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
    struct itimerspec once = { { 0, 0 }, { 0, 50000000 } }, is;
    how.sigev_value.sival_int = 42;
    came = 0;
    assert(timer_create(CLOCK_MONOTONIC, &how, &timer) == 0);
    assert(timer_settime(timer, 0, &once, NULL) == 0 && timer_gettime(timer, &is) == 0);
    assert(is.it_value.tv_nsec > 0 && is.it_value.tv_nsec <= 50000000);
    struct timespec time = { 5, 0 }, left;
    assert(nanosleep(&time, &left) < 0 && errno == EINTR && came == 1 && value == 42);
    assert(left.tv_sec == 4 && timer_getoverrun(timer) == 0 && timer_delete(timer) == 0);
    how.sigev_signo = 1000;
    assert(timer_create(CLOCK_MONOTONIC, &how, &none) < 0 && errno == EINVAL);
    puts("a sleep ends");
}

static void *waits(void *arg)
{
    sigset_t set;
    int signo;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    assert(sigwait(&set, &signo) == 0 && signo == SIGALRM);
    return arg;
}

static void waited(void)
{
    sigset_t set;
    pthread_t id;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&id, NULL, waits, NULL);
    came = 0;
    ualarm(30000, 0);
    pthread_join(id, NULL);
    assert(came == 0);
    puts("a thread has waited for it");
}

static void children(void)
{
    int status;
    alarm(1);
    pid_t child = fork();
    if (child == 0)
        _exit(alarm(0) == 0 ? 3 : 4);
    alarm(0);
    assert(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 3);
    puts("a child has no alarm");
}

int main(int argc, char **argv)
{
    (void)argv;
    handle(SIGALRM);
    handle(SIGUSR1);
    ends_read();
    intervals();
    made();
    waited();
    if (argc > 1)
        children();
    return 0;
}
