/* twostage.c - N - 1 threads write a first number and then a second one that goes with it, one
 * thread reads both.
 *
 * The mistake: each number has a lock, but the pair has none. The reader may come when the first is
 * written and the second is not; only the first writer's pair can be caught so. */
#include "sct.h"

#ifndef N
#define N 2
#endif

static pthread_mutex_t pair = PTHREAD_MUTEX_INITIALIZER, one = PTHREAD_MUTEX_INITIALIZER,
                       other = PTHREAD_MUTEX_INITIALIZER;
static int first, second;

static int get(pthread_mutex_t *lock, const int *from)
{
    pthread_mutex_lock(lock);
    int number = *from;
    pthread_mutex_unlock(lock);
    return number;
}

static void set(pthread_mutex_t *lock, int *to, int number)
{
    pthread_mutex_lock(lock);
    *to = number;
    pthread_mutex_unlock(lock);
}

static void *write_or_read(void *arg)
{
    if (RIGHT_FORM)
        pthread_mutex_lock(&pair);
    if (number_of_thread(arg) < N - 1) {
        set(&one, &first, 1);
        set(&other, &second, get(&one, &first) + 1);
    } else {
        int number = get(&one, &first);
        assert(number == 0 || get(&other, &second) == number + 1);
    }
    if (RIGHT_FORM)
        pthread_mutex_unlock(&pair);
    return NULL;
}

int main(void)
{
    together(N, write_or_read);
    return 0;
}
