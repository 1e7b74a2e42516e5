/* sync02.c - numbers pass from one thread to another by a buffer of two places.
 *
 * The mistake: a side signals only when the buffer was empty, or full, before. That is enough for
 * one thread at each side, but here two take: the second taker's wait is never ended. */
#include "sct.h"

enum { PLACES = 2, EACH = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;
static int count;

static void put(void)
{
    pthread_mutex_lock(&lock);
    while (count == PLACES)
        pthread_cond_wait(&not_full, &lock);
    if (count++ == 0 || RIGHT_FORM)
        pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&lock);
}

static void take(void)
{
    pthread_mutex_lock(&lock);
    while (count == 0)
        pthread_cond_wait(&not_empty, &lock);
    if (count-- == PLACES || RIGHT_FORM)
        pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&lock);
}

static void *side(void *arg)
{
    int puts_numbers = number_of_thread(arg) == 0;
    for (int i = 0; i < (puts_numbers ? 2 * EACH : EACH); i++)
        if (puts_numbers)
            put();
        else
            take();
    return NULL;
}

int main(void)
{
    together(3, side);
    assert(count == 0);
    return 0;
}
