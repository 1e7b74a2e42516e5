/* swsq.c - a queue for work stealing with a state that says how it is used: by its owner alone, or
 * by thieves as well, which then need the lock.
 *
 * The mistake: the owner looks at the state, and then works without the lock. A thief that changes
 * the state meanwhile does not make the owner stop. */
#include <stdatomic.h>

#include "sct.h"

enum { ITEMS = 2 };
enum { OWNED, SHARED };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int state = OWNED, head, tail, taken[ITEMS];

static void take_under_lock(int from_head)
{
    pthread_mutex_lock(&lock);
    if (atomic_load(&head) < atomic_load(&tail)) {
        int item = from_head ? atomic_fetch_add(&head, 1) : atomic_fetch_sub(&tail, 1) - 1;
        atomic_fetch_add(&taken[item], 1);
    }
    pthread_mutex_unlock(&lock);
}

static void take_alone(void)
{
    int last = atomic_load(&tail);
    if (atomic_load(&head) < last) {
        atomic_store(&tail, last - 1);
        atomic_fetch_add(&taken[last - 1], 1);
    }
}

static void *own(void *arg)
{
    for (int i = 0; i < ITEMS; i++)
        if (!RIGHT_FORM && atomic_load(&state) == OWNED)
            take_alone();
        else
            take_under_lock(0);
    return arg;
}

static void *rob(void *arg)
{
    atomic_store(&state, SHARED);
    take_under_lock(1);
    return arg;
}

int main(void)
{
    pthread_t owner, thief;
    atomic_store(&tail, ITEMS);
    begin_thread(&owner, own, 0);
    begin_thread(&thief, rob, 0);
    end_thread(owner);
    end_thread(thief);
    for (int i = 0; i < ITEMS; i++)
        assert(atomic_load(&taken[i]) == 1);
    return 0;
}
