/* peterson.c - mutual exclusion of two threads by two wishes and a turn, after Peterson.
 *
 * The mistake: a thread sets the turn before its wish. The other one may set both between, and
 * enter; then the first finds the turn its own, and enters as well. */
#include <sched.h>
#include <stdatomic.h>

#include "sct.h"

static atomic_int wishes[2], turn, inside;

static void enter(int me)
{
    if (RIGHT_FORM)
        atomic_store(&wishes[me], 1);
    atomic_store(&turn, 1 - me);
    if (!RIGHT_FORM)
        atomic_store(&wishes[me], 1);
    while (atomic_load(&wishes[1 - me]) && atomic_load(&turn) == 1 - me)
        sched_yield();
}

static void *use(void *arg)
{
    int me = number_of_thread(arg);
    for (int i = 0; i < 2; i++) {
        enter(me);
        assert(atomic_fetch_add(&inside, 1) == 0);
        atomic_fetch_sub(&inside, 1);
        atomic_store(&wishes[me], 0);
    }
    return NULL;
}

int main(void)
{
    together(2, use);
    return 0;
}
