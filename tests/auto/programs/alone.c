/* alone.c - the child of a fork in one of several tasks has this task only, as it has one thread in
 * a program of threads. The others, which wait for bytes, times and locks, go on in the parent. The
 * child waits, too; when its task returns it ends with status 0. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "job.h"

enum { BYTES = 40, SLEEPERS = 4, CHILDREN = 3 };

static struct shared {
    int took, in_child, slept, statuses[CHILDREN];
} * shared;
static int ends[2];
static pid_t parent;
static sem_t sem;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void counts(int *in_parent)
{
    __atomic_fetch_add(getpid() == parent ? in_parent : &shared->in_child, 1, __ATOMIC_RELAXED);
}

static int take(void)
{
    char c;
    while (read(ends[0], &c, 1) == 1 && c == 'x')
        counts(&shared->took);
    return c != 'e';
}

static int give(void)
{
    int failed = 0;
    for (int i = 0; i < BYTES; i++) {
        failed |= write(ends[1], "x", 1) != 1;
        usleep(1000);
    }
    return failed | (write(ends[1], "e", 1) != 1);
}

static int sleeps(void)
{
    for (int i = 0; i < 20; i++) {
        usleep(1000);
        counts(&shared->slept);
        if (i % 2 == 0)
            sem_wait(&sem);
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
    return 0;
}

static int posts(void)
{
    for (int i = 0; i < SLEEPERS * 10; i++) {
        usleep(500);
        sem_post(&sem);
    }
    return 0;
}

/* Waits in each way. Its own child is alone again. */
static int waits(int deeper)
{
    int own[2], status = 0;
    char c = 0;
    if (pipe(own) != 0)
        return 1;
    for (int i = 0; i < 5; i++) {
        sem_post(&sem); /* lost tasks wait for it */
        usleep(2000);
    }
    while (sem_trywait(&sem) == 0)
        ;
    pid_t pid = fork();
    if (pid == 0) {
        usleep(3000);
        if (deeper > 0 && waits(deeper - 1) != 0)
            _exit(9);
        _exit(write(own[1], "y", 1) == 1 ? 3 : 4);
    }
    if (read(own[0], &c, 1) != 1 || c != 'y' || waitpid(pid, &status, 0) != pid)
        return 2;
    return WEXITSTATUS(status) != 3;
}

static int forks(void)
{
    int failed = 0;
    for (int i = 0; i < CHILDREN; i++) {
        usleep(5000);
        pid_t pid = fork();
        if (pid == 0) {
            int bad = waits(1);
            if (i == 0 && bad == 0)
                return 0; /* the last thread of its process ends */
            _exit(bad ? bad : 7);
        }
        failed |= waitpid(pid, &shared->statuses[i], 0) != pid;
    }
    return failed;
}

static int run(int i)
{
    switch (i) {
    case 0:
        return take();
    case 1:
        return give();
    case 2:
        return forks();
    case 3:
        return posts();
    default:
        return sleeps();
    }
}

const struct job jobs[] = { { "a fork in one of several", run, 4 + SLEEPERS, NULL },
                            { NULL, NULL, 0, NULL } };

void begin_job(const struct job *job)
{
    (void)job;
    parent = getpid();
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (pipe(ends) != 0 || sem_init(&sem, 0, 0) != 0)
        _exit(1);
}

void end_job(const struct job *job, int result)
{
    printf("%s: %d, took %d, slept %d, in children %d, ended", job->name, result, shared->took,
           shared->slept, shared->in_child);
    for (int i = 0; i < CHILDREN; i++)
        printf(" %d", WIFEXITED(shared->statuses[i]) ? WEXITSTATUS(shared->statuses[i]) : -1);
    printf("\n");
}
