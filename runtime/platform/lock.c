/* lock.c - the slow path of a lock, and the holder that yields it. */
#include "platform/lock.h"

#include <stdatomic.h>

#include "platform/thread.h"

/* The holder is usually a few instructions from its release. If it was preempted, it needs the
 * processor. */
void co4__lock_wait(co4__lock *l)
{
    for (unsigned tries = 0;
         atomic_load_explicit(&l->held, memory_order_relaxed) != 0 || !co4__try_lock(l); tries++)
        co4__back_off(tries);
}

/* A separate function. It lets tests/scaling count, with any compiler, that the thread holds no
 * lock here. */
CO4__NOINLINE void co4__spin(int looks)
{
    for (int i = 0; i < looks; i++)
        co4__spin_pause();
}

void co4__lock_yield(co4__lock *l)
{
    co4__lock_give(l);
    co4__spin(CO4__LOOKS);
    co4__lock_take(l);
}
