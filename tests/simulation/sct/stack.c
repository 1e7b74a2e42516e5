/* stack.c - a thread pushes, another one pops when a flag says that there is something.
 *
 * The mistake: the flag says that something was pushed once; it is not the stack's height, and
 * nothing clears it. A pop that comes before the second push finds nothing. */
#include "sct.h"

enum { NUMBERS = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t pushed = PTHREAD_COND_INITIALIZER;
static int numbers[NUMBERS], height, any;

static void push_all(void)
{
    for (int i = 0; i < NUMBERS; i++) {
        pthread_mutex_lock(&lock);
        assert(height < NUMBERS);
        numbers[height++] = i;
        any = 1;
        pthread_cond_signal(&pushed);
        pthread_mutex_unlock(&lock);
    }
}

static void pop_all(void)
{
    for (int i = 0; i < NUMBERS; i++) {
        pthread_mutex_lock(&lock);
        while (RIGHT_FORM ? height == 0 : !any)
            pthread_cond_wait(&pushed, &lock);
        assert(height > 0 && numbers[height - 1] < NUMBERS);
        height--;
        pthread_mutex_unlock(&lock);
    }
}

static void *use(void *arg)
{
    if (number_of_thread(arg) == 0)
        push_all();
    else
        pop_all();
    return NULL;
}

int main(void)
{
    together(2, use);
    return 0;
}
