/* token_ring.c - four threads in a ring; each sets its number to one more than its neighbour's.
 *
 * The mistake: nothing makes a thread wait for its neighbour. When one comes first that should be
 * later, its number is one more than an old one. The right form passes a token. */
#include "sct.h"

enum { THREADS = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t passed = PTHREAD_COND_INITIALIZER;
static int numbers[THREADS], token;

static void *set_number(void *arg)
{
    int which = number_of_thread(arg), before = (which + THREADS - 1) % THREADS;
    pthread_mutex_lock(&lock);
    while (RIGHT_FORM && token != which)
        pthread_cond_wait(&passed, &lock);
    numbers[which] = (numbers[before] + 1) % 10;
    token++;
    pthread_cond_broadcast(&passed);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    together(THREADS, set_number);
    for (int i = 1; i < THREADS; i++)
        assert(numbers[i] == numbers[i - 1] + 1);
    return 0;
}
