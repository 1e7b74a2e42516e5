/* bbuf.c - a buffer of one place between two writers and two readers.
 *
 * The mistake: after its wait a reader takes what is there, without another look. The reader that
 * did not wait may have come before. */
#include "sct.h"

enum { EACH = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static int place;

static void write_one(void)
{
    pthread_mutex_lock(&lock);
    while (place != 0)
        pthread_cond_wait(&emptied, &lock);
    place = 1;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&lock);
}

static void wait_for_one(void)
{
    while (place == 0) {
        pthread_cond_wait(&filled, &lock);
        if (!RIGHT_FORM)
            return;
    }
}

static void read_one(void)
{
    pthread_mutex_lock(&lock);
    wait_for_one();
    assert(place == 1);
    place = 0;
    pthread_cond_signal(&emptied);
    pthread_mutex_unlock(&lock);
}

static void *side(void *arg)
{
    for (int i = 0; i < EACH; i++)
        if (number_of_thread(arg) % 2 == 0)
            write_one();
        else
            read_one();
    return NULL;
}

int main(void)
{
    together(4, side);
    return 0;
}
