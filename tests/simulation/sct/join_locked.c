/* join_locked.c - a service that ends waits for its thread.
 *
 * The mistake: it keeps its lock while it joins the thread, which takes the lock once more before
 * its end. */
#include "sct.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int steps;

static void *serve(void *arg)
{
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lock);
        steps++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t service;
    begin_thread(&service, serve, 0);
    pthread_mutex_lock(&lock);
    steps++;
    if (RIGHT_FORM)
        pthread_mutex_unlock(&lock);
    end_thread(service);
    if (!RIGHT_FORM)
        pthread_mutex_unlock(&lock);
    assert(steps == 4);
    return 0;
}
