/* sem_twice.c - a semaphore of one place as a lock; a user that finds nothing to do leaves early.
 *
 * The mistake: the early way out posts the semaphore, and the common end posts it again. Then two
 * users are inside at once. */
#include <semaphore.h>

#include "sct.h"

enum { USERS = 3 };

static sem_t place;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int inside, left = 2;

static void count_inside(int more)
{
    pthread_mutex_lock(&lock);
    inside += more;
    assert(inside <= 1);
    pthread_mutex_unlock(&lock);
}

static void *use(void *arg)
{
    sem_wait(&place);
    count_inside(1);
    int leaves_early = number_of_thread(arg) == 0 || left == 0;
    left -= !leaves_early;
    count_inside(-1);
    if (!RIGHT_FORM && leaves_early)
        sem_post(&place);
    sem_post(&place);
    return NULL;
}

int main(void)
{
    sem_init(&place, 0, 1);
    together(USERS, use);
    sem_destroy(&place);
    return 0;
}
