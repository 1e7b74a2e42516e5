/* shutdown_lost.c - a worker does jobs until it is asked to stop.
 *
 * The mistake: the request to stop is a variable of its own, written without the lock. The worker
 * looks at it under the lock, finds nothing, and waits; the signal has come between the two. */
#include <stdatomic.h>

#include "sct.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static atomic_int stops;
static int jobs, done;

static void *work(void *arg)
{
    pthread_mutex_lock(&lock);
    for (;;) {
        while (jobs == 0 && !atomic_load(&stops))
            pthread_cond_wait(&changed, &lock);
        if (jobs == 0)
            break;
        jobs--;
        done++;
    }
    pthread_mutex_unlock(&lock);
    return arg;
}

static void stop(void)
{
    if (RIGHT_FORM)
        pthread_mutex_lock(&lock);
    atomic_store(&stops, 1);
    pthread_cond_signal(&changed);
    if (RIGHT_FORM)
        pthread_mutex_unlock(&lock);
}

int main(void)
{
    pthread_t worker;
    begin_thread(&worker, work, 0);
    pthread_mutex_lock(&lock);
    jobs = 2;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    stop();
    end_thread(worker);
    assert(done == 2);
    return 0;
}
