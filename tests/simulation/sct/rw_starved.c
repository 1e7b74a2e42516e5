/* rw_starved.c - a lock for many readers or one writer, made of a mutex and two conditions.
 *
 * The mistake: a writer that ends wakes one reader, as if there were one at most. The second one
 * that waits is never woken, since a reader that ends wakes writers only. */
#include "sct.h"

enum { READERS = 2, WRITERS = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t may_read = PTHREAD_COND_INITIALIZER, may_write = PTHREAD_COND_INITIALIZER;
static int readers, writers, waiting_writers;

static void begin_read(void)
{
    pthread_mutex_lock(&lock);
    while (writers > 0 || waiting_writers > 0)
        pthread_cond_wait(&may_read, &lock);
    readers++;
    pthread_mutex_unlock(&lock);
}

static void end_read(void)
{
    pthread_mutex_lock(&lock);
    if (--readers == 0)
        pthread_cond_signal(&may_write);
    pthread_mutex_unlock(&lock);
}

static void begin_write(void)
{
    pthread_mutex_lock(&lock);
    waiting_writers++;
    while (readers > 0 || writers > 0)
        pthread_cond_wait(&may_write, &lock);
    waiting_writers--;
    writers++;
    pthread_mutex_unlock(&lock);
}

static void end_write(void)
{
    pthread_mutex_lock(&lock);
    writers--;
    if (waiting_writers > 0)
        pthread_cond_signal(&may_write);
    else if (RIGHT_FORM)
        pthread_cond_broadcast(&may_read);
    else
        pthread_cond_signal(&may_read);
    pthread_mutex_unlock(&lock);
}

static void *use(void *arg)
{
    if (number_of_thread(arg) < READERS) {
        begin_read();
        assert(writers == 0);
        end_read();
    } else {
        begin_write();
        assert(writers == 1 && readers == 0);
        end_write();
    }
    return NULL;
}

int main(void)
{
    together(READERS + WRITERS, use);
    return 0;
}
