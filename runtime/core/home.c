/* home.c - runtimes by number.
 *
 * A task says which runtime it belongs to in two bytes, for there may be millions of tasks: the
 * runtime's number in the table here. Numbers are from 1; a free place links to the next free one,
 * as an odd number.
 *
 * Who asks of a task that is not its own may find the number of a runtime that is gone, or
 * another's by now, as it might have found its address before: it asks for what is harmless to be
 * wrong about, or has a reason why the runtime stays. */
#include "core/home.h"

#include "platform/fork.h"
#include "platform/lock.h"

_Atomic(uintptr_t) co4__homes[CO4__HOMES];

static co4__lock lock;         /* guards both, and who writes `co4__homes` */
static unsigned used = 1;      /* places that have ever been taken; 0 is nobody's */
static uintptr_t released = 1; /* a place as co4__homes has it; 1: none */

int co4__home_take(co4_runtime *rt, uint16_t *number)
{
    co4__lock_take(&lock);
    unsigned home = (unsigned)(released >> 1);
    if (home != 0)
        released = atomic_load_explicit(&co4__homes[home], memory_order_relaxed);
    else if (used < CO4__HOMES)
        home = used++;
    if (home != 0)
        atomic_store_explicit(&co4__homes[home], (uintptr_t)rt, memory_order_release);
    co4__lock_give(&lock);
    *number = (uint16_t)home;
    return home != 0 ? CO4_OK : CO4_ENOMEM;
}

void co4__home_release(uint16_t number)
{
    co4__lock_take(&lock);
    atomic_store_explicit(&co4__homes[number], released, memory_order_relaxed);
    released = ((uintptr_t)number << 1) | 1;
    co4__lock_give(&lock);
}

void co4__home_fork(enum co4__fork how)
{
    if (how == CO4__FORK_PREPARE)
        co4__lock_take(&lock);
    else
        co4__lock_give(&lock);
}
