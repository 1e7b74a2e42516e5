/* queue.c - a queue of numbers, a thread at each end, a flag for each that says whose turn it is.
 *
 * The mistake: the taker clears its flag after it has handed back the lock and has taken it anew.
 * A flag that the other has set meanwhile is lost: the taker waits for ever. */
#include <sched.h>

#include "sct.h"

enum { PLACES = 4, NUMBERS = 12, LOOKS = 2000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int places[PLACES], put, taken, filled;

static void put_numbers(void)
{
    for (int i = 0; i < NUMBERS;) {
        pthread_mutex_lock(&lock);
        if (put - taken < PLACES) {
            places[put++ % PLACES] = i++;
            filled = 1;
        }
        pthread_mutex_unlock(&lock);
        sched_yield();
    }
}

static void take_all(int *next)
{
    pthread_mutex_lock(&lock);
    while (taken < put) {
        int number = places[taken++ % PLACES];
        assert(number == *next);
        ++*next;
    }
    if (RIGHT_FORM)
        filled = 0;
    pthread_mutex_unlock(&lock);
    if (!RIGHT_FORM) {
        pthread_mutex_lock(&lock);
        filled = 0;
        pthread_mutex_unlock(&lock);
    }
}

static void take_numbers(void)
{
    int next = 0;
    for (int looks = 0; next < NUMBERS; looks++) {
        assert(looks < LOOKS);
        pthread_mutex_lock(&lock);
        int there = filled;
        pthread_mutex_unlock(&lock);
        if (there)
            take_all(&next);
        sched_yield();
    }
}

static void *end_of_queue(void *arg)
{
    if (number_of_thread(arg) == 0)
        put_numbers();
    else
        take_numbers();
    return NULL;
}

int main(void)
{
    together(2, end_of_queue);
    return 0;
}
