/* sync01.c - a thread waits until another one has put something in its place.
 *
 * The mistake: the signal is sent, but the place is looked at before the lock is taken for the
 * wait. If the signal comes between the two, none follows, and the wait never ends. */
#include "sct.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int place;

static int is_empty(void)
{
    pthread_mutex_lock(&lock);
    int empty = place == 0;
    pthread_mutex_unlock(&lock);
    return empty;
}

static void *take(void *arg)
{
    int empty = RIGHT_FORM || is_empty();
    pthread_mutex_lock(&lock);
    if (RIGHT_FORM) {
        while (place == 0)
            pthread_cond_wait(&filled, &lock);
    } else if (empty) {
        pthread_cond_wait(&filled, &lock);
    }
    assert(place == 1);
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *fill(void *arg)
{
    pthread_mutex_lock(&lock);
    place = 1;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t taker, filler;
    begin_thread(&taker, take, 0);
    begin_thread(&filler, fill, 0);
    end_thread(taker);
    end_thread(filler);
    return 0;
}
