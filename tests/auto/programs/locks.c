/* locks.c - locks of the C library, between tasks on two workers and threads. No marks here. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "job.h"

enum { ROUNDS = 200 };

static pthread_mutex_t normal = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t counts = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t checks = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static int inside, wrong;
static long total;

static void pause_inside(void)
{
    if (__atomic_fetch_add(&inside, 1, __ATOMIC_SEQ_CST) != 0)
        wrong++;
    usleep(total % 8 == 0 ? 100 : 0); /* others run, and the task may go on at another worker */
    total++;
    if (__atomic_fetch_sub(&inside, 1, __ATOMIC_SEQ_CST) != 1)
        wrong++;
}

static int with(pthread_mutex_t *mutex)
{
    int err = 0;
    for (int i = 0; i < ROUNDS; i++) {
        err |= pthread_mutex_lock(mutex);
        pause_inside();
        err |= pthread_mutex_unlock(mutex);
    }
    return err;
}

static int in_normal(int n)
{
    (void)n;
    return with(&normal);
}

static int in_checks(int n)
{
    (void)n;
    int err = with(&checks);
    err |= pthread_mutex_lock(&checks);
    err |= pthread_mutex_lock(&checks) == EDEADLK ? 0 : 1000;
    err |= pthread_mutex_trylock(&checks) == EBUSY ? 0 : 1000;
    usleep(100);
    err |= pthread_mutex_unlock(&checks);
    err |= pthread_mutex_unlock(&checks) == EPERM ? 0 : 1000;
    return err;
}

static int in_counts(int n)
{
    int err = 0;
    for (int i = 0; i < ROUNDS / 4; i++) {
        err |= pthread_mutex_lock(&counts);
        err |= pthread_mutex_trylock(&counts);
        err |= pthread_mutex_lock(&counts);
        pause_inside();
        err |= pthread_mutex_unlock(&counts);
        err |= pthread_mutex_unlock(&counts);
        pause_inside();
        err |= pthread_mutex_unlock(&counts);
    }
    return err | (n < 0);
}

static int in_rwlock(int n)
{
    int err = 0;
    for (int i = 0; i < ROUNDS; i++)
        if (n % 2 == 0) {
            err |= pthread_rwlock_wrlock(&rwlock);
            pause_inside();
            err |= pthread_rwlock_unlock(&rwlock);
        } else {
            err |= pthread_rwlock_rdlock(&rwlock);
            if (__atomic_load_n(&inside, __ATOMIC_SEQ_CST) != 0)
                wrong++;
            if (i % 16 == 0)
                usleep(100);
            err |= pthread_rwlock_unlock(&rwlock);
        }
    return err;
}

/* ---- conditions and semaphores: numbers pass through a place ---- */

static pthread_cond_t change = PTHREAD_COND_INITIALIZER;
static int place, sum;
static sem_t items, room;

static int puts_numbers(int n)
{
    for (int i = 1; i <= ROUNDS; i++) {
        pthread_mutex_lock(&normal);
        while (place != 0)
            pthread_cond_wait(&change, &normal);
        place = i;
        pthread_cond_broadcast(&change);
        pthread_mutex_unlock(&normal);
    }
    return n < 0;
}

static int takes_numbers(int n)
{
    for (int i = 1; i <= ROUNDS; i++) {
        pthread_mutex_lock(&normal);
        while (place == 0)
            pthread_cond_wait(&change, &normal);
        sum += place;
        place = 0;
        pthread_cond_broadcast(&change);
        pthread_mutex_unlock(&normal);
    }
    return n < 0;
}

static int puts_or_takes(int n)
{
    return n % 2 == 0 ? puts_numbers(n) : takes_numbers(n);
}

static int posts_or_waits(int n)
{
    for (int i = 0; i < ROUNDS; i++)
        if (n % 2 == 0) {
            while (sem_wait(&room) != 0)
                ;
            __atomic_fetch_add(&sum, 1, __ATOMIC_SEQ_CST);
            sem_post(&items);
        } else {
            while (sem_wait(&items) != 0)
                ;
            sem_post(&room);
        }
    return 0;
}

/* ---- limits and errors ---- */

static struct timespec after(long ms, clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    t.tv_nsec += ms * 1000000;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

static void say(const char *what, int err)
{
    printf("%s %s\n", what, err ? strerror(err) : "ok");
}

static void *gives(void *of)
{
    usleep(2000);
    return of;
}

static int limits(int n)
{
    struct timespec soon = after(5, CLOCK_REALTIME), bad = { 0, 1000000000 };
    pthread_cond_t by_monotonic;
    pthread_condattr_t attributes;
    pthread_t thread;
    void *result;
    sem_t sem;
    say("mutex", pthread_mutex_lock(&normal));
    say("timed mutex", pthread_mutex_timedlock(&normal, &soon));
    say("no time", pthread_mutex_timedlock(&normal, &bad));
    soon = after(5, CLOCK_REALTIME);
    say("timed condition", pthread_cond_timedwait(&change, &normal, &soon));
    say("no time", pthread_cond_timedwait(&change, &normal, &bad));
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&by_monotonic, &attributes);
    soon = after(5, CLOCK_MONOTONIC);
    say("monotonic condition", pthread_cond_timedwait(&by_monotonic, &normal, &soon));
    say("unlock", pthread_mutex_unlock(&normal));
    say("not locked", pthread_cond_wait(&change, &checks));
    say("write", pthread_rwlock_wrlock(&rwlock));
    soon = after(5, CLOCK_REALTIME);
    say("try", pthread_rwlock_tryrdlock(&rwlock));
    say("unlock", pthread_rwlock_unlock(&rwlock));
    say("read", pthread_rwlock_rdlock(&rwlock));
    say("timed write", pthread_rwlock_timedwrlock(&rwlock, &soon));
    say("timed read", pthread_rwlock_timedrdlock(&rwlock, &soon));
    say("unlock", pthread_rwlock_unlock(&rwlock));
    say("unlock", pthread_rwlock_unlock(&rwlock));
    sem_init(&sem, 0, 1);
    soon = after(5, CLOCK_REALTIME);
    say("sem", sem_timedwait(&sem, &soon) ? errno : 0);
    say("sem", sem_timedwait(&sem, &soon) ? errno : 0);
    say("no time", sem_timedwait(&sem, &bad) ? errno : 0);
    pthread_create(&thread, NULL, gives, &sem);
    soon = after(0, CLOCK_REALTIME);
    say("timed join", pthread_timedjoin_np(thread, &result, &soon));
    say("join", pthread_join(thread, &result));
    printf("%d\n", result == &sem);
    say("own", pthread_join(pthread_self(), NULL));
    return n < 0;
}

/* ---- all of them ---- */

const struct job jobs[] = {
    { "limits", limits, 1, NULL },
    { "normal", in_normal, 8, in_normal },
    { "checks", in_checks, 4, in_checks },
    { "counts", in_counts, 8, in_counts },
    { "rwlock", in_rwlock, 8, NULL },
    { "conditions", puts_or_takes, 8, NULL },
    { "a thread takes", puts_numbers, 1, takes_numbers },
    { "a thread puts", takes_numbers, 1, puts_numbers },
    { "semaphores", posts_or_waits, 8, NULL },
    { 0 },
};

void begin_job(const struct job *job)
{
    (void)job;
    inside = sum = 0;
    total = 0;
    sem_init(&room, 0, 1);
    sem_init(&items, 0, 0);
}

void end_job(const struct job *job, int result)
{
    printf("%s: %d, %d wrong, %ld, %d\n", job->name, result, wrong, total, sum);
}
