/* wronglock.c - one thread changes a number under its lock, N others under another one.
 *
 * The mistake: two locks for one number. The change of one thread may come between the read and
 * the write of another one, which compares what it has written. */
#include "sct.h"

#ifndef N
#define N 1
#endif

static pthread_mutex_t right_one = PTHREAD_MUTEX_INITIALIZER, wrong_one = PTHREAD_MUTEX_INITIALIZER;
static int number;

static void *change(void *arg)
{
    pthread_mutex_t *lock = RIGHT_FORM || number_of_thread(arg) == 0 ? &right_one : &wrong_one;
    pthread_mutex_lock(lock);
    int before = number;
    number++;
    assert(number == before + 1);
    pthread_mutex_unlock(lock);
    return NULL;
}

int main(void)
{
    together(N + 1, change);
    return 0;
}
