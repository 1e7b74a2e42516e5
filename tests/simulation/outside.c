/* outside.c - waits that end by what is not simulated, or by main. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static sem_t posted;
static int ends[2];
static pthread_mutex_t recursive;

static void *posts(void *arg)
{
    usleep(10);
    sem_post(&posted);
    return arg;
}

static void *reads(void *arg)
{
    char c;
    assert(read(ends[0], &c, 1) == 1);
    return arg;
}

static void *tries(void *arg)
{
    (void)arg;
    return (void *)(intptr_t)pthread_mutex_trylock(&recursive);
}

static void *result_of(void *(*run)(void *), void (*meanwhile)(void))
{
    pthread_t id;
    void *result;
    assert(pthread_create(&id, NULL, run, NULL) == 0);
    meanwhile();
    pthread_join(id, &result);
    return result;
}

static void wait_for_post(void)
{
    assert(sem_wait(&posted) == 0);
}

static void write_late(void)
{
    usleep(100);
    assert(write(ends[1], "x", 1) == 1);
}

static void nothing(void) {}

int main(int argc, char **argv)
{
    int status;
    (void)argv;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&recursive, &attributes);
    assert(sem_init(&posted, 0, 0) == 0 && pipe(ends) == 0);
    result_of(posts, wait_for_post);
    result_of(reads, write_late);
    pthread_mutex_lock(&recursive);
    assert(result_of(tries, nothing) != NULL);
    assert(getenv("CO4_TEST_SERVER") == NULL);
    if (argc < 2)
        return 0;
    pid_t child = fork();
    if (child == 0)
        _exit(3);
    assert(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 3);
    return 0;
}
