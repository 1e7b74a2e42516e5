/* sigma.c - N threads mark a place of their own each, and the sum is that of all.
 *
 * The mistake: the number of the place is a variable that the creator goes on to change; a thread
 * reads it when it runs, not when it was made. Two threads may mark one place. */
#include "sct.h"

#ifndef N
#define N 5
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int places[N + 1], next;

static void *mark(void *arg)
{
    pthread_mutex_lock(&lock);
    places[RIGHT_FORM ? number_of_thread(arg) : next] = 1;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t ids[N];
    int sum = 0;
    for (int i = 0; i < N; i++) {
        begin_thread(&ids[i], mark, i);
        pthread_mutex_lock(&lock);
        next++;
        pthread_mutex_unlock(&lock);
    }
    for (int i = 0; i < N; i++)
        end_thread(ids[i]);
    for (int i = 0; i < N; i++)
        sum += places[i];
    assert(sum == N);
    return 0;
}
