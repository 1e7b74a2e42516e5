/* streamcluster.c - rounds of work, with a barrier made of a lock and a condition between them.
 *
 * The mistake: the barrier has a count, and no number of its round. The last one sets the count
 * back; a thread that is slow to wake finds it at 0, as if not all had come, and waits for ever. */
#include "sct.h"

enum { THREADS = 3, ROUNDS = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_there = PTHREAD_COND_INITIALIZER;
static int there, rounds, work;

static int must_wait(int round)
{
    return RIGHT_FORM ? rounds == round : there != 0 && there < THREADS;
}

static void wait_for_all(void)
{
    pthread_mutex_lock(&lock);
    int round = rounds;
    if (++there == THREADS) {
        there = 0;
        rounds++;
        pthread_cond_broadcast(&all_there);
    }
    while (must_wait(round))
        pthread_cond_wait(&all_there, &lock);
    pthread_mutex_unlock(&lock);
}

static void *work_in_rounds(void *arg)
{
    for (int round = 0; round < ROUNDS; round++) {
        pthread_mutex_lock(&lock);
        assert(work / THREADS == round);
        work++;
        pthread_mutex_unlock(&lock);
        wait_for_all();
    }
    return arg;
}

int main(void)
{
    together(THREADS, work_in_rounds);
    return 0;
}
