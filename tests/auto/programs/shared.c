/* shared.c - locks that another process shares, and semaphores that a handler of signals posts. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "job.h"

enum { ROUNDS = 100, TURNS = 10, POSTS = 60, TASKS = 3 };

static struct shared {
    pthread_mutex_t mutex;
    pthread_rwlock_t rwlock;
    pthread_cond_t change;
    sem_t to_tasks, to_process;
    int counter, turn;
} * shared;
static sem_t *named, posted;
static pid_t process;
static int posts;
static struct timespec begun;

static long ms_since(const struct timespec *since)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (now.tv_sec - since->tv_sec) * 1000 + (now.tv_nsec - since->tv_nsec) / 1000000;
}

/* What both processes do, in tasks and in a thread. */

static int count(int i)
{
    for (int n = 0; n < ROUNDS; n++) {
        if (pthread_mutex_lock(&shared->mutex) != 0)
            return 1;
        int was = shared->counter;
        if (n % 16 == 0)
            usleep(200);
        shared->counter = was + 1;
        if (pthread_mutex_unlock(&shared->mutex) != 0)
            return 1;
    }
    return i < 0;
}

static int count_to_write(int i)
{
    for (int n = 0; n < ROUNDS; n++) {
        if (n % 2 == 0) {
            if (pthread_rwlock_wrlock(&shared->rwlock) != 0)
                return 1;
            int was = shared->counter;
            if (n % 16 == 0)
                usleep(200);
            shared->counter = was + 1;
        } else if (pthread_rwlock_rdlock(&shared->rwlock) != 0) {
            return 1;
        }
        if (pthread_rwlock_unlock(&shared->rwlock) != 0)
            return 1;
    }
    return i < 0;
}

static int take_turns(int mine)
{
    pthread_mutex_lock(&shared->mutex);
    for (int n = 0; n < TURNS; n++) {
        while (shared->turn != mine)
            if (pthread_cond_wait(&shared->change, &shared->mutex) != 0)
                return 1;
        shared->turn = !mine;
        pthread_cond_signal(&shared->change);
    }
    return pthread_mutex_unlock(&shared->mutex);
}

static int exchange(sem_t *wait, sem_t *post)
{
    for (int n = 0; n < TURNS; n++) {
        while (sem_wait(wait) != 0)
            if (errno != EINTR)
                return 1;
        if (sem_post(post) != 0)
            return 1;
    }
    return 0;
}

static int exchange_here(int i)
{
    (void)i;
    return exchange(&shared->to_tasks, &shared->to_process);
}

static int exchange_there(int i)
{
    (void)i;
    return sem_post(&shared->to_tasks) || exchange(&shared->to_process, &shared->to_tasks);
}

static int take_named(int i)
{
    for (int n = 0; n < TURNS; n++)
        while (sem_wait(named) != 0)
            if (errno != EINTR)
                return 1;
    return i < 0;
}

static int post_named(int i)
{
    for (int n = 0; n < TURNS; n++) {
        usleep(1000);
        if (sem_post(named) != 0)
            return 1;
    }
    return i < 0;
}

/* ---- a handler posts ---- */

static void post(int number)
{
    (void)number;
    if (posts < POSTS) {
        posts++;
        sem_post(&posted);
    }
}

/* The handler interrupts tasks that wait, post and lock. */
static int take_posts(int i)
{
    for (int n = 0; n < POSTS / TASKS; n++) {
        while (sem_wait(&posted) != 0)
            if (errno != EINTR)
                return 1;
        sem_post(&shared->to_process);
    }
    return i < 0;
}

/* ---- all of them ---- */

const struct job jobs[] = {
    { "mutex", count, TASKS, NULL },
    { "rwlock", count_to_write, TASKS, NULL },
    { "condition", take_turns, 1, NULL },
    { "semaphore", exchange_here, 1, NULL },
    { "named semaphore", take_named, 1, NULL },
    { "handler", take_posts, TASKS, NULL },
    { 0 },
};

static int (*const theirs[])(int) = { count, count_to_write, take_turns, exchange_there,
                                      post_named };

static void make_shared(void)
{
    pthread_mutexattr_t mutex;
    pthread_rwlockattr_t rwlock;
    pthread_condattr_t cond;
    char name[32];
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        exit(9);
    pthread_mutexattr_init(&mutex);
    pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&shared->mutex, &mutex);
    pthread_rwlockattr_init(&rwlock);
    pthread_rwlockattr_setpshared(&rwlock, PTHREAD_PROCESS_SHARED);
    pthread_rwlock_init(&shared->rwlock, &rwlock);
    pthread_condattr_init(&cond);
    pthread_condattr_setpshared(&cond, PTHREAD_PROCESS_SHARED);
    pthread_cond_init(&shared->change, &cond);
    sem_init(&shared->to_tasks, 1, 0);
    sem_init(&shared->to_process, 1, 0);
    snprintf(name, sizeof name, "/co4-test-%d", (int)getpid());
    named = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
    sem_unlink(name);
    sem_init(&posted, 0, 0);
    if (named == SEM_FAILED)
        exit(9);
}

void begin_job(const struct job *job)
{
    if (!shared)
        make_shared();
    shared->counter = shared->turn = 0;
    fflush(stdout);
    clock_gettime(CLOCK_MONOTONIC, &begun);
    process = job->run == take_posts ? 0 : fork();
    if (process == 0 && job->run != take_posts)
        _exit(theirs[job - jobs](1));
    if (process == 0) {
        struct sigaction action = { .sa_handler = post, .sa_flags = SA_RESTART };
        struct itimerval often = { { 0, 1000 }, { 0, 1000 } };
        sigaction(SIGALRM, &action, NULL);
        setitimer(ITIMER_REAL, &often, NULL);
    }
}

void end_job(const struct job *job, int result)
{
    int status = 0;
    struct itimerval never = { { 0, 0 }, { 0, 0 } };
    setitimer(ITIMER_REAL, &never, NULL);
    if (process > 0)
        waitpid(process, &status, 0);
    printf("%s: %d and %d, %d, %s\n", job->name, result, status, shared->counter,
           ms_since(&begun) < 60000 ? "in time" : "late");
    if (getenv("TEST_TIMES"))
        fprintf(stderr, "%s: %ld ms\n", job->name, ms_since(&begun));
}
