/* table.c - a hash table that grows by one bucket at a time.
 *
 * Purpose: a table of nodes that their owners allocate, for users that hold a spin lock meanwhile:
 * no operation allocates, and none looks at more than a few nodes, however many there are.
 *
 * The idea is linear hashing. With n buckets, and 2^k <= n < 2^(k+1), a node belongs to the bucket
 * of the lowest k+1 bits of its hash; if there is no such bucket yet, to that of the lowest k bits.
 * While there are more nodes than buckets, each node that is added makes one more bucket, and
 * divides the nodes of the bucket that stood for it. The buckets are in segments, each as large as
 * all before it, so that none moves.
 *
 * Invariant: nodes of one key are in the order in which they came, the newest first.
 *
 * Rejected: a table that doubles at once (its user waits for all nodes, with its lock); a tree
 * (more code, and more memory for each node). */
#include "base/table.h"

#include <limits.h>

#include "base/alloc.h"
#include "base/compiler.h"

static unsigned log2_of(size_t n)
{
    return (unsigned)(sizeof(long long) * CHAR_BIT - 1) -
           (unsigned)__builtin_clzll((unsigned long long)n);
}

static struct co4__table_node **bucket_at(const struct co4__table *t, size_t i)
{
    if (i < CO4__TABLE_FIRST)
        return (struct co4__table_node **)(uintptr_t)&t->first[i];
    unsigned segment = log2_of(i / CO4__TABLE_FIRST);
    return &t->segments[segment][i - ((size_t)CO4__TABLE_FIRST << segment)];
}

static size_t index_of(const struct co4__table *t, uintptr_t key)
{
    size_t n = CO4__TABLE_FIRST + t->more, most = (size_t)1 << log2_of(n);
    size_t hash = (size_t)((uint64_t)key * UINT64_C(0x9e3779b97f4a7c15) >> 24);
    size_t i = hash & (2 * most - 1);
    return i < n ? i : i & (most - 1);
}

static void put(struct co4__table_node **link, struct co4__table_node *n)
{
    n->next = *link;
    n->link = link;
    if (n->next)
        n->next->link = &n->next;
    *link = n;
}

static void node_unlink(struct co4__table_node *n)
{
    *n->link = n->next;
    if (n->next)
        n->next->link = n->link;
}

/* Makes the next bucket, if its segment is there. */
static void split(struct co4__table *t)
{
    size_t new = CO4__TABLE_FIRST + t->more;
    unsigned segment = log2_of(new / CO4__TABLE_FIRST);
    if (segment >= CO4__TABLE_SEGMENTS || !t->segments[segment])
        return;
    struct co4__table_node *n = *bucket_at(t, new - ((size_t)1 << log2_of(new))), *next;
    struct co4__table_node **last = bucket_at(t, new);
    t->more++;
    for (; n; n = next) {
        next = n->next;
        if (index_of(t, n->key) != new)
            continue;
        node_unlink(n);
        put(last, n);
        last = &n->next;
    }
}

struct co4__table_node *co4__table_find(const struct co4__table *t, uintptr_t key)
{
    struct co4__table_node *n = *bucket_at(t, index_of(t, key));
    while (n && n->key != key)
        n = n->next;
    return n;
}

struct co4__table_node *co4__table_find_next(const struct co4__table_node *n)
{
    struct co4__table_node *older = n->next;
    while (older && older->key != n->key)
        older = older->next;
    return older;
}

void co4__table_add(struct co4__table *t, struct co4__table_node *n, uintptr_t key)
{
    n->key = key;
    put(bucket_at(t, index_of(t, key)), n);
    if (CO4__UNLIKELY(++t->count > CO4__TABLE_FIRST + t->more))
        split(t);
}

void co4__table_remove(struct co4__table *t, struct co4__table_node *n)
{
    node_unlink(n);
    t->count--;
}

void co4__table_replace(struct co4__table_node *old, struct co4__table_node *n)
{
    *n = *old;
    *n->link = n;
    if (n->next)
        n->next->link = &n->next;
}

void co4__table_each(const struct co4__table *t, void (*visit)(struct co4__table_node *n))
{
    for (size_t i = 0; i < CO4__TABLE_FIRST + t->more; i++)
        for (struct co4__table_node *n = *bucket_at(t, i), *next; n; n = next) {
            next = n->next;
            visit(n);
        }
}

size_t co4__table_wants(const struct co4__table *t)
{
    size_t n = CO4__TABLE_FIRST + t->more;
    unsigned segment = log2_of(n / CO4__TABLE_FIRST);
    bool is_missing = segment < CO4__TABLE_SEGMENTS && !t->segments[segment];
    return is_missing && t->count >= n ? n * sizeof(struct co4__table_node *) : 0;
}

bool co4__table_give(struct co4__table *t, void *memory, size_t bytes)
{
    if (co4__table_wants(t) != bytes)
        return false;
    size_t n = CO4__TABLE_FIRST + t->more;
    t->segments[log2_of(n / CO4__TABLE_FIRST)] = memory;
    return true;
}

void co4__table_add_growing(struct co4__table *t, struct co4__table_node *n, uintptr_t key)
{
    co4__table_add(t, n, key);
    size_t bytes = co4__table_wants(t);
    void *memory = bytes > 0 ? co4__alloc(bytes) : NULL;
    if (memory)
        co4__table_give(t, memory, bytes);
}

void co4__table_free(struct co4__table **t)
{
    for (unsigned i = 0; *t && i < CO4__TABLE_SEGMENTS && (*t)->segments[i]; i++)
        co4__free((*t)->segments[i]);
    co4__free(*t);
    *t = NULL;
}
