/* signals.c - calls that wait for signals, each ended by one that another thread sends, and by
 * time. With -DPLAIN: the waits alone, which are not woven. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

int wait_ppoll(int fd, const struct timespec *limit, const sigset_t *mask);
int wait_pselect(int fd, const struct timespec *limit, const sigset_t *mask);
int wait_epoll(int fd, const struct timespec *limit, const sigset_t *mask);
int wait_suspend(int fd, const struct timespec *limit, const sigset_t *mask);
int wait_pause(int fd, const struct timespec *limit, const sigset_t *mask);

#ifndef WOVEN

int wait_ppoll(int fd, const struct timespec *limit, const sigset_t *mask)
{
    struct pollfd p = { fd, POLLIN, 0 };
    return ppoll(&p, 1, limit, mask);
}

int wait_pselect(int fd, const struct timespec *limit, const sigset_t *mask)
{
    fd_set set;
    FD_ZERO(&set);
    FD_SET(fd, &set);
    return pselect(fd + 1, &set, NULL, NULL, limit, mask);
}

int wait_epoll(int fd, const struct timespec *limit, const sigset_t *mask)
{
    struct epoll_event event = { .events = EPOLLIN };
    int set = epoll_create1(0), n = epoll_ctl(set, EPOLL_CTL_ADD, fd, &event);
    assert(n == 0);
    n = epoll_pwait(set, &event, 1, limit ? (int)(limit->tv_nsec / 1000000) : -1, mask);
    int was = errno;
    close(set);
    errno = was;
    return n;
}

int wait_suspend(int fd, const struct timespec *limit, const sigset_t *mask)
{
    (void)fd, (void)limit;
    return sigsuspend(mask);
}

int wait_pause(int fd, const struct timespec *limit, const sigset_t *mask)
{
    sigset_t before;
    (void)fd, (void)limit;
    sigprocmask(SIG_SETMASK, mask, &before); /* it may come before the wait: not here */
    int n = pause(), was = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = was;
    return n;
}

#endif
#ifndef PLAIN

static volatile sig_atomic_t handled;
static int ends[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int order[128], count;

static void handle(int signo)
{
    handled += signo == SIGUSR1;
}

static void note(int n)
{
    pthread_mutex_lock(&lock);
    order[count++] = n;
    pthread_mutex_unlock(&lock);
}

static void *notes(void *arg)
{
    for (int i = 0; i < 3; i++) {
        usleep(100);
        note((int)(intptr_t)arg);
    }
    return arg;
}

static void *sends(void *arg)
{
    pthread_t id;
    assert(pthread_create(&id, NULL, notes, (void *)((intptr_t)arg + 100)) == 0);
    notes(arg);
    pthread_join(id, NULL);
    usleep(5000);
    assert(kill(getpid(), SIGUSR1) == 0);
    return arg;
}

static void *writes(void *arg)
{
    usleep(5000);
    assert(write(ends[1], "x", 1) == 1);
    return arg;
}

typedef int wait_of(int fd, const struct timespec *limit, const sigset_t *mask);

static void meanwhile(void *(*run)(void *), pthread_t *id)
{
    assert(pthread_create(id, NULL, run, (void *)(intptr_t)count) == 0);
}

static void try_wait(wait_of *waits, int with_descriptor)
{
    pthread_t id;
    sigset_t none;
    struct timespec limit = { 0, 2000000 };
    char c;
    int before = handled;
    sigemptyset(&none);
    meanwhile(sends, &id);
    errno = 0;
    assert(waits(ends[0], NULL, &none) == -1 && errno == EINTR && handled == before + 1);
    pthread_join(id, NULL);
    if (!with_descriptor)
        return;
    assert(waits(ends[0], &limit, &none) == 0); /* nothing comes */
    assert(kill(getpid(), SIGUSR1) == 0 && handled == before + 1);
    assert(waits(ends[0], &limit, &none) == -1 && errno == EINTR); /* it is pending */
    meanwhile(writes, &id);
    assert(waits(ends[0], NULL, &none) == 1 && read(ends[0], &c, 1) == 1);
    pthread_join(id, NULL);
}

static void try_sigwait(const sigset_t *set)
{
    pthread_t id;
    siginfo_t info;
    int signo;
    struct timespec limit = { 0, 1000000 };
    meanwhile(sends, &id);
    assert(sigtimedwait(set, &info, &limit) == -1 && errno == EAGAIN);
    assert(sigwait(set, &signo) == 0 && signo == SIGUSR1);
    pthread_join(id, NULL);
    meanwhile(sends, &id);
    assert(sigwaitinfo(set, &info) == SIGUSR1 && info.si_pid == getpid());
    pthread_join(id, NULL);
}

int main(int argc, char **argv)
{
    struct sigaction how = { .sa_handler = handle };
    sigset_t set;
    setvbuf(stdout, NULL, _IOLBF, 0);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    assert(sigprocmask(SIG_BLOCK, &set, NULL) == 0 && sigaction(SIGUSR1, &how, NULL) == 0);
    assert(pipe(ends) == 0);
    try_wait(wait_ppoll, 1);
    try_wait(wait_pselect, 1);
    try_wait(wait_epoll, 1);
    try_wait(wait_suspend, 0);
    try_wait(wait_pause, 0);
    try_sigwait(&set);
    for (int i = 0; i < count; i++)
        printf("%d ", order[i]);
    puts("");
    return argc > 100 || !argv;
}

#endif
