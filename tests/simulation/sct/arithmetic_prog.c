/* arithmetic_prog.c - one thread hands numbers to another one, which adds them up; the third waits
 * for the sum.
 *
 * The mistake: the adder says that it is done when it has taken the last number, before it has
 * added it. The sum is then that of all numbers but the last. */
#include "sct.h"

enum { LAST = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int slot, total, done;

static void hand_over(void)
{
    for (int number = 1; number <= LAST; number++) {
        pthread_mutex_lock(&lock);
        while (slot != 0)
            pthread_cond_wait(&changed, &lock);
        slot = number;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
    }
}

static void add_up(void)
{
    for (int taken = 1; taken <= LAST; taken++) {
        pthread_mutex_lock(&lock);
        while (slot == 0)
            pthread_cond_wait(&changed, &lock);
        int number = slot;
        slot = 0;
        done = !RIGHT_FORM && taken == LAST;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
        total += number;
        done = taken == LAST;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
    }
}

static void read_sum(void)
{
    pthread_mutex_lock(&lock);
    while (!done)
        pthread_cond_wait(&changed, &lock);
    assert(total == LAST * (LAST + 1) / 2);
    pthread_mutex_unlock(&lock);
}

static void *part(void *arg)
{
    static void (*const parts[])(void) = { hand_over, add_up, read_sum };
    parts[number_of_thread(arg)]();
    return NULL;
}

int main(void)
{
    together(3, part);
    return 0;
}
