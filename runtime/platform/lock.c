/* lock.c - a thread that waits for a lock, and one that lets others have it. */
#include "platform/lock.h"

#include <stdatomic.h>

#include "platform/thread.h"

/* The holder is mostly a few instructions from the end; unless it was preempted, and then it needs
 * the processor. */
void co4__lock_wait(co4__lock *l)
{
    for (unsigned tries = 0;
         atomic_load_explicit(&l->held, memory_order_relaxed) != 0 || !co4__try_lock(l); tries++)
        co4__back_off(tries);
}

/* A function of its own, so that tests/scaling sees with any compiler that the lock is free. */
CO4__NOINLINE void co4__spin(int looks)
{
    for (int i = 0; i < looks; i++)
        co4__spin_pause();
}

void co4__lock_let_others(co4__lock *l)
{
    co4__lock_give(l);
    co4__spin(CO4__LOOKS);
    co4__lock_take(l);
}
