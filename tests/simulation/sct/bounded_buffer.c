/* bounded_buffer.c - a buffer of one place, two writers, two readers, and one condition for both.
 *
 * The mistake: a signal wakes one waiter, which may be of the same side: it finds that it cannot go
 * on, and waits again, and the one that could is not woken. The right form wakes all. */
#include "sct.h"

enum { EACH = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int filled;

static void set_filled(int now)
{
    pthread_mutex_lock(&lock);
    while (filled == now)
        pthread_cond_wait(&changed, &lock);
    filled = now;
    if (RIGHT_FORM)
        pthread_cond_broadcast(&changed);
    else
        pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

static void *side(void *arg)
{
    for (int i = 0; i < EACH; i++)
        set_filled(number_of_thread(arg) % 2);
    return NULL;
}

int main(void)
{
    together(4, side);
    return 0;
}
