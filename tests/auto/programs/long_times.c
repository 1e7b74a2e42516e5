/* long_times.c - times that are longer than any count of nanoseconds: the calls wait, until a
 * handler or another thread ends that. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const int64_t lengths[] = { 1000000000, 10000000000, INT64_MAX / 1000, INT64_MAX };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t sem;
static int pair[2];

static void on_alarm(int signo)
{
    (void)signo;
}

/* Again and again: on a busy machine one may come before the wait. */
static void alarms(int us)
{
    setitimer(ITIMER_REAL, &(struct itimerval){ { 0, us }, { 0, us } }, NULL);
}

static void show(const char *name, long n)
{
    int error = errno;
    printf("%s: %s\n", name, n == 0 ? "0" : n == -1 ? strerrorname_np(error) : "rest");
}

static void waits(int64_t s)
{
    struct timespec time = { s, 999999999 };
    struct timeval limit = { s, 999999 };
    char c;
    show("select", select(0, NULL, NULL, NULL, &(struct timeval){ s, 999999 }));
    show("pselect", pselect(0, NULL, NULL, NULL, &time, NULL));
    show("ppoll", ppoll(NULL, 0, &time, NULL));
    show("nanosleep", nanosleep(&time, NULL));
    errno = clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
    show("clock_nanosleep", -1);
    errno = clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME,
                            &(struct timespec){ s + (s < 2000000000) * s, 0 }, NULL);
    show("clock_nanosleep, until", -1);
    show("sem_timedwait", sem_timedwait(&sem, &(struct timespec){ s + (s < 2000000000) * s, 0 }));
    setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    show("recv", recv(pair[0], &c, 1, 0));
}

static void *release(void *mutex_too)
{
    usleep(5000);
    pthread_mutex_lock(&mutex);
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&mutex);
    (void)mutex_too;
    return NULL;
}

/* A wait for a condition may end without a signal, but not because of its time. */
static void locks(int64_t s)
{
    struct timespec until = { s + (s < 2000000000) * s, 0 };
    pthread_t thread;
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, NULL, release, NULL);
    errno = pthread_cond_timedwait(&cond, &mutex, &until);
    pthread_mutex_unlock(&mutex);
    show("pthread_cond_timedwait", errno ? -1 : 0);
    pthread_join(thread, NULL);
    errno = pthread_mutex_timedlock(&mutex, &until);
    show("pthread_mutex_timedlock", errno ? -1 : 0);
    pthread_mutex_unlock(&mutex);
    errno = pthread_rwlock_timedwrlock(&rwlock, &until);
    show("pthread_rwlock_timedwrlock", errno ? -1 : 0);
    pthread_rwlock_unlock(&rwlock);
}

int main(void)
{
    struct sigaction a = { .sa_handler = on_alarm };
    struct epoll_event event;
    sigaction(SIGALRM, &a, NULL);
    sem_init(&sem, 0, 0);
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
        return 1;
    alarms(3000);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        waits(lengths[i]);
    show("poll", poll(NULL, 0, INT_MAX));
    show("epoll_wait", epoll_wait(epoll_create1(0), &event, 1, INT_MAX));
    show("sleep", (long)sleep(UINT_MAX));
    show("usleep", usleep(UINT_MAX));
    alarms(0);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        locks(lengths[i]);
    return 0;
}
