/* stateful01.c - two numbers, each with its lock; one thread adds to both, the other one doubles
 * them.
 *
 * The mistake: each change is safe, but the order of the two threads decides what comes out, and
 * may differ from one number to the other. In the right form the doubling waits for the sum. */
#include "sct.h"

static pthread_mutex_t locks[2] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
static int numbers[2] = { 10, 10 };

static void *add(void *arg)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&locks[i]);
        numbers[i] += 5;
        pthread_mutex_unlock(&locks[i]);
    }
    return arg;
}

static void *twice(void *arg)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&locks[i]);
        numbers[i] *= 2;
        pthread_mutex_unlock(&locks[i]);
    }
    return arg;
}

int main(void)
{
    pthread_t adds, doubles;
    begin_thread(&adds, add, 0);
    if (RIGHT_FORM)
        end_thread(adds);
    begin_thread(&doubles, twice, 0);
    end_thread(doubles);
    if (!RIGHT_FORM)
        end_thread(adds);
    assert(numbers[0] == numbers[1]);
    return 0;
}
