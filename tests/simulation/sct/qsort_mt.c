/* qsort_mt.c - a sort that gives one half of its numbers to another thread.
 *
 * The mistake: the helper says that it is done, and signals it, without the lock that the other
 * one has while it looks. Between that look and the wait the signal is lost. */
#include <stdlib.h>
#include <string.h>

#include "sct.h"

enum { NUMBERS = 8 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int numbers[NUMBERS] = { 5, 3, 8, 1, 7, 2, 6, 4 }, half_done, looks;

static int compare(const void *a, const void *b)
{
    int left, right;
    memcpy(&left, a, sizeof left);
    memcpy(&right, b, sizeof right);
    return (left > right) - (left < right);
}

static void sort_half(int half)
{
    qsort(&numbers[half * NUMBERS / 2], NUMBERS / 2, sizeof numbers[0], compare);
}

static void *help(void *arg)
{
    sort_half(1);
    if (RIGHT_FORM)
        pthread_mutex_lock(&lock);
    half_done = 1;
    pthread_cond_signal(&changed);
    if (RIGHT_FORM)
        pthread_mutex_unlock(&lock);
    return arg;
}

static void merge(void)
{
    int merged[NUMBERS], left = 0, right = NUMBERS / 2;
    for (int i = 0; i < NUMBERS; i++) {
        int takes_left = right == NUMBERS || (left < NUMBERS / 2 && numbers[left] < numbers[right]);
        merged[i] = numbers[takes_left ? left++ : right++];
    }
    memcpy(numbers, merged, sizeof merged);
}

int main(void)
{
    pthread_t helper;
    begin_thread(&helper, help, 0);
    sort_half(0);
    pthread_mutex_lock(&lock);
    while (!half_done) {
        looks++;
        pthread_cond_wait(&changed, &lock);
    }
    pthread_mutex_unlock(&lock);
    end_thread(helper);
    merge();
    for (int i = 0; i < NUMBERS; i++)
        assert(numbers[i] == i + 1);
    return 0;
}
