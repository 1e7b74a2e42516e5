/* dekker.c - mutual exclusion of two threads by a wish each, after Dekker.
 *
 * The mistake: a thread looks at the other's wish before it has said its own. Both find that the
 * other one wants nothing, and both enter. */
#include <sched.h>
#include <stdatomic.h>

#include "sct.h"

static atomic_int wishes[2], turn, inside;

static void enter_right(int me)
{
    atomic_store(&wishes[me], 1);
    while (atomic_load(&wishes[1 - me])) {
        if (atomic_load(&turn) != me) {
            atomic_store(&wishes[me], 0);
            while (atomic_load(&turn) != me)
                sched_yield();
            atomic_store(&wishes[me], 1);
        }
        sched_yield();
    }
}

static void enter(int me)
{
    if (RIGHT_FORM) {
        enter_right(me);
        return;
    }
    while (atomic_load(&wishes[1 - me]))
        sched_yield();
    atomic_store(&wishes[me], 1);
}

static void *use(void *arg)
{
    int me = number_of_thread(arg);
    enter(me);
    assert(atomic_fetch_add(&inside, 1) == 0);
    atomic_fetch_sub(&inside, 1);
    atomic_store(&turn, 1 - me);
    atomic_store(&wishes[me], 0);
    return NULL;
}

int main(void)
{
    together(2, use);
    return 0;
}
