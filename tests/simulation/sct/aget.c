/* aget.c - parts of a file come by threads; an interrupt saves how much of each is there, and how
 * much of all.
 *
 * The mistake: a thread counts its part and the sum in two turns of the lock. What is saved between
 * them does not fit together, and cannot be continued. */
#include "sct.h"

enum { PARTS = 2, PIECES = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int parts[PARTS], all;

static void *fetch(void *arg)
{
    for (int i = 0; i < PIECES; i++) {
        pthread_mutex_lock(&lock);
        parts[number_of_thread(arg)]++;
        if (!RIGHT_FORM) {
            pthread_mutex_unlock(&lock);
            pthread_mutex_lock(&lock);
        }
        all++;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void save(void)
{
    int sum = 0;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < PARTS; i++)
        sum += parts[i];
    assert(sum == all);
    pthread_mutex_unlock(&lock);
}

static void *fetch_or_save(void *arg)
{
    if (number_of_thread(arg) < PARTS)
        return fetch(arg);
    save();
    return NULL;
}

int main(void)
{
    together(PARTS + 1, fetch_or_save);
    return 0;
}
