/* threads.c - each thread runs by itself; locks are held across pauses, errno and thread-locals
 * stay with the thread. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4, ROUNDS = 500 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long shared;
static _Thread_local int mine;

static void add_one(void)
{
    pthread_mutex_lock(&lock);
    long seen = shared;
    for (int i = 0; i < 3; i++)
        mine++;
    shared = seen + 1;
    pthread_mutex_unlock(&lock);
}

static int keeps_errno(int value)
{
    errno = value;
    add_one();
    return errno == value;
}

static void *work(void *arg)
{
    long kept = 0;
    for (int i = 0; i < ROUNDS; i++)
        kept += keeps_errno(i + 1);
    *(long *)arg = kept == ROUNDS && mine == 3 * ROUNDS;
    return arg;
}

int main(void)
{
    pthread_t threads[THREADS];
    long ok[THREADS] = { 0 };
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, work, &ok[i]) != 0)
            return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%ld %ld%ld%ld%ld\n", shared, ok[0], ok[1], ok[2], ok[3]);
    return 0;
}
