/* unlocked.c - mutexes that stay with their thread: unlocked twice, and by a task that moved. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "job.h"

static int moved;

static void init(pthread_mutex_t *mutex, int i)
{
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    if (i % 2)
        pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
    else
        pthread_mutexattr_setprotocol(&kind, PTHREAD_PRIO_INHERIT);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(mutex, &kind);
}

static int twice(int i)
{
    pthread_mutex_t mutex;
    init(&mutex, i);
    int err = pthread_mutex_unlock(&mutex);
    pthread_mutex_lock(&mutex);
    return err == EPERM && pthread_mutex_unlock(&mutex) == 0 &&
                   pthread_mutex_unlock(&mutex) == EPERM
               ? 0
               : 1;
}

static int holds(int i)
{
    pthread_mutex_t mutex;
    init(&mutex, i);
    for (int n = 0; n < 500 && !__atomic_load_n(&moved, __ATOMIC_RELAXED); n++) {
        pthread_mutex_lock(&mutex);
        usleep(100);
        if (pthread_mutex_unlock(&mutex) != 0) {
            __atomic_store_n(&moved, 1, __ATOMIC_RELAXED);
            break;
        }
    }
    return 0;
}

const struct job jobs[] = { { "twice", twice, 8, NULL }, { "holds", holds, 4, NULL }, { 0 } };

void begin_job(const struct job *job)
{
    (void)job;
}

/* What was said before this line belongs to the job. */
void end_job(const struct job *job, int result)
{
    fprintf(stderr, "%s: %d%s\n", job->name, result, moved ? ", moved" : "");
}
