/* shared.c - what other processes share with a simulated one, and threads that are none of its own.
 *
 *   shared named|unnamed    a child posts a semaphore, after a while
 *   shared many             a hundred semaphores are waited for at once
 *   shared mutex            attributes of a mutex, a condition, a lock and a barrier say so
 *   shared clone            a thread that is not the C library's
 *   shared long             the longest sleep there is, while another thread ends the process */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MANY = 100 };

static sem_t many[MANY];

static void *waits(void *sem)
{
    sem_wait(sem);
    return NULL;
}

static void wait_for_many(void)
{
    pthread_t ids[MANY];
    for (int i = 0; i < MANY; i++) {
        sem_init(&many[i], 0, 0);
        pthread_create(&ids[i], NULL, waits, &many[i]);
    }
    for (int i = MANY - 1; i >= 0; i--)
        sem_post(&many[i]);
    for (int i = 0; i < MANY; i++)
        pthread_join(ids[i], NULL);
}

static void wait_for_child(sem_t *sem)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        struct timespec now, end;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end); /* not the clock of the run */
        do {
            clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
        } while ((now.tv_sec - end.tv_sec) * 1000000000 + now.tv_nsec - end.tv_nsec < 30000000);
        sem_post(sem);
        _exit(0);
    }
    pthread_t ids[2]; /* of two that wait one comes */
    pthread_create(&ids[0], NULL, waits, sem);
    pthread_create(&ids[1], NULL, waits, sem);
    assert(waitpid(child, &status, 0) == child && status == 0);
    sem_post(sem);
    pthread_join(ids[0], NULL);
    pthread_join(ids[1], NULL);
}

static void named(void)
{
    char name[40];
    snprintf(name, sizeof name, "/co4-shared-%d", (int)getpid());
    sem_t *sem = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
    assert(sem != SEM_FAILED && sem_unlink(name) == 0);
    wait_for_child(sem);
}

static void unnamed(void)
{
    sem_t *sem = mmap(NULL, sizeof *sem, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert(sem != MAP_FAILED && sem_init(sem, 1, 0) == 0);
    wait_for_child(sem);
}

static void attributes(void)
{
    pthread_mutexattr_t mutex;
    pthread_condattr_t condition;
    pthread_rwlockattr_t lock;
    pthread_barrierattr_t barrier;
    pthread_mutexattr_init(&mutex);
    pthread_condattr_init(&condition);
    pthread_rwlockattr_init(&lock);
    pthread_barrierattr_init(&barrier);
    for (int how = PTHREAD_PROCESS_PRIVATE; how <= PTHREAD_PROCESS_SHARED; how++)
        assert(pthread_mutexattr_setpshared(&mutex, how) == 0 &&
               pthread_condattr_setpshared(&condition, how) == 0 &&
               pthread_rwlockattr_setpshared(&lock, how) == 0 &&
               pthread_barrierattr_setpshared(&barrier, how) == 0);
}

static int stays(void *unused)
{
    (void)unused;
    for (;;)
        sched_yield();
}

static void *naps(void *unused)
{
    struct timespec time = { LONG_MAX, 999999999 };
    (void)unused;
    for (;;)
        nanosleep(&time, NULL);
}

int main(int argc, char **argv)
{
    static char stack[1 << 16];
    pthread_t id;
    const char *kind = argc > 1 ? argv[1] : "";
    if (strcmp(kind, "named") == 0)
        named();
    else if (strcmp(kind, "unnamed") == 0)
        unnamed();
    else if (strcmp(kind, "many") == 0)
        wait_for_many();
    else if (strcmp(kind, "mutex") == 0)
        attributes();
    else if (strcmp(kind, "clone") == 0)
        assert(
            clone(stays, stack + sizeof stack,
                  CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM,
                  NULL) > 0);
    else if (strcmp(kind, "long") == 0)
        assert(pthread_create(&id, NULL, naps, NULL) == 0);
    else
        return 2;
    puts("done");
    return 0;
}
