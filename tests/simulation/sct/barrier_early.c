/* barrier_early.c - rounds with a barrier of a semaphore between them: the last one posts it once
 * for each.
 *
 * The mistake: there is one semaphore for all rounds. A fast thread goes around, and takes the
 * place of a slow one of the round before; it is then a round ahead. The right form has two in
 * turn. */
#include <semaphore.h>

#include "sct.h"

enum { THREADS = 2, ROUNDS = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t gates[2];
static int there, rounds_of[THREADS];

static void wait_for_all(int round)
{
    sem_t *gate = &gates[RIGHT_FORM ? round % 2 : 0];
    pthread_mutex_lock(&lock);
    if (++there == THREADS) {
        there = 0;
        for (int i = 0; i < THREADS; i++)
            sem_post(gate);
    }
    pthread_mutex_unlock(&lock);
    sem_wait(gate);
}

static void *work(void *arg)
{
    int me = number_of_thread(arg);
    for (int round = 0; round < ROUNDS; round++) {
        pthread_mutex_lock(&lock);
        rounds_of[me] = round;
        for (int i = 0; i < THREADS; i++)
            assert(rounds_of[i] >= round - 1 && rounds_of[i] <= round + 1);
        pthread_mutex_unlock(&lock);
        wait_for_all(round);
    }
    return NULL;
}

int main(void)
{
    sem_init(&gates[0], 0, 0);
    sem_init(&gates[1], 0, 0);
    together(THREADS, work);
    return 0;
}
