/* reorder.c - SET threads write a pair of numbers, CHECK threads compare it.
 *
 * The mistake: there is no lock. A thread that checks between the two writes finds one of the pair
 * changed and the other not; the more threads that write, the fewer orders do it for the first
 * time. In the right form both sides take a lock. */
#include "sct.h"

#ifndef SET
#define SET   2
#define CHECK 1
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int first, second;

static void *set_or_check(void *arg)
{
    if (RIGHT_FORM)
        pthread_mutex_lock(&lock);
    if (number_of_thread(arg) < SET) {
        first = 1;
        second = -1;
    } else {
        int one = first, other = second;
        assert(one + other == 0);
    }
    if (RIGHT_FORM)
        pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    together(SET + CHECK, set_or_check);
    return 0;
}
