/* splash_end.c - a computation in parts; the first thread prints when it has done its own.
 *
 * The mistake: the macro that waits for the end of all threads was left empty, as in the programs
 * of SPLASH-2 that were run with it. What is printed lacks the parts of those that are late. */
#include "sct.h"

enum { PARTS = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int result;

static void *compute(void *arg)
{
    pthread_mutex_lock(&lock);
    result += 1 << number_of_thread(arg);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void check_result(void)
{
    pthread_mutex_lock(&lock);
    assert(result == (1 << PARTS) - 1);
    pthread_mutex_unlock(&lock);
}

int main(void)
{
    pthread_t other;
    begin_thread(&other, compute, 1);
    compute((void *)0);
    if (RIGHT_FORM)
        end_thread(other);
    check_result();
    if (!RIGHT_FORM)
        end_thread(other);
    return 0;
}
