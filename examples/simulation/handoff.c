/* handoff.c - a thread hands a value to another one, with a mistake that shows seldom:
 * docs/simulation.md finds it. With -DMENDED it is right. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int value;

static void *producer(void *arg)
{
    usleep(1000);
    pthread_mutex_lock(&lock);
    value = 42;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&lock);
    return arg;
}

static int take(void)
{
#ifdef MENDED
    pthread_mutex_lock(&lock);
    while (value == 0)
        pthread_cond_wait(&filled, &lock);
#else
    int empty = value == 0;
    pthread_mutex_lock(&lock);
    if (empty) /* meanwhile the producer may have come */
        pthread_cond_wait(&filled, &lock);
#endif
    int taken = value;
    pthread_mutex_unlock(&lock);
    return taken;
}

static void *consumer(void *arg)
{
    usleep(1000);
    assert(take() == 42);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, producer, NULL);
    pthread_create(&threads[1], NULL, consumer, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    puts("handed over");
    return 0;
}
