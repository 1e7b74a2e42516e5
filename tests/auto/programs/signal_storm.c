/* signal_storm.c - signals for the process come by the thousand, with SA_RESTART and without, while
 * threads wait, change their masks and take children: no wait is lost, and no result. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ADDERS = 3, TURNS = 1000, SIGNALS = 1000, CHILDREN = 8, BYTES = 8 };

static atomic_int seen[NSIG], stop;
static sem_t posted;
static int fds[2];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int count;

static void note(int signo)
{
    int was = errno;
    seen[signo]++;
    if (signo == SIGUSR1)
        sem_post(&posted);
    errno = was;
}

/* These return how often something was wrong. */

static void *writes(void *arg)
{
    intptr_t bad = 0;
    for (int i = 0; i < TURNS; i++) {
        ssize_t n;
        do
            n = write(fds[1], "abcdefgh", BYTES);
        while (n < 0 && errno == EINTR);
        bad += n != BYTES;
        if (i % 16 == 0)
            sched_yield();
    }
    close(fds[1]);
    return (char *)arg + bad;
}

static void *reads(void *arg)
{
    char to[BYTES];
    long all = 0;
    for (ssize_t n; (n = read(fds[0], to, sizeof to)) != 0;) {
        if (n > 0)
            all += n;
        else if (errno != EINTR)
            break;
    }
    return (char *)arg + (all != (long)TURNS * BYTES);
}

static void *adds(void *arg)
{
    for (int i = 0; i < TURNS; i++) {
        pthread_mutex_lock(&m);
        count++;
        pthread_cond_signal(&c);
        pthread_mutex_unlock(&m);
        if (i % 64 == 0)
            usleep(1);
    }
    return arg;
}

static void *waits_for_sum(void *arg)
{
    pthread_mutex_lock(&m);
    while (count < ADDERS * TURNS)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return arg;
}

static void *sleeps(void *arg)
{
    intptr_t bad = 0;
    while (!stop) {
        struct timespec left = { 0, 2000000 };
        while (nanosleep(&left, &left) != 0)
            bad += errno != EINTR;
    }
    return (char *)arg + bad;
}

static void *changes_mask(void *arg)
{
    sigset_t set, before;
    intptr_t bad = 0;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGALRM);
    while (!stop) {
        pthread_sigmask(SIG_BLOCK, &set, &before);
        bad += sigismember(&before, SIGUSR1) != 0;
        usleep(100);
        pthread_sigmask(SIG_UNBLOCK, &set, &before);
        bad += sigismember(&before, SIGUSR1) != 1;
        usleep(100);
    }
    return (char *)arg + bad;
}

static void *sends(void *arg)
{
    for (int i = 0; i < SIGNALS; i++) {
        kill(getpid(), i % 2 ? SIGUSR1 : SIGUSR2);
        if (i % 8 == 0)
            usleep(20);
    }
    return arg;
}

static void *takes_children(void *arg)
{
    intptr_t bad = 0;
    for (int i = 0; i < CHILDREN; i++) {
        int status = 0;
        pid_t got, child = fork();
        if (child == 0)
            _exit(7);
        do
            got = waitpid(child, &status, 0);
        while (got < 0 && errno == EINTR);
        bad += got != child || !WIFEXITED(status) || WEXITSTATUS(status) != 7;
    }
    return (char *)arg + bad;
}

static void *takes_posts(void *arg)
{
    intptr_t bad = 0;
    for (int got = 0; got < 100;) {
        if (sem_wait(&posted) == 0)
            got++;
        else
            bad += errno != EINTR;
    }
    return (char *)arg + bad;
}

int main(void)
{
    static void *(*const all[])(void *) = { reads,  writes,         waits_for_sum,  takes_posts,
                                            adds,   adds,           adds,           sends,
                                            sends,  takes_children, takes_children, sleeps,
                                            sleeps, changes_mask,   changes_mask };
    enum { ALL = sizeof all / sizeof *all, UNTIL_STOP = 4 };
    pthread_t ids[ALL];
    struct itimerval often = { { 0, 1000 }, { 0, 1000 } };
    struct sigaction act = { .sa_handler = note };
    sigaction(SIGUSR1, &act, NULL);
    sigaction(SIGALRM, &act, NULL);
    act.sa_flags = SA_RESTART;
    sigaction(SIGUSR2, &act, NULL);
    sigaction(SIGCHLD, &act, NULL);
    sem_init(&posted, 0, 0);
    if (pipe(fds) != 0)
        return 1;
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < ALL; i++)
        pthread_create(&ids[i], NULL, all[i], NULL);
    for (int i = 0; i < ALL; i++) {
        void *bad = NULL;
        if (i == ALL - UNTIL_STOP)
            stop = 1;
        if (all[i] == takes_posts) /* signals that come at once are one */
            for (int k = 0; k < 100; k++)
                sem_post(&posted);
        pthread_join(ids[i], &bad);
        printf("%d: bad %d\n", i, (int)(intptr_t)bad);
    }
    printf("seen %d %d %d %d\n", seen[SIGUSR1] > 0, seen[SIGUSR2] > 0, seen[SIGALRM] > 0,
           seen[SIGCHLD] > 0);
    return 0;
}
