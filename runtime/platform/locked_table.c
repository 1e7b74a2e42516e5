/* locked_table.c - a table by address, with its lock and what a fork does with it.
 *
 * Invariants: no operation under the lock allocates or looks at more than a few nodes (base/table.c
 * grows by one bucket at a time). The memory to grow is allocated when the lock is free.
 *
 * Not for core/jump.c, which has the same protocol with a flag of its own: it is in the library for
 * boards, too, which has no locks. Nor for posix/posts.c, where handlers of signals look. */
#include "platform/locked_table.h"

#include "base/alloc.h"

void co4__locked_add(struct co4__locked_table *t, struct co4__table_node *n, const void *key)
{
    co4__table_add(&t->table, n, (uintptr_t)key);
    atomic_fetch_add_explicit(&t->used, 1, memory_order_relaxed);
}

void co4__locked_remove(struct co4__locked_table *t, struct co4__table_node *n)
{
    co4__table_remove(&t->table, n);
    atomic_fetch_sub_explicit(&t->used, 1, memory_order_relaxed);
}

/* Without memory the table works on, and is slower. */
static CO4__NOINLINE void enlarge(struct co4__locked_table *t, size_t bytes)
{
    void *memory = co4__alloc(bytes);
    co4__lock_take(&t->lock);
    bool taken = memory && co4__table_give(&t->table, memory, bytes);
    co4__lock_give(&t->lock);
    if (!taken)
        co4__free(memory);
}

void co4__locked_give(struct co4__locked_table *t)
{
    size_t wants = co4__table_wants(&t->table);
    co4__lock_give(&t->lock);
    if (CO4__UNLIKELY(wants > 0))
        enlarge(t, wants);
}

void co4__locked_fork(struct co4__locked_table *t, unsigned count, enum co4__fork how,
                      void (*visit)(struct co4__table_node *n))
{
    for (unsigned i = 0; i < count; i++) {
        if (how == CO4__FORK_PREPARE)
            co4__lock_take(&t[i].lock);
        if (how == CO4__FORK_CHILD)
            co4__table_each(&t[i].table, visit);
        if (how != CO4__FORK_PREPARE)
            co4__lock_give(&t[i].lock);
    }
}
