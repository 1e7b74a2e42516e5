/* locked_table.h - nodes found by an address, for several threads: see base/table.c. */
#ifndef CO4_LOCKED_TABLE_H
#define CO4_LOCKED_TABLE_H

#include <stdatomic.h>

#include "base/table.h"
#include "platform/fork.h"
#include "platform/lock.h"

/* Zeroed, it is empty. Users with much traffic have an array of them, by co4__stripe_of(). */
struct co4__locked_table {
    co4__lock lock;   /* guards all below */
    atomic_uint used; /* its nodes; read without the lock, too */
    struct co4__table table;
};

static inline struct co4__table_node *co4__locked_find(const struct co4__locked_table *t,
                                                       const void *key)
{
    return co4__table_find(&t->table, (uintptr_t)key);
}

/* Under the lock. A user that looks at `used` without it orders that by fences. */
void co4__locked_add(struct co4__locked_table *t, struct co4__table_node *n, const void *key);
void co4__locked_remove(struct co4__locked_table *t, struct co4__table_node *n);

/* Unlocks it. Memory that it wants to grow is allocated without the lock, and given under it. */
void co4__locked_give(struct co4__locked_table *t);

/* A fork handler calls it for `count` tables. In the child `visit` is called for each node, and
 * removes the nodes of threads that the child does not have. */
void co4__locked_fork(struct co4__locked_table *t, unsigned count, enum co4__fork how,
                      void (*visit)(struct co4__table_node *n));

enum { CO4__STRIPES = 64 };

static inline struct co4__locked_table *co4__stripe_of(struct co4__locked_table *stripes,
                                                       const void *key)
{
    return &stripes[(uint64_t)(uintptr_t)key * UINT64_C(0x9e3779b97f4a7c15) >> 58];
}

#endif
