/* bluetooth_driver.c - a driver that counts the requests under way, and is stopped when there is
 * none left.
 *
 * The mistake: a request looks whether the driver is stopping, and only then, in another turn of
 * the lock, counts itself. Between the two the driver stops; the request works on a driver that is
 * no more. */
#include "sct.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t idle = PTHREAD_COND_INITIALIZER;
static int pending, stopping, stopped;

static int enters(void)
{
    pthread_mutex_lock(&lock);
    int refused = stopping;
    if (!RIGHT_FORM) {
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
    }
    if (!refused)
        pending++;
    pthread_mutex_unlock(&lock);
    return !refused;
}

static void leave(void)
{
    pthread_mutex_lock(&lock);
    if (--pending == 0)
        pthread_cond_signal(&idle);
    pthread_mutex_unlock(&lock);
}

static void request(void)
{
    if (!enters())
        return;
    pthread_mutex_lock(&lock);
    assert(!stopped);
    pthread_mutex_unlock(&lock);
    leave();
}

static void stop(void)
{
    pthread_mutex_lock(&lock);
    stopping = 1;
    while (pending > 0)
        pthread_cond_wait(&idle, &lock);
    stopped = 1;
    pthread_mutex_unlock(&lock);
}

static void *use(void *arg)
{
    if (number_of_thread(arg) == 0)
        request();
    else
        stop();
    return NULL;
}

int main(void)
{
    together(2, use);
    return 0;
}
