/* lazy01.c - two threads write parts of a value, the third uses it.
 *
 * The mistake: the third one takes the lock, but does not wait for both parts. In some orders the
 * value has one of them only. */
#include "sct.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t added = PTHREAD_COND_INITIALIZER;
static int value, parts;

static void *work(void *arg)
{
    int which = number_of_thread(arg);
    pthread_mutex_lock(&lock);
    if (which < 2) {
        value += which + 1;
        parts++;
        pthread_cond_signal(&added);
    } else {
        while (parts < (RIGHT_FORM ? 2 : 1))
            pthread_cond_wait(&added, &lock);
        assert(value == 3);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    together(3, work);
    return 0;
}
