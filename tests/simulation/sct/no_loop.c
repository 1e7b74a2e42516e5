/* no_loop.c - a job for one of two workers; both are woken.
 *
 * The mistake: a worker that wakes takes it that there is a job, as its wait is in an if and not in
 * a loop. The second one takes a job that is no more. */
#include <sched.h>

#include "sct.h"

enum { WORKERS = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int jobs, done, ends, ready;

static int has_nothing(void)
{
    return jobs == 0 && !ends;
}

static void *work(void *arg)
{
    pthread_mutex_lock(&lock);
    ready++;
    if (has_nothing())
        pthread_cond_wait(&changed, &lock);
    while (RIGHT_FORM && has_nothing())
        pthread_cond_wait(&changed, &lock);
    if (!ends || jobs > 0) {
        jobs--;
        done++;
    }
    assert(jobs >= 0);
    pthread_mutex_unlock(&lock);
    return arg;
}

static int all_are_ready(void)
{
    pthread_mutex_lock(&lock);
    int all = ready == WORKERS;
    pthread_mutex_unlock(&lock);
    return all;
}

int main(void)
{
    pthread_t ids[WORKERS];
    for (int i = 0; i < WORKERS; i++)
        begin_thread(&ids[i], work, i);
    while (!all_are_ready())
        sched_yield();
    pthread_mutex_lock(&lock);
    jobs = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    ends = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < WORKERS; i++)
        end_thread(ids[i]);
    assert(done == 1);
    return 0;
}
