/* deadlock01.c - two locks, which two threads take for one sum.
 *
 * The mistake: one takes them in the other order. When each has its first one, both wait for
 * ever. */
#include "sct.h"

static pthread_mutex_t locks[2] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
static int sum;

static void *add(void *arg)
{
    int first = RIGHT_FORM ? 0 : number_of_thread(arg);
    pthread_mutex_lock(&locks[first]);
    pthread_mutex_lock(&locks[1 - first]);
    sum++;
    pthread_mutex_unlock(&locks[1 - first]);
    pthread_mutex_unlock(&locks[first]);
    return NULL;
}

int main(void)
{
    together(2, add);
    assert(sum == 2);
    return 0;
}
