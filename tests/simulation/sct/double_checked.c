/* double_checked.c - an object that the first user makes; a look without the lock saves the others
 * the lock.
 *
 * The mistake: the pointer is written before what it points to is ready. A user that comes between
 * the two finds the object half made. */
#include <stdatomic.h>

#include "sct.h"

static struct object {
    atomic_int limit;
} space;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct object *_Atomic object;

static void make_object(void)
{
    if (RIGHT_FORM)
        atomic_store(&space.limit, 8);
    atomic_store(&object, &space);
    if (!RIGHT_FORM)
        atomic_store(&space.limit, 8);
}

static struct object *get_object(void)
{
    if (!atomic_load(&object)) {
        pthread_mutex_lock(&lock);
        if (!atomic_load(&object))
            make_object();
        pthread_mutex_unlock(&lock);
    }
    return atomic_load(&object);
}

static void *use(void *arg)
{
    int limit = atomic_load(&get_object()->limit);
    assert(limit == 8);
    return arg;
}

int main(void)
{
    together(3, use);
    return 0;
}
