/* runtime_id.c - runtimes by number.
 *
 * Purpose: a task names its runtime in two bytes, as a program may have millions of tasks. The
 * number is an index into this table.
 *
 * Invariants: numbers begin at 1. A free entry has the number of the next free one, as an odd
 * value.
 *
 * Concurrency: a thread may read the id of a task that it does not own. It may then find no
 * runtime, or another one that has the id by now. So either the answer does not matter, or the
 * caller knows that the runtime exists meanwhile. */
#include "core/runtime_id.h"

#include "platform/fork.h"
#include "platform/lock.h"

_Atomic(uintptr_t) co4__runtimes_by_id[CO4__RUNTIME_IDS];

static co4__lock lock;         /* guards both fields below, and writes to the table */
static unsigned used = 1;      /* the entries used so far; 0 names no runtime */
static uintptr_t released = 1; /* the first free entry, encoded as in the table; 1: none */

int co4__runtime_id_take(co4_runtime *rt, uint16_t *number)
{
    co4__lock_take(&lock);
    unsigned runtime_id = (unsigned)(released >> 1);
    if (runtime_id != 0)
        released = atomic_load_explicit(&co4__runtimes_by_id[runtime_id], memory_order_relaxed);
    else if (used < CO4__RUNTIME_IDS)
        runtime_id = used++;
    if (runtime_id != 0)
        atomic_store_explicit(&co4__runtimes_by_id[runtime_id], (uintptr_t)rt,
                              memory_order_release);
    co4__lock_give(&lock);
    *number = (uint16_t)runtime_id;
    return runtime_id != 0 ? CO4_OK : CO4_ENOMEM;
}

void co4__runtime_id_release(uint16_t number)
{
    co4__lock_take(&lock);
    atomic_store_explicit(&co4__runtimes_by_id[number], released, memory_order_relaxed);
    released = ((uintptr_t)number << 1) | 1;
    co4__lock_give(&lock);
}

void co4__runtime_id_fork(enum co4__fork how)
{
    if (how == CO4__FORK_PREPARE)
        co4__lock_take(&lock);
    else
        co4__lock_give(&lock);
}
