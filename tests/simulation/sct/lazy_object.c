/* lazy_object.c - an object that the first user makes.
 *
 * The mistake: each look and each write is under the lock, but not both together. Two users find
 * that there is none, and each makes one; what the first has put into its own is lost. */
#include <stdlib.h>

#include "sct.h"

enum { USERS = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *object, made;

static int *make_object(void)
{
    int *one = calloc(1, sizeof *one);
    assert(one);
    made++;
    return one;
}

static int *get_object(void)
{
    pthread_mutex_lock(&lock);
    int *found = object;
    if (!found && !RIGHT_FORM) {
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
    }
    if (!found)
        found = object = make_object();
    pthread_mutex_unlock(&lock);
    return found;
}

static void *use(void *arg)
{
    int *mine = get_object();
    pthread_mutex_lock(&lock);
    ++*mine;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    together(USERS, use);
    assert(made == 1 && *object == USERS);
    free(object);
    return 0;
}
