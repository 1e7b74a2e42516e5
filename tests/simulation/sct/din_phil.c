/* din_phil.c - N philosophers around a table, a fork between two neighbours.
 *
 * The mistake: each takes the left fork and then the right one. When all have their left ones, none
 * eats any more. In the right form the last one begins at the right. */
#include "sct.h"

#ifndef N
#define N 3
#endif

static pthread_mutex_t forks[N];
static int meals[N];

static void *dine(void *arg)
{
    int left = number_of_thread(arg), right = (left + 1) % N;
    if (RIGHT_FORM && right < left) {
        int other = left;
        left = right;
        right = other;
    }
    pthread_mutex_lock(&forks[left]);
    pthread_mutex_lock(&forks[right]);
    meals[number_of_thread(arg)]++;
    pthread_mutex_unlock(&forks[right]);
    pthread_mutex_unlock(&forks[left]);
    return NULL;
}

int main(void)
{
    for (int i = 0; i < N; i++)
        pthread_mutex_init(&forks[i], NULL);
    together(N, dine);
    for (int i = 0; i < N; i++)
        assert(meals[i] == 1);
    return 0;
}
