/* runtime_id.c - runtimes by number.
 *
 * Purpose: a task names its runtime in two bytes, as a program may have millions of tasks. The
 * number is an index into this table.
 *
 * Invariants: numbers begin at 1. A free entry has the number of the next free one, as an odd
 * value.
 *
 * A thread that calls co4_run over and over takes and releases a number each time. So it keeps one
 * that it has released, and threads that do this share no lock. The number goes back when the
 * thread ends. The child of a fork loses the numbers that other threads of its parent kept.
 *
 * Concurrency: a thread may read the id of a task that it does not own. It may then find no
 * runtime, or another one that has the id by now. So either the answer does not matter, or the
 * caller knows that the runtime exists meanwhile. */
#include "core/runtime_id.h"

#include "platform/fork.h"
#include "platform/lock.h"

struct co4__words co4__runtimes_by_id;

static co4__lock lock;         /* guards both fields below, and writes to the table */
static unsigned used = 1;      /* the entries used so far; 0 names no runtime */
static uintptr_t released = 1; /* the first free entry, encoded as in the table; 1: none */

#define NONE ((uintptr_t)1) /* an entry that is free and kept */

/* The number has been taken, so its segment exists. */
static void set_entry(unsigned runtime_id, uintptr_t entry)
{
    /* Release: pairs with the acquire in co4__runtime_of(), for the contents of the runtime. */
    atomic_store_explicit(co4__words_at(&co4__runtimes_by_id, runtime_id), entry,
                          memory_order_release);
}

/* Called under the lock. Returns the number of a free entry, or 0: all those up to `used` are
 * taken, and the table has to grow before there is another. */
static unsigned take_free(void)
{
    unsigned runtime_id = (unsigned)(released >> 1);
    if (runtime_id != 0)
        released = atomic_load_explicit(co4__words_at(&co4__runtimes_by_id, runtime_id),
                                        memory_order_relaxed);
    else if (co4__words_at(&co4__runtimes_by_id, used))
        runtime_id = used++;
    return runtime_id;
}

int co4__runtime_id_take(co4_runtime *rt, uint16_t *number)
{
    struct co4__local *here = co4__local();
    *number = here->runtime_id.kept;
    if (CO4__LIKELY(*number != 0)) {
        here->runtime_id.kept = 0;
        set_entry(*number, (uintptr_t)rt);
        return CO4_OK;
    }
    for (;;) {
        co4__lock_take(&lock);
        unsigned runtime_id = take_free(), next = used;
        if (runtime_id != 0)
            set_entry(runtime_id, (uintptr_t)rt);
        co4__lock_give(&lock);
        *number = (uint16_t)runtime_id;
        if (runtime_id != 0)
            return CO4_OK;
        if (!co4__words_make(&co4__runtimes_by_id, next))
            return CO4_ENOMEM;
    }
}

static void share(uint16_t number)
{
    co4__lock_take(&lock);
    atomic_store_explicit(co4__words_at(&co4__runtimes_by_id, number), released,
                          memory_order_relaxed);
    released = ((uintptr_t)number << 1) | 1;
    co4__lock_give(&lock);
}

void co4__runtime_id_release(uint16_t number)
{
    struct co4__local *here = co4__local();
    if (CO4__UNLIKELY(!here->runtime_id.ends_with_thread))
        here->runtime_id.ends_with_thread = co4__thread_at_exit();
    if (here->runtime_id.kept != 0 || !here->runtime_id.ends_with_thread) {
        share(number);
        return;
    }
    set_entry(number, NONE);
    here->runtime_id.kept = number;
}

void co4__runtime_id_thread_exit(void)
{
    struct co4__local *here = co4__local();
    if (here->runtime_id.kept != 0)
        share(here->runtime_id.kept);
    here->runtime_id.kept = 0;
    here->runtime_id.ends_with_thread = false;
}

void co4__runtime_id_fork(enum co4__fork how)
{
    if (how == CO4__FORK_PREPARE)
        co4__lock_take(&lock);
    else
        co4__lock_give(&lock);
}
